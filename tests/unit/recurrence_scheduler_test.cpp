#include "core/reminder/recurrence_scheduler.h"
#include "core/reminder/series.h"
#include "core/schedule/lease_reaper.h"
#include "tests/unit/reminder_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace restante::reminder {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A daemon with a scheduler, and a recipient that takes at once what is due.
struct Daemon {
    Daemon(EventLoop& loop, DelayQueue& queue, const Settings& settings)
        : due(loop, queue.clock(), queue.store()),
          leaseReaper(queue, due),
          scheduler(queue, due, settings)
    {
    }
    DueWatcher due;
    LeaseReaper leaseReaper;
    RecurrenceScheduler scheduler;
};

class RecurrenceSchedulerTest : public ReminderFixture {
protected:
    Result<CreatedReminder> create(ReminderRequest request)
    {
        request.to = request.to.empty() ? "https://example.org/hook" : request.to;
        request.text = "wake up";
        request.timeZone = "UTC";
        return await<CreatedReminder>(
            [&](auto done) { reminders().create(request, std::move(done)); });
    }
    Result<CreatedReminder> every(const std::string& rule)
    {
        ReminderRequest request;
        request.every = rule;
        request.id = "series";
        return create(request);
    }
    Reminders& reminders()
    {
        reminders_ = Reminders::make(queue_, store_, settings_);
        return *reminders_;
    }
    Result<std::uint64_t> cancel(const std::string& bizKey)
    {
        return await<std::uint64_t>(
            [&](auto done) { reminders().cancel(bizKey, "tester", std::move(done)); });
    }

    void start() { daemon_ = std::make_unique<Daemon>(loop_, queue_, settings_); }
    void kill() { daemon_.reset(); }

    /// Passes time in steps, and takes and finishes what is due for the courier after each.
    void createHourlyUntil(const char* expires)
    {
        ReminderRequest request;
        request.every = "hourly";
        request.expires = expires;
        ASSERT_TRUE(create(request));
    }
    void pass(Millis time, Millis step = 1min)
    {
        for (Millis passed{0}; passed < time; passed += step) {
            loop_.advance(step);
            deliver();
        }
    }
    void deliver()
    {
        auto jobs = await<std::vector<ClaimedJob>>([&](auto done) {
            store_.claim({Channel::Webhook, {std::string(kTopic)}, 1'000}, std::move(done));
        });
        for (const auto& job : *jobs) {
            sent_.push_back(shown(job.due));
            EXPECT_TRUE(await<std::uint64_t>(
                [&](auto done) { store_.finish(leaseOf(job), std::move(done)); }));
        }
    }

    std::shared_ptr<Reminders> reminders_;
    std::unique_ptr<Daemon> daemon_;
    std::vector<std::string> sent_;  ///< the due times of what arrived, MM-DDTHH:MM
};

TEST_F(RecurrenceSchedulerTest, sendsEveryOccurrenceAtItsTimeAndNothingElse)
{
    ASSERT_TRUE(every("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0"));
    start();
    pass(72h);
    EXPECT_THAT(sent_, ElementsAre("03-01T09:00", "03-02T09:00", "03-03T09:00"));
    const auto series = jobs(JobState::Scheduled);
    ASSERT_THAT(series, SizeIs(1));
    EXPECT_EQ(series[0].due, parseTimestamp("2026-03-04T09:00:00Z").value());
    EXPECT_EQ(series[0].attempt, 0U);
}

TEST_F(RecurrenceSchedulerTest, finishesTheSeriesAfterItsLastOccurrence)
{
    ASSERT_TRUE(every("FREQ=HOURLY;COUNT=3"));
    start();
    pass(5h);
    EXPECT_THAT(sent_, ElementsAre("03-01T00:00", "03-01T01:00", "03-01T02:00"));
    EXPECT_THAT(jobs(JobState::Scheduled), IsEmpty());
}

TEST_F(RecurrenceSchedulerTest, sendsNothingAfterTheSeriesHasExpired)
{
    createHourlyUntil("2026-03-01 02:30");
    start();
    pass(5h);
    EXPECT_THAT(sent_, SizeIs(3));
    EXPECT_THAT(jobs(JobState::Scheduled), IsEmpty());
}

TEST_F(RecurrenceSchedulerTest, waitsForNoOccurrenceThatExpiresWhenItIsDue)
{
    createHourlyUntil("2026-03-01 02:00");
    start();
    pass(90min);
    EXPECT_THAT(sent_, ElementsAre("03-01T00:00", "03-01T01:00"));
    EXPECT_THAT(jobs(JobState::Scheduled), IsEmpty());
}

TEST_F(RecurrenceSchedulerTest, survivesARestart)
{
    ASSERT_TRUE(every("daily"));
    start();
    pass(36h, 1h);
    kill();
    start();
    pass(36h, 1h);
    EXPECT_THAT(sent_, ElementsAre("03-01T00:00", "03-02T00:00", "03-03T00:00", "03-04T00:00"));
}

TEST_F(RecurrenceSchedulerTest, catchesUpWithWhatIsNotTooLate)
{
    ASSERT_TRUE(every("FREQ=MINUTELY;INTERVAL=20"));
    pass(2h + 10min);  // no scheduler runs
    start();
    loop_.settle();
    deliver();
    EXPECT_THAT(sent_, ElementsAre("03-01T01:20", "03-01T01:40", "03-01T02:00"));
}

TEST_F(RecurrenceSchedulerTest, sendsTheLastOfThoseMissedOnce)
{
    ASSERT_TRUE(every("daily"));
    pass(5 * 24h + 10h, 1h);
    start();
    loop_.settle();
    deliver();
    EXPECT_THAT(sent_, ElementsAre("03-06T00:00"));
    pass(24h, 1h);
    EXPECT_THAT(sent_, ElementsAre("03-06T00:00", "03-07T00:00"));
}

TEST_F(RecurrenceSchedulerTest, skipsThoseMissedWhenAsked)
{
    settings_.missed = Missed::Skip;
    ASSERT_TRUE(every("daily"));
    pass(5 * 24h + 10h, 1h);
    start();
    pass(24h, 1h);
    EXPECT_THAT(sent_, ElementsAre("03-07T00:00"));
}

TEST_F(RecurrenceSchedulerTest, sendsNoOccurrenceTwiceAfterACrashInBetween)
{
    ASSERT_TRUE(every("hourly"));
    // What a scheduler did before it died: claimed, pushed, and never moved the series on.
    auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store_.claim({Channel::Pull, {std::string(kSeriesTopic)}, 1}, std::move(done));
    });
    ASSERT_THAT(*claimed, SizeIs(1));
    const auto series = Series::parse(claimed->front().job.body).value();
    ASSERT_TRUE(await<PushOutcome>([&](auto done) {
        queue_.push(occurrenceOf(series, "series", claimed->front().due, 1), std::move(done));
    }));
    deliver();  // and forgotten
    start();
    pass(3h + 30min);
    EXPECT_THAT(sent_, ElementsAre("03-01T00:00", "03-01T01:00", "03-01T02:00", "03-01T03:00"));
}

