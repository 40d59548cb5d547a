// sipp as the sender and as the device of a stored message; the scenarios are beside this file.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/real_peers.h"

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

/// Bob registers with a device that another sipp plays.
void registerBob(const SipServer& server, const Sipp& device)
{
    auto settings = scenario("register", server);
    settings.more = {"-key", "contact", device.contact()};
    Sipp registration(settings);
    EXPECT_TRUE(registration.succeeds()) << registration.log();
}

/// kLetters letters are stored, then delivered to a device that plays `device`.
void storeAndDeliver(Daemon& daemon, const SipServer& server, const std::string& device)
{
    Sipp sender(scenario("store", server, kLetters));
    ASSERT_TRUE(sender.succeeds()) << sender.log();
    EXPECT_EQ(daemon.jobs()["held"], kLetters);

    Sipp receiver(scenario(device, server, kLetters));
    registerBob(server, receiver);
    EXPECT_TRUE(receiver.succeeds()) << receiver.log();
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessPatience));
}

}  // namespace

TEST(Sipp, storesAndReceivesOverUdp)
{
    Daemon daemon({{kForeignPorts}});
    storeAndDeliver(daemon, daemon.udp(), "receive");
}

TEST(Sipp, storesAndReceivesOverTcp)
{
    Daemon daemon({{kForeignPorts}});
    storeAndDeliver(daemon, daemon.tcp(), "receive");
}

TEST(Sipp, storesAndReceivesOverIpv6)
{
    Daemon daemon({{kForeignPorts}, "::1"});
    storeAndDeliver(daemon, daemon.udp(), "receive");
}

TEST(Sipp, isOfferedAgainWhatItsDeviceAnswered480)
{
    Daemon daemon({{kForeignPorts, "sip.retry=0s,300ms,300ms,300ms"}});
    Sipp sender(scenario("store", daemon.udp()));
    ASSERT_TRUE(sender.succeeds()) << sender.log();

    Sipp receiver(scenario("refuse_then_take", daemon.udp()));
    registerBob(daemon.udp(), receiver);
    EXPECT_TRUE(receiver.succeeds()) << receiver.log();
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessPatience));
}

}  // namespace restante::test
