#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

TEST(Proxy, deliversThroughTheConfiguredServer)
{
    SipPhone proxy({"proxy", "localhost", {SipTransport::Udp, "127.0.0.1", 9}});
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.proxy = "sip:" + proxy.socket().address();
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    ASSERT_EQ(alice.say("sip:bob@localhost", "through"), 202);

    ASSERT_TRUE(proxy.receive(1));
    EXPECT_EQ(proxy.received().front().requestUri(), "sip:bob@localhost");
    EXPECT_FALSE(proxy.received().front().has("Route"));
}

TEST(Proxy, thatLetsNothingThroughToContactsLosesNothingOfEveryDevices)
{
    SipPhone proxy({"proxy", "localhost", {SipTransport::Udp, "127.0.0.1", 9}});
    bool lets = false;
    proxy.answerWith([&lets](const auto&) { return lets ? 200 : 403; });
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.proxy = "sip:" + proxy.socket().address();
    settings.sip.everyDevice = true;
    settings.sip.retry = "0s,1s,1s";
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    SipPhone bob({"bob", "localhost", host.server()});
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_EQ(alice.say(bob.aor(), "for each device"), 202);

    ASSERT_TRUE(proxy.workUntil([&] { return !proxy.offered().empty(); }));
    lets = true;
    ASSERT_TRUE(proxy.receive(1));
    EXPECT_EQ(proxy.bodies(), std::vector<std::string>{"for each device"});
}

class ProxyThatIsNotSetUp : public ::testing::TestWithParam<int> {};

TEST_P(ProxyThatIsNotSetUp, losesNothing)
{
    SipPhone proxy({"proxy", "localhost", {SipTransport::Udp, "127.0.0.1", 9}});
    bool isSetUp = false;
    proxy.answerWith([&isSetUp](const auto&) { return isSetUp ? 200 : GetParam(); });
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.proxy = "sip:" + proxy.socket().address();
    settings.sip.retry = "0s,1s,1s";
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    ASSERT_EQ(alice.say("sip:bob@localhost", "one"), 202);
    ASSERT_EQ(alice.say("sip:bob@localhost", "two"), 202);

    ASSERT_TRUE(proxy.workUntil([&] { return !proxy.offered().empty(); }));
    isSetUp = true;
    ASSERT_TRUE(proxy.receive(2));
    EXPECT_EQ(proxy.bodies(), (std::vector<std::string>{"one", "two"}));
}

INSTANTIATE_TEST_SUITE_P(Answers, ProxyThatIsNotSetUp, ::testing::Values(400, 403, 405));

}  // namespace
}  // namespace restante::test
