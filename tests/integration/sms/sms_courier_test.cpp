#include "core/base/timestamp.h"
#include "core/delivery/sms/sms_courier.h"
#include "tests/support/http_receiver.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/manual_clock.h"

#include <gmock/gmock.h>

namespace restante::sms {
namespace {

using delivery::Outcome;
using test::HttpReply;
using testing::AllOf;
using testing::HasSubstr;
using Kind = Outcome::Kind;
using namespace std::chrono_literals;

class SmsCourierTest : public test::LoopFixture {
protected:
    static ClaimedJob job(const std::string& to = "+4917012345678",
                          const std::string& text = "Hello & goodbye")
    {
        ClaimedJob claimed;
        claimed.job.id = "a/b";
        claimed.job.channel = Channel::Sms;
        claimed.job.recipient = to;
        claimed.job.body = text;
        return claimed;
    }
    static Config configFor(const test::HttpReceiver& gateway)
    {
        Config config;
        config.sms.gateway = Config::SmsGateway::Template;
        config.sms.url = gateway.url("/send?id={id}");
        config.sms.body = R"({{"to":"{to}","from":"{from}","text":"{text}"}})";
        config.sms.headers = {"Authorization: Bearer {user}"};
        config.sms.user = "token";
        config.sms.from = "Shop";
        return config;
    }
    std::vector<Outcome> deliver(const Config& config, std::vector<ClaimedJob> jobs)
    {
        SmsCourier courier(loop_, clock_, client_, gatewayOf(config.sms).value(), nullptr,
                           SmsCourier::settingsOf(config).value());
        std::optional<std::vector<Outcome>> outcomes;
        courier.deliver(std::move(jobs), [&](auto given) { outcomes = std::move(given); });
        EXPECT_TRUE(runUntil([&] { return outcomes.has_value(); }));
        return outcomes.value_or(std::vector<Outcome>{});
    }
    Outcome deliver(const Config& config, ClaimedJob one = job())
    {
        const auto outcomes = deliver(config, std::vector{std::move(one)});
        return outcomes.empty() ? Outcome{} : outcomes.front();
    }
    static test::HttpReceiver::Script answering(HttpReply reply)
    {
        return [reply](const auto&) { return reply; };
    }

