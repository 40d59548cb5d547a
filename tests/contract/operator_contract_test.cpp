#include "tests/contract/store_contract.h"

#include <functional>
#include <map>

namespace restante::test {
namespace {

RESTANTE_CONTRACT(Refusal);

TEST_P(Refusal, meetsExactlyTheMovesThatTheLifeCycleForbids)
{
    open({.retentionDone = 24h});
    const std::map<Transition, std::function<Result<void>(const std::string&)>> moves{
        {Transition::Finish, [&](auto& id) { return finish({.id = id}); }},
        {Transition::Retry, [&](auto& id) { return retry({.id = id}, 1h); }},
        {Transition::Touch, [&](auto& id) { return touch({.id = id}, 1h).map([](auto) {}); }},
        {Transition::Bury, [&](auto& id) { return bury({.id = id}, "no"); }},
        {Transition::Release, [&](auto& id) { return release(id); }},
        {Transition::RunNow, [&](auto& id) { return runNow(id); }},
        {Transition::Reschedule, [&](auto& id) { return reschedule(id, 1h); }},
        {Transition::Trash, [&](auto& id) { return trash(id); }},
        {Transition::Restore, [&](auto& id) { return restore(id); }},
        {Transition::Purge, [&](auto& id) { return purge(id); }},
    };
    using enum JobState;
    for (const auto state : {Scheduled, Ready, Leased, Held, Dead, Trashed, Done}) {
        for (const auto& [transition, move] : moves) {
            SCOPED_TRACE(std::string{name(transition)} + " from " + std::string{name(state)});
            const auto id = makeJobIn(state);
            ASSERT_EQ(stateOf(id), state);
            const auto result = move(id);
            if (isLegal(transition, state)) {
                EXPECT_DONE(result);
            } else {
                EXPECT_REFUSED(result, Conflict);
                EXPECT_EQ(stateOf(id), state);
            }
        }
    }
}

TEST_P(Refusal, meetsAnOperatorWhoExpectsTheJobInOtherStates)
{
    open({.retentionDone = 24h});
    const std::map<Transition, std::function<void(OperatorAction, Done<void>)>> moves{
        {Transition::Bury,
         [&](auto action, auto done) {
             store().bury({.id = action.id, .onlyIn = action.onlyIn}, "no", done);
         }},
        {Transition::Release, [&](auto action, auto done) { store().release(action, done); }},
        {Transition::RunNow, [&](auto action, auto done) { store().runNow(action, done); }},
        {Transition::Reschedule,
         [&](auto action, auto done) { store().reschedule(action, {now() + 1h}, done); }},
        {Transition::Trash, [&](auto action, auto done) { store().trash(action, done); }},
        {Transition::Restore, [&](auto action, auto done) { store().restore(action, done); }},
        {Transition::Purge, [&](auto action, auto done) { store().purge(action, done); }},
    };
    for (const auto state : kJobStates) {
        for (const auto& [transition, move] : moves) {
            if (!isLegal(transition, state)) {
                continue;
            }
            SCOPED_TRACE(std::string{name(transition)} + " from " + std::string{name(state)});
            auto action = by(makeJobIn(state));
            action.onlyIn.assign(kJobStates.begin(), kJobStates.end());
            std::erase(action.onlyIn, state);
            EXPECT_REFUSED(await<void>([&, &call = move](auto done) { call(action, done); }),
                           Conflict);
            EXPECT_EQ(stateOf(action.id), state);
            action.onlyIn = {JobState::Scheduled, state};
            EXPECT_DONE(await<void>([&, &call = move](auto done) { call(action, done); }));
        }
    }
}

TEST_P(Refusal, meetsAHoldOfWhatIsOverOrHeldAlready)
{
    open({.retentionDone = 24h});
    using enum JobState;
    for (const auto state : {Held, Dead, Trashed, Done}) {
        const auto id = makeJobIn(state);
        EXPECT_REFUSED(hold({.lease = {.id = id}}), Conflict);
        EXPECT_EQ(stateOf(id), state);
    }
    for (const auto state : {Scheduled, Ready}) {
        const auto id = makeJobIn(state);
        EXPECT_DONE(hold({.lease = {.id = id}}));
        EXPECT_EQ(stateOf(id), Held);
    }
}

TEST_P(Refusal, meetsEveryActionOnAJobThatIsNotThere)
{
    EXPECT_REFUSED(release("nobody"), NotFound);
    EXPECT_REFUSED(runNow("nobody"), NotFound);
    EXPECT_REFUSED(reschedule("nobody", 1h), NotFound);
    EXPECT_REFUSED(trash("nobody"), NotFound);
    EXPECT_REFUSED(restore("nobody"), NotFound);
    EXPECT_REFUSED(purge("nobody"), NotFound);
}

RESTANTE_CONTRACT(RunNow);

TEST_P(RunNow, makesAScheduledJobReady)
{
    const auto job = storeJob(newJob(), 24h);
    EXPECT_DONE(runNow(job.id));
    EXPECT_EQ(stateOf(job.id), JobState::Ready);
    EXPECT_EQ(claimIds(1), std::vector{job.id});
}

TEST_P(RunNow, givesADeadJobOneMoreAttempt)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(bury(leaseOf(claimed), "attempts used up"));
    EXPECT_DONE(runNow(claimed.job.id));
    EXPECT_EQ(claim().at(0).attempt, 2U);
}

TEST_P(RunNow, makesTheMailboxOfAMessageDue)
{
    const auto first = storeHeldJob(messageTo(kBob), 1h);
    const auto second = storeHeldJob(messageTo(kBob), 1h);
    EXPECT_DONE(runNow(second.id));
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    EXPECT_EQ(idsOf(claimMailbox(kBob)), (std::vector{first.id, second.id}));
}

RESTANTE_CONTRACT(Reschedule);

TEST_P(Reschedule, movesTheDueTimeEitherWay)
{
    const auto job = storeJob(newJob(), 1h);
    EXPECT_DONE(reschedule(job.id, 2h));
    EXPECT_EQ(view(job.id).due, now() + 2h);
    clock().advance(1h);
    EXPECT_TRUE(claim().empty());
    EXPECT_DONE(reschedule(job.id, 1min));
    clock().advance(1min);
    EXPECT_EQ(claimIds(1), std::vector{job.id});
}

TEST_P(Reschedule, takesAReadyJobBack)
{
    const auto job = storeJob(newJob());
    EXPECT_DONE(reschedule(job.id, 1h));
    EXPECT_TRUE(claim().empty());
}

TEST_P(Reschedule, takesAMessageOutOfItsMailbox)
{
    const auto message = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(reschedule(message.id, 1h));
    EXPECT_EQ(stateOf(message.id), JobState::Scheduled);
    EXPECT_TRUE(claimMailbox(kBob).empty());
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
}

TEST_P(Reschedule, isSeenByWhoeverWaitsForEveryTopic)
{
    const auto message =
        storeHeldJob(messageTo(kBob));  // no job of its lane has been stored before
    EXPECT_DONE(reschedule(message.id, 1h));
    EXPECT_EQ(earliest({DueSource::Kind::Lanes, message.channel}), now() + 1h);
}

TEST_P(Reschedule, bringsADeadJobBackWithItsAttempts)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(bury(leaseOf(claimed), "no"));
    EXPECT_DONE(reschedule(claimed.job.id, 1h));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Scheduled);
    EXPECT_EQ(view(claimed.job.id).attempt, 1U);
}

