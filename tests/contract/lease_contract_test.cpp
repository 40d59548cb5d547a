#include "tests/contract/store_contract.h"

namespace restante::test {
namespace {

RESTANTE_CONTRACT(Finish);

TEST_P(Finish, forgetsTheJob)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(finish(leaseOf(claimed)));
    EXPECT_TRUE(isGone(claimed.job.id));
    clock().advance(24h);
    EXPECT_TRUE(claim().empty());
    EXPECT_TRUE(lapsed().empty());
}

TEST_P(Finish, forgetsAJobThatHadFailedBefore)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(claimed), 0ms));
    EXPECT_DONE(finish(leaseOf(claim().at(0))));
    EXPECT_EQ(leaseJob(claimed.job).attempt, 1U);
}

TEST_P(Finish, emptiesTheMailbox)
{
    EXPECT_DONE(finish(leaseOf(leaseFromMailbox(messageTo(kBob)))));
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
    EXPECT_TRUE(claimMailbox(kBob).empty());
}

TEST_P(Finish, tellsHowManyMessagesTheMailboxStillHolds)
{
    const auto left = [this](const Lease& lease) {
        return await<std::uint64_t>([&](auto done) { store().finish(lease, done); });
    };
    for (int i = 0; i < 3; ++i) {
        storeHeldJob(messageTo(kBob));
    }
    const auto claimed = claimMailbox(kBob, 2);
    ASSERT_EQ(claimed.size(), 2U);
    EXPECT_EQ(left(leaseOf(claimed[0])), 2U) << "one is leased, one waits";
    EXPECT_EQ(left(leaseOf(claimed[1])), 1U);
    EXPECT_REFUSED(left(leaseOf(claimed[1])), NotFound);
    EXPECT_EQ(left(leaseOf(claimMailbox(kBob).at(0))), 0U);
    EXPECT_EQ(left(leaseOf(leaseJob(newJob()))), 0U);
}

TEST_P(Finish, keepsTheJobWhileRetentionLasts)
{
    open({.retentionDone = 1h});
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(finish(leaseOf(claimed)));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Done);
    EXPECT_TRUE(claim().empty());
}

TEST_P(Finish, worksAfterTheDeadlineWhileNobodyElseHasTheJob)
{
    const auto claimed = leaseJob(newJob());
    clock().advance(1h);
    EXPECT_DONE(finish(leaseOf(claimed)));
}

TEST_P(Finish, takesWhicheverAttemptIsLeasedWhenNoneIsNamed)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(finish({.id = claimed.job.id}));
    EXPECT_TRUE(isGone(claimed.job.id));
}

TEST_P(Finish, holdsAnOperatorToTheAttemptThatIsNamed)
{
    const auto claimed = leaseJob(newJob());
    auto lease = leaseOf(claimed);
    lease.actor = "olga";
    lease.reason = "12 boxes";
    lease.attempt = 12;
    EXPECT_REFUSED(finish(lease), Stale);
    lease.attempt = claimed.attempt;
    EXPECT_DONE(finish(lease));
    EXPECT_TRUE(isGone(claimed.job.id));
}

RESTANTE_CONTRACT(FinishLate);

TEST_P(FinishLate, takesAMessageOutOfTheMailboxThatItsAttemptHadPutBack)
{
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    EXPECT_DONE(hold({.lease = leaseOf(claimed), .nextAttempt = now() + 1h, .error = "408"}));

    EXPECT_DONE(finishLate(leaseOf(claimed)));

    EXPECT_TRUE(isGone(claimed.job.id));
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
    EXPECT_TRUE(claimMailbox(kBob).empty());
    EXPECT_EQ(leaseFromMailbox(claimed.job).attempt, 1U);
}

TEST_P(FinishLate, leavesTheOthersOfTheMailboxInOrder)
{
    const auto late = leaseFromMailbox(messageTo(kBob));
    const auto second = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(hold({.lease = leaseOf(late), .nextAttempt = now()}));

    EXPECT_DONE(finishLate(leaseOf(late)));

    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{second.id});
}

