// Recurring reminders as people see them: their next times, and what became of the last one.

#include "core/reminder/recurrence_scheduler.h"
#include "core/reminder/series_list.h"
#include "tests/unit/reminder_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace restante::reminder {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kMonday = "2026-03-02T00:00:00Z";

class SeriesListTest : public ReminderFixture {
protected:
    SeriesListTest() : ReminderFixture({.now = kMonday, .store = {.retentionDone = 48h}}) {}

    static ReminderRequest nineInBerlin()
    {
        ReminderRequest request;
        request.id = "nine";
        request.to = "https://example.org/hook";
        request.text = "wake up";
        request.every = "weekdays";
        request.at = "2026-03-02 09:00";
        request.timeZone = "Europe/Berlin";
        request.bizKey = "key-9";
        return request;
    }
    void create(const ReminderRequest& request)
    {
        const auto created = await<CreatedReminder>(
            [&](auto done) { reminders_->create(request, std::move(done)); });
        ASSERT_TRUE(created) << created.error().message;
    }
    Result<CreatedReminder> replace(const ReminderRequest& request, std::string seen)
    {
        return await<CreatedReminder>([&](auto done) {
            reminders_->replace({"nine", std::move(seen), request}, std::move(done));
        });
    }
    std::vector<SeriesView> list(SeriesQuery query = {})
    {
        auto answer = await<SeriesList>(
            [&](auto done) { listSeries(store_, clock_, 1, query, std::move(done)); });
        EXPECT_TRUE(answer);
        complete_ = answer->complete;
        return std::move(answer->series);
    }
    SeriesView only()
    {
        auto all = list();
        EXPECT_THAT(all, SizeIs(1));
        return all.empty() ? SeriesView{} : std::move(all.front());
    }
    using ReminderFixture::shown;
    static std::vector<std::string> shown(const std::vector<TimePoint>& times)
    {
        std::vector<std::string> texts;
        for (const auto at : times) {
            texts.push_back(shown(at));
        }
        return texts;
    }
    void hold()
    {
        HoldRequest request;
        request.lease.id = "nine";
        ASSERT_TRUE(await<void>([&](auto done) { store_.hold(request, std::move(done)); }));
    }
    void roll() { scheduler_.emplace(loop_, queue_); }

    struct Scheduler {
        Scheduler(EventLoop& loop, DelayQueue& queue)
            : due(loop, queue.clock(), queue.store()),
              recurrences(queue, due, {})
        {
        }
        DueWatcher due;
        RecurrenceScheduler recurrences;
    };

    std::shared_ptr<Reminders> reminders_ = Reminders::make(queue_, store_, {});
    std::optional<Scheduler> scheduler_;
    bool complete_ = false;
};

TEST_F(SeriesListTest, namesTheNextTimesThatTheSchedulerGoesBy)
{
    create(nineInBerlin());
    const auto series = only();
    ASSERT_TRUE(series.series);
    EXPECT_EQ(series.series->job.body, "wake up");
    EXPECT_TRUE(complete_);
    // Summer time begins on 29 March; the weekend is left out.
    EXPECT_THAT(shown(series.next), ElementsAre("03-02T08:00", "03-03T08:00", "03-04T08:00",
                                                "03-05T08:00", "03-06T08:00"));
    EXPECT_FALSE(series.last) << "none was due yet";
}

TEST_F(SeriesListTest, namesNoTimeAtWhichTheSeriesHasExpired)
{
    auto request = nineInBerlin();
    request.expires = "2026-03-04T08:00:00Z";
    create(request);
    EXPECT_THAT(shown(only().next), ElementsAre("03-02T08:00", "03-03T08:00"));
}

TEST_F(SeriesListTest, tellsWhatBecameOfTheLastOccurrence)
{
    create(nineInBerlin());
    roll();
    loop_.advance(9h);
    const auto waiting = only();
    ASSERT_TRUE(waiting.last);
    EXPECT_EQ(shown(waiting.last->at), "03-02T08:00");
    ASSERT_TRUE(waiting.last->job) << "its id is that of the scheduler";
    EXPECT_EQ(waiting.last->job->state, JobState::Ready);
    EXPECT_EQ(seriesOf(waiting.last->job->job), "nine");
    EXPECT_EQ(shown(waiting.next).front(), "03-03T08:00");
    EXPECT_TRUE(await<void>([&](auto done) {
        store_.purge({waiting.last->id, {}, {}}, std::move(done));
    }));
    const auto gone = only();
    ASSERT_TRUE(gone.last);
    EXPECT_FALSE(gone.last->job);
}

