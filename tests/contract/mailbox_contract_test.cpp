#include "core/queue/job_search.h"
#include "tests/contract/store_contract.h"

namespace restante::test {
namespace {

RESTANTE_CONTRACT(Hold);

TEST_P(Hold, keepsAPushedMessageUntilItsMailboxIsDue)
{
    const auto message = storeHeldJob(messageTo(kBob), 10min);
    EXPECT_EQ(stateOf(message.id), JobState::Held);
    EXPECT_EQ(view(message.id).due, now() + 10min);
    EXPECT_TRUE(dueMailboxes().empty());
    clock().advance(10min);
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
}

TEST_P(Hold, doesNotPutOffAMailboxForALaterMessage)
{
    storeHeldJob(messageTo(kBob), 1min);
    storeHeldJob(messageTo(kBob), 1h);
    EXPECT_EQ(earliest({kMailboxes}), now() + 1min);
}

TEST_P(Hold, bringsAMailboxForwardForAnEarlierMessage)
{
    storeHeldJob(messageTo(kBob), 1h);
    storeHeldJob(messageTo(kBob), 1min);
    EXPECT_EQ(earliest({kMailboxes}), now() + 1min);
}

TEST_P(Hold, givesAClaimedMessageBackToItsPlace)
{
    const auto first = storeHeldJob(messageTo(kBob));
    const auto second = storeHeldJob(messageTo(kBob));
    const auto third = storeHeldJob(messageTo(kBob));
    const auto claimed = claimMailbox(kBob, 2);
    ASSERT_EQ(claimed.size(), 2U);
    EXPECT_DONE(hold({.lease = leaseOf(claimed[0]), .nextAttempt = now() + 2min, .error = "480"}));
    EXPECT_DONE(hold({.lease = leaseOf(claimed[1]), .counted = false}));
    EXPECT_EQ(earliest({kMailboxes}), now() + 2min);
    EXPECT_EQ(view(first.id).attempt, 1U);
    EXPECT_EQ(view(first.id).lastError, "480");
    EXPECT_EQ(view(second.id).attempt, 0U);
    EXPECT_EQ(view(second.id).lastError, "");
    const auto again = claimMailbox(kBob, 3);
    EXPECT_EQ(idsOf(again), (std::vector{first.id, second.id, third.id}));
    EXPECT_EQ(again.at(0).attempt, 2U);
    EXPECT_EQ(again.at(1).attempt, 1U);
}

TEST_P(Hold, movesADueMessageFromItsLaneToTheTailOfItsMailbox)
{
    auto reminder = storeJob(messageTo(kBob));
    storeHeldJob(messageTo(kBob), 1h);
    EXPECT_EQ(stateOf(reminder.id), JobState::Ready);
    EXPECT_DONE(hold({.lease = {.id = reminder.id, .recipient = kBob}, .nextAttempt = now()}));
    EXPECT_EQ(stateOf(reminder.id), JobState::Held);
    EXPECT_EQ(view(reminder.id).attempt, 0U);
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    EXPECT_EQ(idsOf(claimMailbox(kBob)).back(), reminder.id);
}

TEST_P(Hold, movesAClaimedReminderIntoItsMailbox)
{
    const auto reminder = storeJob(messageTo(kBob));
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claim({Channel::Sip, {"sip"}, 1}, done);
    });
    ASSERT_EQ(claimed->size(), 1U);
    EXPECT_DONE(hold({.lease = leaseOf(claimed->at(0)), .nextAttempt = now(), .counted = false}));
    EXPECT_EQ(idsOf(claimMailbox(kBob)), std::vector{reminder.id});
    EXPECT_EQ(view(reminder.id).attempt, 1U);
}

TEST_P(Hold, keepsAJobWithoutAMailboxUntilSomebodyReleasesIt)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(hold({.lease = leaseOf(claimed), .error = "wait for me"}));
    clock().advance(24h);
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Held);
    EXPECT_TRUE(claim().empty());
    EXPECT_TRUE(lapsed().empty());
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
    EXPECT_DONE(release(claimed.job.id));
    EXPECT_EQ(claim().at(0).attempt, 2U);
}

TEST_P(Hold, doesNotPutOffAMailboxWhoseRecipientCameMeanwhile)
{
    storeHeldJob(messageTo(kBob), 1h);
    storeHeldJob(messageTo(kBob), 1h);
    const auto claimed = claimMailbox(kBob, 2);
    ASSERT_EQ(claimed.size(), 2U);
    EXPECT_EQ(*await<std::uint64_t>([&](auto done) { store().releaseMailbox(kBob, done); }), 2U);
    EXPECT_TRUE(claimMailbox(kBob).empty());  // whoever was told of them finds them leased

    EXPECT_DONE(hold({.lease = leaseOf(claimed[0]), .nextAttempt = now() + 2min, .error = "480"}));
    EXPECT_DONE(
        hold({.lease = leaseOf(claimed[1]), .nextAttempt = now() + 2min, .counted = false}));

    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    const auto again = claimMailbox(kBob, 2);
    ASSERT_EQ(again.size(), 2U);
    EXPECT_DONE(hold({.lease = leaseOf(again[0]), .nextAttempt = now() + 2min, .error = "480"}));
    EXPECT_DONE(hold({.lease = leaseOf(again[1]), .nextAttempt = now() + 2min, .counted = false}));
    EXPECT_EQ(earliest({kMailboxes}), now() + 2min);
}