TEST_P(FinishLate, takesWhatWaitsInALaneOrIsDead)
{
    const auto retried = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(retried), 1h));
    EXPECT_DONE(finishLate(leaseOf(retried)));
    EXPECT_TRUE(isGone(retried.job.id));

    const auto buried = leaseJob(newJob());
    EXPECT_DONE(bury(leaseOf(buried), "attempts used up"));
    EXPECT_DONE(finishLate(leaseOf(buried)));
    EXPECT_TRUE(isGone(buried.job.id));
}

TEST_P(FinishLate, isAFinishWhileTheAttemptIsStillLeased)
{
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    EXPECT_DONE(finishLate(leaseOf(claimed)));
    EXPECT_TRUE(isGone(claimed.job.id));
    EXPECT_TRUE(lapsed().empty());
}

TEST_P(FinishLate, leavesAJobAloneThatHasBeenAttemptedSince)
{
    const auto first = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(first), 0ms));
    const auto second = claim().at(0);

    EXPECT_REFUSED(finishLate(leaseOf(first)), Stale);
    EXPECT_EQ(stateOf(first.job.id), JobState::Leased);

    EXPECT_DONE(retry(leaseOf(second), 1h));
    EXPECT_REFUSED(finishLate(leaseOf(first)), Stale);
    EXPECT_EQ(stateOf(first.job.id), JobState::Scheduled);
}

TEST_P(FinishLate, leavesAJobAloneThatTookThePlaceOfTheOne)
{
    const auto claimed = leaseJob(newJob());
    auto other = claimed.job;
    other.body = "another";
    EXPECT_DONE(push({.job = other, .due = now() + 1h, .replace = true}));
    EXPECT_REFUSED(finishLate({.id = other.id, .attempt = 2}), Stale);
    EXPECT_EQ(stateOf(other.id), JobState::Scheduled);
}

TEST_P(FinishLate, isNotOfTheJobThatHasReplacedTheOneWhoseAttemptItWas)
{
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    EXPECT_DONE(hold({.lease = leaseOf(claimed), .nextAttempt = now() + 1h}));
    auto other = claimed.job;
    other.body = "another";
    other.created += 1ms;
    EXPECT_DONE(push({.job = other, .placement = Placement::Mailbox, .replace = true}));
    EXPECT_REFUSED(finishLate(leaseOf(claimed)), Conflict);
    EXPECT_EQ(stateOf(other.id), JobState::Held);
    const auto next = claimMailbox(kBob).at(0);
    EXPECT_EQ(next.job.body, "another");
    EXPECT_DONE(finishLate(leaseOf(next)));
}

TEST_P(FinishLate, refusesWhatNobodyCanHaveAttempted)
{
    open({.retentionDone = 24h});
    const auto trashed = makeJobIn(JobState::Trashed);
    EXPECT_REFUSED(finishLate({.id = trashed, .attempt = 1}), Conflict);
    const auto done = makeJobIn(JobState::Done);
    EXPECT_REFUSED(finishLate({.id = done, .attempt = 1}), Conflict);
    const auto waiting = makeJobIn(JobState::Held);
    EXPECT_REFUSED(finishLate({.id = waiting}), Conflict);
    EXPECT_EQ(stateOf(waiting), JobState::Held);
    EXPECT_REFUSED(finishLate({.id = "nobody", .attempt = 1}), NotFound);
}

TEST_P(FinishLate, keepsTheJobWhileRetentionLasts)
{
    open({.retentionDone = 1h});
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    EXPECT_DONE(hold({.lease = leaseOf(claimed), .nextAttempt = now() + 1h}));
    EXPECT_DONE(finishLate(leaseOf(claimed)));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Done);
    EXPECT_TRUE(claimMailbox(kBob).empty());
    EXPECT_DONE(restore(claimed.job.id));
}