TEST_F(RecurrenceSchedulerTest, sendsTheOccurrenceOfARollerThatDiedBeforeIt)
{
    ASSERT_TRUE(every("hourly"));
    ASSERT_TRUE(await<std::vector<ClaimedJob>>([&](auto done) {
        store_.claim({Channel::Pull, {std::string(kSeriesTopic)}, 1}, std::move(done));
    }));
    start();
    pass(1h + 30min);
    EXPECT_THAT(sent_, ElementsAre("03-01T00:00", "03-01T01:00"));
}

TEST_F(RecurrenceSchedulerTest, losesNoOccurrenceWhenItIsPostponedToTheNextOne)
{
    settings_.minInterval = 1s;
    bool isFull = true;
    DelayQueue::Settings settings;
    settings.checkJob = [&isFull](const Job& job) -> Result<void> {
        if (isFull && job.topic == kTopic) {
            return failure(ErrorCode::Full, "the store is full");
        }
        return {};
    };
    DelayQueue queue{store_, clock_, settings};
    ASSERT_TRUE(every("FREQ=SECONDLY;INTERVAL=5"));
    const Daemon daemon(loop_, queue, settings_);
    loop_.settle();
    isFull = false;
    loop_.advance(6s);
    deliver();
    EXPECT_THAT(sent_, SizeIs(2)) << "of 00:00:00 and 00:00:05";
}

TEST_F(RecurrenceSchedulerTest, sharesTheSeriesWithAnotherOne)
{
    for (int i = 0; i < 30; ++i) {
        ReminderRequest request;
        request.every = "30m";
        request.id = "series-" + std::to_string(i);
        ASSERT_TRUE(create(request));
    }
    start();
    Daemon other(loop_, queue_, settings_);
    pass(2h - 1min);
    EXPECT_THAT(sent_, SizeIs(30 * 4));
}

