#include "core/base/clock.h"
#include "core/queue/bulk_action.h"
#include "core/queue/job_search.h"
#include "core/queue/mailbox.h"
#include "core/queue/topic_view.h"
#include "tests/contract/store_contract.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace restante::test {
namespace {

/// Asks another one.
class AskingAnother : public JobInspector {
public:
    explicit AskingAnother(JobInspector& of) : of_(of) {}

    void search(JobSearch search, Done<SearchPage> done) override
    {
        of_.search(std::move(search), std::move(done));
    }
    void show(std::string id, Done<JobView> done) override
    {
        of_.show(std::move(id), std::move(done));
    }
    void list(JobQuery query, Done<JobPage> done) override
    {
        of_.list(std::move(query), std::move(done));
    }
    void counts(Done<StoreCounts> done) override { of_.counts(std::move(done)); }
    void ranked(RankQuery query, Done<RankPage> done) override
    {
        of_.ranked(std::move(query), std::move(done));
    }
    void count(JobSearch search, Done<JobCount> done) override
    {
        of_.count(std::move(search), std::move(done));
    }
    void indexed(IndexQuery query, Done<JobPage> done) override
    {
        of_.indexed(std::move(query), std::move(done));
    }
    void countIndexed(IndexQuery::Kind kind, std::string value, Done<std::uint64_t> done) override
    {
        of_.countIndexed(kind, std::move(value), std::move(done));
    }
    void onceKeys(std::function<void(std::vector<OnceKey>)> onBatch, Done<void> done) override
    {
        of_.onceKeys(std::move(onBatch), std::move(done));
    }
    void topics(Done<std::vector<TopicView>> done) override { of_.topics(std::move(done)); }
    void mailboxes(MailboxQuery query, Done<MailboxPage> done) override
    {
        of_.mailboxes(std::move(query), std::move(done));
    }
    void mailbox(MailboxRequest request, Done<MailboxContent> done) override
    {
        of_.mailbox(std::move(request), std::move(done));
    }

private:
    JobInspector& of_;
};

/// Fails every search but the first `pages`.
class FailingSearch final : public AskingAnother {
public:
    FailingSearch(JobInspector& of, int pages) : AskingAnother(of), pagesLeft_(pages) {}

    void search(JobSearch search, Done<SearchPage> done) override
    {
        if (pagesLeft_-- > 0) {
            return AskingAnother::search(std::move(search), std::move(done));
        }
        // Answered later, as by a store.
        show("nobody", [done = std::move(done)](const auto&) {
            done(failure(ErrorCode::Unavailable, "the store is away"));
        });
    }

private:
    int pagesLeft_;
};

/// Time passes between the answer to a look at a job and what is done about it.
class SlowLook final : public AskingAnother {
public:
    SlowLook(JobInspector& of, ManualClock& clock, Millis time)
        : AskingAnother(of),
          clock_(clock),
          time_(time)
    {
    }