RESTANTE_CONTRACT(Trash);

TEST_P(Trash, hidesAJobFromEverybody)
{
    auto job = newJob();
    job.expires = now() + 1h;
    storeJob(job);
    EXPECT_DONE(trash(job.id));
    EXPECT_EQ(stateOf(job.id), JobState::Trashed);
    EXPECT_EQ(view(job.id).due, now());
    EXPECT_TRUE(claim().empty());
    clock().advance(1h);
    EXPECT_TRUE(expire().empty());
}

TEST_P(Trash, makesTheWorkerStale)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(trash(claimed.job.id));
    EXPECT_REFUSED(finish(leaseOf(claimed)), Stale);
    EXPECT_TRUE(lapsed().empty());
    clock().advance(1h);
    EXPECT_TRUE(lapsed().empty());
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Trashed);
}

TEST_P(Trash, takesAMessageOutOfItsMailbox)
{
    const auto message = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(trash(message.id));
    EXPECT_TRUE(claimMailbox(kBob).empty());
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
}

TEST_P(Trash, unblocksTheMailboxOfALeasedMessage)
{
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    const auto next = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(trash(claimed.job.id));
    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{next.id});
}

RESTANTE_CONTRACT(Restore);

TEST_P(Restore, bringsATrashedJobBackToItsDueTimeAndAttempts)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(claimed), 1h, "busy"));
    const auto before = view(claimed.job.id);
    EXPECT_DONE(trash(claimed.job.id));
    EXPECT_DONE(restore(claimed.job.id));
    const auto after = view(claimed.job.id);
    EXPECT_EQ(after.state, JobState::Scheduled);
    EXPECT_EQ(after.due, before.due);
    EXPECT_EQ(after.attempt, 1U);
    EXPECT_EQ(after.job, before.job);
}

