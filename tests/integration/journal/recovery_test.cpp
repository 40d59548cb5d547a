#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {

using testing::ElementsAre;

/// A Redis that is lost, and a journal that lives.
class Recovery : public JournalFixture {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(SqlKind::Sqlite));
        openQueue();
        openJournal();
    }

    /// Until the journal has everything; then Redis is a new one, and the journal opens again.
    void loseAndReopen()
    {
        const auto marker = push(order(), 100h);
        ASSERT_THAT(moves(marker, 1), testing::SizeIs(1));
        journal_.reset();
        loseRedis();
        openJournal();
    }
    /// As a replica does that is promoted before it has the newest write, the push of this job.
    void forgetNewest(const std::string& front, const std::string& last)
    {
        ASSERT_THAT(moves(front + last, 1), testing::SizeIs(1));
        const std::string shard = "rst:{s0}:";
        const auto newest = redis_->send({"XREVRANGE", shard + "events", "+", "-", "COUNT", "1"});
        redis_->send({"XDEL", shard + "events", *newest.array()->at(0).array()->at(0).text()});
        redis_->send({"ZREM", shard + "due:pull:5:order", front + last});
        redis_->send({"HDEL", shard + "j:" + front, last});
    }
    void waitUntilItLapses(const ClaimedJob& claimed)
    {
        ASSERT_TRUE(eventually([&] { return queue_->clock().now() > claimed.leaseEnds; }));
    }
    std::vector<std::string> bodiesOf(const std::vector<ClaimedJob>& jobs)
    {
        std::vector<std::string> bodies;
        for (const auto& job : jobs) {
            bodies.push_back(job.job.body);
        }
        return bodies;
    }
};

TEST_F(Recovery, bringsBackDueTimeAttemptsAndError)
{
    auto job = order("order-1");
    job.retry = RetrySchedule::parse("0s,2h,3h").value();
    const auto id = push(job);
    const auto claimed = claim().at(0);
    ASSERT_TRUE(
        await<void>([&](auto done) { queue_->queue().fail(claimed, "busy", std::move(done)); }));
    const auto before = view(id).value();
    loseAndReopen();
    const auto after = view(id);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->due, before.due);
    EXPECT_EQ(after->state, JobState::Scheduled);
    EXPECT_EQ(after->attempt, 1U);
    EXPECT_EQ(after->lastError, "busy");
    EXPECT_EQ(after->job, before.job);
}

TEST_F(Recovery, knowsWhichAttemptsCountNoLonger)
{
    const auto id = push(order("order-1"));
    for (int attempt = 1; attempt <= 2; ++attempt) {
        const auto lease = leaseOf(claim().at(0));
        const auto due = queue_->queue().clock().now();
        ASSERT_TRUE(await<void>([&](auto done) {
            queue_->queue().store().retry({lease, due, "busy"}, done);
        }));
        if (attempt == 1) {
            ASSERT_TRUE(await<void>([&](auto done) {
                queue_->queue().store().reschedule({id, "olga", "mended"},
                                                   {due, NewTime::kEveryAttempt}, done);
            }));
        }
    }
    ASSERT_EQ(view(id)->countedAttempts(), 1U);
    loseAndReopen();
    EXPECT_EQ(view(id)->attempt, 2U);
    EXPECT_EQ(view(id)->attemptOffset, 1U);
    EXPECT_EQ(claim().at(0).countedAttempts(), 2U);
    // And the history says who did it.
    ASSERT_GE(moves(id, 6).size(), 6U);
    EXPECT_EQ(askHistory(id).value().at(3).reason, "mended (attempts reset)");
}

TEST_F(Recovery, keepsTheOrderOfAMailboxAndPutsNewMessagesBehindIt)
{
    const std::string bob = "sip:bob@example.org";
    for (const auto* body : {"one", "two", "three"}) {
        auto job = message(bob);
        job.body = body;
        job.ttr = 100ms;
        push({.job = job, .placement = Placement::Mailbox});
    }
    waitUntilItLapses(claimMailbox(bob, 1).at(0));
    loseAndReopen();
    auto job = message(bob);
    job.body = "four";
    push({.job = job, .placement = Placement::Mailbox});
    EXPECT_THAT(bodiesOf(claimMailbox(bob)), ElementsAre("one", "two", "three", "four"));
}

TEST_F(Recovery, letsAWorkerSayWhatBecameOfItsAttempt)
{
    push(order("order-1"));
    const auto claimed = claim().at(0);
    loseAndReopen();
    EXPECT_EQ(view("order-1")->state, JobState::Leased);
    EXPECT_EQ(view("order-1")->attempt, claimed.attempt);
    EXPECT_LE(view("order-1")->due, claimed.leaseEnds + 1s);
    EXPECT_TRUE(claim().empty()) << "nobody else gets what somebody works on";
    EXPECT_TRUE(
        await<void>([&](auto done) { queue_->queue().finish(leaseOf(claimed), std::move(done)); }));
    EXPECT_EQ(view("order-1").error().code, ErrorCode::NotFound);
}