    void show(std::string id, Done<JobView> done) override
    {
        AskingAnother::show(std::move(id),
                            [this, done = std::move(done)](const Result<JobView>& view) {
                                clock_.advance(time_);
                                done(view);
                            });
    }

private:
    ManualClock& clock_;
    Millis time_;
};

class Bulk : public StoreContract {
protected:
    BulkReport run(BulkAction action)
    {
        BulkRun bulk(inspector(), store(), clock(), std::move(action));
        auto report = await<BulkReport>([&](auto done) { bulk.start(done); });
        EXPECT_DONE(report);
        return report.value_or(BulkReport{});
    }
    static BulkAction action(BulkAction::Verb verb, const std::string& filter = "")
    {
        BulkAction action;
        action.verb = verb;
        action.filter = *JobFilter::parse(filter);
        action.mode = BulkAction::Mode::Apply;
        action.actor = "olga";
        action.concurrency = 10;
        return action;
    }
    /// Acts on a job that a worker claims between the look at it and the write.
    void expectLeftToItsWorker(BulkAction request)
    {
        const auto id = storeJob(newJob()).id;
        request.ids = {id};
        BulkRun bulk(inspector(), store(), clock(), request);
        const auto report = await<BulkReport>([&](auto done) {
            bulk.start(done);
            store().claim({.topics = {"order"}}, [](const auto&) {});
        });
        ASSERT_TRUE(report);
        EXPECT_EQ(report->matched.at(JobState::Ready), 1U) << "the look came first";
        EXPECT_EQ(report->done, 0U);
        EXPECT_EQ(report->skipped, 1U);
        EXPECT_EQ(report->failed, 0U);
        EXPECT_EQ(stateOf(id), JobState::Leased);
    }
    std::vector<std::string> storeMany(int count)
    {
        std::vector<std::string> ids;
        for (int i = 0; i < count; ++i) {
            auto job = newJob();
            job.id = newId(static_cast<std::uint32_t>(i) % shards());
            job.bizKey = "set";
            job.findByKey = true;
            ids.push_back(storeJob(job, 1h + 1s * i).id);
        }
        return ids;
    }
};
INSTANTIATE_TEST_SUITE_P(Store, Bulk, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Bulk, touchesNothingInADryRun)
{
    const auto ids = storeMany(25);
    auto request = action(BulkAction::Verb::Trash, "topic:order");
    request.mode = BulkAction::Mode::DryRun;
    const auto report = run(request);
    EXPECT_EQ(report.total(), 25U);
    EXPECT_EQ(report.matched.at(JobState::Scheduled), 25U);
    EXPECT_EQ(report.firstIds.size(), BulkAction::kReportedByDefault);
    EXPECT_EQ(report.done, 0U);
    EXPECT_EQ(stateOf(ids[0]), JobState::Scheduled);
}

TEST_P(Bulk, doesItToEveryJobThatMatchesAndToNoOther)
{
    const auto ids = storeMany(25);
    const auto other = storeJob(newJob(5, "other"), 1h).id;
    auto request = action(BulkAction::Verb::Trash, "topic:order");
    request.except = {ids[3]};
    const auto report = run(request);
    EXPECT_EQ(report.done, 24U);
    EXPECT_EQ(report.skipped + report.failed, 0U);
    EXPECT_FALSE(report.stopped);
    EXPECT_EQ(stateOf(ids[0]), JobState::Trashed);
    EXPECT_EQ(stateOf(ids[3]), JobState::Scheduled);
    EXPECT_EQ(stateOf(other), JobState::Scheduled);
    EXPECT_EQ(run(action(BulkAction::Verb::Restore, "biz_key:set")).done, 24U);
    EXPECT_EQ(stateOf(ids[0]), JobState::Scheduled);
}

TEST_P(Bulk, findsWhatWasJustPushedByAClockThatIsNotCertain)
{
    /// Redis may be 20 ms further than it is certain to be, and a delay begins there.
    struct UncertainClock final : BoundedClock {
        explicit UncertainClock(const Clock& of) : earliest(of) {}
        TimePoint now() const noexcept override { return earliest.now(); }
        TimePoint latest() const noexcept override { return earliest.now() + 20ms; }
        const Clock& earliest;
    } uncertain(clock());
    auto job = newJob();
    job.created = uncertain.latest();
    const auto id = storeJob(job, 1h).id;
    BulkRun bulk(inspector(), store(), uncertain, action(BulkAction::Verb::Trash, "topic:order"));
    const auto report = await<BulkReport>([&](auto done) { bulk.start(done); });
    EXPECT_DONE(report);
    EXPECT_EQ(report->done, 1U);
    EXPECT_EQ(stateOf(id), JobState::Trashed);
}

TEST_P(Bulk, cancelsAWholeSetByItsBizKey)
{
    const auto ids = storeMany(12);
    const auto report = run(action(BulkAction::Verb::Trash, filterFor("biz_key", "set")));
    EXPECT_EQ(report.done, 12U);
    EXPECT_EQ(report.examined, 12U);
}

TEST_P(Bulk, reschedulesEachJobOnce)
{
    const auto ids = storeMany(35);
    auto request = action(BulkAction::Verb::Reschedule);
    request.due = now() + 2h;
    request.spread = 10min;
    const auto report = run(request);
    EXPECT_EQ(report.done, 35U);
    TimePoint first = TimePoint::max();
    TimePoint last{};
    for (const auto& id : ids) {
        first = std::min(first, view(id).due);
        last = std::max(last, view(id).due);
    }
    EXPECT_GE(first, now() + 2h);
    EXPECT_LE(last, now() + 2h + 10min);
    EXPECT_GT(last - first, 8min);
}

TEST_P(Bulk, actsOnIdsInsteadOfAFilter)
{
    const auto ids = storeMany(25);
    auto request = action(BulkAction::Verb::Trash);
    request.ids = {ids[20], ids[1], "nobody", ids[13]};
    std::vector<std::string> told;
    request.onApplied = [&](const JobView& before, TimePoint) {
        told.push_back(before.job.id);
        EXPECT_EQ(before.state, JobState::Scheduled);
    };
    const auto report = run(request);
    EXPECT_EQ(report.done, 3U);
    EXPECT_EQ(report.skipped, 1U);
    EXPECT_EQ(report.topics, (std::map<std::string, std::uint64_t>{{"order", 3}}));
    EXPECT_EQ(std::set<std::string>(told.begin(), told.end()),
              (std::set<std::string>{ids[20], ids[1], ids[13]}));
    EXPECT_EQ(stateOf(ids[13]), JobState::Trashed);
    EXPECT_EQ(stateOf(ids[0]), JobState::Scheduled);
    // The second time they are in a state in which the verb is not allowed.
    EXPECT_EQ(run(request).skipped, 4U);
}

TEST_P(Bulk, leavesIdsAloneThatDoNotMatchAnyMore)
{
    const auto stays = makeJobIn(JobState::Dead);
    const auto other = makeJobIn(JobState::Dead);
    const auto left = makeJobIn(JobState::Dead);
    ASSERT_TRUE(runNow(left));
    auto request = action(BulkAction::Verb::Trash, "-id:" + other);
    request.states = {JobState::Dead};
    request.ids = {stays, other, left};
    const auto report = run(request);
    EXPECT_EQ(report.done, 1U);
    EXPECT_EQ(report.skipped, 2U);
    EXPECT_EQ(report.total(), 1U);
    EXPECT_EQ(stateOf(stays), JobState::Trashed);
    EXPECT_EQ(stateOf(other), JobState::Dead);
    EXPECT_EQ(stateOf(left), JobState::Ready);
}

TEST_P(Bulk, givesEachIdItsOwnDueTime)
{
    const auto ids = storeMany(25);
    auto request = action(BulkAction::Verb::Reschedule);
    request.ids.push_back("nobody");
    request.dues.push_back(now() + 1min);
    for (std::size_t at = 0; at < ids.size(); ++at) {
        request.ids.push_back(ids[at]);
        request.dues.push_back(now() + 2h + 1min * at);
    }
    EXPECT_EQ(run(request).done, 25U);
    for (std::size_t at = 0; at < ids.size(); ++at) {
        EXPECT_EQ(view(ids[at]).due, now() + 2h + 1min * at);
    }
}

TEST_P(Bulk, skipsAnIdThatIsDueAtAnotherTimeThanItWasLeft)
{
    const auto ids = storeMany(3);
    auto request = action(BulkAction::Verb::Reschedule);
    request.ids = ids;
    request.due = now() + 5h;
    std::vector<TimePoint> given;
    request.onApplied = [&](const JobView&, TimePoint due) { given.push_back(due); };
    EXPECT_EQ(run(request).done, 3U);
    EXPECT_EQ(given, std::vector<TimePoint>(3, now() + 5h));
    auto other = action(BulkAction::Verb::Reschedule);
    other.ids = {ids[1]};
    other.due = now() + 9h;
    EXPECT_EQ(run(other).done, 1U);

    request.due = now() + 1h;
    request.expectedDues = {now() + 5h, now() + 5h, TimePoint{}};
    const auto report = run(request);
    EXPECT_EQ(report.done, 2U);
    EXPECT_EQ(report.skipped, 1U);
    EXPECT_EQ(report.idsProcessed, 3U);
    EXPECT_EQ(view(ids[0]).due, now() + 1h);
    EXPECT_EQ(view(ids[1]).due, now() + 9h);
    EXPECT_EQ(view(ids[2]).due, now() + 1h);
}

TEST_P(Bulk, skipsWhatSomebodyMovesBetweenItsLookAndItsWrite)
{
    const auto ids = storeMany(2);
    const auto due = view(ids[0]).due;
    for (const auto verb : {BulkAction::Verb::Reschedule, BulkAction::Verb::Hold}) {
        auto request = action(verb);
        request.ids = ids;
        request.dues = {now() + 7h, now() + 7h};
        request.expectedDues = {view(ids[0]).due, view(ids[1]).due};
        BulkRun bulk(inspector(), store(), clock(), request);
        const auto report = await<BulkReport>([&](auto done) {
            bulk.start(done);
            // The question is on its way; the answer will be old.
            store().reschedule({ids[0], "eve", "me first"}, {due + 3h}, [](const auto&) {});
        });
        ASSERT_TRUE(report);
        EXPECT_EQ(report->done, 1U);
        EXPECT_EQ(report->skipped, 1U);
        EXPECT_EQ(report->failed, 0U);
        EXPECT_EQ(view(ids[0]).due, due + 3h);
        EXPECT_EQ(stateOf(ids[0]), JobState::Scheduled);
        EXPECT_DONE(reschedule(ids[0], 5h));
    }
    EXPECT_EQ(stateOf(ids[1]), JobState::Held);
}

TEST_P(Bulk, holdsNoJobThatAWorkerTakesBetweenItsLookAndItsWrite)
{
    const auto id = storeJob(newJob()).id;
    auto request = action(BulkAction::Verb::Hold);
    request.ids = {id};
    BulkRun bulk(inspector(), store(), clock(), request);
    const auto report = await<BulkReport>([&](auto done) {
        bulk.start(done);
        store().claim({.topics = {"order"}}, [](const auto&) {});
    });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->matched.at(JobState::Ready), 1U) << "the look came first";
    EXPECT_EQ(report->done, 0U);
    EXPECT_EQ(report->skipped, 1U);
    EXPECT_EQ(stateOf(id), JobState::Leased);
}

