// Restante behind Debian's Kamailio, with the configuration files that we ship.

#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/instance_phone.h"
#include "tests/support/kamailio_pair.h"

#include <gtest/gtest.h>

#include <tuple>

namespace restante::test {

namespace {

using Hint = KamailioPair::Hint;
using Way = std::tuple<SipTransport, Hint>;

std::string nameOfWay(const ::testing::TestParamInfo<Way>& info)
{
    const auto [transport, hint] = info.param;
    return std::string(name(transport)) +
           (hint == Hint::RegEvent ? "ByRegEvent" : "ByCopiedRegister");
}

/// While `phone` answers what it is still asked.
bool isEmptied(const Daemon& daemon, SipPhone& phone)
{
    return phone.workUntil([&] { return daemon.jobsInAll() == 0; });
}

/// Delivered by a hint or not at all: the retries would come after the test.
const std::string kNoRetryInTime = "sip.retry=0s,10m";

}  // namespace

class BehindKamailioOver : public ::testing::TestWithParam<Way> {
protected:
    KamailioPair pairWith(std::vector<std::string> set, std::vector<std::string> defines = {}) const
    {
        const auto [transport, hint] = GetParam();
        return KamailioPair({transport, std::move(set), std::move(defines), hint});
    }
};

TEST_P(BehindKamailioOver, keepsWhatIsForSomebodyWithoutAContact)
{
    auto pair = pairWith({kNoRetryInTime});
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "are you there?"), 202) << pair.logs();
    EXPECT_EQ(pair.restante.jobsInAll(), 1);
}

TEST_P(BehindKamailioOver, leavesADeliveryToARegisteredDeviceToKamailio)
{
    auto pair = pairWith({kNoRetryInTime});
    auto bob = pair.registered("bob");
    auto alice = pair.phone("alice");
    const auto branch = alice.start(alice.message(kBob, "hello"));
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    ASSERT_TRUE(alice.workUntil([&] { return alice.outcomes().contains(branch); }));
    EXPECT_EQ(alice.outcomes().at(branch).status, 200);
    EXPECT_EQ(pair.restante.jobsInAll(), 0);
}

TEST_P(BehindKamailioOver, keepsWhatADeadContactDoesNotAnswer)
{
    auto pair = pairWith({kNoRetryInTime}, {"RESTANTE_DEVICE_MS=300", "FR_TIMER=300"});
    auto bob = pair.registered("bob");  // and does not look at what comes
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "are you there?"), 202) << pair.logs();
    EXPECT_EQ(pair.restante.jobsInAll(), 1);
}

TEST_P(BehindKamailioOver, keepsWhatADeviceAnswers480AndDeliversItWhenItRegistersAgain)
{
    auto pair = pairWith({kNoRetryInTime});
    auto bob = pair.registered("bob");
    bob.answerWith([](const SipText&) { return 480; });
    auto alice = pair.phone("alice");
    const auto branch = alice.start(alice.message(kBob, "not now?"));
    // From alice, then from Restante.
    ASSERT_TRUE(bob.workUntil([&] { return bob.offered().size() >= 2; })) << pair.logs();
    ASSERT_TRUE(alice.workUntil([&] { return alice.outcomes().contains(branch); }));
    EXPECT_EQ(alice.outcomes().at(branch).status, 202);
    ASSERT_TRUE(bob.workUntil([&] { return pair.restante.jobs()["held"] == 1; })) << pair.logs();

    bob.answerWith([](const SipText&) { return 200; });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    EXPECT_EQ(bob.received()[0].body, "not now?");
    EXPECT_TRUE(isEmptied(pair.restante, bob)) << pair.logs();
}

