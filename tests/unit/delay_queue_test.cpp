#include "core/queue/delay_queue.h"
#include "core/queue/memory_job_store.h"
#include "tests/support/logged.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/manual_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace restante {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kShards = 3;
const std::string kBob = "sip:bob@example.org";

/// Cannot reap one of its jobs.
class ReapRefusingStore final : public MemoryJobStore {
public:
    ReapRefusingStore(EventLoop& loop, const Clock& clock)
        : MemoryJobStore(loop, clock),
          loop_(loop)
    {
    }

    void reap(ReapVerdict verdict, Done<void> done) override
    {
        if (verdict.lease.id != unreapable) {
            return MemoryJobStore::reap(std::move(verdict), std::move(done));
        }
        loop_.post([done = std::move(done)] {
            done(failure(ErrorCode::Internal, "test: a key of another type"));
        });
    }

    std::string unreapable;

private:
    EventLoop& loop_;
};

class DelayQueueTest : public test::LoopFixture {
protected:
    static DelayQueue::Settings settings()
    {
        DelayQueue::Settings settings;
        settings.shards = kShards;
        settings.sipRetry = *RetrySchedule::parse("0s,2m,1h");
        settings.courierRetry = *RetrySchedule::parse("0s,5m");
        return settings;
    }
    static Job pullJob()
    {
        Job job;
        job.topic = "order";
        job.body = "close";
        return job;
    }
    static Job message()
    {
        Job job;
        job.topic = "sip";
        job.channel = Channel::Sip;
        job.recipient = kBob;
        return job;
    }
    static Job webhook()
    {
        Job job;
        job.topic = "hook";
        job.channel = Channel::Webhook;
        job.recipient = "https://example.org/";
        return job;
    }

    void pushNamed(DelayQueue& queue, const std::string& id)
    {
        PushOptions options{.job = pullJob()};
        options.job.id = id;
        const auto outcome =
            await<PushOutcome>([&](auto done) { queue.push(std::move(options), std::move(done)); });
        ASSERT_TRUE(outcome) << outcome.error().message;
    }
    Result<PushOutcome> push(PushOptions push)
    {
        std::optional<Result<PushOutcome>> outcome;
        queue_.push(std::move(push),
                    [&](Result<PushOutcome> result) { outcome = std::move(result); });
        EXPECT_TRUE(runUntil([&] { return outcome.has_value(); }));
        return *outcome;
    }
    ClaimedJob claimed(const Job& job)
    {
        const auto batch = await<std::vector<ClaimedJob>>([&](auto done) {
            queue_.claim({job.channel, {job.topic}, 1}, done);
        });
        EXPECT_EQ(batch->size(), 1U);
        return batch->at(0);
    }
    ClaimedJob claimedFromMailbox()
    {
        const auto batch = await<std::vector<ClaimedJob>>([&](auto done) {
            store_.claimMailbox({kBob, 1}, done);
        });
        EXPECT_EQ(batch->size(), 1U);
        return batch->at(0);
    }
    void fail(const ClaimedJob& job, Millis notBefore = 0ms)
    {
        const auto failed =
            await<void>([&](auto done) { queue_.fail(job, "refused", done, notBefore); });
        EXPECT_TRUE(failed);
    }
    std::uint32_t reapLapsed()
    {
        return *await<std::uint32_t>([&](auto done) { queue_.reapLapsed(100, done); });
    }
    JobView view(const std::string& id)
    {
        return *await<JobView>([&](auto done) { store_.show(id, done); });
    }

    test::ManualClock clock_;
    MemoryJobStore store_{loop_, clock_};
    DelayQueue queue_{store_, clock_, settings()};
};

TEST_F(DelayQueueTest, givesAnIdAndTheMomentOfThePush)
{
    const auto outcome = push({.job = pullJob(), .delay = 30min});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->id.size(), 26U);
    const auto seen = view(outcome->id);
    EXPECT_EQ(seen.job.created, clock_.now());
    EXPECT_EQ(seen.due, clock_.now() + 30min);
}

TEST_F(DelayQueueTest, prefersAtToDelay)
{
    const auto at = clock_.now() + 5h;
    EXPECT_EQ(view(push({.job = pullJob(), .delay = 1h, .at = at})->id).due, at);
}

TEST_F(DelayQueueTest, waitsTheFirstIntervalBeforeTheFirstAttempt)
{
    auto job = pullJob();
    job.retry = *RetrySchedule::parse("2m,10m");
    EXPECT_EQ(view(push({.job = job, .delay = 1h})->id).due, clock_.now() + 1h + 2min);
}

TEST_F(DelayQueueTest, keepsTheIdOfTheCaller)
{
    auto job = pullJob();
    job.id = "order-4711";
    EXPECT_EQ(push({.job = job})->id, "order-4711");
}

TEST_F(DelayQueueTest, spreadsJobsOverTheShards)
{
    for (std::uint32_t i = 0; i < 2 * kShards; ++i) {
        EXPECT_EQ(shardOfId(push({.job = pullJob()})->id, kShards), i % kShards);
    }
}