TEST_P(Bulk, buriesNoJobThatAWorkerTakesBetweenItsLookAndItsWrite)
{
    auto request = action(BulkAction::Verb::Bury);
    request.states = {JobState::Ready};
    expectLeftToItsWorker(request);
}

TEST_P(Bulk, trashesNoJobThatAWorkerTakesBetweenItsLookAndItsWrite)
{
    auto request = action(BulkAction::Verb::Trash);
    request.states = {JobState::Scheduled, JobState::Ready, JobState::Held, JobState::Dead,
                      JobState::Done};
    expectLeftToItsWorker(request);
}

TEST_P(Bulk, purgesNoJobThatAWorkerTakesFromTheStatesOfItsFilter)
{
    expectLeftToItsWorker(action(BulkAction::Verb::Purge, "state:ready"));
}

TEST_P(Bulk, finishesNoLaterAttemptThanTheOneItHasLookedAt)
{
    const auto leased = leaseJob(newJob());
    auto request = action(BulkAction::Verb::Finish);
    request.ids = {leased.job.id};
    BulkRun bulk(inspector(), store(), clock(), request);
    bool isClaimed = false;  // in a cluster maybe after the report
    const auto report = await<BulkReport>([&](auto done) {
        bulk.start(done);
        // In the past, because the clock of Redis may be some ms behind.
        store().retry({.lease = leaseOf(leased), .due = now() - 1s}, [](const auto&) {});
        store().claim({.topics = {"order"}}, [&](const auto&) { isClaimed = true; });
    });
    ASSERT_TRUE(report);
    ASSERT_TRUE(loop().runUntil([&] { return isClaimed; }, 5s));
    EXPECT_EQ(report->matched.at(JobState::Leased), 1U);
    EXPECT_EQ(report->done, 0U);
    EXPECT_EQ(report->skipped, 1U) << "another worker has it";
    EXPECT_EQ(report->failed, 0U);
    ASSERT_EQ(stateOf(leased.job.id), JobState::Leased);
    EXPECT_EQ(view(leased.job.id).attempt, 2U);
}

