// sipp as the sender and as the device of a stored message; the scenarios are beside this file.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/real_peers.h"
#include "tests/support/sip_path.h"

#include <gtest/gtest.h>

namespace restante::test {

namespace {

constexpr unsigned kLetters = 20;

/// The device is registered by another program, so that its port is not the one that the REGISTER
/// comes from: on one machine an operator has to say that this is meant.
const std::string kForeignPorts = "sip.contacts.allow=127.0.0.1,::1";

Sipp::Settings scenario(std::string name, SipServer server, unsigned calls = 1)
{
    Sipp::Settings settings;
    settings.scenario = std::move(name);
    settings.server = std::move(server);
    settings.calls = calls;
    return settings;
}

/// Bob registers at `contact`, where another sipp plays a device.
void registerBob(const SipServer& server, const std::string& contact)
{
    auto settings = scenario("register", server);
    settings.more = {"-key", "contact", contact};
    Sipp registration(settings);
    EXPECT_TRUE(registration.succeeds()) << registration.log();
}

/// kLetters letters are stored, then delivered to a device that plays `device`.
void storeAndDeliver(Daemon& daemon, const SipServer& server, const std::string& device)
{
    Sipp sender(scenario("store", server, kLetters));
    ASSERT_TRUE(sender.succeeds()) << sender.log();
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["held"] == kLetters; }, kProcessTimeout));

    Sipp receiver(scenario(device, server, kLetters));
    registerBob(server, receiver.contact());
    EXPECT_TRUE(receiver.succeeds()) << receiver.log();
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

}  // namespace

/// Debian builds sipp without TLS.
class SippOver : public ::testing::TestWithParam<SipPath> {};

TEST_P(SippOver, storesAndReceives)
{
    if (skipsWithout(GetParam())) {
        return;
    }
    Daemon daemon({{kForeignPorts}, GetParam().host()});
    storeAndDeliver(daemon, daemon.server(GetParam().transport), "receive");
}

INSTANTIATE_TEST_SUITE_P(All,
                         SippOver,
                         ::testing::ValuesIn(kPathsWithoutTls),
                         ::testing::PrintToStringParamName());

TEST(Sipp, isOfferedAgainWhatItsDeviceAnswered480)
{
    Daemon daemon({{kForeignPorts, "sip.retry=0s,300ms,300ms,300ms"}});
    Sipp sender(scenario("store", daemon.udp()));
    ASSERT_TRUE(sender.succeeds()) << sender.log();

    Sipp receiver(scenario("refuse_then_take", daemon.udp()));
    registerBob(daemon.udp(), receiver.contact());
    EXPECT_TRUE(receiver.succeeds()) << receiver.log();
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

TEST(Sipp, isReachedByTheTransportOfItsContactHoweverThatIsWritten)
{
    Daemon daemon({{kForeignPorts, "sip.retry=0s,10m"}});
    Sipp sender(scenario("store", daemon.udp()));
    ASSERT_TRUE(sender.succeeds()) << sender.log();

    Sipp receiver(scenario("receive", daemon.tcp()));  // hears nothing over UDP
    registerBob(daemon.udp(), receiver.server().hostPort() + ";Transport=TCP");
    EXPECT_TRUE(receiver.succeeds()) << receiver.log();
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

}  // namespace restante::test