TEST_F(RecurrenceSchedulerTest, buriesWhatIsNoSeries)
{
    PushOptions order;
    order.job.id = "stranger";
    order.job.topic = kSeriesTopic;
    order.job.body = "hello";
    ASSERT_TRUE(await<PushOutcome>([&](auto done) { queue_.push(order, std::move(done)); }));
    start();
    loop_.settle();
    const auto dead = jobs(JobState::Dead);
    ASSERT_THAT(dead, SizeIs(1));
    EXPECT_THAT(dead[0].lastError, HasSubstr("not a series"));
}

TEST_F(RecurrenceSchedulerTest, stopsWhenTheSetIsCancelled)
{
    ASSERT_TRUE(every("hourly"));
    start();
    loop_.advance(90min);  // two occurrences wait for the recipient
    EXPECT_EQ(cancel("series").value(), 3U);
    pass(5h);
    EXPECT_THAT(sent_, IsEmpty());
    EXPECT_THAT(jobs(JobState::Trashed), SizeIs(3));
    EXPECT_EQ(cancel("series").error().code, ErrorCode::NotFound);
}

TEST_F(RecurrenceSchedulerTest, doesNotCancelAReminderThatEndsInThatMoment)
{
    ReminderRequest request;
    request.in = "1h";
    request.bizKey = "member 7";
    ASSERT_TRUE(create(request));
    const auto id = jobs(JobState::Scheduled).at(0).job.id;
    const auto cancelled = await<std::uint64_t>([&](auto done) {
        reminders().cancel("member 7", "tester", std::move(done));
        // Behind the look for what is pending, ahead of the write.
        store_.bury({.id = id}, "refused", [](const auto&) {});
    });
    ASSERT_FALSE(cancelled) << *cancelled << " cancelled";
    EXPECT_EQ(cancelled.error().code, ErrorCode::NotFound);
    EXPECT_THAT(jobs(JobState::Dead), SizeIs(1));
}

/// Can trash nothing.
class BrokenTrash final : public MemoryJobStore {
public:
    using MemoryJobStore::MemoryJobStore;
    void trash(OperatorAction action, Done<void> done) override
    {
        // Answered later, as by a store.
        show(action.id, [done = std::move(done)](const auto&) {
            done(failure(ErrorCode::Internal, "WRONGTYPE the trash is no sorted set"));
        });
    }
};

TEST_F(RecurrenceSchedulerTest, saysWhyWhatIsPendingCannotBeCancelled)
{
    BrokenTrash store(loop_, clock_);
    DelayQueue queue(store, clock_, {});
    const auto reminders = Reminders::make(queue, store, settings_);
    ReminderRequest request;
    request.to = "https://example.org/hook";
    request.text = "wake up";
    request.in = "1h";
    request.bizKey = "member 7";
    ASSERT_TRUE(
        await<CreatedReminder>([&](auto done) { reminders->create(request, std::move(done)); }));
    const auto cancelled = await<std::uint64_t>(
        [&](auto done) { reminders->cancel("member 7", "tester", std::move(done)); });
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::Internal) << "not that none is pending";
}

TEST_F(RecurrenceSchedulerTest, cancelsAllOffsetsOfASetAndNothingElse)
{
    ReminderRequest request;
    request.event = "2026-12-31";
    request.offsets = "15d,3d";
    request.bizKey = "member 7";
    ASSERT_THAT(create(request)->jobs, SizeIs(2));
    Job other;
    other.id = "other";
    other.topic = "order";
    other.bizKey = "member 7";
    ASSERT_TRUE(await<PushOutcome>(
        [&](auto done) { queue_.push({.job = other, .delay = 1h}, std::move(done)); }));
    EXPECT_EQ(cancel("member 7").value(), 2U);
    EXPECT_THAT(jobs(JobState::Scheduled), SizeIs(1));
    EXPECT_EQ(cancel("").error().code, ErrorCode::Invalid);
}

TEST_F(RecurrenceSchedulerTest, storesAnIdOnlyOnce)
{
    const auto first = every("daily");
    const auto again = every("daily");
    EXPECT_EQ(first->status, PushStatus::Stored);
    EXPECT_EQ(first->bizKey, "series");
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_EQ(every("hourly").error().code, ErrorCode::Conflict);
    EXPECT_THAT(jobs(JobState::Ready), SizeIs(1));
}