TEST_F(DelayQueueTest, givesAMessageAnIdOfItsMailboxsShard)
{
    for (const auto placement : {Placement::Lane, Placement::Mailbox}) {
        const auto outcome = push({.job = message(), .placement = placement});
        EXPECT_EQ(shardOfId(outcome->id, kShards), shardOfMailbox(kBob, kShards));
    }
}

TEST_F(DelayQueueTest, sendsOneOnceKeyToOneShard)
{
    for (int i = 0; i < 3; ++i) {
        const auto outcome = push({.job = pullJob(), .onceKey = "k", .onceFor = 1h});
        EXPECT_EQ(shardOfId(outcome->id, kShards), shardOfId("k", kShards));
        clock_.advance(1h);
    }
}

TEST_F(DelayQueueTest, refusesWhatIsWrongAndStoresNothing)
{
    auto noTopic = pullJob();
    noTopic.topic.clear();
    auto expired = pullJob();
    expired.expires = clock_.now();
    auto neverDue = pullJob();
    neverDue.expires = clock_.now() + 1h;
    auto elsewhere = message();
    for (int i = 0; elsewhere.id.empty(); ++i) {
        const auto id = "id-" + std::to_string(i);
        if (shardOfId(id, kShards) != shardOfMailbox(kBob, kShards)) {
            elsewhere.id = id;
        }
    }
    const std::vector<PushOptions> refused{
        {.job = noTopic},
        {.job = expired},
        {.job = neverDue, .delay = 1h},
        {.job = elsewhere},
        {.job = pullJob(), .placement = Placement::Mailbox},
        {.job = pullJob(), .delay = -1ms},
        {.job = pullJob(), .at = fromEpochMs(-1)},
        {.job = pullJob(), .delay = 24h * 4'000},
    };
    for (const auto& options : refused) {
        const auto outcome = push(options);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, ErrorCode::Invalid) << outcome.error().message;
    }
    const auto counts = await<StoreCounts>([&](auto done) { store_.counts(done); });
    for (const auto& [state, count] : counts->states) {
        EXPECT_EQ(count, 0U) << name(state);
    }
}

TEST_F(DelayQueueTest, bringsAFailedPullJobBackAtOnceWithoutEnd)
{
    push({.job = pullJob()});
    for (std::uint32_t attempt = 1; attempt <= 20; ++attempt) {
        const auto job = claimed(pullJob());
        EXPECT_EQ(job.attempt, attempt);
        fail(job);
    }
}

TEST_F(DelayQueueTest, buriesAPullJobAtTheLimitOfAttempts)
{
    auto limited = settings();
    limited.attempts = 2;
    DelayQueue queue{store_, clock_, limited};
    EXPECT_EQ(queue.nextAttempt(pullJob(), 1), clock_.now());
    EXPECT_EQ(queue.nextAttempt(pullJob(), 2), std::nullopt);
}

TEST_F(DelayQueueTest, retriesAWebhookOnTheCouriersSchedule)
{
    const auto id = push({.job = webhook()})->id;
    fail(claimed(webhook()));
    EXPECT_EQ(view(id).due, clock_.now() + 5min);
    EXPECT_EQ(view(id).lastError, "refused");
    clock_.advance(5min);
    fail(claimed(webhook()));
    EXPECT_EQ(view(id).state, JobState::Dead);
    EXPECT_EQ(view(id).lastError, "refused");
}

TEST_F(DelayQueueTest, prefersTheJobsOwnSchedule)
{
    auto job = webhook();
    job.retry = *RetrySchedule::parse("0s,7s,9s");
    EXPECT_EQ(queue_.nextAttempt(job, 1), clock_.now() + 7s);
    EXPECT_EQ(queue_.nextAttempt(job, 2), clock_.now() + 9s);
    EXPECT_EQ(queue_.nextAttempt(job, 3), std::nullopt);
}

TEST_F(DelayQueueTest, waitsAtLeastAsLongAsThePeerAsked)
{
    const auto id = push({.job = webhook()})->id;
    fail(claimed(webhook()), 20min);
    EXPECT_EQ(view(id).due, clock_.now() + 20min);
}

TEST_F(DelayQueueTest, holdsAFailedMessageInItsMailbox)
{
    const auto id = push({.job = message(), .placement = Placement::Mailbox})->id;
    fail(claimedFromMailbox());
    EXPECT_EQ(view(id).state, JobState::Held);
    EXPECT_EQ(view(id).due, clock_.now() + 2min);
    EXPECT_EQ(view(id).lastError, "refused");
}