TEST_P(Bulk, takesAJobFromItsWorkerWhenNoStateIsAskedFor)
{
    const auto id = storeJob(newJob()).id;
    auto request = action(BulkAction::Verb::Trash);
    request.ids = {id};
    BulkRun bulk(inspector(), store(), clock(), request);
    const auto report = await<BulkReport>([&](auto done) {
        bulk.start(done);
        store().claim({.topics = {"order"}}, [](const auto&) {});
    });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->matched.at(JobState::Ready), 1U) << "the look came first";
    EXPECT_EQ(report->done, 1U);
    EXPECT_EQ(stateOf(id), JobState::Trashed);
}

TEST_P(Bulk, actsOnAScheduledJobThatBecomesReadyBetweenItsLookAndItsWrite)
{
    const auto id = storeJob(newJob(), 1min).id;
    auto request = action(BulkAction::Verb::Trash);
    request.ids = {id};
    request.states = {JobState::Scheduled};
    SlowLook slow(inspector(), clock(), 2min);
    BulkRun bulk(slow, store(), clock(), request);
    const auto report = await<BulkReport>([&](auto done) { bulk.start(done); });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->matched.at(JobState::Scheduled), 1U);
    EXPECT_EQ(report->done, 1U) << "nobody has moved it";
    EXPECT_EQ(stateOf(id), JobState::Trashed);
}

