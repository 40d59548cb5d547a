#include "core/job/job_id.h"
#include "tests/contract/store_contract.h"

#include <map>

namespace restante::test {
namespace {

RESTANTE_CONTRACT(Push);

TEST_P(Push, storesEveryFieldAsItWasGiven)
{
    auto job = messageTo("sip:bob@example.org");
    job.body = std::string("nul \0 and \xff\r\n", 13);
    job.contentType = "message/cpim;charset=\"utf-8\"";
    job.headers = {{"Subject", "Grüße"}, {"X-Empty", ""}, {"Subject", "twice"}};
    job.bizKey = "call-1@host";
    job.priority = 0;
    job.ttr = 90s;
    job.expires = now() + 24h;
    job.retry = *RetrySchedule::parse("0s,2m,10m");
    job.recurrence = "FREQ=DAILY;TZID=Europe/Berlin";
    storeJob(job, 1h);
    EXPECT_EQ(view(job.id).job, job);
}

TEST_P(Push, storesAJobOfDefaultsAndAnEmptyBody)
{
    auto job = newJob();
    job.body.clear();
    storeJob(job);
    EXPECT_EQ(view(job.id).job, job);
}

TEST_P(Push, storesALargeBody)
{
    auto job = newJob();
    job.body.assign(65'536, '\0');
    storeJob(job);
    EXPECT_EQ(claim().at(0).job, job);
}

TEST_P(Push, takesAnIdOfTheCaller)
{
    auto job = newJob();
    job.id = "order:4711/{x}-%41*?[";
    storeJob(job);
    EXPECT_EQ(view(job.id).job, job);
    EXPECT_EQ(claim().at(0).job.id, job.id);
}

TEST_P(Push, keepsIdsApartThatDifferInTheirLastCharacterOnly)
{
    auto first = newJob();
    auto second = newJob();
    first.id = "a";
    second.id = "b";
    storeJob(first);
    storeJob(second);
    EXPECT_EQ(view("a").job, first);
    EXPECT_EQ(view("b").job, second);
}

TEST_P(Push, makesAJobScheduledUntilItIsDue)
{
    const auto job = storeJob(newJob(), 10s);
    EXPECT_EQ(stateOf(job.id), JobState::Scheduled);
    EXPECT_EQ(view(job.id).due, now() + 10s);
    clock().advance(10s);
    EXPECT_EQ(stateOf(job.id), JobState::Ready);
}

TEST_P(Push, answersSuccessWhenTheSameIdComesWithTheSameContent)
{
    auto job = storeJob(newJob(), 1h);
    clock().advance(1s);
    job.created = now();  // a client's retry is a moment later
    const auto again = push(job, 1h);
    EXPECT_DONE(again);
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_EQ(again->id, job.id);
    EXPECT_EQ(view(job.id).due, now() + 1h - 1s);
}

TEST_P(Push, refusesTheSameIdWithOtherContent)
{
    const auto job = storeJob(newJob(), 1h);
    for (const auto& spoil : std::vector<std::function<void(Job&)>>{
             [](Job& other) { other.body += "!"; }, [](Job& other) { other.topic = "other"; },
             [](Job& other) { other.priority = 1; },
             [](Job& other) { other.recipient = "somebody"; },
             [](Job& other) {
                 other.headers = {{"X", "y"}};
             }}) {
        auto other = job;
        spoil(other);
        EXPECT_REFUSED(push(other), Conflict);
    }
    EXPECT_EQ(view(job.id).job, job);
}

TEST_P(Push, replacesOtherContentWhenAskedTo)
{
    auto job = storeJob(newJob(), 1h);
    job.body = "new";
    job.topic = "other";
    const auto outcome = push({.job = job, .due = now() + 2h, .replace = true});
    EXPECT_DONE(outcome);
    EXPECT_EQ(outcome->status, PushStatus::Stored);
    EXPECT_EQ(view(job.id).job, job);
    EXPECT_EQ(view(job.id).due, now() + 2h);
    clock().advance(2h);
    EXPECT_TRUE(claim(9, {"order"}).empty());
    EXPECT_EQ(claimIds(9, {"other"}), std::vector{job.id});
}

TEST_P(Push, replacesTheSameContentForTheSakeOfItsTimes)
{
    auto job = storeJob(newJob(), 1h);
    job.ttr = 5min;
    EXPECT_EQ(push({.job = job, .due = now() + 1h, .replace = true})->status, PushStatus::Stored);
    EXPECT_EQ(view(job.id).job, job);
    job.expires = now() + 24h;
    EXPECT_EQ(push({.job = job, .due = now() + 2h, .replace = true})->status, PushStatus::Stored);
    EXPECT_EQ(view(job.id).job, job);
    EXPECT_EQ(view(job.id).due, now() + 2h);
    // The same once more is a client's retry.
    const auto again = push({.job = job, .due = now() + 3h, .replace = true});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_EQ(view(job.id).due, now() + 2h);
}

TEST_P(Push, replacesAJobThatHasEndedByTheSameContentWhenAskedTo)
{
    open({.retentionDone = 1h});
    for (const auto state : {JobState::Dead, JobState::Trashed, JobState::Done}) {
        const auto job = view(makeJobIn(state)).job;
        const auto outcome = push({.job = job, .due = now() + 2h, .replace = true});
        ASSERT_TRUE(outcome) << name(state);
        EXPECT_EQ(outcome->status, PushStatus::Stored) << name(state);
        EXPECT_EQ(stateOf(job.id), JobState::Scheduled) << name(state);
    }
}

TEST_P(Push, leavesALeasedJobOfTheSameContentToItsWorker)
{
    const auto worker = leaseJob(newJob());
    auto job = worker.job;
    job.expires = now() + 24h;  // as a retry has it that says in how long it expires
    const auto again = push({.job = job, .due = now(), .replace = true});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_TRUE(claim().empty());
    EXPECT_DONE(finish(leaseOf(worker)));
}

TEST_P(Push, makesTheWorkerOfAReplacedJobStale)
{
    const auto worker = leaseJob(newJob());
    auto job = worker.job;
    job.body = "new";
    EXPECT_DONE(push({.job = job, .due = now(), .replace = true}));
    EXPECT_REFUSED(finish(leaseOf(worker)), Stale);
    const auto next = claim();
    ASSERT_EQ(next.size(), 1U);
    EXPECT_GT(next[0].attempt, worker.attempt);
    EXPECT_EQ(next[0].job.body, "new");
}

TEST_P(Push, beginsTheScheduleAnewOfAJobThatReplacesAnother)
{
    const auto worker = leaseJob(newJob());
    auto job = worker.job;
    job.body = "new";
    EXPECT_DONE(push({.job = job, .due = now(), .replace = true}));
    const auto next = claim();
    ASSERT_EQ(next.size(), 1U);
    EXPECT_GT(next[0].attempt, worker.attempt);
    EXPECT_EQ(next[0].countedAttempts(), 1U);

    const auto dead = view(makeJobIn(JobState::Dead));
    EXPECT_EQ(dead.attempt, 1U);
    EXPECT_DONE(push({.job = dead.job, .due = now(), .replace = true}));
    EXPECT_EQ(view(dead.job.id).attempt, 1U);
    EXPECT_EQ(view(dead.job.id).attemptOffset, 1U);
}

TEST_P(Push, renewsAJobThatHasEndedAndNoOther)
{
    open({.retentionDone = 1h});
    for (const auto state : {JobState::Dead, JobState::Trashed, JobState::Done}) {
        const auto job = view(makeJobIn(state)).job;
        const auto outcome = push({.job = job, .due = now() + 2h, .renew = true});
        EXPECT_DONE(outcome);
        EXPECT_EQ(outcome->status, PushStatus::Stored) << name(state);
        EXPECT_EQ(stateOf(job.id), JobState::Scheduled);
        EXPECT_EQ(view(job.id).due, now() + 2h);
        EXPECT_EQ(view(job.id).attempt, 0U);
        EXPECT_EQ(view(job.id).lastError, "");
        EXPECT_REFUSED(restore(job.id), Conflict);
    }
    for (const auto state : {JobState::Scheduled, JobState::Leased}) {
        auto job = view(makeJobIn(state)).job;
        EXPECT_EQ(push({.job = job, .due = now(), .renew = true})->status,
                  PushStatus::AlreadyThere);
        job.body += "!";
        EXPECT_REFUSED(push({.job = job, .due = now(), .renew = true}), Conflict);
        EXPECT_EQ(stateOf(job.id), state);
    }
}

TEST_P(Push, storesOncePerOnceKey)
{
    const auto first = newJob();
    const auto second = newJob();
    const auto outcomes = std::pair{
        push({.job = first, .due = now(), .onceKey = "call-1 7 MESSAGE", .onceFor = 1h}),
        push({.job = second, .due = now(), .onceKey = "call-1 7 MESSAGE", .onceFor = 1h})};
    EXPECT_EQ(outcomes.first->status, PushStatus::Stored);
    EXPECT_EQ(outcomes.second->status, PushStatus::AlreadyThere);
    EXPECT_EQ(outcomes.second->id, first.id);
    EXPECT_TRUE(isGone(second.id));
}

TEST_P(Push, remembersAOnceKeyLongerThanTheJob)
{
    const auto first = newJob();
    EXPECT_DONE(push({.job = first, .due = now(), .onceKey = "k", .onceFor = 1h}));
    EXPECT_DONE(finish(leaseOf(claim().at(0))));
    const auto again = push({.job = newJob(), .due = now(), .onceKey = "k", .onceFor = 1h});
    EXPECT_DONE(again);
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_TRUE(claim().empty());
}

TEST_P(Push, doesNotBurnAOnceKeyOnARefusedJob)
{
    const auto job = storeJob(newJob(), 1h);
    auto other = job;
    other.body = "other";
    EXPECT_REFUSED(push({.job = other, .due = now(), .onceKey = "k", .onceFor = 1h}), Conflict);
    const auto outcome = push({.job = newJob(), .due = now(), .onceKey = "k", .onceFor = 1h});
    EXPECT_DONE(outcome);
    EXPECT_EQ(outcome->status, PushStatus::Stored);
}

TEST_P(Push, refusesAMessageForAFullMailbox)
{
    const std::string bob = "sip:bob@example.org";
    storeHeldJob(messageTo(bob));
    storeHeldJob(messageTo(bob));
    const PushRequest third{
        .job = messageTo(bob), .due = now(), .placement = Placement::Mailbox, .mailboxLimit = 2};
    EXPECT_REFUSED(push(third), MailboxFull);
    EXPECT_TRUE(isGone(third.job.id));
    EXPECT_DONE(finish(leaseOf(claimMailbox(bob, 1).at(0))));
    EXPECT_DONE(push(third));
}

TEST_P(Push, fillsAMailboxInOneTurnUpToItsLimit)
{
    const std::string bob = "sip:bob@example.org";
    std::vector<std::string> stored;
    int full = 0;
    for (int i = 0; i < 5; ++i) {
        store().push({.job = messageTo(bob),
                      .due = now(),
                      .placement = Placement::Mailbox,
                      .mailboxLimit = 3},
                     [&](Result<PushOutcome> outcome) {
                         if (outcome) {
                             stored.push_back(outcome->id);
                         } else {
                             full += outcome.error().code == ErrorCode::MailboxFull ? 1 : 0;
                         }
                     });
    }
    ASSERT_TRUE(loop().runUntil([&] { return stored.size() + full == 5; }, kTimeout));
    EXPECT_EQ(full, 2);
    EXPECT_EQ(idsOf(claimMailbox(bob)), stored);
}

TEST_P(Push, storesAMessageOnceAlthoughItComesTwiceInOneTurn)
{
    const std::string bob = "sip:bob@example.org";
    std::vector<PushOutcome> outcomes;
    for (int i = 0; i < 2; ++i) {
        store().push({.job = messageTo(bob),
                      .due = now(),
                      .placement = Placement::Mailbox,
                      .onceKey = "call-1",
                      .onceFor = 1h},
                     [&](Result<PushOutcome> outcome) {
                         EXPECT_DONE(outcome);
                         outcomes.push_back(*outcome);
                     });
    }
    ASSERT_TRUE(loop().runUntil([&] { return outcomes.size() == 2; }, kTimeout));
    EXPECT_EQ(outcomes.at(1).status, PushStatus::AlreadyThere);
    EXPECT_EQ(outcomes.at(1).id, outcomes.at(0).id);
    EXPECT_EQ(idsOf(claimMailbox(bob)), std::vector{outcomes.at(0).id});
}

TEST_P(Push, remembersAOnceKeyOverTheEndOfItsSpan)
{
    const PushRequest first{
        .job = newJob(), .due = now(), .onceKey = "k", .onceFor = std::chrono::hours{1}};
    EXPECT_DONE(push(first));
    clock().advance(59min);
    auto again = first;
    again.job = newJob();
    EXPECT_EQ(push(again)->id, first.job.id);
    clock().advance(2h);
    EXPECT_EQ(push(again)->id, again.job.id);
}

TEST_P(Push, countsTheMailboxOfEachRecipientByItself)
{
    storeHeldJob(messageTo("sip:bob@example.org"));
    EXPECT_DONE(push({.job = messageTo("sip:carol@example.org"),
                      .due = now(),
                      .placement = Placement::Mailbox,
                      .mailboxLimit = 1}));
}

/// A message that is due in an hour, under the limits of `like`.
PushRequest dueInAnHour(Job job, TimePoint now, PushRequest like = {.job = {}, .mailboxLimit = 2})
{
    like.job = std::move(job);
    like.due = now + 1h;
    like.onceKey = "once " + like.job.id;
    like.onceFor = 1h;
    return like;
}

TEST_P(Push, countsAMessageThatWaitsForItsTimeInItsMailbox)
{
    const std::string bob = "sip:bob@example.org";
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now())));
    storeHeldJob(messageTo(bob));
    const auto third = dueInAnHour(messageTo(bob), now());
    EXPECT_REFUSED(push(third), MailboxFull);
    EXPECT_TRUE(isGone(third.job.id));
    const PushRequest atOnce{
        .job = messageTo(bob), .due = now(), .placement = Placement::Mailbox, .mailboxLimit = 2};
    EXPECT_REFUSED(push(atOnce), MailboxFull);
    EXPECT_DONE(push(dueInAnHour(messageTo("sip:bobby@example.org"), now())));
    EXPECT_DONE(finish(leaseOf(claimMailbox(bob, 1).at(0))));
    EXPECT_DONE(push(third));
}

