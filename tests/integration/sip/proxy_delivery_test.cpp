#include "tests/integration/sip/plugin_host.h"
#include "tests/support/free_port.h"
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
    settings.sip.proxy = {"sip:" + proxy.socket().address()};
    PluginHost host(settings);
    SipPhone alice({"alice", "localhost", host.server()});
    ASSERT_EQ(alice.say("sip:bob@localhost", "through"), 202);

    ASSERT_TRUE(proxy.receive(1));
    EXPECT_EQ(proxy.received().front().requestUri(), "sip:bob@localhost");
    EXPECT_FALSE(proxy.received().front().has("Route"));
}

/// The first of two proxies does something else than to take the message.
class FirstProxy : public ::testing::Test {
protected:
    PluginHost::Settings settings(const std::string& first)
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = RetrySchedule::parse("0s,1h").value();
        settings.sip.answerTimeout = Millis{6'000};
        settings.sip.proxy = {first, "sip:" + second_.socket().address()};
        return settings;
    }
    /// Whether the second has two messages of one attempt each.
    void expectSecondServes(const std::string& first)
    {
        PluginHost host{settings(first)};
        SipPhone alice({"alice", "localhost", host.server()});
        for (const std::string body : {"one", "two"}) {
            const auto sent = std::chrono::steady_clock::now();
            const auto count = second_.received().size();
            ASSERT_EQ(alice.say("sip:bob@localhost", body), 202);
            ASSERT_TRUE(second_.workUntil([&] {
                first_.work(Millis{0});
                return second_.received().size() == count + 1;
            }));
            EXPECT_EQ(second_.received().back().body, body);
            EXPECT_EQ(second_.offered().back().header("CSeq"), "1 MESSAGE");
            took_.push_back(
                std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - sent));
        }
    }

    SipPhone first_{{"first", "localhost", {SipTransport::Udp, "127.0.0.1", 9}}};
    SipPhone second_{{"second", "localhost", {SipTransport::Udp, "127.0.0.1", 9}}};
    std::vector<Millis> took_;
};

TEST_F(FirstProxy, thatIsDeadIsFollowedByTheNext)
{
    expectSecondServes("sip:127.0.0.1:" + std::to_string(freePort()));
}

TEST_F(FirstProxy, thatTakesNoConnectionIsFollowedByTheNext)
{
    expectSecondServes("sip:127.0.0.1:" + std::to_string(freePort()) + ";transport=tcp");
}

TEST_F(FirstProxy, thatAnswers503IsFollowedByTheNextAndAskedNoMoreForAWhile)
{
    first_.answerWith([](const SipText&) { return 503; });
    expectSecondServes("sip:" + first_.socket().address());
    EXPECT_EQ(first_.offered().size(), 1U);
}

TEST_F(FirstProxy, thatDoesNotAnswerIsFollowedByTheNextAndAskedNoMoreForAWhile)
{
    first_.answerWith([](const SipText&) { return 0; });
    expectSecondServes("sip:" + first_.socket().address());
    EXPECT_EQ(first_.offered().size(), 1U);
    ASSERT_EQ(took_.size(), 2U);
    EXPECT_GE(took_.front(), Millis{2'000}) << "it had its share of the time";
}

TEST_F(FirstProxy, thatAnswersIsTheOnlyOne)
{
    PluginHost host{settings("sip:" + first_.socket().address())};
    SipPhone alice({"alice", "localhost", host.server()});
    ASSERT_EQ(alice.say("sip:bob@localhost", "one"), 202);
    ASSERT_TRUE(first_.receive(1));
    ASSERT_EQ(alice.say("sip:bob@localhost", "two"), 202);
    ASSERT_TRUE(first_.receive(2));
    EXPECT_FALSE(second_.workUntil([&] { return !second_.offered().empty(); }, Millis{100}));
}

TEST(Proxy, thatLetsNothingThroughToContactsLosesNothingOfEveryDevices)
{
    SipPhone proxy({"proxy", "localhost", {SipTransport::Udp, "127.0.0.1", 9}});
    bool lets = false;
    proxy.answerWith([&lets](const auto&) { return lets ? 200 : 403; });
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.proxy = {"sip:" + proxy.socket().address()};
    settings.sip.devices = Config::Devices::All;
    settings.sip.retry = RetrySchedule::parse("0s,1s,1s").value();
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
    settings.sip.proxy = {"sip:" + proxy.socket().address()};
    settings.sip.retry = RetrySchedule::parse("0s,1s,1s").value();
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
