#include "core/delivery/sms/sms_courier.h"
#include "tests/support/kannel.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/manual_clock.h"

#include <gmock/gmock.h>

#include <fstream>

namespace restante::sms {
namespace {

using delivery::Outcome;
using testing::HasSubstr;
using Kind = Outcome::Kind;

class KannelTest : public test::LoopFixture {
protected:
    static void SetUpTestSuite() { kannel_ = std::make_unique<test::Kannel>(); }
    static void TearDownTestSuite() { kannel_.reset(); }

    Config configFor(const test::Kannel& kannel, const std::string& password)
    {
        std::ofstream(directory_ / "password") << password << '\n';
        std::filesystem::permissions(directory_ / "password", std::filesystem::perms{0600});
        Config config;
        config.sms.gateway = Config::SmsGateway::Kannel;
        config.sms.url = kannel.sendUrl();
        config.sms.user = test::Kannel::kUser;
        config.sms.passwordFile = directory_ / "password";
        config.sms.from = "12345";
        return config;
    }
    Config config() { return configFor(*kannel_, test::Kannel::kPassword); }

    Outcome deliver(const Config& config, const std::string& text)
    {
        SmsCourier courier(loop_, clock_, client_, gatewayOf(config.sms).value(), nullptr,
                           SmsCourier::settingsOf(config).value());
        ClaimedJob claimed;
        claimed.job.id = "job-1";
        claimed.job.channel = Channel::Sms;
        claimed.job.recipient = "+4917012345678";
        claimed.job.body = text;
        std::optional<Outcome> outcome;
        courier.deliver({claimed}, [&](auto outcomes) { outcome = outcomes.at(0); });
        EXPECT_FALSE(outcome) << "reported from inside the call";
        EXPECT_TRUE(runUntil([&] { return outcome.has_value(); }, test::kProcessTimeout));
        return outcome.value_or(Outcome{Kind::Dead, "test: no outcome"});
    }
    /// What arrives of one message that the gateway takes.
    std::vector<test::ReceivedSms> sent(const std::string& text, std::size_t parts)
    {
        const auto before = kannel_->arrived(0).size();
        const auto outcome = deliver(config(), text);
        EXPECT_EQ(outcome.kind, Kind::Delivered) << outcome.reason;
        auto all = kannel_->arrived(before + parts);
        EXPECT_EQ(all.size(), before + parts);
        return {all.begin() + static_cast<std::ptrdiff_t>(std::min(before, all.size())), all.end()};
    }

    static inline std::unique_ptr<test::Kannel> kannel_;
    test::TempDir directory_;
    test::ManualClock clock_;
    delivery::HttpClient client_{loop_, {.policy = AddressPolicy::everything()}};
};

TEST_F(KannelTest, bringsATextToThePhone)
{
    const auto arrived = sent("Your order 4711 is ready.", 1);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].to, "+4917012345678");
    EXPECT_EQ(arrived[0].from, "12345");
    EXPECT_EQ(arrived[0].type, "text");
    EXPECT_EQ(arrived[0].text, "Your order 4711 is ready.");
}

TEST_F(KannelTest, bringsUmlautsAndTheExtensionTableInSevenBits)
{
    const auto arrived = sent("Grüße & 5 € [50 %] = {x}?", 1);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].type, "text");
    EXPECT_EQ(arrived[0].text, "Grüße & 5 € [50 %] = {x}?");
}

TEST_F(KannelTest, bringsEverythingElseInUcs2)
{
    const auto arrived = sent("Да 😀", 1);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].type, "ucs-2");
    EXPECT_EQ(arrived[0].text, "%04%14%040%00+%D8%3D%DE%00");
}

TEST_F(KannelTest, splitsALongTextIntoAsManyMessagesAsWeCount)
{
    std::string text;
    for (int i = 0; i < 40; ++i) {
        text += "ten chars ";
    }
    ASSERT_EQ(measure(text)->parts, 3U);
    const auto arrived = sent(text, 3);
    std::string together;
    for (const auto& part : arrived) {
        EXPECT_EQ(part.type, "data");
        together += part.text;
    }
    std::replace(together.begin(), together.end(), '+', ' ');
    EXPECT_EQ(together, text);
}

TEST_F(KannelTest, bringsAsManyMessagesAsAreAllowedInAnyLetters)
{
    const auto most = config().sms.maxParts;
    std::string text;
    for (std::uint32_t i = 0; i < most * 67; ++i) {
        text += "你";  // nine characters of the URL
    }
    ASSERT_EQ(measure(text)->parts, most);
    EXPECT_EQ(sent(text, most).size(), most);
}

TEST_F(KannelTest, triesAgainWithAWrongPasswordAndSaysSo)
{
    const auto outcome = deliver(configFor(*kannel_, "wrong"), "Hello");
    EXPECT_EQ(outcome.kind, Kind::Retry);
    EXPECT_THAT(outcome.reason, HasSubstr("403 from 127.0.0.1:"));
    EXPECT_THAT(outcome.reason, HasSubstr("Authorization failed for sendsms"));
    EXPECT_THAT(outcome.reason, HasSubstr("sms.password_file"));
}

TEST_F(KannelTest, triesAgainWhileTheGatewayIsDownAndThenDelivers)
{
    test::Kannel kannel(test::Kannel::Start::Later);
    const auto config = configFor(kannel, test::Kannel::kPassword);
    const auto down = deliver(config, "Hello");
    EXPECT_EQ(down.kind, Kind::Retry);
    EXPECT_THAT(down.reason, HasSubstr("SMS gateway: "));

    kannel.start();
    const auto up = deliver(config, "Hello");
    EXPECT_EQ(up.kind, Kind::Delivered) << up.reason;
    EXPECT_EQ(kannel.arrived(1).size(), 1U);
}

TEST_F(KannelTest, triesAgainWithAWrongPath)
{
    auto wrong = config();
    wrong.sms.url = wrong.sms.url.substr(0, wrong.sms.url.rfind('/')) + "/nothing";
    const auto outcome = deliver(wrong, "Hello");
    EXPECT_EQ(outcome.kind, Kind::Retry);
    EXPECT_THAT(outcome.reason, HasSubstr("check sms.url"));
}

}  // namespace
}  // namespace restante::sms