TEST_P(Hold, doesNotPutOffAMailboxOfWhichAMessageWasReleasedMeanwhile)
{
    storeHeldJob(messageTo(kBob), 1h);
    const auto second = storeHeldJob(messageTo(kBob), 1h);
    for (const bool runsNow : {false, true}) {
        const auto claimed = claimMailbox(kBob, 1);
        ASSERT_EQ(claimed.size(), 1U);
        EXPECT_DONE(runsNow ? runNow(second.id) : release(second.id));
        EXPECT_TRUE(claimMailbox(kBob).empty());  // which postpones it until the lease ends
        EXPECT_DONE(hold({.lease = leaseOf(claimed[0]), .nextAttempt = now() + 2min}));
        EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    }
    const auto claimed = claimMailbox(kBob, 2);
    ASSERT_EQ(claimed.size(), 2U);
    for (const auto& one : claimed) {
        EXPECT_DONE(hold({.lease = leaseOf(one), .nextAttempt = now() + 2min}));
    }
    EXPECT_EQ(earliest({kMailboxes}), now() + 2min);
}

RESTANTE_CONTRACT(Release);

TEST_P(Release, makesTheWholeMailboxOfAMessageDue)
{
    const auto first = storeHeldJob(messageTo(kBob), 1h);
    const auto second = storeHeldJob(messageTo(kBob), 1h);
    storeHeldJob(messageTo(kCarol), 1h);
    EXPECT_DONE(release(second.id));
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    EXPECT_EQ(idsOf(claimMailbox(kBob)), (std::vector{first.id, second.id}));
}

TEST_P(Release, makesAHeldJobReady)
{
    const auto id = makeJobIn(JobState::Held);
    EXPECT_DONE(release(id));
    EXPECT_EQ(stateOf(id), JobState::Ready);
    EXPECT_EQ(claimIds(9, {}), std::vector{id});
}

/// Holds a job as an operator does.
#define EXPECT_HELD(job)                                                                           \
    EXPECT_DONE(hold({.lease = {.id = (job), .actor = "olga", .reason = "wait"}}))

TEST_P(Release, putsAJobBackToTheTimeItWasHeldAt)
{
    const auto job = storeJob(newJob(), 2h);
    EXPECT_HELD(job.id);
    EXPECT_EQ(view(job.id).due, now() + 2h);
    EXPECT_EQ(view(job.id).attempt, 0U);
    clock().advance(1h);
    EXPECT_DONE(release(job.id));
    EXPECT_EQ(stateOf(job.id), JobState::Scheduled);
    EXPECT_EQ(view(job.id).due, now() + 1h);
    EXPECT_TRUE(claim().empty());
    EXPECT_EQ(earliest({DueSource::Kind::Lanes, Channel::Pull, {"order"}}), now() + 1h);
    clock().advance(1h);
    EXPECT_EQ(claimIds(1), std::vector{job.id});
}

TEST_P(Release, makesAJobReadyWhoseTimeHasComeMeanwhile)
{
    const auto job = storeJob(newJob(), 2h);
    EXPECT_HELD(job.id);
    clock().advance(24h);
    EXPECT_EQ(stateOf(job.id), JobState::Held);
    EXPECT_DONE(release(job.id));
    EXPECT_EQ(stateOf(job.id), JobState::Ready);
    EXPECT_EQ(view(job.id).due, now() - 22h);
}

TEST_P(Release, keepsTheOrderOfWhatWasDueTogether)
{
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) {
        ids.push_back(storeJob(newJob(), 1h).id);
    }
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
        EXPECT_HELD(*id);
    }
    for (const auto& id : ids) {
        EXPECT_DONE(release(id));
    }
    EXPECT_TRUE(claim(9).empty()) << "none of them is due";
    clock().advance(1h);
    EXPECT_EQ(claimIds(9), ids);
}

TEST_P(Release, ofWhatWasHeldOutOfALeaseIsAtOnceAndItHasNoTimeMeanwhile)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(hold({.lease = leaseOf(claimed)}));
    EXPECT_EQ(view(claimed.job.id).due, TimePoint::max());
    EXPECT_DONE(release(claimed.job.id));
    EXPECT_EQ(stateOf(claimed.job.id), JobState::Ready);
}

TEST_P(Release, keepsTheTimeOfARetry)
{
    const auto claimed = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(claimed), 3h));
    EXPECT_HELD(claimed.job.id);
    EXPECT_DONE(release(claimed.job.id));
    EXPECT_EQ(view(claimed.job.id).due, now() + 3h);
    EXPECT_EQ(view(claimed.job.id).attempt, 1U);
}

