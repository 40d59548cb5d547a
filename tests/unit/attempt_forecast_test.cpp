// When a job will be tried: what is foretold is what the queue then does.

#include "core/queue/attempt_forecast.h"
#include "core/queue/memory_job_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/manual_loop.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

JobView due(JobState state, TimePoint at)
{
    JobView view;
    view.state = state;
    view.due = at;
    return view;
}

constexpr TimePoint kForecastTime{Millis{1'000'000}};

AttemptForecast
forecast(const JobView& view, std::size_t most = 10, Reachability recipient = Reachability::Unknown)
{
    DelayQueue::Settings settings;
    settings.sipRetry = *RetrySchedule::parse("0s,2m,10m,10m,1h,2h");
    return forecastAttempts(settings, view, recipient, kForecastTime, most);
}

TEST(AttemptForecast, countFromTheDueTimeByTheIntervalsOfTheSchedule)
{
    auto view = due(JobState::Scheduled, kForecastTime + Millis{5'000});
    view.job.retry = *RetrySchedule::parse("0s,2m,10m");
    view.attempt = 1;
    const auto next = forecast(view);
    ASSERT_EQ(next.attempts.size(), 2U);
    EXPECT_EQ(next.attempts[0].number, 2U);
    EXPECT_EQ(next.attempts[0].at, view.due);
    EXPECT_EQ(next.attempts[1].at, view.due + std::chrono::minutes{10});
    EXPECT_EQ(next.after, AttemptForecast::After::Dead);
    EXPECT_FALSE(next.byChannelSchedule);
}

TEST(AttemptForecast, endWhereTheJobExpires)
{
    auto view = due(JobState::Ready, kForecastTime - Millis{1});
    view.job.channel = Channel::Webhook;
    view.job.expires = kForecastTime + std::chrono::minutes{5};
    const auto next = forecast(view);
    ASSERT_EQ(next.attempts.size(), 2U);
    EXPECT_TRUE(next.byChannelSchedule);
    EXPECT_EQ(next.after, AttemptForecast::After::Expires);
}

TEST(AttemptForecast, areNoneOfAJobThatHasEnded)
{
    for (const auto state : {JobState::Dead, JobState::Trashed, JobState::Done}) {
        EXPECT_TRUE(forecast(due(state, kForecastTime)).attempts.empty());
    }
}

TEST(AttemptForecast, areNoneUntilTheReleaseOfAJobThatAnOperatorHolds)
{
    auto view = due(JobState::Held, kForecastTime);
    view.heldOutsideMailbox = true;
    const auto next = forecast(view);
    EXPECT_TRUE(next.attempts.empty());
    EXPECT_EQ(next.after, AttemptForecast::After::OnRelease);
}

TEST(AttemptForecast, waitForTheRegistrationWhenTheMailboxDoes)
{
    const auto next = forecast(due(JobState::Held, TimePoint::max()));
    EXPECT_TRUE(next.attempts.empty());
    EXPECT_EQ(next.after, AttemptForecast::After::OnRegistration);
}

TEST(AttemptForecast, ofASipMessageGoOnWithTheLastInterval)
{
    auto view = due(JobState::Held, kForecastTime);
    view.job.channel = Channel::Sip;
    const auto next = forecast(view, 20);
    EXPECT_EQ(next.attempts.size(), 20U);
    EXPECT_EQ(next.after, AttemptForecast::After::GoesOn);
    EXPECT_EQ(next.attempts.back().wait, std::chrono::hours{2});
}

TEST(AttemptForecast, saysThatNothingIsUsedUpWhileNoDeviceIsRegistered)
{
    auto view = due(JobState::Held, kForecastTime + Millis{5'000});
    view.job.channel = Channel::Sip;
    const auto next = forecast(view, 10, Reachability::NoDevice);
    EXPECT_TRUE(next.attempts.empty());
    EXPECT_EQ(next.after, AttemptForecast::After::OnRegistration);
}

TEST(AttemptForecast, endsAPulledJobThatHasAnAttemptLimitOfTheDaemon)
{
    DelayQueue::Settings settings;
    settings.attempts = 3;
    auto view = due(JobState::Ready, kForecastTime);
    view.attempt = 1;
    const auto next = forecastAttempts(settings, view, Reachability::Unknown, kForecastTime, 10);
    ASSERT_EQ(next.attempts.size(), 2U);
    EXPECT_EQ(next.attempts.back().number, 3U);
    EXPECT_EQ(next.after, AttemptForecast::After::Dead);
}

TEST(AttemptForecast, areApproximateWhereTheJitterIsDecidedLater)
{
    auto view = due(JobState::Scheduled, kForecastTime + Millis{5'000});
    view.job.retry = *RetrySchedule::parse("exponential(base=10s,cap=1h,jitter=0.2,attempts=3)");
    view.attempt = 1;
    const auto waiting = forecast(view);
    ASSERT_EQ(waiting.attempts.size(), 2U);
    EXPECT_FALSE(waiting.attempts[0].approximate) << "its due time is known";
    EXPECT_TRUE(waiting.attempts[1].approximate);

    view.state = JobState::Leased;
    const auto leased = forecast(view);
    ASSERT_EQ(leased.attempts.size(), 2U);
    EXPECT_TRUE(leased.attempts[0].approximate);
    EXPECT_TRUE(leased.attempts[1].approximate);

    view.job.retry = *RetrySchedule::parse("0s,2m,10m");
    EXPECT_FALSE(forecast(view).attempts.at(0).approximate);
}

TEST(AttemptForecast, areExactWhereAnAttemptFollowsAtOnce)
{
    DelayQueue::Settings settings;
    settings.courierRetry = *RetrySchedule::parse("exponential(base=10s,cap=1h,jitter=0.2)");
    settings.attempts = 3;
    const auto next = forecastAttempts(settings, due(JobState::Ready, kForecastTime),
                                       Reachability::Unknown, kForecastTime, 10);
    ASSERT_EQ(next.attempts.size(), 3U) << "pulls have no schedule";
    EXPECT_FALSE(next.attempts[1].approximate);
}

/// The waits that are foretold, attempt by attempt, against what the queue decides after a failure.
TEST(AttemptForecast, isWhatTheQueueDoes)
{
    for (const auto channel : kChannels) {
        for (const auto* retry : {"", "0s,3s,20s", "exponential(base=1s,cap=5s,attempts=4)"}) {
            DelayQueue::Settings settings;
            settings.sipRetry = *RetrySchedule::parse("0s,0s");
            settings.courierRetry = *RetrySchedule::parse("0s,7s,9s");
            settings.attempts = 3;
            Job job;
            job.channel = channel;
            if (*retry != '\0') {
                job.retry = *RetrySchedule::parse(retry);
            }
            test::ManualClock clock;
            test::ManualLoop loop(clock);
            MemoryJobStore store(loop, clock, {});
            const DelayQueue queue(store, clock, settings);
            for (std::uint32_t failed = 1; failed <= 5; ++failed) {
                const auto decided = queue.nextAttempt(job, failed);
                const auto foretold = waitBefore(settings, job, failed + 1);
                ASSERT_EQ(decided.has_value(), foretold.has_value())
                    << name(channel) << ' ' << retry << " after " << failed;
                if (decided) {
                    EXPECT_GE(*decided, clock.now() + *foretold);
                    EXPECT_LE(*decided, clock.now() + *foretold + Millis{1});
                }
            }
        }
    }
}

}  // namespace
}  // namespace restante