RESTANTE_CONTRACT(Fence);

TEST_P(Fence, refusesEveryMoveOfAWorkerThatLostItsLease)
{
    const auto slow = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(slow), 0ms));
    const auto current = claim().at(0);
    const auto lost = leaseOf(slow);
    EXPECT_REFUSED(finish(lost), Stale);
    EXPECT_REFUSED(retry(lost, 0ms), Stale);
    EXPECT_REFUSED(touch(lost, 1h), Stale);
    EXPECT_REFUSED(bury(lost, "late"), Stale);
    EXPECT_REFUSED(hold({.lease = lost}), Stale);
    EXPECT_REFUSED(reap({.lease = lost, .next = now()}), Stale);
    EXPECT_EQ(view(current.job.id).due, current.leaseEnds);
    EXPECT_DONE(finish(leaseOf(current)));
}

TEST_P(Fence, refusesTheLastWorkerWhileNobodyHasTheJob)
{
    const auto slow = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(slow), 1h));
    EXPECT_REFUSED(finish(leaseOf(slow)), Stale);
    EXPECT_EQ(stateOf(slow.job.id), JobState::Scheduled);
}

TEST_P(Fence, refusesAnAttemptThatHasNotBeenMadeYet)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_REFUSED(finish({.id = claimed.job.id, .attempt = 2}), Stale);
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Leased);
}

// The answer to a give-back was lost, so it is repeated; meanwhile another worker has the job, and
// because the first attempt did not count, under the same number.
TEST_P(Fence, tellsTwoLeasesOfOneAttemptByTheirEnds)
{
    const auto first = leaseJob(newJob());
    auto repeated = leaseOf(first);
    repeated.ends = first.leaseEnds;
    const auto requeue = [&](const Lease& lease) {
        return await<void>([&](auto done) { store().retry({lease, now(), "", false}, done); });
    };
    EXPECT_DONE(requeue(repeated));
    clock().advance(10ms);
    const auto second = claim().at(0);
    ASSERT_EQ(second.attempt, first.attempt);
    EXPECT_REFUSED(requeue(repeated), Stale);
    EXPECT_REFUSED(hold({.lease = repeated, .counted = false}), Stale);
    EXPECT_EQ(view(second.job.id).due, second.leaseEnds);
    EXPECT_DONE(finish(leaseOf(second)));
}

TEST_P(Fence, tellsTwoLeasesOfOneMessageByTheirEnds)
{
    const auto first = leaseFromMailbox(messageTo(kBob));
    auto repeated = leaseOf(first);
    repeated.ends = first.leaseEnds;
    EXPECT_DONE(hold({.lease = repeated, .nextAttempt = now(), .counted = false}));
    clock().advance(10ms);
    const auto second = claimMailbox(kBob).at(0);
    EXPECT_REFUSED(hold({.lease = repeated, .nextAttempt = now(), .counted = false}), Stale);
    EXPECT_DONE(finish(leaseOf(second)));
}

TEST_P(Fence, knowsNoLeaseOfAJobThatIsGone)
{
    const Lease lease{.id = "nobody", .attempt = 1};
    EXPECT_REFUSED(finish(lease), NotFound);
    EXPECT_REFUSED(retry(lease, 0ms), NotFound);
    EXPECT_REFUSED(touch(lease, 1h), NotFound);
    EXPECT_REFUSED(bury(lease, "no"), NotFound);
    EXPECT_REFUSED(hold({.lease = lease}), NotFound);
    EXPECT_REFUSED(reap({.lease = lease, .next = now()}), NotFound);
}

RESTANTE_CONTRACT(Retry);