TEST_P(Bulk, resetsTheAttemptsOfWhatItReschedulesAndTakesThatBack)
{
    const auto job = storeJob(newJob());
    EXPECT_DONE(retry(leaseOf(claim().at(0)), 1h));
    auto request = action(BulkAction::Verb::Reschedule, "topic:order");
    request.due = now() + 2h;
    EXPECT_EQ(run(request).done, 1U);
    EXPECT_EQ(view(job.id).countedAttempts(), 1U);
    request.attempts = BulkAction::Attempts::Reset;
    std::optional<std::uint32_t> before;
    request.onApplied = [&before](const JobView& was, TimePoint) { before = was.attemptOffset; };
    EXPECT_EQ(run(request).done, 1U);
    EXPECT_EQ(view(job.id).countedAttempts(), 0U);
    EXPECT_EQ(before, 0U);
    auto back = action(BulkAction::Verb::Reschedule);
    back.ids = {job.id};
    back.dues = {now() + 1h};
    back.attemptOffsets = {*before};
    EXPECT_EQ(run(back).done, 1U);
    EXPECT_EQ(view(job.id).countedAttempts(), 1U);
    EXPECT_EQ(view(job.id).due, now() + 1h);
}

TEST_P(Bulk, thatIsGivenUpCountsWhatIsOnItsWayAsFailed)
{
    const auto ids = storeMany(25);
    auto request = action(BulkAction::Verb::Trash);
    request.ids = ids;
    std::uint64_t answered = 0;
    std::optional<BulkRun> bulk;
    const auto report = await<BulkReport>([&](auto done) {
        request.onApplied = [&answered, &bulk, done](const JobView&, TimePoint) {
            if (++answered == 13) {
                done(bulk->giveUp());
            }
        };
        bulk.emplace(inspector(), store(), clock(), request);
        bulk->start([](const auto&) { FAIL() << "it was given up"; });
    });
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->stopped);
    EXPECT_EQ(report->done, 13U);
    EXPECT_EQ(report->failed, 7U);
    EXPECT_EQ(report->failures.size(), 7U);
    EXPECT_EQ(report->idsProcessed, 20U);
    EXPECT_EQ(stateOf(ids[24]), JobState::Scheduled);
}