TEST_P(BehindKamailioOver, deliversThroughKamailioByteForByteOnRegistration)
{
    auto pair = pairWith({kNoRetryInTime});
    auto alice = pair.phone("alice");
    auto message = alice.message(kBob, std::string("\0\x01\xff\r\n\r\nSIP/2.0 200 OK\r\n", 23));
    message.set("From", "\"Älice, at work\" <" + alice.aor() + ">;tag=a1")
        .set("Content-Type", "multipart/mixed; boundary=\"x y\"")
        .set("Subject", "the key")
        .set("Date", "Sat, 20 Nov 2032 08:00:00 GMT")
        .set("Expires", "100000000");
    ASSERT_EQ(alice.ask(message).status, 202) << pair.logs();
    ASSERT_TRUE(eventually([&] { return pair.restante.jobs()["held"] == 1; }, kProcessTimeout));

    auto bob = pair.registered("bob");
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    const auto& arrived = bob.received()[0];
    EXPECT_EQ(arrived.body, message.body);
    for (const auto* name : {"Content-Type", "Subject", "Date"}) {
        EXPECT_EQ(arrived.header(name), message.header(name));
    }
    EXPECT_TRUE(arrived.header("From").starts_with("\"Älice, at work\" <" + alice.aor() + ">"));
    EXPECT_EQ(arrived.all("Via").size(), 2);  // Kamailio's and ours
    EXPECT_TRUE(isEmptied(pair.restante, bob));
}

TEST_P(BehindKamailioOver, doesNotStoreItsOwnMessageThatComesBack)
{
    auto pair = pairWith({"sip.retry=0s,100ms,100ms,100ms,10m"});
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "round and round"), 202) << pair.logs();
    // After so many attempts, each answered by Kamailio, which knows nobody.
    ASSERT_TRUE(eventually(
        [&] {
            const auto shown = pair.restante.control({"list", "--json"}).output;
            return pair.restante.lastErrors().find("480") != std::string::npos &&
                   shown.find("\"attempt\":4") != std::string::npos;
        },
        kProcessTimeout))
        << pair.restante.control({"list", "--json"}).output << pair.logs();
    EXPECT_EQ(pair.restante.jobsInAll(), 1);
}

TEST_P(BehindKamailioOver, tellsTheSenderWhenRestanteIsDown)
{
    auto pair = pairWith({kNoRetryInTime}, {"RESTANTE_ANSWER_MS=500"});
    auto alice = pair.phone("alice");
    pair.restante.kill9();
    const auto outcome = alice.ask(alice.message(kBob, "is anybody there?"));
    EXPECT_EQ(outcome.status, 503) << pair.logs();
    EXPECT_EQ(outcome.response.header("Retry-After"), "10");

    auto bob = pair.registered("bob");
    EXPECT_EQ(bob.say(Daemon::aor("carol"), "nor for carol"), 503);
    pair.restante.start();
    EXPECT_TRUE(
        eventually([&] { return alice.say(Daemon::aor("carol"), "now") == 202; }, kProcessTimeout))
        << pair.logs();
}

TEST_P(BehindKamailioOver, deliversAfterKamailioHasForgottenEveryContact)
{
    auto pair = pairWith({"sip.retry=0s,300ms,300ms,10m"});
    auto bob = pair.registered("bob");
    pair.kamailio.restart();
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "he was here a minute ago"), 202) << pair.logs();
    // Over TCP the connection that has broken is seen first.
    ASSERT_TRUE(
        eventually([&] { return bob.registerFor(kRegistration).status == 200; }, kProcessTimeout));
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"he was here a minute ago"});
    EXPECT_TRUE(isEmptied(pair.restante, bob));
}

INSTANTIATE_TEST_SUITE_P(All,
                         BehindKamailioOver,
                         ::testing::Combine(::testing::Values(SipTransport::Udp, SipTransport::Tcp),
                                            ::testing::Values(Hint::CopiedRegister,
                                                              Hint::RegEvent)),
                         nameOfWay);

TEST(BehindKamailio, takesAHintByHttpAndDeliversThroughKamailio)
{
    KamailioPair pair({SipTransport::Udp, {kNoRetryInTime}, {"RESTANTE_WITHOUT_COPY"}});
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "somebody else tells"), 202) << pair.logs();
    ASSERT_TRUE(eventually([&] { return pair.restante.jobs()["held"] == 1; }, kProcessTimeout));
    auto bob = pair.registered("bob");

    HttpClient http(pair.restante.httpPort());
    ASSERT_EQ(http.ask("POST", "/v1/registrations", R"({"aor":")" + kBob + R"("})").status, 200);
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    EXPECT_TRUE(isEmptied(pair.restante, bob));
}

TEST(BehindKamailio, takesEverySpellingOfAUserForOnePersonAsKamailioDoes)
{
    KamailioPair pair({SipTransport::Udp, {kNoRetryInTime}});
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "however he writes himself"), 202) << pair.logs();
    ASSERT_TRUE(eventually([&] { return pair.restante.jobs()["held"] == 1; }, kProcessTimeout));
    auto bob = pair.registered("Bob");
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"however he writes himself"});
    EXPECT_TRUE(isEmptied(pair.restante, bob)) << pair.logs();
}

