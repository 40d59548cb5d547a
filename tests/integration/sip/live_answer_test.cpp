// Senders who wait for the device's own answer (sip.live_timeout).

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using SteadyClock = std::chrono::steady_clock;

/// Longer than any of these tests should take: whoever is answered before was not timed out.
constexpr Millis kLong{20'000};

PluginHost::Settings waiting(Millis timeout)
{
    auto settings = PluginHost::settings();
    settings.redis = sharedRedis().url();
    settings.sip.retry = RetrySchedule::parse("0s,1h").value();
    settings.sip.liveTimeout = timeout;
    return settings;
}

class Live : public ::testing::TestWithParam<SipTransport> {
protected:
    void serve(PluginHost::Settings settings) { host_.emplace(std::move(settings)); }
    SipPhone phone(const std::string& user, std::optional<SipTransport> transport = {})
    {
        return SipPhone({user, "localhost", host_->server(transport.value_or(GetParam()))});
    }
    std::vector<JobView> jobs()
    {
        std::vector<JobView> found;
        host_->onThread([&](auto&, auto& inspector, auto done) {
            inspector.list({}, [&found, done](const Result<JobPage>& page) {
                found = page.value().jobs;
                done();
            });
        });
        return found;
    }
    /// What the sender of `message` is answered, while `bob` works.
    static SipPhone::Outcome outcome(SipPhone& alice, SipPhone& bob, const SipText& message)
    {
        return outcomeOf(alice, bob, alice.start(message));
    }
    static SipPhone::Outcome outcomeOf(SipPhone& alice, SipPhone& bob, const std::string& branch)
    {
        std::optional<SipPhone::Outcome> found;
        bob.workUntil([&] {
            alice.work(Millis{1});
            found = alice.takeOutcome(branch);
            return found.has_value();
        });
        return found.value_or(SipPhone::Outcome{});
    }
    bool becomes(SipPhone& worker, const std::function<bool()>& reached)
    {
        return worker.workUntil(reached);
    }

    std::optional<PluginHost> host_;
};

TEST_P(Live, successOfTheDeviceIsTheAnswer)
{
    serve(waiting(kLong));
    auto alice = phone("alice");
    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto answer = outcome(alice, bob, alice.message(bob.aor(), "hello"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.response.has("Contact"));
    EXPECT_THAT(bob.bodies(), ElementsAre("hello"));
    EXPECT_TRUE(becomes(bob, [&] { return jobs().empty(); }));
}

TEST_P(Live, refusalForGoodIsTheAnswerAndTheMessageIsDead)
{
    serve(waiting(kLong));
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 603; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    EXPECT_EQ(outcome(alice, bob, alice.message(bob.aor(), "hello")).status, 603);
    ASSERT_TRUE(becomes(bob, [&] { return jobs().at(0).state == JobState::Dead; }));
    EXPECT_THAT(jobs().at(0).lastError, ::testing::HasSubstr("603"));
}

TEST_P(Live, failureOfTheAttemptIsAcceptedBeforeTheTimeIsOver)
{
    serve(waiting(kLong));
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 480; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto begun = SteadyClock::now();
    EXPECT_EQ(outcome(alice, bob, alice.message(bob.aor(), "hello")).status, 202);
    EXPECT_LT(SteadyClock::now() - begun, kLong);
    EXPECT_THAT(jobs(), SizeIs(1));
}

TEST_P(Live, messageToNobodyWhoIsRegisteredIsAcceptedAtOnce)
{
    serve(waiting(kLong));
    auto alice = phone("alice");
    const auto begun = SteadyClock::now();
    EXPECT_EQ(alice.say("sip:bob@localhost", "one"), 202);
    EXPECT_EQ(alice.say("sip:bob@localhost", "two"), 202) << "they are known to be away";
    EXPECT_LT(SteadyClock::now() - begun, kLong);
    EXPECT_THAT(jobs(), SizeIs(2));
}

TEST_P(Live, silenceOfTheDeviceIsAcceptedWhenTheTimeIsOverAndNothingIsLost)
{
    serve(waiting(500ms));
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto begun = SteadyClock::now();
    EXPECT_EQ(outcome(alice, bob, alice.message(bob.aor(), "hello")).status, 202);
    EXPECT_GE(SteadyClock::now() - begun, 500ms);
    EXPECT_THAT(jobs(), SizeIs(1)) << "it goes on as usual";
    ASSERT_TRUE(bob.socket().send(bob.offered().at(0).answer(200, "OK").toString()));
    EXPECT_TRUE(becomes(bob, [&] { return jobs().empty(); }));
}

TEST_P(Live, successAfterTheTimeAndTheAttemptIsNotDeliveredAgain)
{
    auto settings = waiting(300ms);
    settings.sip.answerTimeout = Millis{1'000};
    serve(settings);
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    ASSERT_EQ(outcome(alice, bob, alice.message(bob.aor(), "slow")).status, 202);
    ASSERT_TRUE(becomes(bob, [&] {
        const auto all = jobs();
        return all.size() == 1 && all[0].state == JobState::Held && all[0].attempt == 1;
    })) << "the attempt has failed";
    ASSERT_TRUE(bob.socket().send(bob.offered().at(0).answer(200, "OK").toString()));
    ASSERT_TRUE(becomes(bob, [&] { return jobs().empty(); }));

    // A new registration would bring whatever waits.
    bob.answerWith([](const SipText&) { return 200; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    EXPECT_EQ(outcome(alice, bob, alice.message(bob.aor(), "next")).status, 200);
    EXPECT_THAT(bob.bodies(), ElementsAre("next"));
    EXPECT_THAT(bob.offered(), SizeIs(2)) << "each once";
}

TEST_P(Live, messageBehindAnotherWaitsForItsTurn)
{
    serve(waiting(kLong));
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText& message) { return message.body == "first" ? 0 : 200; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto first = alice.start(alice.message(bob.aor(), "first"));
    ASSERT_TRUE(bob.workUntil([&] {
        alice.work(Millis{1});
        return bob.offered().size() == 1;
    }));
    const auto second = alice.start(alice.message(bob.aor(), "second"));
    ASSERT_TRUE(bob.workUntil([&] {
        alice.work(Millis{1});
        return jobs().size() == 2;
    }));
    EXPECT_THAT(alice.outcomes(), IsEmpty());
    EXPECT_THAT(bob.offered(), SizeIs(1)) << "in order";
    ASSERT_TRUE(bob.socket().send(bob.offered().at(0).answer(200, "OK").toString()));
    EXPECT_EQ(outcomeOf(alice, bob, first).status, 200);
    EXPECT_EQ(outcomeOf(alice, bob, second).status, 200);
    EXPECT_THAT(bob.bodies(), ElementsAre("second"));
}

TEST_P(Live, repetitionWaitsWithTheFirstAndIsAnsweredTheSame)
{
    serve(waiting(kLong));
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    auto message = alice.message(bob.aor(), "once");
    const auto first = alice.start(message);
    message.set("Via", alice.socket().via("z9hG4bK" + uniqueToken()));
    const auto again = alice.start(message);
    ASSERT_TRUE(bob.workUntil([&] {
        alice.work(Millis{1});
        return !bob.offered().empty();
    }));
    // Over UDP both have been sent twice by then.
    bob.workUntil(
        [&] {
            alice.work(Millis{1});
            return false;
        },
        Millis{700});
    EXPECT_THAT(alice.outcomes(), IsEmpty());
    ASSERT_TRUE(bob.socket().send(bob.offered().at(0).answer(603, "Decline").toString()));
    EXPECT_EQ(outcomeOf(alice, bob, first).status, 603);
    EXPECT_EQ(outcomeOf(alice, bob, again).status, 603);
    EXPECT_THAT(jobs(), SizeIs(1)) << "stored once";
}

TEST_P(Live, senderWhoWaitsIsAcceptedWhenTheDaemonDrains)
{
    serve(waiting(kLong));
    auto alice = phone("alice");
    auto bob = phone("bob");
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto branch = alice.start(alice.message(bob.aor(), "hello"));
    ASSERT_TRUE(bob.workUntil([&] {
        alice.work(Millis{1});
        return !bob.offered().empty();
    }));
    host_->drain();
    const auto begun = SteadyClock::now();
    EXPECT_EQ(outcomeOf(alice, bob, branch).status, 202);
    EXPECT_LT(SteadyClock::now() - begun, kLong);
    EXPECT_THAT(jobs(), SizeIs(1));
}

TEST_P(Live, answerIsNotAwaitedUnlessAskedFor)
{
    serve(waiting(0ms));
    auto alice = phone("alice");
    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    EXPECT_EQ(outcome(alice, bob, alice.message(bob.aor(), "hello")).status, 202);
}

TEST_P(Live, answerIsNotAwaitedWhenTheFirstAttemptIsLater)
{
    auto settings = waiting(kLong);
    settings.sip.retry = RetrySchedule::parse("1h,1h").value();
    serve(settings);
    auto alice = phone("alice");
    auto bob = phone("bob");
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto begun = SteadyClock::now();
    EXPECT_EQ(outcome(alice, bob, alice.message(bob.aor(), "hello")).status, 202);
    EXPECT_LT(SteadyClock::now() - begun, kLong);
}

TEST_P(Live, successOfTheFirstOfManyDevicesIsTheAnswer)
{
    auto settings = waiting(kLong);
    settings.sip.devices = Config::Devices::All;
    serve(settings);
    auto alice = phone("alice");
    auto bob = phone("bob");
    auto other = phone("bob", SipTransport::Udp);
    other.answerWith([](const SipText&) { return 603; });
    ASSERT_EQ(other.registerFor(60s).status, 200);
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    const auto branch = alice.start(alice.message(bob.aor(), "hello"));
    ASSERT_TRUE(other.workUntil([&] {
        alice.work(Millis{1});
        return !other.offered().empty();
    }));
    other.work(Millis{50});
    EXPECT_THAT(alice.outcomes(), IsEmpty()) << "it is refused by one device only";
    EXPECT_EQ(outcomeOf(alice, bob, branch).status, 200);
}

INSTANTIATE_TEST_SUITE_P(Over,
                         Live,
                         ::testing::Values(SipTransport::Udp, SipTransport::Tcp),
                         ::testing::PrintToStringParamName());

/// More than a connection's share wait: the others are answered at once, and the connection is read
/// on.
TEST(LiveConnection, isReadOnAlthoughManyOfItsSendersWait)
{
    PluginHost host{waiting(kLong)};
    SipPhone alice{{"alice", "localhost", host.server(SipTransport::Tcp)}};
    SipPhone bob{{"bob", "localhost", host.server(SipTransport::Udp)}};
    bob.answerWith([](const SipText&) { return 0; });
    ASSERT_EQ(bob.registerFor(60s).status, 200);
    constexpr std::size_t kSent = 150;
    for (std::size_t i = 0; i < kSent; ++i) {
        alice.start(alice.message(bob.aor(), std::to_string(i)));
    }
    EXPECT_TRUE(bob.workUntil(
        [&] {
            alice.work(Millis{1});
            return alice.outcomes().size() >= kSent - 50;
        },
        kLong));
    EXPECT_EQ(alice.outcomes().size(), kSent - 50);
    for (const auto& [branch, outcome] : alice.outcomes()) {
        EXPECT_EQ(outcome.status, 202);
    }
}

}  // namespace
}  // namespace restante::test