TEST_F(SeriesListTest, oneThatNobodySendsIsLateByItsLastTime)
{
    create(nineInBerlin());
    loop_.advance(34h);  // Tuesday 10:00
    EXPECT_THAT(shown(only().next), ElementsAre("03-03T08:00", "03-04T08:00", "03-05T08:00",
                                                "03-06T08:00", "03-09T08:00"));
    EXPECT_FALSE(only().last) << "none has been dealt with";
}

TEST_F(SeriesListTest, onePausedKnowsWhatComesOnceItIsResumed)
{
    create(nineInBerlin());
    hold();
    EXPECT_TRUE(only().isPaused());
    EXPECT_EQ(shown(only().next).front(), "03-02T08:00");
    loop_.advance(72h);
    EXPECT_EQ(shown(only().next).front(), "03-05T08:00") << "not what was missed";
    roll();
    ASSERT_TRUE(await<void>([&](auto done) {
        store_.reschedule({"nine", "tester", "resumed"}, {only().next.front()}, std::move(done));
    }));
    loop_.advance(1h);
    EXPECT_FALSE(only().isPaused());
    EXPECT_FALSE(only().last && only().last->job) << "nothing was sent for the days before";
}

TEST_F(SeriesListTest, aSkippedTimeIsNotSentAndTheOneAfterItIs)
{
    create(nineInBerlin());
    roll();
    const auto before = only();
    ASSERT_TRUE(await<void>([&](auto done) {
        store_.reschedule({"nine", "tester", "skipped"}, {before.next[1]}, std::move(done));
    }));
    loop_.advance(24h);
    const auto skipped = only();
    ASSERT_TRUE(skipped.last);
    EXPECT_FALSE(skipped.last->job);
    EXPECT_EQ(shown(skipped.next).front(), "03-03T08:00");
    loop_.advance(9h);
    ASSERT_TRUE(only().last);
    EXPECT_EQ(shown(only().last->at), "03-03T08:00");
    EXPECT_TRUE(only().last->job);
}

TEST_F(SeriesListTest, oneThatHasEndedOrWasCancelledIsNotListed)
{
    create(nineInBerlin());
    ASSERT_TRUE(await<void>([&](auto done) {
        store_.trash({"nine", "tester", {}}, std::move(done));
    }));
    EXPECT_THAT(list(), IsEmpty());
}

TEST_F(SeriesListTest, saysWhenThereAreMoreThanItLooksFor)
{
    auto request = nineInBerlin();
    for (const auto* id : {"a", "b", "c"}) {
        request.id = id;
        create(request);
    }
    EXPECT_THAT(list({.times = 1, .maxSeries = 2}), SizeIs(2));
    EXPECT_FALSE(complete_) << "the third one is on the same page";
    EXPECT_THAT(list(), SizeIs(3));
    EXPECT_TRUE(complete_);
}

TEST_F(SeriesListTest, oneThatNobodyCanReadSaysWhy)
{
    PushRequest push;
    push.job.id = "odd";
    push.job.topic = std::string(kSeriesTopic);
    push.job.body = "no series";
    push.due = clock_.now() + 1h;
    ASSERT_TRUE(await<PushOutcome>([&](auto done) { store_.push(push, std::move(done)); }));
    EXPECT_FALSE(only().series);
    EXPECT_THAT(only().problem, HasSubstr("not a series"));
}

TEST_F(SeriesListTest, onlyOccurrencesLeadToASeries)
{
    Job job;
    job.topic = std::string(kTopic);
    job.id = "member-7.1772438400000";
    EXPECT_EQ(seriesOf(job), "member-7");
    job.id = "member-7.1772438400000-2";
    EXPECT_EQ(seriesOf(job), "member-7");
    job.id = "member-7.15d";
    EXPECT_FALSE(seriesOf(job)) << "one of a set before an event";
    job.id = "member-7.1772438400000";
    job.topic = "order";
    EXPECT_FALSE(seriesOf(job));
}

