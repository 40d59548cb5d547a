// Networks that phones live in, each with a client or server of somebody else's: several devices,
// several daemons, both IPs at once, an edge proxy, a proxy that refuses.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/kamailio_pair.h"
#include "tests/support/real_peers.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_login.h"
#include "tests/support/sip_path.h"
#include "tests/support/tls_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <tuple>

namespace restante::test {

namespace {

using ::testing::HasSubstr;

int sayOfType(SipPhone& phone, const std::string& type, const std::string& text)
{
    auto message = phone.message(kBob, text);
    return phone.ask(message.set("Content-Type", type)).status;
}

}  // namespace

TEST(RealDevices, letWhatOneDoesNotTakeGoToTheNext)
{
    Daemon daemon({{"sip.retry=0s,10m"}});
    const auto baresip = makePhone(Brand::Baresip, {"bob", "alice", daemon.udp()});
    auto alice = phoneOf(daemon, "alice");
    // Baresip shows text/plain and answers 415 to the rest.
    ASSERT_EQ(sayOfType(alice, "application/json", "{\"for\":\"nobody\"}"), 202);
    ASSERT_TRUE(eventually([&] { return daemon.jobs()["dead"] == 1; }, kProcessTimeout))
        << baresip->log();
    EXPECT_THAT(daemon.lastErrors(), HasSubstr("415"));

    auto other = phoneOf(daemon, "bob");
    auto registration = other.registration(kRegistration);
    registration.set("Contact", other.contact() + ";q=0.1");
    ASSERT_EQ(other.ask(registration).status, 200);
    ASSERT_EQ(sayOfType(alice, "application/json", "{\"for\":\"the other\"}"), 202);
    ASSERT_TRUE(other.receive(1)) << baresip->log();
    EXPECT_EQ(other.bodies(), std::vector<std::string>{"{\"for\":\"the other\"}"});
    EXPECT_TRUE(other.workUntil([&] { return daemon.jobsInAll() == 1; })) << "the dead one stays";

    ASSERT_EQ(alice.say(kBob, "for the first"), 202);
    EXPECT_TRUE(baresip->shows("alice", "for the first")) << baresip->log();
    baresip->hangUp();
}

TEST(RealDevices, areReachedOverIpv6WhenIpv4IsListenedToFirst)
{
    if (skipsWithout({SipTransport::Udp, true})) {
        return;
    }
    const auto port = freePort();
    Daemon daemon({{fmt::format("sip.listen=127.0.0.1:{0},[::1]:{0}", port), "sip.retry=0s,10m"}});
    SipPhone alice({"alice", kDomain, {SipTransport::Udp, "127.0.0.1", port}});
    ASSERT_EQ(alice.say(kBob, "over the other one"), 202);
    const auto bob = makePhone(Brand::Baresip, {"bob", "alice", {SipTransport::Udp, "::1", port}});
    EXPECT_TRUE(bob->shows("alice", "over the other one")) << bob->log();
    bob->hangUp();
}

/// A phone on a connection of its own to the first of two daemons, which delivers what the other
/// has stored, at once: the next retry would come too late.
class RealPhoneOfTwoDaemons : public ::testing::TestWithParam<std::tuple<Brand, SipTransport>> {
protected:
    std::unique_ptr<RealPhone> makeBob() const
    {
        const auto [brand, transport] = GetParam();
        return makePhone(brand, {"bob", "alice", first_.server(transport)});
    }