TEST(BehindKamailio, keepsWhatIsForOneUserInOneMailboxHoweverItIsAddressed)
{
    KamailioPair pair({SipTransport::Udp, {kNoRetryInTime}});
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(Daemon::aor("Bob"), "one"), 202) << pair.logs();
    ASSERT_EQ(alice.say(Daemon::aor("BOB"), "two"), 202) << pair.logs();
    ASSERT_EQ(alice.say(kBob, "three"), 202) << pair.logs();
    auto bob = pair.registered("bob");
    ASSERT_TRUE(bob.receive(3)) << pair.logs();
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(BehindKamailio, getsOneCopyForWhomeverItKnowsWhenNoRegisterHasBeenCopied)
{
    KamailioPair pair(
        {SipTransport::Udp, {kNoRetryInTime, "sip.devices=all"}, {"RESTANTE_WITHOUT_COPY"}});
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "to whoever is there"), 202) << pair.logs();
    ASSERT_TRUE(eventually([&] { return pair.restante.jobs()["held"] == 1; }, kProcessTimeout));
    auto bob = pair.registered("bob");

    HttpClient http(pair.restante.httpPort());
    ASSERT_EQ(http.ask("POST", "/v1/registrations", R"({"aor":")" + kBob + R"("})").status, 200);
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    EXPECT_TRUE(isEmptied(pair.restante, bob)) << "the proxy's answer ends it";
}

TEST(BehindKamailio, bringsEveryMessageToEveryDeviceWhenAllAreStoredFirst)
{
    KamailioPair pair(
        {SipTransport::Udp, {kNoRetryInTime, "sip.devices=all"}, {"RESTANTE_EVERY_MESSAGE"}});
    auto phone = pair.phone("bob");
    auto tablet = pair.phone("bob");
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200) << pair.logs();
    // Before that a message is for whoever Kamailio knows, once.
    ASSERT_TRUE(eventually([&] { return pair.devicesKnown("bob") == 1; }, kProcessTimeout))
        << pair.logs();
    ASSERT_EQ(pair.phone("alice").say(kBob, "to both"), 202) << pair.logs();
    ASSERT_TRUE(phone.receive(1)) << pair.logs();
    ASSERT_EQ(registerAs(tablet, "urn:uuid:tablet"), 200);
    ASSERT_TRUE(tablet.receive(1)) << pair.logs();
    ASSERT_EQ(pair.phone("alice").say(kBob, "again to both"), 202) << pair.logs();
    const std::vector<std::string> both{"to both", "again to both"};
    ASSERT_TRUE(workTogether({&phone, &tablet}, [&] {
        return phone.received().size() == 2 && tablet.received().size() == 2;
    })) << pair.logs();
    EXPECT_EQ(phone.bodies(), both);
    EXPECT_EQ(tablet.bodies(), both);
    EXPECT_EQ(phone.offered().size() + tablet.offered().size(), 4U) << "each once";
}

TEST(BehindKamailio, isSubscribedOnlyWhileMessagesWaitAndAgainAfterARestart)
{
    KamailioPair pair({SipTransport::Udp, {kNoRetryInTime}, {}, Hint::RegEvent});
    const auto subscriptions = [&] {
        const auto metrics = HttpClient(pair.restante.httpPort()).ask("GET", "/metrics").body;
        const std::string name = "\nrestante_sip_subscriptions ";
        const auto found = metrics.find(name);
        return found == std::string::npos ? "none" : metrics.substr(found + name.size(), 2);
    };
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "wait"), 202) << pair.logs();
    ASSERT_TRUE(eventually([&] { return subscriptions() == "1\n"; }, kProcessTimeout))
        << pair.logs();
    pair.restante.kill9();
    pair.restante.start();
    ASSERT_TRUE(eventually([&] { return subscriptions() == "1\n"; }, kProcessTimeout))
        << pair.logs();

    auto bob = pair.registered("bob");
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    EXPECT_TRUE(bob.workUntil([&] { return subscriptions() == "0\n"; })) << pair.logs();
}

}  // namespace restante::test
