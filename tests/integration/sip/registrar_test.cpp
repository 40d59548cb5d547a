#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/redis_server.h"
#include "tests/support/thread_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace restante::sip::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Register : public ::testing::Test {
protected:
    /// A REGISTER of bob's; the CSeq grows with each.
    SipText request(const std::vector<std::string>& contacts = {})
    {
        auto one = requestOf(socket_, "REGISTER", "sip:example.com");
        one.set("To", "<sip:bob@example.com>").set("Call-ID", "reg@test");
        one.set("CSeq", std::to_string(++cseq_) + " REGISTER");
        for (const auto& contact : contacts) {
            one.headers.emplace_back("Contact", contact);
        }
        return one;
    }
    SipText askWith(const SipText& request) { return ask(socket_, request); }
    SipText askFor(const std::vector<std::string>& contacts) { return askWith(request(contacts)); }
    /// The contacts that a query lists.
    std::vector<std::string> listed() { return askFor({}).all("Contact"); }

    std::vector<Binding> found(const std::string& aor)
    {
        std::promise<std::vector<Binding>> result;
        server_.onLoop([&] {
            server_.bindings().lookup(aor, [&](Result<std::vector<Binding>> bindings) {
                result.set_value(bindings.value());
            });
        });
        return result.get_future().get();
    }

    Register() : Register(InboundServer::defaults()) {}
    explicit Register(const SipSettings& settings, const std::optional<redis::RedisUrl>& redis = {})
        : server_(settings, {}, redis)
    {
    }

    InboundServer server_;
    SipSocket socket_{server_.at(SipTransport::Udp)};
    int cseq_ = 0;
};

TEST_F(Register, storesTheBindingAndListsIt)
{
    const auto response =
        askFor({"\"Bob\" <sip:bob@192.0.2.1:5070;transport=udp>;expires=600;q=0.5"});
    EXPECT_EQ(response.status(), 200);
    EXPECT_THAT(response.all("Contact"),
                ElementsAre("<sip:bob@192.0.2.1:5070;transport=udp>;expires=600;q=0.500"));
    EXPECT_NE(response.header("Date"), "");
    const auto bindings = found(kBobsAor);
    ASSERT_EQ(bindings.size(), 1U);
    EXPECT_EQ(bindings[0].contact, "sip:bob@192.0.2.1:5070;transport=udp");
    EXPECT_EQ(bindings[0].q, 500U);
    EXPECT_EQ(bindings[0].source, socket_.address());
    EXPECT_EQ(bindings[0].transport, "udp");
    EXPECT_THAT(server_.registered(), ElementsAre(kBobsAor));
}

