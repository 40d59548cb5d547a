#include "tests/contract/store_contract.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

class ImportContract : public StoreContract {
protected:
    Result<PushOutcome> import(const JobView& view,
                               ImportRequest::Existing existing = ImportRequest::Existing::Keep,
                               const std::vector<JobState>& onlyIn = {})
    {
        return await<PushOutcome>([&](auto done) {
            store().importJob({.view = view,
                               .existing = existing,
                               .actor = "olga",
                               .reason = "move",
                               .onlyIn = onlyIn},
                              done);
        });
    }
    /// Purges the job and imports it again from its view.
    void purgeAndImport(const std::string& id)
    {
        const auto before = view(id);
        EXPECT_DONE(purge(id));
        const auto outcome = import(before);
        EXPECT_DONE(outcome);
        EXPECT_EQ(outcome.value_or(PushOutcome{}).status, PushStatus::Stored);
        expectSame(view(id), before);
    }
    static void expectSame(const JobView& its, const JobView& before)
    {
        EXPECT_EQ(its.job, before.job);
        EXPECT_EQ(name(its.state), name(before.state));
        EXPECT_EQ(its.due, before.due);
        EXPECT_EQ(its.attempt, before.attempt);
        EXPECT_EQ(its.attemptOffset, before.attemptOffset);
        EXPECT_EQ(its.lastError, before.lastError);
        ASSERT_TRUE(its.position && before.position);
        EXPECT_EQ(its.position->arrival, before.position->arrival);
        EXPECT_EQ(its.position->origin, before.position->origin);
    }
};

class Import : public ImportContract {};
INSTANTIATE_TEST_SUITE_P(Store, Import, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Import, putsAJobOfEveryStateBackWhereItWas)
{
    open({.retentionDone = 1h});
    for (const auto state : kJobStates) {
        SCOPED_TRACE(std::string(name(state)));
        const auto id = makeJobIn(state);
        ASSERT_EQ(name(stateOf(id)), name(state));
        purgeAndImport(id);
    }
}

TEST_P(Import, keepsAttemptsAndWhatOfThemCountsNoLonger)
{
    const auto job = storeJob(newJob());
    for (int i = 0; i < 3; ++i) {
        EXPECT_DONE(retry(leaseOf(claim().front()), 0ms, "busy"));
    }
    EXPECT_DONE(reschedule(job.id, {.due = now() + 1h, .attemptOffset = 2U}));
    purgeAndImport(job.id);
    EXPECT_EQ(view(job.id).attempt, 3U);
    EXPECT_EQ(view(job.id).attemptOffset, 2U);
    EXPECT_EQ(view(job.id).lastError, "busy");
}

TEST_P(Import, keepsTheOrderOfAMailbox)
{
    const auto first = storeHeldJob(messageTo(kBob)).id;
    const auto second = storeHeldJob(messageTo(kBob)).id;
    const auto third = storeHeldJob(messageTo(kBob)).id;
    purgeAndImport(first);
    purgeAndImport(second);
    EXPECT_EQ(idsOf(claimMailbox(kBob, 10)), (std::vector{first, second, third}));
}

TEST_P(Import, putsNewMessagesBehindThoseThatCameBack)
{
    const auto first = storeHeldJob(messageTo(kBob)).id;
    auto before = view(first);
    EXPECT_DONE(purge(first));
    before.position->arrival = 5'000;
    EXPECT_DONE(import(before));
    const auto later = storeHeldJob(messageTo(kBob)).id;
    EXPECT_EQ(idsOf(claimMailbox(kBob, 10)), (std::vector{first, later}));
}

TEST_P(Import, letsTheDeadAndTheTrashedBeRestored)
{
    const auto dead = storeJob(newJob(), 2h);
    EXPECT_DONE(bury({dead.id}, "refused"));
    EXPECT_DONE(trash(dead.id));
    const auto due = now() + 2h;
    clock().advance(10min);
    purgeAndImport(dead.id);
    EXPECT_DONE(restore(dead.id));
    EXPECT_EQ(name(stateOf(dead.id)), "dead");
    EXPECT_DONE(restore(dead.id));
    EXPECT_EQ(name(stateOf(dead.id)), "scheduled");
    EXPECT_EQ(view(dead.id).due, due);
}