TEST_P(Bulk, startsOnlyFromTheStatesOfItsVerb)
{
    open({.retentionDone = 1h});
    std::map<JobState, std::string> ids;
    for (const auto state : kJobStates) {
        ids[state] = makeJobIn(state);
    }
    const auto report = run(action(BulkAction::Verb::RunNow));
    EXPECT_EQ(report.total(), 3U);  // scheduled, held, dead
    EXPECT_EQ(report.skipped, 0U);
    EXPECT_EQ(stateOf(ids[JobState::Trashed]), JobState::Trashed);
    EXPECT_EQ(run(action(BulkAction::Verb::Purge)).done, 7U);
    EXPECT_TRUE(isGone(ids[JobState::Done]));
}

TEST_P(Bulk, narrowsToTheStatesThatAreAskedFor)
{
    const auto scheduled = makeJobIn(JobState::Scheduled);
    const auto dead = makeJobIn(JobState::Dead);
    auto request = action(BulkAction::Verb::Purge);
    request.states = {JobState::Dead, JobState::Trashed};
    EXPECT_EQ(run(request).done, 1U);
    EXPECT_EQ(stateOf(scheduled), JobState::Scheduled);
    EXPECT_TRUE(isGone(dead));
    request.verb = BulkAction::Verb::Finish;
    EXPECT_EQ(run(request).total(), 0U);
}

TEST_P(Bulk, leavesAloneWhatCameAfterItsBeginning)
{
    auto late = newJob();
    late.created = now() + 1s;
    const auto id = storeJob(late, 1h).id;
    EXPECT_EQ(run(action(BulkAction::Verb::Trash)).total(), 0U);
    EXPECT_EQ(stateOf(id), JobState::Scheduled);
}

TEST_P(Bulk, skipsAndCountsWhatCameInAfterItWasAgreedTo)
{
    auto job = newJob();
    job.created = now();
    const auto seen = storeJob(job, 1h).id;
    const auto deadSeen = makeJobIn(JobState::Dead);
    auto request = action(BulkAction::Verb::Trash);
    request.asOf = now();
    clock().advance(1s);
    job.id = newId(0);
    job.created = now();
    const auto pushed = storeJob(job, 1h).id;
    const auto died = makeJobIn(JobState::Dead);
    clock().advance(1s);
    const auto report = run(request);
    EXPECT_EQ(report.done, 2U);
    EXPECT_EQ(report.skipped, 2U);
    EXPECT_EQ(report.skippedAsNewer, 2U);
    EXPECT_EQ(report.total(), 2U);
    EXPECT_EQ(stateOf(seen), JobState::Trashed);
    EXPECT_EQ(stateOf(deadSeen), JobState::Trashed);
    EXPECT_EQ(stateOf(pushed), JobState::Scheduled);
    EXPECT_EQ(stateOf(died), JobState::Dead);
}

TEST_P(Bulk, stopsWhenAsked)
{
    storeMany(45);
    BulkRun bulk(inspector(), store(), clock(), action(BulkAction::Verb::Trash));
    int pages = 0;
    const auto report = await<BulkReport>([&](auto done) {
        bulk.start(done, [&](const BulkReport&) {
            if (++pages == 2) {
                bulk.stop();
            }
        });
    });
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->stopped);
    EXPECT_EQ(report->done, 20U);
}