TEST_F(Register, takesAMalformedQAsOne)
{
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>;q=0.5x"}).status(), 200);
    const auto bindings = found(kBobsAor);
    ASSERT_EQ(bindings.size(), 1U);
    EXPECT_EQ(bindings[0].q, 1'000U);
}

TEST_F(Register, tellsADeviceBehindANatByItsVia)
{
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>"}).status(), 200);
    EXPECT_FALSE(found(kBobsAor).at(0).behindNat);

    auto one = request({"<sip:bob@192.0.2.1>"});
    one.set("Via",
            "SIP/2.0/UDP 192.168.1.7:5060;rport;branch=z9hG4bK" + restante::test::uniqueToken());
    EXPECT_EQ(askWith(one).status(), 200);
    EXPECT_TRUE(found(kBobsAor).at(0).behindNat);
}

TEST_F(Register, keepsPathAndInstance)
{
    auto one = request({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=2"});
    one.headers.emplace_back("Path", "<sip:a@p1;lr>, <sip:p2;lr>");
    EXPECT_EQ(askWith(one).status(), 200);
    const auto bindings = found(kBobsAor);
    ASSERT_EQ(bindings.size(), 1U);
    EXPECT_THAT(bindings[0].path, ElementsAre("<sip:a@p1;lr>", "<sip:p2;lr>"));
    EXPECT_EQ(bindings[0].instance, "urn:uuid:1");
    EXPECT_EQ(bindings[0].regId, "2");
}

TEST_F(Register, replacesTheFlowOfTheSameInstance)
{
    askFor({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
    askFor({"<sip:bob@192.0.2.2>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
    EXPECT_THAT(listed(), ElementsAre(StartsWith("<sip:bob@192.0.2.2>")));
}

TEST_F(Register, replacesTheFlowOfTheSameInstanceWhateverItsRegId)
{
    askFor({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
    askFor({"<sip:bob@192.0.2.2>;+sip.instance=\"<urn:uuid:1>\";reg-id=2"});
    EXPECT_THAT(listed(), ElementsAre(StartsWith("<sip:bob@192.0.2.2>")));
    askFor({"<sip:bob@192.0.2.3>;+sip.instance=\"<urn:uuid:1>\""});
    EXPECT_THAT(listed(), ElementsAre(StartsWith("<sip:bob@192.0.2.3>")));
}

TEST_F(Register, keepsTheNewestFlowOfAnInstanceWhenAnOlderOneEnds)
{
    askFor({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
    askFor({"<sip:bob@192.0.2.2>;+sip.instance=\"<urn:uuid:1>\";reg-id=2"});
    askFor({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1;expires=0"});
    EXPECT_THAT(listed(), ElementsAre(StartsWith("<sip:bob@192.0.2.2>")));
    askFor({"<sip:bob@192.0.2.2>;+sip.instance=\"<urn:uuid:1>\";reg-id=2;expires=0"});
    EXPECT_THAT(listed(), ElementsAre());
}

TEST_F(Register, takesSeveralContactsAndListsTheHighestQFirst)
{
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>;q=0.1, <sip:bob@192.0.2.2>;q=0.9",
                      "<sip:bob@192.0.2.3>;q=0.5"})
                  .status(),
              200);
    EXPECT_THAT(listed(), ElementsAre(HasSubstr("192.0.2.2"), HasSubstr("192.0.2.3"),
                                      HasSubstr("192.0.2.1")));
}

TEST_F(Register, takesExpiryFromParameterThenHeaderThenDefault)
{
    auto one = request({"<sip:bob@192.0.2.1>;expires=100", "<sip:bob@192.0.2.2>"});
    one.set("Expires", "200");
    EXPECT_THAT(
        askWith(one).all("Contact"),
        ::testing::UnorderedElementsAre(HasSubstr("expires=100"), HasSubstr("expires=200")));
    EXPECT_THAT(askFor({"<sip:carol@192.0.2.3>"}).all("Contact"),
                ::testing::Contains(HasSubstr("expires=3600")));
}

TEST_F(Register, shortensWhatIsTooLong)
{
    EXPECT_THAT(askFor({"<sip:bob@192.0.2.1>;expires=99999999999999999999"}).all("Contact"),
                ElementsAre(HasSubstr("expires=7200")));
}

TEST_F(Register, refusesWhatIsTooBrief)
{
    const auto response = askFor({"<sip:bob@192.0.2.1>;expires=59"});
    EXPECT_EQ(response.status(), 423);
    EXPECT_EQ(response.header("Min-Expires"), "60");
    EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(Register, withExpiresZeroRemovesThatContactOnly)
{
    askFor({"<sip:bob@192.0.2.1>", "<sip:bob@192.0.2.2>"});
    const auto response = askFor({"<sip:bob@192.0.2.1>;expires=0"});
    EXPECT_EQ(response.status(), 200);
    EXPECT_THAT(response.all("Contact"), ElementsAre(HasSubstr("192.0.2.2")));
}

TEST_F(Register, withStarRemovesEverything)
{
    askFor({"<sip:bob@192.0.2.1>", "<sip:bob@192.0.2.2>"});
    auto one = request({"*"});
    one.set("Expires", "0");
    const auto response = askWith(one);
    EXPECT_EQ(response.status(), 200);
    EXPECT_THAT(response.all("Contact"), IsEmpty());
    EXPECT_THAT(found(kBobsAor), IsEmpty());
}

TEST_F(Register, refusesAStarThatIsNotAloneOrDoesNotExpire)
{
    askFor({"<sip:bob@192.0.2.1>"});
    EXPECT_EQ(askFor({"*"}).status(), 400);
    auto one = request({"*", "<sip:bob@192.0.2.2>"});
    one.set("Expires", "0");
    EXPECT_EQ(askWith(one).status(), 400);
    EXPECT_THAT(listed(), ElementsAre(HasSubstr("192.0.2.1")));
}

TEST_F(Register, refusesAnEarlierRequestOfTheSameCallId)
{
    auto late = request({"<sip:bob@192.0.2.1>;expires=0"});
    askFor({"<sip:bob@192.0.2.1>"});
    EXPECT_EQ(askWith(late).status(), 500);
    EXPECT_THAT(listed(), ElementsAre(HasSubstr("192.0.2.1")));
}

TEST_F(Register, ofAnotherCallIdMayHaveALowerCSeq)
{
    askFor({"<sip:bob@192.0.2.1>"});
    auto restarted = request({"<sip:bob@192.0.2.1>;expires=0"});
    restarted.set("Call-ID", "other@test").set("CSeq", "1 REGISTER");
    EXPECT_EQ(askWith(restarted).status(), 200);
    EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(Register, tellsNobodyOfAQueryOrARemoval)
{
    askFor({});
    askFor({"<sip:bob@192.0.2.1>;expires=0"});
    EXPECT_THAT(server_.registered(), IsEmpty());
}

TEST_F(Register, refusesMoreContactsThanAllowed)
{
    std::vector<std::string> contacts;
    for (int i = 0; i < 11; ++i) {
        contacts.push_back("<sip:bob@192.0.2." + std::to_string(i) + ">");
    }
    EXPECT_EQ(askFor(contacts).status(), 403);
    EXPECT_THAT(listed(), IsEmpty());
}

std::vector<std::string> manyContacts(int count, const std::string& params = "")
{
    std::vector<std::string> contacts;
    for (int i = 0; i < count; ++i) {
        contacts.push_back("<sip:bob@192.0.2." + std::to_string(i) + ">" + params);
    }
    return contacts;
}

TEST_F(Register, refusesMoreContactsThanAllowedWithoutAskingTheStore)
{
    auto& redis = restante::test::sharedRedis();
    redis.pause();
    const auto put = askFor(manyContacts(11));
    const auto removed = askFor(manyContacts(11, ";expires=0"));
    redis.resume();
    EXPECT_EQ(put.status(), 403);
    EXPECT_EQ(removed.status(), 403);
}

TEST_F(Register, takesAsManyContactsAndRemovalsAsAUserMayHave)
{
    EXPECT_EQ(askFor(manyContacts(10)).status(), 200);
    auto contacts = manyContacts(10, ";expires=0");
    for (int i = 0; i < 10; ++i) {
        contacts.push_back("<sip:bob@198.51.100." + std::to_string(i) + ">");
    }
    const auto response = askFor(contacts);
    EXPECT_EQ(response.status(), 200);
    EXPECT_THAT(response.all("Contact"),
                AllOf(::testing::SizeIs(10), ::testing::Each(HasSubstr("198.51.100."))));
}

TEST_F(Register, refusesAPathOfMoreServersThanItKeeps)
{
    auto one = request({"<sip:bob@192.0.2.1>"});
    for (int i = 0; i < 16; ++i) {
        one.headers.emplace_back("Path", "<sip:p" + std::to_string(i) + ";lr>");
    }
    EXPECT_THAT(askWith(one).all("Path"), ::testing::SizeIs(16));
    auto longer = request({"<sip:carol@192.0.2.1>"});
    for (int i = 0; i < 17; ++i) {
        longer.headers.emplace_back("Path", "<sip:p" + std::to_string(i) + ";lr>");
    }
    const auto refused = askWith(longer);
    EXPECT_EQ(refused.status(), 400);
    EXPECT_THAT(refused.header("Warning"), HasSubstr("more than 16 servers"));
    EXPECT_THAT(found(kBobsAor), ::testing::SizeIs(1));
}

/// Each contact would be checked and kept with each server of the path.
TEST_F(Register, ofManyContactsAndServersCostsLittle)
{
    const auto used = [this] {
        std::chrono::nanoseconds time{};
        server_.onLoop([&] { time = restante::test::threadTime(); });
        return time;
    };
    constexpr int kLines = 12;
    std::string contacts = "<sip:b@h>";
    std::string servers = "<sip:h>";
    for (int i = 1; i < 250; ++i) {
        contacts += ",<sip:b@h>";
        servers += ",<sip:h>";
    }
    auto one = request(std::vector<std::string>(kLines, contacts));
    for (int i = 0; i < kLines; ++i) {
        one.headers.emplace_back("Path", servers);
    }
    const auto before = used();
    EXPECT_EQ(askWith(one).status(), 400);
    EXPECT_LT(used() - before, std::chrono::milliseconds{500});
}

TEST_F(Register, refusesAContactThatSipCannotReach)
{
    EXPECT_EQ(askFor({"<mailto:bob@example.com>"}).status(), 400);
    EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(Register, ofAForeignUserIsNotFound)
{
    auto one = request({"<sip:bob@192.0.2.1>"});
    one.set("To", "<sip:bob@elsewhere.org>");
    EXPECT_EQ(askWith(one).status(), 404);
}

TEST_F(Register, isNotAcceptedWhenTheStoreIsDown)
{
    auto& redis = restante::test::sharedRedis();
    redis.pause();
    const auto started = std::chrono::steady_clock::now();
    const auto response = askFor({"<sip:bob@192.0.2.1>"});
    const auto elapsed = std::chrono::steady_clock::now() - started;
    redis.resume();
    EXPECT_EQ(response.status(), 503);
    EXPECT_NE(response.header("Retry-After"), "");
    EXPECT_LT(elapsed, std::chrono::seconds{2});
    EXPECT_THAT(server_.registered(), IsEmpty());
}

TEST_F(Register, letsThoseGoThatWereRefreshedLongestAgo)
{
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(askFor({"<sip:bob@192.0.2." + std::to_string(i) + ">"}).status(), 200);
    }
    ASSERT_EQ(askFor({"<sip:bob@192.0.2.0>"}).status(), 200) << "refreshed";

    EXPECT_EQ(askFor({"<sip:bob@192.0.2.10>", "<sip:bob@192.0.2.11>"}).status(), 200);

    const auto contacts = listed();
    EXPECT_EQ(contacts.size(), 10U);
    EXPECT_THAT(contacts, ::testing::Contains(StartsWith("<sip:bob@192.0.2.0>")));
    EXPECT_THAT(contacts, ::testing::Contains(StartsWith("<sip:bob@192.0.2.11>")));
    EXPECT_THAT(contacts, ::testing::Not(::testing::Contains(StartsWith("<sip:bob@192.0.2.1>"))));
    EXPECT_THAT(contacts, ::testing::Not(::testing::Contains(StartsWith("<sip:bob@192.0.2.2>"))));
}

TEST_F(Register, knowsADeviceByItsInstanceWhereverItIs)
{
    for (int i = 1; i <= 12; ++i) {
        EXPECT_EQ(
            askFor({"<sip:bob@192.0.2." + std::to_string(i) + ">;+sip.instance=\"<urn:uuid:1>\""})
                .status(),
            200);
    }
    EXPECT_THAT(listed(), ElementsAre(StartsWith("<sip:bob@192.0.2.12>")));
}

TEST_F(Register, repeatsThePathThatItKeeps)
{
    auto one = request({"<sip:bob@192.0.2.1>"});
    one.headers.emplace_back("Path", "<sip:a@p1;lr>, <sip:p2;lr>");
    EXPECT_THAT(askWith(one).all("Path"), ElementsAre("<sip:a@p1;lr>", "<sip:p2;lr>"));
}

TEST_F(Register, saysThatAFlowIsKept)
{
    SipSocket phone{server_.at(SipTransport::Tcp)};
    auto one = requestOf(phone, "REGISTER", "sip:example.com");
    one.set("To", "<sip:bob@example.com>").set("Supported", "path, outbound");
    one.set("Contact", "<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1");
    const auto flow = ask(phone, one);
    EXPECT_EQ(flow.header("Require"), "outbound");
    EXPECT_EQ(flow.header("Flow-Timer"), "120");

    auto plain = requestOf(phone, "REGISTER", "sip:example.com");
    plain.set("To", "<sip:bob@example.com>").set("Supported", "path, outbound");
    plain.set("Contact", "<sip:bob@192.0.2.1>");
    const auto none = ask(phone, plain);
    EXPECT_EQ(none.status(), 200);
    EXPECT_FALSE(none.has("Require"));
}

TEST_F(Register, saysThatAFlowOverUdpIsKeptAndLeavesItsTimerToThePhone)
{
    auto one = request({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
    const auto unasked = askWith(one);
    EXPECT_EQ(unasked.status(), 200);
    EXPECT_FALSE(unasked.has("Require"));

    auto two = request({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
    const auto flow = askWith(two.set("Supported", "path, outbound"));
    EXPECT_EQ(flow.status(), 200);
    EXPECT_EQ(flow.header("Require"), "outbound");
    EXPECT_FALSE(flow.has("Flow-Timer")) << "120 s are more than NATs keep";
}

/// Through proxies in front of us.
class RegisterThroughAnEdge : public Register {
protected:
    SipText answerTo(const std::string& path, const std::string& field)
    {
        auto one = request({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
        one.headers.emplace_back("Via", "SIP/2.0/UDP phone.invalid;branch=z9hG4bK1");
        one.headers.emplace_back("Path", path);
        return askWith(one.set(field, "outbound"));
    }
};

TEST_F(RegisterThroughAnEdge, saysThatTheFlowIsKeptWhenTheEdgeDoes)
{
    const auto kept = answerTo("<sip:inner;lr>, <sip:token@edge;lr;ob>", "Supported");
    EXPECT_EQ(kept.status(), 200);
    EXPECT_EQ(kept.header("Require"), "outbound");
    EXPECT_FALSE(kept.has("Flow-Timer")) << "the edge's affair";
    EXPECT_EQ(answerTo("<sip:token@edge;lr;ob>", "Require").header("Require"), "outbound");
}

TEST_F(RegisterThroughAnEdge, saysNothingOfItWhenTheEdgeDoesNot)
{
    const auto plain = answerTo("<sip:inner;lr;ob>, <sip:edge;lr>", "Supported");
    EXPECT_EQ(plain.status(), 200);
    EXPECT_FALSE(plain.has("Require"));
    const auto required = answerTo("<sip:edge;lr>", "Require");
    EXPECT_EQ(required.status(), 439);
}

TEST_F(Register, readsOptionTagsWithoutCase)
{
    SipSocket phone{server_.at(SipTransport::Tcp)};
    auto one = requestOf(phone, "REGISTER", "sip:example.com");
    one.set("To", "<sip:bob@example.com>").set("Supported", "Path, Outbound");
    one.set("Require", "PATH");
    one.set("Contact", "<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1");
    const auto response = ask(phone, one);
    EXPECT_EQ(response.status(), 200);
    EXPECT_EQ(response.header("Flow-Timer"), "120");
    const auto unknown = ask(phone, one.set("Require", "Path, Other").set("CSeq", "2 REGISTER"));
    EXPECT_EQ(unknown.status(), 420);
    EXPECT_EQ(unknown.header("Unsupported"), "Other");
}

/// Over a store that an earlier version has written to.
class UpgradedRegister : public Register {
protected:
    UpgradedRegister() : UpgradedRegister(std::make_unique<restante::test::RedisServer>()) {}
    explicit UpgradedRegister(std::unique_ptr<restante::test::RedisServer> redis)
        : Register(InboundServer::defaults(), redis->url()),
          redis_(std::move(redis))
    {
    }

    std::unique_ptr<restante::test::RedisServer> redis_;
};

TEST_F(UpgradedRegister, replacesAFlowThatAnEarlierVersionKeptByItsRegId)
{
    askFor({"<sip:bob@192.0.2.1>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"});
    const auto keys = redis_->send({"KEYS", "*aor:*bob*"});
    ASSERT_EQ(keys.array()->size(), 1U);
    const auto key = *keys.array()->front().text();
    const auto fields = redis_->send({"HGETALL", key});
    const auto& flat = *fields.array();
    ASSERT_EQ(flat.size(), 2U);
    redis_->send({"HDEL", key, *flat[0].text()});
    redis_->send({"HSET", key, *flat[0].text() + ";1", *flat[1].text()});
    askFor({"<sip:bob@192.0.2.2>;+sip.instance=\"<urn:uuid:1>\";reg-id=2"});
    EXPECT_THAT(listed(), ElementsAre(StartsWith("<sip:bob@192.0.2.2>")));
    EXPECT_EQ(*redis_->send({"HLEN", key}).integer(), 1);
}

/// Behind a server that is the registrar, and copies to us what it has accepted.
class CopiedRegister : public Register {
protected:
    static SipSettings behindAServer()
    {
        auto settings = InboundServer::defaults();
        settings.proxy = {"sip:192.0.2.9"};
        return settings;
    }
    CopiedRegister() : Register(behindAServer()) {}
};

TEST_F(CopiedRegister, tellsThatSomebodyCanBeReached)
{
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>"}).status(), 200);
    EXPECT_THAT(server_.registered(), ElementsAre(kBobsAor));
}

TEST_F(CopiedRegister, isNotWrittenDownBecauseNobodyReadsIt)
{
    const auto answer = askFor({"<sip:bob@192.0.2.1>;expires=600"});
    EXPECT_EQ(answer.status(), 200);
    EXPECT_THAT(answer.all("Contact"), ElementsAre(HasSubstr("192.0.2.1")));
    EXPECT_THAT(found(kBobsAor), IsEmpty());
}

/// Where each device gets its own copy through the proxy, their contacts are needed.
class CopiedRegisterOfAllDevices : public Register {
protected:
    static SipSettings behindAServer()
    {
        auto settings = InboundServer::defaults();
        settings.proxy = {"sip:192.0.2.9"};
        settings.devices = Config::Devices::All;
        return settings;
    }
    CopiedRegisterOfAllDevices() : Register(behindAServer()) {}
};

TEST_F(CopiedRegisterOfAllDevices, isWrittenDown)
{
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>"}).status(), 200);
    EXPECT_THAT(found(kBobsAor), ::testing::SizeIs(1));
}

TEST_F(CopiedRegister, isAHintAlsoWhereOurOwnRulesWouldRefuseIt)
{
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>;expires=5"}).status(), 200);
    EXPECT_EQ(askFor({"<tel:+491701234567>"}).status(), 200);
    std::vector<std::string> contacts;
    for (int i = 0; i < 11; ++i) {
        contacts.push_back("<sip:bob@192.0.2." + std::to_string(i) + ">");
    }
    EXPECT_EQ(askFor(contacts).status(), 200);
    cseq_ = -1;  // the next one is 0, lower than what was here
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>;expires=5"}).status(), 200);
    EXPECT_THAT(server_.registered(), ElementsAre(kBobsAor, kBobsAor, kBobsAor, kBobsAor));
}

TEST_F(CopiedRegister, ofMoreContactsThanWeKeepStoresNothing)
{
    EXPECT_EQ(askFor(manyContacts(50)).status(), 200);
    EXPECT_THAT(server_.registered(), ElementsAre(kBobsAor));
    EXPECT_THAT(found(kBobsAor), IsEmpty());
}

TEST_F(CopiedRegister, thatEndsAContactIsNoHint)
{
    EXPECT_EQ(askFor({"<sip:bob@192.0.2.1>;expires=0"}).status(), 200);
    EXPECT_THAT(server_.registered(), IsEmpty());
}

}  // namespace
}  // namespace restante::sip::test