TEST_F(SeriesListTest, aReplacedSeriesKeepsItsIdAndItsKeyAndGoesByTheNewRule)
{
    create(nineInBerlin());
    auto changed = nineInBerlin();
    changed.every = "daily";
    changed.at = "2026-03-02 10:00";
    changed.text = "get up";
    changed.bizKey = {};
    changed.actor = "tester";
    const auto answer = replace(changed, only().job.job.body);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, PushStatus::Stored);
    const auto series = only();
    EXPECT_EQ(series.job.job.id, "nine");
    EXPECT_EQ(series.job.job.bizKey, "key-9");
    EXPECT_EQ(series.series->job.body, "get up");
    EXPECT_EQ(shown(series.next).front(), "03-02T09:00");
    roll();
    loop_.advance(24h);
    ASSERT_TRUE(only().last);
    ASSERT_TRUE(only().last->job);
    EXPECT_EQ(only().last->job->job.body, "get up");
}

TEST_F(SeriesListTest, aReplacedSeriesThatIsPausedStaysPaused)
{
    create(nineInBerlin());
    hold();
    auto changed = nineInBerlin();
    changed.text = "get up";
    ASSERT_TRUE(replace(changed, only().job.job.body));
    EXPECT_TRUE(only().isPaused());
    EXPECT_EQ(only().series->job.body, "get up");
    roll();
    loop_.advance(72h);
    EXPECT_FALSE(only().last && only().last->job) << "nothing is sent";
}

/// Somebody is faster than each import of a job.
class TrashingStore final : public MemoryJobStore {
public:
    using MemoryJobStore::MemoryJobStore;

    void importJob(ImportRequest request, Done<PushOutcome> done) override
    {
        MemoryJobStore::trash({request.view.job.id, "olga", "enough"}, [](const auto&) {});
        MemoryJobStore::importJob(std::move(request), std::move(done));
    }
};

TEST_F(SeriesListTest, aSeriesThatIsCancelledWhileItIsReplacedStaysCancelled)
{
    TrashingStore store(loop_, clock_);
    DelayQueue queue(store, clock_, {});
    const auto reminders = Reminders::make(queue, store, {});
    ASSERT_TRUE(await<CreatedReminder>(
        [&](auto done) { reminders->create(nineInBerlin(), std::move(done)); }));
    const auto show = [&] {
        return await<JobView>([&](auto done) { store.show("nine", std::move(done)); })
            .value_or(JobView{});
    };
    const auto body = show().job.body;
    auto changed = nineInBerlin();
    changed.text = "get up";
    const auto answer = await<CreatedReminder>([&](auto done) {
        reminders->replace({"nine", body, changed}, std::move(done));
    });
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::Conflict);
    EXPECT_THAT(answer.error().message, HasSubstr("nine has been changed meanwhile"));
    EXPECT_THAT(answer.error().message, HasSubstr("it is trashed"));
    EXPECT_EQ(show().state, JobState::Trashed);
    EXPECT_EQ(show().job.body, body);
}

TEST_F(SeriesListTest, ofTwoWhoReplaceASeriesAtOneMomentTheLaterIsRefused)
{
    create(nineInBerlin());
    const auto body = only().job.job.body;
    auto first = nineInBerlin();
    first.text = "get up";
    auto second = nineInBerlin();
    second.text = "stay in bed";
    std::vector<Result<CreatedReminder>> answers;
    // Both look at it before either changes it.
    reminders_->replace({"nine", body, first},
                        [&](auto answer) { answers.push_back(std::move(answer)); });
    const auto later = replace(second, body);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_TRUE(answers.front()) << answers.front().error().message;
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().code, ErrorCode::Conflict);
    EXPECT_THAT(later.error().message, HasSubstr("nine has been changed meanwhile"));
    EXPECT_EQ(only().series->job.body, "get up");
}

TEST_F(SeriesListTest, replacingRefusesWhatItDoesNotKnow)
{
    const auto code = [&](const ReminderRequest& request, std::string seen) {
        const auto answer = replace(request, std::move(seen));
        return answer ? ErrorCode::Internal : answer.error().code;
    };
    EXPECT_EQ(code(nineInBerlin(), ""), ErrorCode::NotFound);
    create(nineInBerlin());
    const auto body = only().job.job.body;
    EXPECT_EQ(code(nineInBerlin(), "another one"), ErrorCode::Conflict) << "changed since";
    auto once = nineInBerlin();
    once.every = {};
    once.at = "2026-04-01 09:00";
    EXPECT_EQ(code(once, body), ErrorCode::Invalid) << "does not come again";
    ASSERT_TRUE(await<void>([&](auto done) {
        store_.trash({"nine", "tester", {}}, std::move(done));
    }));
    EXPECT_EQ(code(nineInBerlin(), body), ErrorCode::Conflict) << "it has ended";
}

}  // namespace
}  // namespace restante::reminder