TEST_P(Import, keepsTheDueTimeOfWhatIsHeldByItself)
{
    const auto job = storeJob(newJob(), 2h);
    const auto due = now() + 2h;
    EXPECT_DONE(hold({.lease = {job.id}}));
    clock().advance(10min);
    purgeAndImport(job.id);
    EXPECT_TRUE(view(job.id).heldOutsideMailbox);
    // An earlier export has no exact place.
    auto before = view(job.id);
    EXPECT_EQ(before.due, due);
    before.position.reset();
    EXPECT_DONE(purge(job.id));
    EXPECT_DONE(import(before));
    EXPECT_TRUE(view(job.id).heldOutsideMailbox);
    EXPECT_EQ(view(job.id).due, due);
    EXPECT_DONE(release(job.id));
    EXPECT_EQ(name(stateOf(job.id)), "scheduled");
    EXPECT_EQ(view(job.id).due, due);
}

TEST_P(Import, leavesAMessageThatIsHeldByItselfOutOfItsMailbox)
{
    const auto other = storeHeldJob(messageTo(kBob)).id;
    const auto message = storeJob(messageTo(kBob), 2h);
    EXPECT_DONE(hold({.lease = {message.id}}));
    auto before = view(message.id);
    EXPECT_TRUE(before.heldOutsideMailbox);
    purgeAndImport(message.id);
    before.position.reset();
    EXPECT_DONE(purge(message.id));
    EXPECT_DONE(import(before));
    EXPECT_TRUE(view(message.id).heldOutsideMailbox);
    EXPECT_EQ(view(message.id).due, before.due);
    EXPECT_EQ(idsOf(claimMailbox(kBob, 10)), (std::vector{other}));
}

TEST_P(Import, restoresAMessageToItsPlace)
{
    const auto first = storeHeldJob(messageTo(kBob)).id;
    const auto second = storeHeldJob(messageTo(kBob)).id;
    EXPECT_DONE(trash(first));
    purgeAndImport(first);
    EXPECT_DONE(restore(first));
    EXPECT_EQ(idsOf(claimMailbox(kBob, 10)), (std::vector{first, second}));
}

TEST_P(Import, keepsALeaseForTheWorkerThatHasIt)
{
    const auto claimed = leaseJob(newJob());
    purgeAndImport(claimed.job.id);
    EXPECT_TRUE(claim().empty());
    auto stale = leaseOf(claimed);
    stale.attempt = claimed.attempt + 1;
    EXPECT_REFUSED(finish(stale), Stale);
    EXPECT_DONE(finish(leaseOf(claimed)));
}

TEST_P(Import, lapsesALeaseWhoseWorkerIsGone)
{
    const auto claimed = leaseJob(newJob());
    purgeAndImport(claimed.job.id);
    clock().advance(claimed.job.ttr + 1s);
    const auto leases = lapsed();
    ASSERT_EQ(leases.size(), 1U);
    EXPECT_EQ(leases.front().attempt, claimed.attempt);
}

TEST_P(Import, leavesTheSameContentAndRefusesOther)
{
    const auto job = storeJob(newJob(), 1h);
    auto before = view(job.id);
    EXPECT_DONE(runNow(job.id));
    EXPECT_EQ(import(before).value_or(PushOutcome{}).status, PushStatus::AlreadyThere);
    EXPECT_EQ(name(stateOf(job.id)), "ready");
    before.job.body = "another";
    EXPECT_REFUSED(import(before), Conflict);
}

TEST_P(Import, replacesWhenAskedTo)
{
    const auto job = storeJob(newJob(), 1h);
    const auto before = view(job.id);
    const auto asked = ImportRequest::Existing::Replace;
    EXPECT_EQ(import(before, asked).value_or(PushOutcome{}).status, PushStatus::AlreadyThere);
    EXPECT_DONE(trash(job.id));
    EXPECT_EQ(import(before, asked).value_or(PushOutcome{}).status, PushStatus::Stored);
    expectSame(view(job.id), before);
}