TEST_F(Recovery, letsALeaseEndWhenItWouldHaveHoweverOftenItIsLost)
{
    auto job = order("order-1");
    job.ttr = 100s;
    push(job);
    const auto claimed = claim().at(0);
    ASSERT_TRUE(eventually([&] { return queue_->clock().now() > claimed.leaseEnds - 99s; }));
    loseAndReopen();
    const auto once = view("order-1")->due;
    EXPECT_LE(once, claimed.leaseEnds);
    ASSERT_THAT(moves("order-1", 3), testing::SizeIs(3));
    loseAndReopen();
    EXPECT_EQ(view("order-1")->state, JobState::Leased);
    EXPECT_EQ(view("order-1")->due, once);
}

TEST_F(Recovery, refusesTheWorkerWhoseLeaseHasLapsed)
{
    auto job = order("order-1");
    job.ttr = 100ms;
    push(job);
    const auto lost = claim().at(0);
    waitUntilItLapses(lost);
    loseAndReopen();
    const auto again = claim().at(0);
    EXPECT_EQ(again.job.id, lost.job.id);
    EXPECT_GT(again.attempt, lost.attempt);
    const auto late =
        await<void>([&](auto done) { queue_->queue().finish(leaseOf(lost), std::move(done)); });
    EXPECT_EQ(late.error().code, ErrorCode::Stale);
}

TEST_F(Recovery, givesNothingOfAMailboxOutWhileItsFlusherMayStillSpeak)
{
    const std::string bob = "sip:bob@example.org";
    for (const auto* body : {"one", "two"}) {
        auto job = message(bob);
        job.body = body;
        push({.job = job, .placement = Placement::Mailbox});
    }
    const auto one = claimMailbox(bob, 1).at(0);
    loseAndReopen();
    EXPECT_TRUE(claimMailbox(bob).empty());
    ASSERT_TRUE(await<void>([&](auto done) {
        queue_->queue().finish({one.job.id, one.attempt, bob}, std::move(done));
    }));
    EXPECT_THAT(bodiesOf(claimMailbox(bob)), ElementsAre("two"));
}

TEST_F(Recovery, keepsTheDueTimeOfAHeldJob)
{
    for (const auto* id : {"held", "trashed"}) {
        push(order(id), 2h);
    }
    const auto due = view("held")->due;
    for (const auto* id : {"held", "trashed"}) {
        ASSERT_TRUE(await<void>([&](auto done) {
            queue_->queue().hold({.id = id, .actor = "olga", .reason = "wait"}, std::move(done));
        }));
    }
    const auto trashedDue = view("trashed")->due;
    ASSERT_TRUE(act(&JobStore::trash, "trashed"));
    loseAndReopen();
    ASSERT_EQ(view("held")->state, JobState::Held);
    EXPECT_EQ(view("held")->due, due);
    EXPECT_TRUE(view("held")->heldOutsideMailbox);
    ASSERT_TRUE(act(&JobStore::restore, "trashed"));
    for (const auto* id : {"held", "trashed"}) {
        ASSERT_TRUE(act(&JobStore::release, id));
        EXPECT_EQ(view(id)->state, JobState::Scheduled);
    }
    EXPECT_EQ(view("held")->due, due);
    EXPECT_EQ(view("trashed")->due, trashedDue);
}

TEST_F(Recovery, leavesFinishedAndPurgedJobsAway)
{
    push(order("finished"));
    finish(claim().at(0));
    push(order("purged"), 1h);
    ASSERT_TRUE(act(&JobStore::purge, "purged"));
    loseAndReopen();
    EXPECT_EQ(view("finished").error().code, ErrorCode::NotFound);
    EXPECT_EQ(view("purged").error().code, ErrorCode::NotFound);
}

TEST_F(Recovery, bringsBackDeadAndTrashedJobsThatCanBeRestored)
{
    push(order("dead"), 1h);
    ASSERT_TRUE(await<void>([&](auto done) {
        queue_->store().bury({"dead", 0, {}}, "refused for good", std::move(done));
    }));
    push(order("trashed"), 1h);
    const auto due = view("trashed")->due;
    ASSERT_TRUE(act(&JobStore::trash, "trashed"));
    loseAndReopen();
    EXPECT_EQ(view("dead")->state, JobState::Dead);
    EXPECT_EQ(view("dead")->lastError, "refused for good");
    EXPECT_EQ(view("trashed")->state, JobState::Trashed);
    ASSERT_TRUE(act(&JobStore::restore, "trashed"));
    EXPECT_EQ(view("trashed")->state, JobState::Scheduled);
    EXPECT_EQ(view("trashed")->due, due);
}