TEST_P(Retry, schedulesTheNextAttemptAndKeepsTheError)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(claimed), 2min, "connection refused"));
    const auto seen = view(claimed.job.id);
    EXPECT_EQ(seen.state, JobState::Scheduled);
    EXPECT_EQ(seen.due, now() + 2min);
    EXPECT_EQ(seen.attempt, 1U);
    EXPECT_EQ(seen.lastError, "connection refused");
    EXPECT_TRUE(claim().empty());
    clock().advance(2min);
    EXPECT_EQ(claim().at(0).attempt, 2U);
}

TEST_P(Retry, usesUpNoAttemptWhenItDoesNotCount)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(await<void>([&](auto done) {
        store().retry({leaseOf(claimed), now(), "shutting down", false}, done);
    }));
    EXPECT_EQ(view(claimed.job.id).attempt, 0U);
    EXPECT_EQ(claim().at(0).attempt, 1U);
}

TEST_P(Retry, takesAMessageOutOfItsMailbox)
{
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    EXPECT_DONE(retry(leaseOf(claimed), 1h));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Scheduled);
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
}

RESTANTE_CONTRACT(Touch);

TEST_P(Touch, extendsTheLeaseFromNow)
{
    const auto claimed = leaseJob(newJob());
    clock().advance(50s);
    const auto deadline = touch(leaseOf(claimed), 2min);
    EXPECT_DONE(deadline);
    EXPECT_EQ(*deadline, now() + 2min);
    clock().advance(2min - 1ms);
    EXPECT_TRUE(lapsed().empty());
    clock().advance(1ms);
    EXPECT_EQ(lapsed().size(), 1U);
}

TEST_P(Touch, takesTheTtrOfTheJobWhenNoneIsGiven)
{
    auto job = newJob();
    job.ttr = 7s;
    const auto claimed = leaseJob(job);
    clock().advance(5s);
    EXPECT_EQ(*touch(leaseOf(claimed), 0ms), now() + 7s);
}

RESTANTE_CONTRACT(Bury);

TEST_P(Bury, keepsTheJobDeadWithItsReason)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(bury(leaseOf(claimed), "415 Unsupported Media Type"));
    const auto seen = view(claimed.job.id);
    EXPECT_EQ(seen.state, JobState::Dead);
    EXPECT_EQ(seen.lastError, "415 Unsupported Media Type");
    EXPECT_EQ(seen.attempt, 1U);
    EXPECT_EQ(seen.due, now());
    clock().advance(24h);
    EXPECT_TRUE(claim().empty());
    EXPECT_TRUE(lapsed().empty());
}

TEST_P(Bury, takesAnyLiveJobWhenNoAttemptIsNamed)
{
    for (const auto state :
         {JobState::Scheduled, JobState::Ready, JobState::Leased, JobState::Held}) {
        const auto id = makeJobIn(state);
        EXPECT_DONE(bury({.id = id}, "no"));
        EXPECT_EQ(stateOf(id), JobState::Dead) << name(state);
    }
    EXPECT_TRUE(lapsed().empty());
}

TEST_P(Bury, letsTheRestOfTheMailboxGoOn)
{
    storeHeldJob(messageTo(kBob));
    const auto second = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(bury(leaseOf(claimMailbox(kBob, 1).at(0)), "600"));
    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{second.id});
}

RESTANTE_CONTRACT(Reap);

TEST_P(Reap, isToldOfLapsedLeasesOldestFirst)
{
    auto second = newJob();
    second.ttr = 20s;
    auto first = newJob();
    first.ttr = 10s;
    auto third = newJob();
    third.ttr = 30s;
    for (const auto& job : {second, first, third}) {
        leaseJob(job);
    }
    const auto claimedAt = now();
    clock().advance(20s);
    const auto lapses = lapsed();
    ASSERT_EQ(lapses.size(), 2U);
    EXPECT_EQ(lapses[0].job, first);
    EXPECT_EQ(lapses[0].attempt, 1U);
    EXPECT_EQ(lapses[0].leaseEnds, claimedAt + 10s);
    EXPECT_EQ(lapses[1].job.id, second.id);
    EXPECT_EQ(lapsed(1).size(), 1U);
}