TEST_P(Import, replacesOnlyWhatIsInAnExpectedState)
{
    const auto job = storeJob(newJob(), 1h);
    auto changed = view(job.id);
    changed.job.body = "another";
    const auto replaceIn = [&](const std::vector<JobState>& states) {
        return import(changed, ImportRequest::Existing::Replace, states);
    };
    const std::vector live{JobState::Scheduled, JobState::Ready, JobState::Leased};
    EXPECT_DONE(trash(job.id));
    EXPECT_REFUSED(replaceIn(live), Conflict);
    EXPECT_EQ(name(stateOf(job.id)), "trashed") << "it does not come back";
    EXPECT_EQ(view(job.id).job.body, job.body);
    EXPECT_DONE(restore(job.id));
    EXPECT_DONE(runNow(job.id));
    EXPECT_REFUSED(replaceIn({JobState::Scheduled}), Conflict);
    EXPECT_DONE(replaceIn(live));
    EXPECT_EQ(view(job.id).job.body, "another");
    EXPECT_DONE(purge(job.id));
    EXPECT_REFUSED(replaceIn(live), NotFound);
}

TEST_P(Import, replacesOnlyTheRecordThatWasSeen)
{
    const auto job = storeJob(newJob(), 1h);
    const auto seen = view(job.id);
    const auto change = [&](const std::string& body, Millis later) {
        auto changed = seen;
        changed.job.body = body;
        changed.job.created += later;
        return await<PushOutcome>([&](auto done) {
            store().importJob({.view = changed,
                               .existing = ImportRequest::Existing::Replace,
                               .onlyIfCreated = seen.job.created},
                              done);
        });
    };
    EXPECT_DONE(change("the first", 1ms));
    const auto refused = change("the second", 2ms);
    EXPECT_REFUSED(refused, Conflict);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("somebody else has changed it"));
    EXPECT_EQ(view(job.id).job.body, "the first");
    EXPECT_DONE(purge(job.id));
    EXPECT_REFUSED(change("the third", 3ms), NotFound);
    EXPECT_TRUE(isGone(job.id));
}

TEST_P(Import, neverTurnsTheNumberOfAnAttemptBack)
{
    const auto job = storeJob(newJob());
    const auto before = view(job.id);
    EXPECT_DONE(retry(leaseOf(claim().front()), 0ms));
    const auto worker = claim().front();
    ASSERT_EQ(worker.attempt, 2U);
    EXPECT_DONE(import(before, ImportRequest::Existing::Replace));
    const auto next = claim().front();
    EXPECT_EQ(next.attempt, 3U);
    EXPECT_EQ(next.countedAttempts(), 1U);
    EXPECT_REFUSED(finish(leaseOf(worker)), Stale);
}

TEST_P(Import, takesWhatEarlierVersionsHaveExported)
{
    const auto claimed = leaseJob(newJob());
    auto before = view(claimed.job.id);
    EXPECT_DONE(purge(claimed.job.id));
    before.position.reset();
    EXPECT_DONE(import(before));
    EXPECT_EQ(name(stateOf(claimed.job.id)), "ready");
    EXPECT_EQ(claim().front().attempt, 2U);

    const auto message = storeHeldJob(messageTo(kBob)).id;
    auto old = view(message);
    EXPECT_DONE(purge(message));
    old.position.reset();
    const auto first = storeHeldJob(messageTo(kBob)).id;
    EXPECT_DONE(import(old));
    EXPECT_EQ(idsOf(claimMailbox(kBob, 10)), (std::vector{first, message}));
}

TEST_P(Import, remembersOnceKeysAsLongAsTheStoreWouldHave)
{
    auto request = PushRequest{.job = newJob(), .due = now()};
    request.onceKey = "key";
    request.onceFor = 10min;
    const auto id = push(request).value_or(PushOutcome{}).id;
    std::vector<OnceKey> keys;
    EXPECT_DONE(await<void>([&](auto done) {
        inspector().onceKeys([&](auto some) { keys.insert(keys.end(), some.begin(), some.end()); },
                             done);
    }));
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys[0].key, "key");
    EXPECT_EQ(keys[0].id, id);
    const auto again = [&] {
        return await<PushOutcome>([&](auto done) { store().importOnce(keys[0], done); })
            .value_or(PushOutcome{})
            .status;
    };
    EXPECT_EQ(again(), PushStatus::AlreadyThere);
    keys[0].key = "other";
    EXPECT_EQ(again(), PushStatus::Stored);
    request.job = newJob();
    request.onceKey = "other";
    const auto repeated = push(request).value_or(PushOutcome{});
    EXPECT_EQ(repeated.status, PushStatus::AlreadyThere);
    EXPECT_EQ(repeated.id, id);
    keys[0].key = "old";
    keys[0].since = now() - 1h;
    EXPECT_EQ(again(), PushStatus::AlreadyThere);
}

}  // namespace
}  // namespace restante::test