TEST_P(Hold, takesTheTimeThatReleaseIsToGiveBack)
{
    const auto job = storeJob(newJob(), 1h);
    EXPECT_DONE(hold({.lease = {.id = job.id}, .nextAttempt = now() + 7h}));
    EXPECT_EQ(view(job.id).due, now() + 7h);
    EXPECT_DONE(release(job.id));
    EXPECT_EQ(view(job.id).due, now() + 7h);
}

TEST_P(Hold, ofAScheduledMessageKeepsItOutOfTheMailbox)
{
    const auto message = storeJob(messageTo(kBob), 2h);
    EXPECT_HELD(message.id);
    storeHeldJob(messageTo(kBob), 1h);
    EXPECT_EQ(view(message.id).due, now() + 2h) << "not the mailbox's";
    EXPECT_TRUE(view(message.id).heldOutsideMailbox);
    EXPECT_EQ(claimMailbox(kBob).size(), 1U) << "the other one";
    EXPECT_DONE(release(message.id));
    EXPECT_EQ(stateOf(message.id), JobState::Scheduled);
    EXPECT_EQ(view(message.id).due, now() + 2h);
}

TEST_P(Hold, keepsItsTimeThroughTrashAndDeath)
{
    const auto job = storeJob(newJob(), 2h);
    EXPECT_HELD(job.id);
    EXPECT_DONE(trash(job.id));
    EXPECT_DONE(restore(job.id));
    EXPECT_EQ(stateOf(job.id), JobState::Held);
    EXPECT_EQ(view(job.id).due, now() + 2h);
    EXPECT_DONE(bury({.id = job.id}, "no"));
    EXPECT_DONE(trash(job.id));
    EXPECT_DONE(restore(job.id));
    EXPECT_DONE(restore(job.id));
    EXPECT_EQ(stateOf(job.id), JobState::Held);
    EXPECT_DONE(release(job.id));
    EXPECT_EQ(view(job.id).due, now() + 2h);
    EXPECT_EQ(stateOf(job.id), JobState::Scheduled);
}

TEST_P(Hold, forgetsItsTimeWhenTheJobIsGivenAnother)
{
    const auto job = storeJob(newJob(), 2h);
    EXPECT_HELD(job.id);
    EXPECT_DONE(runNow(job.id));
    const auto claimed = claim().at(0);
    EXPECT_DONE(hold({.lease = leaseOf(claimed)}));
    EXPECT_EQ(view(job.id).due, TimePoint::max());
    EXPECT_DONE(reschedule(job.id, 5h));
    EXPECT_HELD(job.id);
    EXPECT_EQ(view(job.id).due, now() + 5h);
}

TEST_P(Hold, isShownWithItsTimeInEveryList)
{
    auto wish = newJob();
    wish.expires = now() + 30h;  // its place in the list is no due time
    const auto job = storeJob(wish, 2h);
    EXPECT_HELD(job.id);
    const auto page = await<SearchPage>(
        [&](auto done) { inspector().search({.states = {JobState::Held}}, done); });
    ASSERT_TRUE(page);
    ASSERT_EQ(page->jobs.size(), 1U);
    EXPECT_EQ(page->jobs[0].due, now() + 2h);
    RankQuery query;
    query.states = {JobState::Held};
    const auto ranked = await<RankPage>([&](auto done) { inspector().ranked(query, done); });
    ASSERT_TRUE(ranked);
    ASSERT_EQ(ranked->jobs.size(), 1U);
    EXPECT_EQ(ranked->jobs[0].due, now() + 2h);
}

RESTANTE_CONTRACT(ReleaseMailbox);

TEST_P(ReleaseMailbox, makesItDueAndSaysHowManyItHolds)
{
    storeHeldJob(messageTo(kBob), 1h);
    storeHeldJob(messageTo(kBob), 1h);
    const auto messages =
        await<std::uint64_t>([&](auto done) { store().releaseMailbox(kBob, done); });
    EXPECT_EQ(*messages, 2U);
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    EXPECT_EQ(earliest({kMailboxes}), now());
}

TEST_P(ReleaseMailbox, findsNothingForSomebodyWithoutMail)
{
    storeHeldJob(messageTo(kCarol), 1h);
    const auto messages =
        await<std::uint64_t>([&](auto done) { store().releaseMailbox(kBob, done); });
    EXPECT_EQ(*messages, 0U);
    EXPECT_TRUE(dueMailboxes().empty());
    EXPECT_EQ(earliest({kMailboxes}), now() + 1h);
}

RESTANTE_CONTRACT(DueMailboxes);

TEST_P(DueMailboxes, areToldEarliestFirstUpToTheLimit)
{
    storeHeldJob(messageTo("sip:c@example.org"), 3s);
    storeHeldJob(messageTo("sip:a@example.org"), 1s);
    storeHeldJob(messageTo("sip:b@example.org"), 2s);
    storeHeldJob(messageTo("sip:d@example.org"), 4s);
    clock().advance(3s);
    EXPECT_EQ(dueMailboxes(), (std::vector<std::string>{"sip:a@example.org", "sip:b@example.org",
                                                        "sip:c@example.org"}));
    EXPECT_EQ(dueMailboxes(2).size(), 2U);
}

}  // namespace
}  // namespace restante::test