TEST_P(Reap, sendsALapsedJobBackCountingTheAttempt)
{
    const auto claimed = leaseJob(newJob());
    clock().advance(60s);
    EXPECT_DONE(reap({leaseOf(claimed), ReapVerdict::Action::Retry, now() + 5s, "lapsed"}));
    const auto seen = view(claimed.job.id);
    EXPECT_EQ(seen.state, JobState::Scheduled);
    EXPECT_EQ(seen.due, now() + 5s);
    EXPECT_EQ(seen.attempt, 1U);
    EXPECT_EQ(seen.lastError, "lapsed");
    EXPECT_TRUE(lapsed().empty());
}

TEST_P(Reap, holdsALapsedMessageAtItsPlaceInTheMailbox)
{
    const auto first = leaseFromMailbox(messageTo(kBob));
    const auto second = storeHeldJob(messageTo(kBob));
    clock().advance(60s);
    EXPECT_DONE(reap({leaseOf(first), ReapVerdict::Action::Hold, now() + 2min, "lapsed"}));
    EXPECT_EQ(stateOf(first.job.id), JobState::Held);
    EXPECT_EQ(earliest({kMailboxes}), now() + 2min);
    EXPECT_EQ(idsOf(claimMailbox(kBob)), (std::vector{first.job.id, second.id}));
}

TEST_P(Reap, buriesALapsedJobWithTheReason)
{
    const auto claimed = leaseJob(newJob());
    clock().advance(60s);
    EXPECT_DONE(reap({leaseOf(claimed), ReapVerdict::Action::Dead, {}, "attempts used up"}));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Dead);
    EXPECT_EQ(view(claimed.job.id).lastError, "attempts used up");
}

TEST_P(Reap, refusesALeaseThatWasExtendedInTheMeantime)
{
    const auto claimed = leaseJob(newJob());
    clock().advance(60s);
    ASSERT_EQ(lapsed().size(), 1U);
    EXPECT_DONE(touch(leaseOf(claimed), 1min));
    EXPECT_REFUSED(reap({.lease = leaseOf(claimed), .next = now()}), Stale);
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Leased);
}

RESTANTE_CONTRACT(Expire);

TEST_P(Expire, buriesWhatHasPassedItsExpires)
{
    auto scheduled = newJob();
    scheduled.expires = now() + 10s;
    storeJob(scheduled, 1h);
    auto ready = newJob();
    ready.expires = now() + 10s;
    storeJob(ready);
    auto message = messageTo(kBob);
    message.expires = now() + 10s;
    storeHeldJob(message);
    clock().advance(9'999ms);
    EXPECT_TRUE(expire().empty());
    clock().advance(1ms);
    EXPECT_EQ(expire().size(), 3U);
    for (const auto& id : {scheduled.id, ready.id, message.id}) {
        EXPECT_EQ(stateOf(id), JobState::Dead);
        EXPECT_EQ(view(id).lastError, "expired");
    }
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
    EXPECT_EQ(earliest({DueSource::Kind::Expiry}), std::nullopt);
}

TEST_P(Expire, leavesALeasedJobToItsWorkerAndTakesItAfterwards)
{
    auto job = newJob();
    job.expires = now() + 10s;
    const auto claimed = leaseJob(job);
    clock().advance(10s);
    EXPECT_TRUE(expire().empty());
    EXPECT_DONE(retry(leaseOf(claimed), 0ms));
    EXPECT_EQ(expire(), std::vector{job.id});
}

TEST_P(Expire, takesAtMostAsManyAsAsked)
{
    for (int i = 0; i < 5; ++i) {
        auto job = newJob();
        job.expires = now() + 1s;
        storeJob(job);
    }
    clock().advance(1s);
    EXPECT_EQ(expire(3).size(), 3U);
    EXPECT_EQ(expire(3).size(), 2U);
}

}  // namespace
}  // namespace restante::test
