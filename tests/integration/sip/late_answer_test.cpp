// Devices that answer when nobody waits any more, and requests that are answered twice.

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

/// Alice and Bob at a plugin that soon gives up, and does not try again by itself.
class Late : public ::testing::TestWithParam<SipTransport> {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = RetrySchedule::parse("0s,1h").value();
        settings.sip.answerTimeout = Millis{700};
        return settings;
    }
    SipPhone phone(const std::string& user)
    {
        return SipPhone({user, "localhost", host_.server(GetParam())});
    }
    std::vector<JobView> held()
    {
        std::vector<JobView> found;
        host_.onThread([&](auto&, auto& inspector, auto done) {
            JobQuery query;
            query.state = JobState::Held;
            inspector.list(query, [&found, done](const Result<JobPage>& page) {
                found = page.value().jobs;
                done();
            });
        });
        return found;
    }
    /// Until one message waits that an attempt has failed for.
    bool hasFailed(SipPhone& worker)
    {
        return worker.workUntil([&] {
            const auto jobs = held();
            return std::any_of(jobs.begin(), jobs.end(),
                               [](const auto& one) { return one.attempt == 1; });
        });
    }
    static void answer(SipPhone& device, const SipText& request, int status)
    {
        ASSERT_TRUE(device.socket().send(request.answer(status, "OK").toString()));
    }

    PluginHost host_{settings()};
};

TEST_P(Late, successCountsAsDeliveredAndIsNotSentAgain)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(alice.say(bob.aor(), "slow"), 202);
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(hasFailed(bob));

    answer(bob, bob.offered().at(0), 200);

    EXPECT_TRUE(bob.workUntil([&] { return held().empty(); }));
    // A new registration would bring whatever waits.
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_EQ(alice.say(bob.aor(), "next"), 202);
    bob.answerWith([](const SipText&) { return 200; });
    ASSERT_TRUE(bob.receive(1));
    EXPECT_EQ(bob.bodies(), std::vector<std::string>{"next"});
    EXPECT_EQ(bob.offered().size(), 2U);
}

TEST_P(Late, successLetsWhatWaitsBehindItFollow)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText& message) { return message.body == "slow" ? 0 : 200; });
    for (const auto* body : {"slow", "second", "third"}) {
        ASSERT_EQ(alice.say(bob.aor(), body), 202);
    }
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(hasFailed(bob));

    answer(bob, bob.offered().at(0), 202);

    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bob.bodies(), (std::vector<std::string>{"second", "third"}));
    EXPECT_EQ(bob.offered().size(), 3U);
    EXPECT_TRUE(bob.workUntil([&] { return held().empty(); }));
}

TEST_P(Late, successAfterARefusalCounts)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 480; });
    ASSERT_EQ(alice.say(bob.aor(), "forked"), 202);
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(hasFailed(bob));

    answer(bob, bob.offered().at(0), 486);
    answer(bob, bob.offered().at(0), 200);
    answer(bob, bob.offered().at(0), 200);

    EXPECT_TRUE(bob.workUntil([&] { return held().empty(); }));
    EXPECT_EQ(bob.offered().size(), 1U);
}

TEST_P(Late, refusalAfterASuccessIsDropped)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    ASSERT_EQ(alice.say(bob.aor(), "forked"), 202);
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(bob.receive(1));

    answer(bob, bob.offered().at(0), 200);
    answer(bob, bob.offered().at(0), 603);

    ASSERT_EQ(alice.say(bob.aor(), "next"), 202);
    ASSERT_TRUE(bob.receive(2));
    EXPECT_EQ(bob.offered().size(), 2U);
}

TEST_P(Late, answerOfAStrangerChangesNothing)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 480; });
    ASSERT_EQ(alice.say(bob.aor(), "kept"), 202);
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_TRUE(hasFailed(bob));
    auto forged = bob.offered().at(0);
    forged.set("Via", bob.socket().via("z9hG4bKforged"));

    answer(bob, forged, 200);

    ASSERT_EQ(alice.say(bob.aor(), "behind"),
              202);  // whoever answers this has read what was before
    EXPECT_EQ(held().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Over,
                         Late,
                         ::testing::Values(SipTransport::Udp, SipTransport::Tcp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace restante::test