TEST_P(Restore, makesAJobReadyThatFellDueInTheTrash)
{
    const auto job = storeJob(newJob(), 1h);
    EXPECT_DONE(trash(job.id));
    clock().advance(2h);
    EXPECT_DONE(restore(job.id));
    EXPECT_EQ(stateOf(job.id), JobState::Ready);
    EXPECT_EQ(claimIds(1), std::vector{job.id});
}

TEST_P(Restore, bringsAMessageBackToItsPlaceInTheMailbox)
{
    const auto first = storeHeldJob(messageTo(kBob));
    const auto second = storeHeldJob(messageTo(kBob));
    const auto third = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(trash(second.id));
    EXPECT_DONE(restore(second.id));
    EXPECT_EQ(stateOf(second.id), JobState::Held);
    EXPECT_EQ(idsOf(claimMailbox(kBob)), (std::vector{first.id, second.id, third.id}));
}

TEST_P(Restore, bringsBackTheOnlyMessageOfAMailboxWithItsNextAttempt)
{
    const auto message = storeHeldJob(messageTo(kBob), 10min);
    EXPECT_DONE(trash(message.id));
    EXPECT_DONE(restore(message.id));
    EXPECT_EQ(earliest({kMailboxes}), now() + 10min);
    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{message.id});
}

TEST_P(Restore, makesAJobDueThatWasLeasedWhenItWasTrashed)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(trash(claimed.job.id));
    EXPECT_DONE(restore(claimed.job.id));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Ready);
    EXPECT_GT(claim().at(0).attempt, claimed.attempt);
    EXPECT_REFUSED(finish(leaseOf(claimed)), Stale);
}

TEST_P(Restore, makesABuriedJobDueWithItsAttempts)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(bury(leaseOf(claimed), "no"));
    EXPECT_DONE(restore(claimed.job.id));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Ready);
    EXPECT_EQ(view(claimed.job.id).attempt, 1U);
}

TEST_P(Restore, bringsABuriedMessageBackToItsMailbox)
{
    const auto claimed = leaseFromMailbox(messageTo(kBob));
    const auto second = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(bury(leaseOf(claimed), "600"));
    EXPECT_DONE(restore(claimed.job.id));
    EXPECT_EQ(idsOf(claimMailbox(kBob)), (std::vector{claimed.job.id, second.id}));
}

TEST_P(Restore, bringsATrashedDeadJobBackToTheDead)
{
    const auto id = makeJobIn(JobState::Dead);
    EXPECT_DONE(trash(id));
    EXPECT_DONE(restore(id));
    EXPECT_EQ(stateOf(id), JobState::Dead);
    EXPECT_EQ(view(id).lastError, "no");
    EXPECT_DONE(restore(id));
    EXPECT_EQ(stateOf(id), JobState::Ready);
}

TEST_P(Restore, runsAFinishedJobAgain)
{
    open({.retentionDone = 1h});
    const auto id = makeJobIn(JobState::Done);
    EXPECT_DONE(restore(id));
    EXPECT_EQ(claimIds(1, {}), std::vector{id});
}

RESTANTE_CONTRACT(Purge);

TEST_P(Purge, forgetsAJobInWhateverState)
{
    open({.retentionDone = 1h});
    using enum JobState;
    for (const auto state : {Scheduled, Ready, Leased, Held, Dead, Trashed, Done}) {
        const auto id = makeJobIn(state);
        EXPECT_DONE(purge(id));
        EXPECT_TRUE(isGone(id)) << name(state);
    }
    clock().advance(24h);
    EXPECT_TRUE(claim(9, {}).empty());
    EXPECT_TRUE(lapsed().empty());
}

TEST_P(Purge, leavesNothingThatASecondJobOfTheSameIdWouldInherit)
{
    auto job = newJob();
    const auto claimed = leaseJob(job);
    EXPECT_DONE(bury(leaseOf(claimed), "no"));
    EXPECT_DONE(purge(job.id));
    storeJob(job);
    EXPECT_EQ(view(job.id).attempt, 0U);
    EXPECT_EQ(view(job.id).lastError, "");
    EXPECT_EQ(claim().at(0).attempt, 1U);
}

TEST_P(Purge, takesAMessageOutOfItsMailbox)
{
    const auto message = storeHeldJob(messageTo(kBob));
    const auto second = storeHeldJob(messageTo(kBob));
    EXPECT_DONE(purge(message.id));
    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{second.id});
}

}  // namespace
}  // namespace restante::test
