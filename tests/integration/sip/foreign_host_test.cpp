#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

/// "sip udp:127.0.0.1:40123"
SipServer serverFrom(const std::string& line)
{
    const auto port = line.substr(line.rfind(':') + 1);
    return {SipTransport::Udp, "127.0.0.1", static_cast<std::uint16_t>(std::stoi(port))};
}

TEST(ForeignHost, servesOnTheLoopOfAnotherProgram)
{
    Process host({{builtProgram("foreign_host"), "redis.url=" + sharedRedis().url().toString(),
                   "sip.listen=udp:127.0.0.1:0"},
                  {},
                  {}});
    const auto address = host.waitForLine("sip udp:");
    ASSERT_TRUE(address) << host.allOutput();
    SipPhone alice({"alice", "localhost", serverFrom(*address)});
    SipPhone bob({"bob", "localhost", serverFrom(*address)});
    ASSERT_EQ(alice.say(bob.aor(), "hosted"), 202);

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"hosted"});
    host.signal(SIGTERM);
    EXPECT_EQ(host.waitForExit(), 0) << host.allOutput();
}

TEST(ForeignHost, isToldWhyThePluginCannotServe)
{
    const auto noRedis = run({{builtProgram("foreign_host")}, {}, {}});
    EXPECT_EQ(noRedis.status, 1);
    EXPECT_NE(noRedis.errors.find("redis.url"), std::string::npos) << noRedis.errors;

    const auto badKey = run({{builtProgram("foreign_host"), "sip.lisen=127.0.0.1"}, {}, {}});
    EXPECT_EQ(badKey.status, 1);
    EXPECT_NE(badKey.errors.find("sip.listen"), std::string::npos) << badKey.errors;
}

}  // namespace
}  // namespace restante::test