    test::ManualClock clock_;
    delivery::HttpClient client_{loop_, {.policy = AddressPolicy::everything()}};
};

TEST_F(SmsCourierTest, tellsTheHistoryWithoutThePassword)
{
    test::HttpReceiver gateway(answering({.status = 202, .body = "0: Accepted for delivery"}));
    Config config;
    config.sms.gateway = Config::SmsGateway::Kannel;
    config.sms.url = gateway.url("/cgi-bin/sendsms");
    config.sms.user = "restante";
    auto one = job();
    one.attempt = 2;
    const auto note = deliver(config, one).note;
    EXPECT_THAT(note, testing::StartsWith("attempt 2: "));
    EXPECT_THAT(note, HasSubstr(" sms:+4917012345678 via 127.0.0.1:"));
    EXPECT_THAT(note, HasSubstr(" 202 Accepted: 0: Accepted for delivery ("));
    EXPECT_THAT(note, testing::Not(HasSubstr("sendsms")));
    EXPECT_THAT(note, testing::Not(HasSubstr("Hello")));

    test::HttpReceiver broken(answering({.status = 500, .body = std::string(9'000, '\n') + "x"}));
    config.sms.url = broken.url();
    EXPECT_LT(deliver(config, one).note.size(), 640U);
}

TEST_F(SmsCourierTest, fillsInTheTemplateOfAnyGateway)
{
    test::HttpReceiver gateway;
    EXPECT_EQ(deliver(configFor(gateway)).kind, Kind::Delivered);
    ASSERT_EQ(gateway.count(), 1U);
    const auto request = gateway.requests().front();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/send?id=a%2Fb");
    EXPECT_EQ(request.header("content-type"), "application/json");
    EXPECT_EQ(request.header("authorization"), "Bearer token");
    EXPECT_EQ(request.body, R"({"to":"+4917012345678","from":"Shop","text":"Hello & goodbye"})");
}

TEST_F(SmsCourierTest, asksOfTheAnswerWhatTheOperatorWroteDown)
{
    test::HttpReceiver gateway(answering({.status = 200, .body = R"({"status":"11"})"}));
    auto config = configFor(gateway);
    config.sms.success = R"("status":\s*"0")";
    const auto outcome = deliver(config);
    EXPECT_EQ(outcome.kind, Kind::Retry);
    EXPECT_THAT(outcome.reason, AllOf(HasSubstr("sms.success"), HasSubstr("\"11\"")));

    test::HttpReceiver good(answering({.status = 200, .body = R"({"status": "0"})"}));
    config.sms.url = good.url();
    EXPECT_EQ(deliver(config).kind, Kind::Delivered);
}

TEST_F(SmsCourierTest, buriesWhatTheGatewayCanNeverTakeAndTriesTheRestAgain)
{
    for (const int status : {400, 410, 413, 414, 422}) {
        test::HttpReceiver gateway(answering({.status = status, .body = "no such number"}));
        const auto outcome = deliver(configFor(gateway));
        EXPECT_EQ(outcome.kind, Kind::Dead) << status;
        EXPECT_THAT(outcome.reason, HasSubstr("no such number"));
    }
    for (const int status : {301, 401, 402, 403, 404, 408, 429, 500, 502, 503}) {
        test::HttpReceiver gateway(answering({.status = status}));
        EXPECT_EQ(deliver(configFor(gateway)).kind, Kind::Retry) << status;
    }
}

TEST_F(SmsCourierTest, honoursRetryAfter)
{
    test::HttpReceiver gateway(answering({.status = 503, .headers = {{"Retry-After", "120"}}}));
    EXPECT_EQ(deliver(configFor(gateway)).wait, 120s);
}

TEST_F(SmsCourierTest, triesAgainWhenTheGatewayDoesNotAnswerInTime)
{
    test::HttpReceiver gateway(answering({.behaviour = HttpReply::Behaviour::Hang}));
    auto config = configFor(gateway);
    config.sms.timeout = 100ms;
    const auto outcome = deliver(config);
    EXPECT_EQ(outcome.kind, Kind::Retry);
    EXPECT_THAT(outcome.reason, HasSubstr("SMS gateway: "));
}

TEST_F(SmsCourierTest, triesAgainWhenTheRequestCannotBeSentAsItIsConfigured)
{
    test::HttpReceiver gateway;
    auto config = configFor(gateway);
    config.sms.url = gateway.url("/send?text={text}");
    config.sms.maxParts = 255;
    std::string text;
    for (int i = 0; i < 8'000; ++i) {
        text += "世";  // nine characters of the URL
    }
    const auto outcome = deliver(config, job("+4917012345678", text));
    EXPECT_EQ(outcome.kind, Kind::Retry);
    EXPECT_THAT(outcome.reason, HasSubstr("a URL is at most"));
    EXPECT_EQ(gateway.count(), 0U);
}

TEST_F(SmsCourierTest, buriesWhatIsNoTextMessageWithoutAskingTheGateway)
{
    test::HttpReceiver gateway;
    const auto config = configFor(gateway);
    EXPECT_EQ(deliver(config, job("bob")).kind, Kind::Dead);
    EXPECT_EQ(deliver(config, job("+4917012345678", "\xff")).kind, Kind::Dead);
    EXPECT_EQ(gateway.count(), 0U);
}

TEST_F(SmsCourierTest, givesAJobBackUntilTheQuietHoursOfItsRecipientEnd)
{
    test::HttpReceiver gateway;
    auto config = configFor(gateway);
    config.sms.quietHours = "21:00-08:00";
    config.sms.timeZone = "America/New_York";
    config.sms.zones = {"+4=Asia/Tokyo", "+49=Europe/Berlin"};
    clock_.set(parseTimestamp("2026-01-15T21:30:00Z").value());  // 22:30 in Berlin

    const auto berlin = deliver(config);
    EXPECT_EQ(berlin.kind, Kind::Returned);
    EXPECT_EQ(berlin.wait, 9h + 30min);

    EXPECT_EQ(deliver(config, job("+12125550100")).kind, Kind::Delivered);  // 16:30 in New York

    auto traveller = job();
    traveller.job.headers = {{"time-zone", "Australia/Sydney"}};  // 08:30 there
    EXPECT_EQ(deliver(config, traveller).kind, Kind::Delivered);
    EXPECT_EQ(gateway.count(), 2U);

    clock_.advance(berlin.wait);
    EXPECT_EQ(deliver(config).kind, Kind::Delivered);
}

TEST_F(SmsCourierTest, keepsThePaceOfTheGateway)
{
    test::HttpReceiver gateway;
    auto config = configFor(gateway);
    config.sms.rate = 20;
    SystemClock clock;
    SmsCourier courier(loop_, clock, client_, gatewayOf(config.sms).value(), nullptr,
                       SmsCourier::settingsOf(config).value());
    std::size_t done = 0;
    const auto begin = clock.now();
    for (int i = 0; i < 5; ++i) {
        courier.deliver({job()}, [&](const auto&) { ++done; });
    }
    EXPECT_EQ(courier.capacity(), config.sms.concurrency - 5);
    ASSERT_TRUE(runUntil([&] { return done == 5; }));
    EXPECT_GE(clock.now() - begin, 200ms);  // four waits of 50 ms
    EXPECT_EQ(courier.capacity(), config.sms.concurrency);
}

TEST_F(SmsCourierTest, keepsARateThatIsNoWholeNumberOfMilliseconds)
{
    test::HttpReceiver gateway;
    auto config = configFor(gateway);
    config.sms.rate = 700;
    config.sms.concurrency = 200;
    SmsCourier courier(loop_, clock_, client_, gatewayOf(config.sms).value(), nullptr,
                       SmsCourier::settingsOf(config).value());
    std::size_t done = 0;
    for (int i = 0; i < 200; ++i) {
        courier.deliver({job()}, [&](const auto&) { ++done; });
    }
    // 200 ms of the courier's clock; in each there is time for a message, if one may begin.
    for (int ms = 0; ms < 200; ++ms) {
        const auto before = done;
        runUntil([&] { return done > before; }, Millis{5});
        clock_.advance(Millis{1});
    }
    EXPECT_LE(done, 141U);
    EXPECT_GT(done, 0U);
}

TEST_F(SmsCourierTest, givesBackWhatItHasNotSentWhenTheDaemonStops)
{
    test::HttpReceiver gateway;
    auto config = configFor(gateway);
    config.sms.rate = 1;
    SmsCourier courier(loop_, clock_, client_, gatewayOf(config.sms).value(), nullptr,
                       SmsCourier::settingsOf(config).value());
    std::vector<Kind> kinds;
    for (int i = 0; i < 3; ++i) {
        courier.deliver({job()}, [&](const auto& outcomes) { kinds.push_back(outcomes[0].kind); });
    }
    ASSERT_TRUE(runUntil([&] { return gateway.count() == 1; }));
    courier.drain();
    EXPECT_EQ(courier.capacity(), 0U);
    ASSERT_TRUE(runUntil([&] { return kinds.size() == 3; }));
    EXPECT_THAT(kinds,
                testing::UnorderedElementsAre(Kind::Delivered, Kind::Returned, Kind::Returned));
}

TEST_F(SmsCourierTest, saysWhichKeyIsMissing)
{
    Config config;
    config.sms.gateway = Config::SmsGateway::Kannel;
    EXPECT_THAT(gatewayOf(config.sms).error().message, HasSubstr("sms.url"));
    config.sms.url = "http://g/{to}";
    EXPECT_THAT(gatewayOf(config.sms).error().message, HasSubstr("placeholders"));
    config.sms.passwordFile = "/nowhere/at/all";
    EXPECT_THAT(gatewayOf(config.sms).error().message, HasSubstr("sms.password_file"));
    config.sms.deliveryReports = Config::SmsReports::Phone;
    config.http.listen.reset();
    EXPECT_THAT(SmsCourier::settingsOf(config).error().message, HasSubstr("sms.report_url"));
    EXPECT_EQ(gatewayOf(Config{}.sms).value(), nullptr);
}

TEST_F(SmsCourierTest, wantsTheUrlForReportsThatHttpListenDoesNotTell)
{
    Config config;
    config.sms.gateway = Config::SmsGateway::Kannel;
    config.sms.url = "http://g/send";
    config.sms.deliveryReports = Config::SmsReports::Phone;
    EXPECT_TRUE(SmsCourier::settingsOf(config));
    config.http.tls.certificate = "/etc/restante/cert.pem";
    const auto refused = SmsCourier::settingsOf(config);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("sms.report_url"));
    config.sms.reportUrl = "https://restante.example.org:9277";
    EXPECT_TRUE(SmsCourier::settingsOf(config));
}

TEST_F(SmsCourierTest, wantsATemplateThatTellsWhereReportsGo)
{
    Config config;
    config.sms.gateway = Config::SmsGateway::Template;
    config.sms.url = "http://g/send?to={to}";
    config.sms.body = "{text}";
    EXPECT_TRUE(gatewayOf(config.sms));
    config.sms.deliveryReports = Config::SmsReports::Phone;
    const auto refused = gatewayOf(config.sms);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("{report_url}"));
    config.sms.body = "{text} {report_url}";
    EXPECT_TRUE(gatewayOf(config.sms));
    config.sms.method = "GET";
    EXPECT_FALSE(gatewayOf(config.sms)) << "a GET has no body";
    config.sms.url = "http://g/send?to={to}&dlr={report_url}";
    EXPECT_TRUE(gatewayOf(config.sms));
}

TEST_F(SmsCourierTest, saysWhichUrlCannotBeCalled)
{
    for (const char* url : {"http://user:secret@g/send", "http://g:99999/", "http://g/#send",
                            "http://g/a|b", "http://{user}:{password}@g/send"}) {
        Config config;
        config.sms.gateway = Config::SmsGateway::Template;
        config.sms.url = url;
        const auto refused = gatewayOf(config.sms);
        ASSERT_FALSE(refused) << url;
        EXPECT_THAT(refused.error().message,
                    AllOf(HasSubstr("sms.url: "), testing::Not(HasSubstr("secret"))));
        config.sms.url = "http://g/send?to={to}";
        EXPECT_TRUE(gatewayOf(config.sms)) << url;
    }
}

}  // namespace
}  // namespace restante::sms