TEST_P(Push, countsAMessageOnceWhenItsTimeHasComeAndNotWhenItIsGone)
{
    const std::string bob = "sip:bob@example.org";
    const auto first = dueInAnHour(messageTo(bob), now());
    const auto second = dueInAnHour(messageTo(bob), now());
    EXPECT_DONE(push(first));
    EXPECT_DONE(push(second));
    EXPECT_EQ(push(second)->status, PushStatus::AlreadyThere) << "a repetition needs no room";
    EXPECT_DONE(trash(second.job.id));
    clock().advance(1h);
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claim({Channel::Sip, {"sip"}, 1}, done);
    });
    ASSERT_EQ(claimed->size(), 1U);
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now())));
    EXPECT_REFUSED(push(dueInAnHour(messageTo(bob), now())), MailboxFull);
    EXPECT_DONE(hold({.lease = leaseOf(claimed->at(0)), .nextAttempt = now(), .counted = false}));
    EXPECT_REFUSED(push(dueInAnHour(messageTo(bob), now())), MailboxFull);
    EXPECT_DONE(finish(leaseOf(claimMailbox(bob, 1).at(0))));
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now())));
}

TEST_P(Push, countsAMessageThatIsPutOffAsBefore)
{
    const std::string bob = "sip:bob@example.org";
    const auto first = dueInAnHour(messageTo(bob), now());
    EXPECT_DONE(push(first));
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now())));
    EXPECT_DONE(reschedule(first.job.id, 2h));
    EXPECT_REFUSED(push(dueInAnHour(messageTo(bob), now())), MailboxFull);
}