TEST_F(Recovery, neverTouchesWhatTheStoreHas)
{
    push(order("order-1"), 1h);
    ASSERT_THAT(moves("order-1", 1), testing::SizeIs(1));
    push(order("order-2"));
    finish(claim().at(0));
    const auto outcome = recover({});
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->recovered, 0U);
    EXPECT_EQ(outcome->alreadyThere, 1U);
    EXPECT_EQ(view("order-2").error().code, ErrorCode::NotFound);
}

TEST_F(Recovery, answersEachOfTwoThatAskForEverythingAtATime)
{
    push(order("order-1"), 1h);
    ASSERT_THAT(moves("order-1", 1), testing::SizeIs(1));
    std::size_t answerCount = 0;
    for (int i = 0; i < 2; ++i) {
        journal_->recover(loop_, {}, [&](const Result<RecoverOutcome>& outcome) {
            EXPECT_TRUE(outcome) << outcome.error().message;
            ++answerCount;
        });
    }
    EXPECT_TRUE(runUntil([&] { return answerCount == 2; }, 30s));
}

TEST_F(Recovery, bringsBackWhatRedisForgotThoughItHasWrittenMoreSince)
{
    push(order("kept-1"), 1h);
    push(order("lost-1"), 1h);
    forgetNewest("lost-", "1");
    push(order("since-1"), 1h);
    EXPECT_TRUE(eventually([&] { return view("lost-1").has_value(); }, 30s));
    EXPECT_TRUE(view("kept-1"));
    EXPECT_TRUE(view("since-1"));
}

TEST_F(Recovery, bringsBackWhatRedisForgotThoughNothingHappensAnyMore)
{
    push(order("lost-1"), 1h);
    forgetNewest("lost-", "1");
    EXPECT_TRUE(eventually([&] { return view("lost-1").has_value(); }, 30s));
}

TEST_F(Recovery, leavesItToTheOperatorWhenItIsOff)
{
    config_.journal.recover = Config::Recover::Off;
    auto expiring = order("expired");
    expiring.expires = fromEpochMs(toEpochMs(queue_->clock().now()) + 2'000);
    push(expiring, 100ms);
    push(order("order-1"), 1h);
    push(order("order-2"), 1h);
    loseAndReopen();
    EXPECT_EQ(view("order-1").error().code, ErrorCode::NotFound);

    EXPECT_EQ(recover({.id = "nobody"}).error().code, ErrorCode::NotFound);
    EXPECT_EQ(recover({.id = "order-1"})->recovered, 1U);
    EXPECT_EQ(view("order-1")->state, JobState::Scheduled);
    EXPECT_EQ(view("order-2").error().code, ErrorCode::NotFound);

    ASSERT_TRUE(eventually([&] { return queue_->clock().now() > *expiring.expires; }, 10s));
    const auto outcome = recover({.expired = RecoverRequest::Expired::LeftOut});
    EXPECT_EQ(outcome->leftOut, 1U);
    EXPECT_EQ(view("order-2")->state, JobState::Scheduled);
    EXPECT_EQ(view("expired").error().code, ErrorCode::NotFound);
    EXPECT_EQ(recover({})->recovered, 1U);
    EXPECT_TRUE(view("expired"));
}

TEST_F(Recovery, refusesAJournalOfAnotherNumberOfShards)
{
    loseAndReopen();
    journal_.reset();
    config_.redis.shards = 3;
    loseRedis();
    const auto other = newJournal();
    const auto opened = open(*other);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, testing::HasSubstr("redis.shards = 1"));
}

TEST_F(Recovery, writesRecoveredJobsIntoTheirHistory)
{
    push(order("order-1"), 1h);
    loseAndReopen();
    EXPECT_THAT(moves("order-1", 2), ElementsAre("push:>scheduled", "recover:>scheduled"));
    EXPECT_EQ(askHistory("order-1")->back().actor, "") << "the daemon did it by itself";
}

/// Else the journal is behind by as much as came back, and a second loss takes what was
/// acknowledged meanwhile.
TEST_F(Recovery, servesNothingBeforeTheJournalHasTheEventsOfWhatCameBack)
{
    pushMany(20'000);
    loseAndReopen();
    EXPECT_TRUE(isRecorded());
    EXPECT_EQ(moves("job-7", 2).back(), "recover:>scheduled");
}

TEST_F(Recovery, saysWhoAskedForItAndWhy)
{
    config_.journal.recover = Config::Recover::Off;
    push(order("order-1"), 1h);
    loseAndReopen();
    RecoverRequest request{.id = "order-1"};
    request.actor = "olga";
    request.reason = "after the fire";
    EXPECT_EQ(recover(request)->recovered, 1U);
    ASSERT_THAT(moves("order-1", 2), testing::SizeIs(2));
    const auto row = askHistory("order-1")->back();
    EXPECT_EQ(row.transition + " " + row.actor + ": " + row.reason, "recover olga: after the fire");
}

}  // namespace restante::test