TEST_F(RecurrenceSchedulerTest, knowsASeriesAgainThatBeginsWhenItIsAskedFor)
{
    const auto first = every("2h");
    loop_.advance(7min);
    const auto again = every("2h");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_EQ(again->jobs.at(0).due, first->jobs.at(0).due);
    EXPECT_EQ(again->bizKey, first->bizKey);
    EXPECT_EQ(every("3h").error().code, ErrorCode::Conflict);
    ReminderRequest given;
    given.every = "2h";
    given.id = "series";
    given.at = "2026-12-24T18:00:00Z";
    EXPECT_EQ(create(given).error().code, ErrorCode::Conflict);
}

TEST_F(RecurrenceSchedulerTest, storesAllOfASetOrNothing)
{
    Job other;
    other.id = "set.3d";
    other.topic = "order";
    ASSERT_TRUE(await<PushOutcome>(
        [&](auto done) { queue_.push({.job = other, .delay = 1h}, std::move(done)); }));
    ReminderRequest request;
    request.id = "set";
    request.event = "2026-12-31";
    request.offsets = "15d,3d,1d";
    EXPECT_EQ(create(request).error().code, ErrorCode::Conflict);
    EXPECT_THAT(jobs(JobState::Scheduled), SizeIs(1));
}

TEST_F(RecurrenceSchedulerTest, refusesASeriesWhoseOccurrencesWouldBeRefused)
{
    DelayQueue::Settings choosy;
    choosy.checkJob = [](const Job& job) -> Result<void> {
        if (job.topic == kTopic) {
            return failure(ErrorCode::Invalid, "channel: is off");
        }
        return {};
    };
    DelayQueue queue{store_, clock_, choosy};
    const auto reminders = Reminders::make(queue, store_, settings_);
    ReminderRequest request;
    request.to = "https://example.org/hook";
    request.text = "wake up";
    request.every = "daily";
    request.timeZone = "UTC";
    const auto created =
        await<CreatedReminder>([&](auto done) { reminders->create(request, std::move(done)); });
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().message, "channel: is off");
    EXPECT_THAT(jobs(JobState::Scheduled), IsEmpty());
}

TEST_F(RecurrenceSchedulerTest, refusesASeriesWhoseOccurrencesExpireBeforeTheyAreTried)
{
    ReminderRequest request;
    request.every = "daily";
    request.retry = "5m,10m";
    for (const char* expires : {"1m", "5m", "2026-03-01 00:05"}) {
        request.expires = expires;
        const auto refused = create(request);
        ASSERT_FALSE(refused) << expires;
        EXPECT_THAT(refused.error().message, AllOf(HasSubstr("expires: "), HasSubstr("5m")));
    }
    EXPECT_THAT(jobs(JobState::Scheduled), IsEmpty());
    request.expires = "6m";
    EXPECT_TRUE(create(request));
}

TEST_F(RecurrenceSchedulerTest, refusesMoreThanASenderMayHave)
{
    settings_.perSender = 3;
    ReminderRequest request;
    request.sender = "sip:club@example.org";
    request.event = "2026-12-31";
    request.offsets = "15d,3d";
    ASSERT_TRUE(create(request));
    const auto refused = create(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
    EXPECT_THAT(refused.error().message, HasSubstr("reminder.per_sender"));
    request.sender = "sip:other@example.org";
    EXPECT_TRUE(create(request));
}

TEST_F(RecurrenceSchedulerTest, takesARepetitionFromASenderWhoMayHaveNoMore)
{
    settings_.perSender = 2;
    ReminderRequest request;
    request.sender = "sip:club@example.org";
    request.event = "2026-12-31";
    request.offsets = "15d,3d";
    request.id = "end";
    ASSERT_TRUE(create(request));
    const auto again = create(request);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    request.id = "more";
    EXPECT_FALSE(create(request));
}

TEST_F(RecurrenceSchedulerTest, doesNotHoldAgainstASenderWhatIsOver)
{
    settings_.perSender = 2;
    ReminderRequest request;
    request.sender = "sip:club@example.org";
    request.in = "1h";
    for (int i = 0; i < 5; ++i) {
        request.bizKey = "set " + std::to_string(i);
        ASSERT_TRUE(create(request));
        ASSERT_EQ(cancel(request.bizKey).value(), 1U);
    }
    EXPECT_THAT(jobs(JobState::Trashed), SizeIs(5));
}

}  // namespace
}  // namespace restante::reminder