TEST_P(Bulk, reportsWhatItHasDoneWhenItCannotSearchOn)
{
    storeMany(25);
    for (const int pages : {0, 1}) {
        FailingSearch failing(inspector(), pages);
        BulkRun bulk(failing, store(), clock(), action(BulkAction::Verb::Bury));
        const auto report = await<BulkReport>([&](auto done) { bulk.start(done); });
        if (pages == 0) {
            EXPECT_REFUSED(report, Unavailable);
            continue;
        }
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_TRUE(report->stopped);
        EXPECT_GT(report->done, 0U);
        EXPECT_LT(report->done, 25U);
        ASSERT_TRUE(report->searchError);
        EXPECT_EQ(report->searchError->message, "the store is away");
    }
    FailingSearch failing(inspector(), 1);
    auto request = action(BulkAction::Verb::Bury);
    request.mode = BulkAction::Mode::DryRun;
    request.asOf = now() - 1h;  // the jobs of the first page are newer, and skipped
    BulkRun dry(failing, store(), clock(), request);
    const auto report = await<BulkReport>([&](auto done) { dry.start(done); });
    EXPECT_REFUSED(report, Unavailable);
}

TEST_P(Bulk, skipsWhatHasMovedOn)
{
    const auto ids = storeMany(3);
    BulkRun bulk(inspector(), store(), clock(), action(BulkAction::Verb::Trash, "biz_key:set"));
    std::optional<Result<BulkReport>> report;
    store().purge(by(ids[0]), [](const auto&) {});
    bulk.start([&](auto answer) { report = std::move(answer); });
    loop().runUntil([&] { return report.has_value(); }, 5s);
    ASSERT_TRUE(report && *report);
    EXPECT_EQ((*report)->done, 2U);
    EXPECT_EQ((*report)->failed, 0U);
}

TEST_P(Bulk, buriesReleasesHoldsAndFinishes)
{
    const auto buried = storeJob(newJob(5, "bury"), 1h).id;
    auto request = action(BulkAction::Verb::Bury, "topic:bury");
    request.reason = "customer has gone";
    EXPECT_EQ(run(request).done, 1U);
    EXPECT_EQ(view(buried).lastError, "customer has gone");
    const auto holdable = storeJob(newJob(5, "hold"), 1h).id;
    EXPECT_EQ(run(action(BulkAction::Verb::Hold, "topic:hold")).done, 1U);
    EXPECT_EQ(stateOf(holdable), JobState::Held);
    EXPECT_EQ(run(action(BulkAction::Verb::Release, "topic:hold")).done, 1U);
    EXPECT_EQ(stateOf(holdable), JobState::Scheduled);
    EXPECT_EQ(view(holdable).due, now() + 1h);
    const auto leasedJob = leaseJob(newJob());
    EXPECT_EQ(run(action(BulkAction::Verb::Finish, "id:" + leasedJob.job.id)).done, 1U);
    EXPECT_TRUE(isGone(leasedJob.job.id));
}

TEST_P(Bulk, holdsAScheduledMessageByItselfAndPutsOneBackIntoItsMailboxWhenAsked)
{
    const std::string bob = "sip:bob@example.org";
    const auto message = storeJob(messageTo(bob), 1h);
    EXPECT_EQ(run(action(BulkAction::Verb::Hold, "id:" + message.id)).done, 1U);
    EXPECT_TRUE(view(message.id).heldOutsideMailbox);
    // A registration of the recipient does not release it.
    EXPECT_TRUE(claimMailbox(bob).empty());
    EXPECT_EQ(run(action(BulkAction::Verb::Release, "id:" + message.id)).done, 1U);
    EXPECT_EQ(view(message.id).due, now() + 1h);
    auto back = action(BulkAction::Verb::Hold, "id:" + message.id);
    back.holdPlace = BulkAction::HoldPlace::InMailbox;
    EXPECT_EQ(run(back).done, 1U);
    EXPECT_FALSE(view(message.id).heldOutsideMailbox);
    EXPECT_EQ(earliest({kMailboxes}), now()) << "it was alone there";
    EXPECT_EQ(dueMailboxes(), std::vector{bob});
    EXPECT_EQ(idsOf(claimMailbox(bob)), std::vector{message.id});
}

}  // namespace
}  // namespace restante::test
