#include "core/job/job_filter.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_search.h"
#include "tests/contract/store_contract.h"

namespace restante::test {
namespace {

/// reschedule with its attempts reset, and only if nobody has moved the job.
class Reset : public StoreContract {
protected:
    NewTime anew(Millis delay = 0ms) { return {now() + delay, NewTime::kEveryAttempt}; }

    ClaimedJob claimOne()
    {
        auto claimed = claim();
        EXPECT_EQ(claimed.size(), 1U);
        return claimed.empty() ? ClaimedJob{} : std::move(claimed.front());
    }

    /// Stores a job, lets two attempts fail, and returns its id; it is scheduled.
    std::string storeTriedTwice()
    {
        const auto job = storeJob(newJob());
        for (int attempt = 1; attempt <= 2; ++attempt) {
            EXPECT_DONE(retry(leaseOf(claimOne()), 0ms));
        }
        return job.id;
    }
};
INSTANTIATE_TEST_SUITE_P(Store, Reset, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Reset, forgetsTheAttemptsButNotTheirNumbers)
{
    const auto id = storeTriedTwice();
    EXPECT_DONE(reschedule(id, anew()));
    EXPECT_EQ(view(id).attempt, 2U);
    EXPECT_EQ(view(id).attemptOffset, 2U);
    EXPECT_EQ(view(id).countedAttempts(), 0U);
    EXPECT_EQ(view(id).lastError, "busy");
    const auto claimed = claimOne();
    EXPECT_EQ(claimed.attempt, 3U);
    EXPECT_EQ(claimed.countedAttempts(), 1U);
    EXPECT_EQ(view(id).countedAttempts(), 1U);
}

TEST_P(Reset, letsNoLateAnswerOfTheOldFirstAttemptEndTheNewFirstOne)
{
    const auto job = storeJob(newJob());
    const auto old = claimOne();
    EXPECT_DONE(retry(leaseOf(old), 0ms));
    EXPECT_DONE(reschedule(job.id, anew()));
    // No worker has it: the old attempt is the last one that was made, and may have succeeded.
    EXPECT_REFUSED(finish(leaseOf(old)), Stale);
    const auto fresh = claimOne();
    EXPECT_EQ(fresh.countedAttempts(), 1U);
    EXPECT_REFUSED(finish(leaseOf(old)), Stale);
    EXPECT_REFUSED(finishLate(leaseOf(old)), Stale);
    EXPECT_REFUSED(retry(leaseOf(old), 1h), Stale);
    EXPECT_REFUSED(bury(leaseOf(old), "no"), Stale);
    EXPECT_REFUSED(touch(leaseOf(old), 1h), Stale);
    EXPECT_REFUSED(hold({.lease = leaseOf(old)}), Stale);
    EXPECT_EQ(stateOf(job.id), JobState::Leased);
    EXPECT_DONE(finish(leaseOf(fresh)));
}

TEST_P(Reset, letsTheRetryScheduleBeginAnew)
{
    DelayQueue queue(store(), clock(), {});
    auto job = newJob();
    job.retry = RetrySchedule::parse("0s,2m,1h").value();
    storeJob(job);
    const auto fail = [&] {
        const auto claimed = claimOne();
        EXPECT_DONE(await<void>([&](auto done) { queue.fail(claimed, "busy", done); }));
    };
    fail();
    EXPECT_EQ(view(job.id).due, now() + 2min);
    clock().advance(2min);
    fail();
    clock().advance(1h);
    fail();
    ASSERT_EQ(stateOf(job.id), JobState::Dead);
    EXPECT_DONE(reschedule(job.id, anew()));
    fail();
    EXPECT_EQ(stateOf(job.id), JobState::Scheduled);
    EXPECT_EQ(view(job.id).due, now() + 2min);
    EXPECT_EQ(view(job.id).attempt, 4U);
    // A lease that runs out counts the same way.
    clock().advance(2min);
    claimOne();
    clock().advance(1h);
    EXPECT_EQ(await<std::uint32_t>([&](auto done) { queue.reapLapsed(10, done); }), 1U);
    EXPECT_EQ(view(job.id).due, now() + 1h);
    clock().advance(1h);
    fail();
    EXPECT_EQ(stateOf(job.id), JobState::Dead);
}

TEST_P(Reset, isNotWhatAPlainRescheduleDoes)
{
    const auto id = storeTriedTwice();
    EXPECT_DONE(reschedule(id, 1h));
    EXPECT_EQ(view(id).attemptOffset, 0U);
    EXPECT_DONE(reschedule(id, anew(1h)));
    EXPECT_DONE(reschedule(id, 2h));
    EXPECT_EQ(view(id).attemptOffset, 2U);
}

TEST_P(Reset, canBeTakenBack)
{
    const auto id = storeTriedTwice();
    EXPECT_DONE(reschedule(id, anew()));
    EXPECT_DONE(retry(leaseOf(claimOne()), 0ms));
    EXPECT_DONE(reschedule(id, NewTime{now(), 1}));
    EXPECT_EQ(view(id).attemptOffset, 1U);
    EXPECT_EQ(view(id).countedAttempts(), 2U);
    EXPECT_DONE(reschedule(id, NewTime{now(), 0}));
    EXPECT_EQ(view(id).countedAttempts(), 3U);
    EXPECT_EQ(claimOne().countedAttempts(), 4U);
}

TEST_P(Reset, forgetsNoMoreThanThereWere)
{
    const auto job = storeJob(newJob());
    EXPECT_DONE(reschedule(job.id, anew()));
    EXPECT_EQ(view(job.id).attemptOffset, 0U);
    EXPECT_EQ(claimOne().countedAttempts(), 1U);
}

TEST_P(Reset, outlastsTrashAndRestore)
{
    const auto id = storeTriedTwice();
    EXPECT_DONE(reschedule(id, anew(1h)));
    EXPECT_DONE(trash(id));
    EXPECT_EQ(view(id).attemptOffset, 2U);
    EXPECT_DONE(restore(id));
    EXPECT_EQ(view(id).countedAttempts(), 0U);
}

TEST_P(Reset, isForgottenWithTheJob)
{
    auto job = newJob();
    for (const bool finishes : {true, false}) {
        storeJob(job);
        EXPECT_DONE(retry(leaseOf(claimOne()), 0ms));
        EXPECT_DONE(reschedule(job.id, anew()));
        if (finishes) {
            EXPECT_DONE(finish(leaseOf(claimOne())));
        } else {
            EXPECT_DONE(purge(job.id));
        }
        EXPECT_TRUE(isGone(job.id));
    }
    storeJob(job);
    EXPECT_EQ(view(job.id).attemptOffset, 0U);
    EXPECT_EQ(claimOne().attempt, 1U);
}

TEST_P(Reset, isForgottenByARenewingPush)
{
    const auto job = storeJob(newJob());
    EXPECT_DONE(retry(leaseOf(claimOne()), 0ms));
    EXPECT_DONE(reschedule(job.id, anew()));
    EXPECT_DONE(bury({.id = job.id}, "no"));
    EXPECT_DONE(push({.job = job, .due = now(), .renew = true}));
    EXPECT_EQ(view(job.id).attempt, 0U);
    EXPECT_EQ(view(job.id).attemptOffset, 0U);
}

TEST_P(Reset, countsForMessagesOfAMailboxToo)
{
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    EXPECT_DONE(hold({.lease = leaseOf(claimed), .nextAttempt = now()}));
    EXPECT_DONE(reschedule(claimed.job.id, anew(1h)));
    EXPECT_DONE(hold({.lease = {.id = claimed.job.id, .recipient = kBob}, .nextAttempt = now()}));
    const auto again = claimMailbox(kBob);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again.front().attempt, 2U);
    EXPECT_EQ(again.front().countedAttempts(), 1U);
}

TEST_P(Reset, isSeenInLists)
{
    const auto id = storeTriedTwice();
    EXPECT_DONE(reschedule(id, anew(1h)));
    const auto page = await<JobPage>([&](auto done) { inspector().list({}, done); });
    ASSERT_TRUE(page);
    ASSERT_EQ(page->jobs.size(), 1U);
    EXPECT_EQ(page->jobs.front().attempt, 2U);
    EXPECT_EQ(page->jobs.front().countedAttempts(), 0U);
    const auto search = [&](const char* filter) {
        JobSearch wanted;
        wanted.filter = JobFilter::parse(filter).value();
        const auto found = await<SearchPage>([&](auto done) { inspector().search(wanted, done); });
        return found ? found->jobs.size() : 99;
    };
    EXPECT_EQ(search("attempts=0"), 1U);
    EXPECT_EQ(search("attempts>0"), 0U);
}

/// reschedule only if the job's due time is the expected one.
class OnlyIfDue : public StoreContract {
protected:
    NewTime to(Millis delay, TimePoint only) { return {now() + delay, std::nullopt, only}; }
};
INSTANTIATE_TEST_SUITE_P(Store, OnlyIfDue, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(OnlyIfDue, movesAJobThatIsWhereItWasLeft)
{
    const auto job = storeJob(newJob(), 1h);
    EXPECT_DONE(reschedule(job.id, to(2h, now() + 1h)));
    EXPECT_EQ(view(job.id).due, now() + 2h);
    const auto due = view(job.id).due;
    clock().advance(2h);
    ASSERT_EQ(stateOf(job.id), JobState::Ready);
    EXPECT_DONE(reschedule(job.id, to(1h, due)));
}

TEST_P(OnlyIfDue, refusesAJobThatSomebodyHasMoved)
{
    const auto job = storeJob(newJob(), 1h);
    EXPECT_REFUSED(reschedule(job.id, to(2h, now() + 1h + 1ms)), Conflict);
    EXPECT_REFUSED(reschedule(job.id, to(2h, now() + 1h - 1ms)), Conflict);
    EXPECT_EQ(view(job.id).due, now() + 1h);
}

TEST_P(OnlyIfDue, refusesWhatIsInNoLane)
{
    const auto dead = makeJobIn(JobState::Dead);
    EXPECT_REFUSED(reschedule(dead, to(2h, view(dead).due)), Conflict);
    const auto held = makeJobIn(JobState::Held);
    EXPECT_REFUSED(reschedule(held, to(2h, view(held).due)), Conflict);
    EXPECT_EQ(stateOf(dead), JobState::Dead);
    EXPECT_EQ(stateOf(held), JobState::Held);
}

TEST_P(OnlyIfDue, changesNoCountOfWhatItRefuses)
{
    const auto job = storeJob(newJob());
    EXPECT_DONE(retry(leaseOf(claim().at(0)), 1h));
    EXPECT_REFUSED(reschedule(job.id, {now(), NewTime::kEveryAttempt, now() + 2h}), Conflict);
    EXPECT_EQ(view(job.id).attemptOffset, 0U);
}

TEST_P(OnlyIfDue, holdsForAHoldAsWell)
{
    const auto job = storeJob(newJob(), 1h);
    EXPECT_REFUSED(hold({.lease = {.id = job.id, .ends = now() + 2h}}), Conflict);
    EXPECT_EQ(stateOf(job.id), JobState::Scheduled);
    EXPECT_DONE(hold({.lease = {.id = job.id, .ends = now() + 1h}}));
    EXPECT_EQ(stateOf(job.id), JobState::Held);
}

TEST_P(OnlyIfDue, saysThatAWorkerHasWhatIsToBeHeld)
{
    const auto job = storeJob(newJob());
    const auto due = view(job.id).due;
    claim();
    const auto refused = hold({.lease = {.id = job.id, .ends = due}});
    EXPECT_REFUSED(refused, Conflict);
    EXPECT_EQ(refused ? "" : refused.error().message,
              "job " + job.id + ": it is leased; hold takes jobs that are scheduled or ready");
    EXPECT_EQ(stateOf(job.id), JobState::Leased);
}

}  // namespace
}  // namespace restante::test