TEST_F(DelayQueueTest, neverBuriesAMessageForItsAttempts)
{
    EXPECT_EQ(queue_.nextAttempt(message(), 2), clock_.now() + 1h);
    EXPECT_EQ(queue_.nextAttempt(message(), 1'000), clock_.now() + 1h);
}

TEST_F(DelayQueueTest, buriesAMessageThatHasUsedUpItsOwnSchedule)
{
    auto job = message();
    job.retry = *RetrySchedule::parse("0s,1s");
    const auto id = push({.job = job, .placement = Placement::Mailbox})->id;
    fail(claimedFromMailbox());
    EXPECT_EQ(view(id).state, JobState::Held);
    clock_.advance(1s);
    fail(claimedFromMailbox());
    EXPECT_EQ(view(id).state, JobState::Dead);
}

TEST_F(DelayQueueTest, reapsWhatHasLapsedByTheSameRule)
{
    auto reminder = pullJob();
    reminder.topic = "reminder";
    reminder.retry = *RetrySchedule::parse("0s");
    const auto pulled = push({.job = pullJob()})->id;
    const auto dying = push({.job = reminder})->id;
    const auto hook = push({.job = webhook()})->id;
    const auto held = push({.job = message(), .placement = Placement::Mailbox})->id;
    for (const auto& job : {pullJob(), reminder, webhook()}) {
        claimed(job);
    }
    claimedFromMailbox();
    clock_.advance(60s - 1ms);
    EXPECT_EQ(reapLapsed(), 0U);
    clock_.advance(1ms);
    EXPECT_EQ(reapLapsed(), 4U);
    EXPECT_EQ(view(pulled).state, JobState::Ready);
    EXPECT_EQ(view(dying).state, JobState::Dead);
    EXPECT_EQ(view(hook).due, clock_.now() + 5min);
    EXPECT_EQ(view(held).state, JobState::Held);
    EXPECT_EQ(view(held).due, clock_.now()) << "its recipient has not failed";
    EXPECT_NE(view(dying).lastError.find("lease"), std::string::npos);
}

TEST_F(DelayQueueTest, tellsOnceWhichLapsedLeaseCannotBeReaped)
{
    ReapRefusingStore store(loop_, clock_);
    DelayQueue queue(store, clock_, settings());
    for (const auto* id : {"broken", "whole"}) {
        pushNamed(queue, id);
    }
    const auto leased = await<std::vector<ClaimedJob>>([&](auto done) {
        queue.claim({Channel::Pull, {"order"}, 2}, done);
    });
    ASSERT_TRUE(leased && leased->size() == 2);
    store.unreapable = "broken";
    clock_.advance(60s);
    const auto reap = [&] {
        return await<std::uint32_t>([&](auto done) { queue.reapLapsed(100, done); });
    };
    std::uint32_t reaped = 0;
    EXPECT_THAT(test::loggedBy([&] { reaped = reap().value_or(0U); }),
                AllOf(HasSubstr("job broken"), HasSubstr("a key of another type")));
    EXPECT_EQ(reaped, 1U);
    EXPECT_THAT(test::loggedBy([&] { reaped = reap().value_or(1U); }), IsEmpty());
    EXPECT_EQ(reaped, 0U);

    store.unreapable.clear();
    EXPECT_EQ(reap().value_or(0U), 1U);
}

TEST_F(DelayQueueTest, reapsWhatLapsedAfterALeaseThatCannotBeReaped)
{
    ReapRefusingStore store(loop_, clock_);
    DelayQueue queue(store, clock_, settings());
    for (const auto* id : {"broken", "second", "third"}) {
        pushNamed(queue, id);
        const auto leased = await<std::vector<ClaimedJob>>([&](auto done) {
            queue.claim({Channel::Pull, {"order"}, 1}, done);
        });
        ASSERT_TRUE(leased && leased->size() == 1);
        clock_.advance(1ms);
    }
    store.unreapable = "broken";
    clock_.advance(60s);
    const auto reapOne = [&] {
        return await<std::uint32_t>([&](auto done) { queue.reapLapsed(1, done); }).value_or(9U);
    };
    EXPECT_EQ(reapOne(), 0U);
    EXPECT_EQ(reapOne(), 1U) << "the second";
    EXPECT_EQ(reapOne(), 1U) << "the third";
    EXPECT_EQ(reapOne(), 0U);

    store.unreapable.clear();
    EXPECT_EQ(reapOne(), 1U);
}

TEST_F(DelayQueueTest, passesClaimsTouchesAndEndsOn)
{
    const auto id = push({.job = pullJob()})->id;
    const auto job = claimed(pullJob());
    const auto until = await<TimePoint>([&](auto done) { queue_.touch(leaseOf(job), 5min, done); });
    EXPECT_EQ(*until, clock_.now() + 5min);
    EXPECT_TRUE(await<void>([&](auto done) { queue_.bury(leaseOf(job), "no", done); }));
    EXPECT_EQ(view(id).state, JobState::Dead);
    push({.job = pullJob()});
    EXPECT_TRUE(await<void>([&](auto done) { queue_.finish(leaseOf(claimed(pullJob())), done); }));
}

}  // namespace
}  // namespace restante