    const RedisServer redis_;
    const Daemon::Settings settings_{
        {"redis.url=" + redis_.url().toString(), "journal.mode=off", "sip.retry=0s,10m"},
        "127.0.0.1",
        loopbackTls()};
    const Daemon first_{settings_};
    const Daemon second_{settings_};
    SipPhone alice_ = phoneOf(second_, "alice");
};

TEST_P(RealPhoneOfTwoDaemons, getsWhatTheOtherDaemonHasStored)
{
    const auto bob = makeBob();
    // When it has shown that, it is registered.
    ASSERT_EQ(alice_.say(kBob, "before or after"), 202);
    ASSERT_TRUE(bob->shows("alice", "before or after")) << bob->log();
    ASSERT_EQ(alice_.say(kBob, "from the second"), 202);
    EXPECT_TRUE(bob->shows("alice", "from the second")) << bob->log();
    bob->hangUp();
}

TEST_P(RealPhoneOfTwoDaemons, getsWhatComesWhileTheOtherDaemonTakesItForAway)
{
    ASSERT_EQ(alice_.say(kBob, "before"), 202);
    // The second daemon remembers for a few seconds that there was no device.
    const auto bob = makeBob();
    ASSERT_TRUE(bob->shows("alice", "before")) << bob->log();
    // Otherwise the first daemon claims the next message with the end of this one.
    ASSERT_TRUE(eventually([&] { return first_.jobs()["leased"] == 0; }, kProcessTimeout));
    ASSERT_EQ(alice_.say(kBob, "right after"), 202);
    EXPECT_TRUE(bob->shows("alice", "right after")) << bob->log();
    bob->hangUp();
}

INSTANTIATE_TEST_SUITE_P(Over,
                         RealPhoneOfTwoDaemons,
                         ::testing::Values(std::tuple(Brand::Baresip, SipTransport::Tcp),
                                           std::tuple(Brand::Linphone, SipTransport::Tls)),
                         [](const auto& one) {
                             return fmt::format("{}_{}", name(std::get<0>(one.param)),
                                                name(std::get<1>(one.param)));
                         });

TEST(RealProxy, thatRefusesForATimeLosesNothing)
{
    // Kamailio is away while it is started anew, and attempts at a closed port end at once.
    std::string waits = "sip.retry=0s";
    for (int wait = 0; wait < 90; ++wait) {
        waits += ",300ms";
    }
    KamailioPair pair({SipTransport::Udp, {waits + ",10m"}});
    auto alice = pair.phone("alice");
    ASSERT_EQ(alice.say(kBob, "when it is mended"), 202) << pair.logs();
    const auto kamailioFor = [&](const std::string& domain) {
        return Kamailio::Settings{domain, pair.restante.udp().uri(), pair.restante.udp().host, {}};
    };
    pair.kamailio.start(kamailioFor("elsewhere.test"));
    ASSERT_TRUE(
        eventually([&] { return pair.restante.lastErrors().find("403") != std::string::npos; },
                   kProcessTimeout))
        << pair.restante.lastErrors() << pair.logs();
    EXPECT_EQ(pair.restante.jobs()["dead"], 0U);

    pair.kamailio.start(kamailioFor(kDomain));
    auto bob = pair.registered("bob");
    ASSERT_TRUE(bob.receive(1)) << pair.logs();
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"when it is mended"});
}

TEST(RealEdgeProxy, isTheWayToAPhoneThatLogsInWithUs)
{
    constexpr auto kRestante = "127.0.0.2";
    const SipLogin bobs{"bob", "correct-horse", "MD5"};
    const TempDir directory;
    const auto users = directory / "users";
    std::ofstream(users) << bobs.userLine(kDomain) << "\n";
    ASSERT_EQ(::chmod(users.c_str(), 0600), 0);
    Daemon daemon({{"sip.trusted=192.0.2.1", "sip.edges=127.0.0.1", "sip.auth.sha256=false",
                    "sip.auth.md5=true", "sip.auth.users=" + users.string(), "sip.retry=0s,10m"},
                   kRestante});
    Kamailio edge;
    Kamailio::Settings settings{kDomain, daemon.udp().uri(), kRestante, {}};
    settings.configuration = sourceDirectory() / "tests/e2e/kamailio/edge.cfg";
    edge.start(settings);

    // To himself, so that one user is enough.
    const auto bob = makePhone(Brand::Baresip, {"bob", "bob", edge.udp(), bobs.password});
    SipPhone other({"bob", kDomain, edge.udp()});
    const auto message = other.message(kBob, "through the edge");
    const auto refused = other.ask(message);
    ASSERT_EQ(refused.status, 401) << edge.log();
    ASSERT_EQ(other.ask(bobs.repeated(message, refused.response)).status, 202) << edge.log();
    EXPECT_TRUE(bob->shows("bob", "through the edge"))
        << bob->log() << edge.log() << daemon.process().allOutput();
    bob->hangUp();
}

}  // namespace restante::test