TEST_P(Push, givesTheRoomBackOfAMessageThatIsFinishedBeforeItsMailbox)
{
    const std::string bob = "sip:bob@example.org";
    const PushRequest one{.job = {}, .mailboxLimit = 1};
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now(), one)));
    clock().advance(1h);
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claim({Channel::Sip, {"sip"}, 1}, done);
    });
    ASSERT_EQ(claimed->size(), 1U);
    EXPECT_REFUSED(push(dueInAnHour(messageTo(bob), now(), one)), MailboxFull);
    EXPECT_DONE(finish(leaseOf(claimed->at(0))));
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now(), one)));
}

TEST_P(Push, countsTheBytesOfWhatWaitsForItsTime)
{
    const std::string bob = "sip:bob@example.org";
    const PushRequest bytes{.job = {}, .mailboxBytes = 10'000};
    const auto large = [&] {
        auto job = messageTo(bob);
        job.body.assign(4'000, 'x');
        return job;
    };
    const auto first = dueInAnHour(large(), now(), bytes);
    EXPECT_DONE(push(first));
    EXPECT_DONE(push(
        {.job = large(), .due = now(), .placement = Placement::Mailbox, .mailboxBytes = 10'000}));
    EXPECT_REFUSED(push(dueInAnHour(large(), now(), bytes)), MailboxFull);
    EXPECT_REFUSED(push({.job = large(),
                         .due = now(),
                         .placement = Placement::Mailbox,
                         .mailboxBytes = 10'000}),
                   MailboxFull);
    EXPECT_DONE(purge(first.job.id));
    EXPECT_DONE(push(dueInAnHour(large(), now(), bytes)));
}

/// What is noted of a mailbox's bytes is noted anew each day.
TEST_P(Push, holdsAMailboxToItsBytesBeyondMidnight)
{
    const std::string bob = "sip:bob@example.org";
    const auto large = [&] {
        auto job = messageTo(bob);
        job.body.assign(4'000, 'x');
        return PushRequest{.job = std::move(job),
                           .due = now(),
                           .placement = Placement::Mailbox,
                           .mailboxBytes = 10'000};
    };
    EXPECT_DONE(push(large()));
    clock().advance(24h);
    EXPECT_DONE(push(large()));
    EXPECT_REFUSED(push(large()), MailboxFull);
    clock().advance(24h);
    EXPECT_REFUSED(push(large()), MailboxFull);
    clock().advance(72h);
    EXPECT_REFUSED(push(large()), MailboxFull);
}

TEST_P(Push, countsTheBytesOfMessagesThatComeAtOnce)
{
    const auto large = [&](const std::string& recipient) {
        auto job = messageTo(recipient);
        job.body.assign(4'000, 'x');
        return PushRequest{.job = std::move(job),
                           .due = now(),
                           .placement = Placement::Mailbox,
                           .mailboxBytes = 10'000};
    };
    int stored = 0;
    int answers = 0;
    for (int n = 0; n < 4; ++n) {
        store().push(large("sip:bob@example.org"), [&](const auto& result) {
            stored += result ? 1 : 0;
            ++answers;
        });
    }
    store().push(large("sip:carol@example.org"), [&](const auto& result) {
        EXPECT_TRUE(result);
        ++answers;
    });
    ASSERT_TRUE(loop().runUntil([&] { return answers == 5; }, kTimeout));
    EXPECT_EQ(stored, 2);
    EXPECT_REFUSED(push(large("sip:bob@example.org")), MailboxFull);
    EXPECT_DONE(push(large("sip:carol@example.org")));
    EXPECT_REFUSED(push(large("sip:carol@example.org")), MailboxFull);
}

TEST_P(Push, countsWhatWaitsForItsTimeInAll)
{
    const std::string bob = "sip:bob@example.org";
    const PushRequest total{.job = {}, .heldLimit = 2 * shards()};  // 2 in the shard of one mailbox
    const auto first = dueInAnHour(messageTo(bob), now(), total);
    EXPECT_DONE(push(first));
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now(), total)));
    EXPECT_REFUSED(push(dueInAnHour(messageTo(bob), now(), total)), Full);
    EXPECT_REFUSED(push({.job = messageTo(bob),
                         .due = now(),
                         .placement = Placement::Mailbox,
                         .heldLimit = 2 * shards()}),
                   Full);
    EXPECT_DONE(trash(first.job.id));
    EXPECT_DONE(push(dueInAnHour(messageTo(bob), now(), total)));
}

/// The bytes of what waits in the shard of Bob's mailbox: three of these messages have room.
class PushByBytes : public Push {
protected:
    PushRequest large(std::string recipient = "sip:bob@example.org")
    {
        auto job = messageTo(std::move(recipient));
        job.body.assign(4'000, 'x');
        return {.job = std::move(job),
                .due = now(),
                .placement = Placement::Mailbox,
                .heldBytes = 16'000 * shards()};
    }
    PushRequest later()
    {
        auto request = dueInAnHour(large().job, now(), large());
        request.placement = Placement::Lane;
        return request;
    }
    /// Whether the room is for `count` more, and no more.
    void expectRoomFor(std::size_t count)
    {
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < count; ++i) {
            const auto request = large();
            EXPECT_DONE(push(request));
            ids.push_back(request.job.id);
        }
        EXPECT_REFUSED(push(large()), Full);
        EXPECT_REFUSED(push(later()), Full);
        for (const auto& id : ids) {
            EXPECT_DONE(purge(id));
        }
    }
    const std::string bob = "sip:bob@example.org";
};
INSTANTIATE_TEST_SUITE_P(Store, PushByBytes, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(PushByBytes, countsThoseOfEveryMessageThatWaits)
{
    expectRoomFor(3);
    EXPECT_DONE(push(later()));
    expectRoomFor(2);
    EXPECT_DONE(push(large()));
    expectRoomFor(1);
    auto small = large();
    small.job.body = "a short one fits";
    EXPECT_DONE(push(small));
    EXPECT_EQ(push(small)->status, PushStatus::AlreadyThere) << "a repetition needs no room";
}

TEST_P(PushByBytes, countsEachAsMoreThanItsRecord)
{
    auto small = large();
    small.heldBytes = 3'000 * shards();
    std::size_t stored = 0;
    for (bool fits = true; fits && stored < 100; stored += fits ? 1 : 0) {
        small.job = messageTo(bob);
        fits = push(small).has_value();
    }
    EXPECT_LE(stored, 5U);
}

TEST_P(PushByBytes, givesTheRoomOfAMessageBackThatIsOver)
{
    const auto finished = large();
    EXPECT_DONE(push(finished));
    expectRoomFor(2);
    EXPECT_DONE(finish(leaseOf(claimMailbox(bob, 1).at(0))));
    expectRoomFor(3);

    auto mortal = large();
    mortal.job.expires = now() + 1h;
    EXPECT_DONE(push(mortal));
    clock().advance(2h);
    EXPECT_EQ(expire(10).size(), 1U);
    expectRoomFor(3);

    const auto trashed = large();
    EXPECT_DONE(push(trashed));
    EXPECT_DONE(trash(trashed.job.id));
    expectRoomFor(3);
    EXPECT_DONE(restore(trashed.job.id));
    expectRoomFor(2);
    EXPECT_DONE(purge(trashed.job.id));

    const auto delayed = later();
    EXPECT_DONE(push(delayed));
    EXPECT_DONE(reschedule(delayed.job.id, 2h));
    expectRoomFor(2);
    EXPECT_DONE(purge(delayed.job.id));
    expectRoomFor(3);
}

TEST_P(PushByBytes, countsAMessageAgainThatComesBackFromItsLease)
{
    EXPECT_DONE(push(large()));
    const auto claimed = claimMailbox(bob, 1);
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_DONE(hold({.lease = leaseOf(claimed.at(0)), .nextAttempt = now(), .counted = false}));
    expectRoomFor(2);
    EXPECT_DONE(push(later()));
    clock().advance(1h);
    const auto due = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claim({Channel::Sip, {"sip"}, 1}, done);
    });
    ASSERT_EQ(due->size(), 1U);
    EXPECT_DONE(finish(leaseOf(due->at(0))));
    expectRoomFor(2);
}

TEST_P(Push, fillsAMailboxAheadInOneTurnUpToItsLimit)
{
    const std::string bob = "sip:bob@example.org";
    int stored = 0;
    int full = 0;
    for (int i = 0; i < 5; ++i) {
        store().push(dueInAnHour(messageTo(bob), now()),
                     [&](const Result<PushOutcome>& outcome) { ++(outcome ? stored : full); });
    }
    ASSERT_TRUE(loop().runUntil([&] { return stored + full == 5; }, kTimeout));
    EXPECT_EQ(stored, 2);
}

TEST_P(Push, answersEachOfManyCallsOfOneTurnInTheirOrder)
{
    std::vector<std::string> pushed;
    std::vector<std::string> answered;
    for (int i = 0; i < 300; ++i) {
        pushed.push_back(newJob().id);
        auto job = newJob();
        job.id = pushed.back();
        store().push({.job = job, .due = now()}, [&](Result<PushOutcome> outcome) {
            EXPECT_DONE(outcome);
            answered.push_back(outcome->id);
        });
    }
    ASSERT_TRUE(loop().runUntil([&] { return answered.size() == pushed.size(); }, kTimeout));
    EXPECT_EQ(answered, pushed);
    EXPECT_EQ(claimIds(300), pushed);
}

RESTANTE_CONTRACT(RememberedId);

/// The job with an id that the caller has chosen.
Job withId(Job job, const std::string& id)
{
    job.id = id;
    job.rememberId = true;
    return job;
}

TEST_P(RememberedId, makesARepeatedPushOfAFinishedJobASuccessThatStoresNothing)
{
    const auto job = leaseJob(withId(newJob(), "order-17")).job;
    EXPECT_DONE(finish({.id = job.id, .attempt = 1}));
    auto again = push(job, 1h);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_EQ(again->id, "order-17");
    EXPECT_TRUE(isGone("order-17"));
    // In a batch with others, too.
    const auto other = newJob();
    std::map<std::string, PushStatus> answers;
    for (const auto& one : {other, job}) {
        store().push({.job = one, .due = now()}, [&](const Result<PushOutcome>& outcome) {
            ASSERT_TRUE(outcome);
            answers[outcome->id] = outcome->status;
        });
    }
    loop().runUntil([&] { return answers.size() == 2; }, 5s);
    EXPECT_EQ(answers[other.id], PushStatus::Stored);
    EXPECT_EQ(answers[job.id], PushStatus::AlreadyThere);
    EXPECT_EQ(claimIds(9), std::vector{other.id});
}

TEST_P(RememberedId, holdsForAMessageInAMailboxToo)
{
    const auto message = messageTo("sip:bob@example.org");
    std::string id = "message";  // of the mailbox's shard
    while (shardOfId(id, shards()) != shardOfMailbox(message.recipient, shards())) {
        id += "-";
    }
    const auto job = leaseFromMailbox(withId(message, id)).job;
    EXPECT_DONE(finish({.id = job.id, .attempt = 1}));
    const auto pushAgain = [&](const Job& again) {
        return push({.job = again, .due = now() + 10min, .placement = Placement::Mailbox});
    };
    const auto again = pushAgain(job);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_TRUE(isGone(id));
    auto other = job;
    other.body = "other";
    EXPECT_REFUSED(pushAgain(other), Conflict);
    EXPECT_TRUE(isGone(id));
}

TEST_P(RememberedId, isNoIdForOtherContentUnlessItReplaces)
{
    const auto job = leaseJob(withId(newJob(), "order-17")).job;
    EXPECT_DONE(finish({.id = job.id, .attempt = 1}));
    auto other = job;
    other.body = "other";
    EXPECT_REFUSED(push(other), Conflict);
    EXPECT_TRUE(isGone("order-17"));
    EXPECT_DONE(push({.job = other, .due = now(), .replace = true}));
    EXPECT_EQ(claimIds(1), std::vector<std::string>{"order-17"});
    // After a purge the id can be used again.
    EXPECT_DONE(purge("order-17"));
    EXPECT_EQ(push(job)->status, PushStatus::Stored);
}

TEST_P(RememberedId, isForgottenAfterAWhile)
{
    const auto job = leaseJob(withId(newJob(), "order-17")).job;
    EXPECT_DONE(finish({.id = job.id, .attempt = 1}));
    clock().advance(kFinishedIdLifetime - 1s);
    EXPECT_EQ(push(job)->status, PushStatus::AlreadyThere);
    clock().advance(kFinishedIdLifetime + 2s);
    EXPECT_EQ(push(job)->status, PushStatus::Stored);
}

TEST_P(RememberedId, isOnlyOneThatItsPushAskedFor)
{
    auto job = leaseJob(withId(newJob(), "order-17")).job;
    job.rememberId = false;
    EXPECT_DONE(finish({.id = job.id, .attempt = 1}));
    EXPECT_EQ(push(job)->status, PushStatus::Stored) << "who does not ask is not told";
    EXPECT_EQ(claim().size(), 1U);
    auto other = newJob();
    other.id = "order-18";
    EXPECT_DONE(finish(leaseOf(leaseJob(other))));
    other.rememberId = true;
    EXPECT_EQ(push(other)->status, PushStatus::Stored) << "it was not to be remembered";
}

TEST_P(RememberedId, isRememberedOfALateFinishToo)
{
    const auto job = leaseJob(withId(newJob(), "order-17")).job;
    EXPECT_DONE(bury({.id = job.id, .attempt = 1}, "no answer"));
    EXPECT_DONE(finishLate({.id = job.id, .attempt = 1}));
    EXPECT_EQ(push(job)->status, PushStatus::AlreadyThere);
    EXPECT_TRUE(isGone("order-17"));
}

}  // namespace
}  // namespace restante::test
