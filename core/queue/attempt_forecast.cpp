#include "core/queue/attempt_forecast.h"

#include <algorithm>

namespace restante {

namespace {

using After = AttemptForecast::After;

/// The schedule of a channel for which none is configured.
constexpr std::string_view kDefaultRetry = "0s,2m,10m,10m,1h,2h,6h,15h";
/// A schedule that ends in 0s must not turn a device that is away into a busy loop.
constexpr Millis kShortestEndlessWait{1'000};

const RetrySchedule& orDefault(const RetrySchedule& configured)
{
    static const auto kDefault = *RetrySchedule::parse(kDefaultRetry);
    return configured.empty() ? kDefault : configured;
}

const RetrySchedule& scheduleOf(const DelayQueue::Settings& settings, const Job& job)
{
    return !job.retry.empty()
               ? job.retry
               : orDefault(job.channel == Channel::Sip ? settings.sipRetry : settings.courierRetry);
}

}  // namespace

std::optional<Millis> waitBefore(const DelayQueue::Settings& settings,
                                 const Job& job,
                                 std::uint32_t attempt,
                                 double random)
{
    const auto& schedule = scheduleOf(settings, job);
    if (!job.retry.empty()) {
        return schedule.waitBefore(attempt, random);
    }
    switch (job.channel) {
    case Channel::Pull: {
        const bool isOver = settings.attempts != 0 && attempt > settings.attempts;
        return isOver ? std::nullopt : std::optional{Millis{0}};
    }
    case Channel::Sip: {
        const auto wait = schedule.waitBeforeWithoutEnd(attempt, random);
        return attempt > 1 ? std::max(wait, kShortestEndlessWait) : wait;
    }
    case Channel::Sms:
    case Channel::Webhook: break;
    }
    return schedule.waitBefore(attempt, random);
}

std::uint32_t attemptCountOf(const RetrySchedule& retry)
{
    constexpr std::uint32_t kMostCounted = 100;
    std::uint32_t attempts = 0;
    while (attempts <= kMostCounted && !retry.empty() && retry.waitBefore(attempts + 1)) {
        ++attempts;
    }
    return attempts <= kMostCounted ? attempts : 0;
}

AttemptForecast forecastAttempts(const DelayQueue::Settings& settings,
                                 const JobView& view,
                                 Reachability recipient,
                                 TimePoint now,
                                 std::size_t most)
{
    const auto& job = view.job;
    AttemptForecast forecast;
    if (!isLive(view.state)) {
        return forecast;
    }
    if (view.heldOutsideMailbox) {
        forecast.after = After::OnRelease;
        return forecast;
    }
    const bool isHeld = view.state == JobState::Held;
    if (isHeld && (view.due == TimePoint::max() || recipient == Reachability::NoDevice)) {
        forecast.after = After::OnRegistration;
        return forecast;
    }
    forecast.byChannelSchedule = job.retry.empty();
    const bool isEndlessPull =
        job.channel == Channel::Pull && forecast.byChannelSchedule && settings.attempts == 0;
    const bool hasJitter = scheduleOf(settings, job).toString().find("jitter") != std::string::npos;

    auto at = view.due;
    auto wait = std::max(at - now, Millis{0});
    auto number = view.countedAttempts() + 1;
    bool isWaitDecided = true;  // the due time of a job that waits has its jitter already
    if (view.state == JobState::Leased) {
        const auto next = isEndlessPull ? std::nullopt : waitBefore(settings, job, number);
        forecast.after = isEndlessPull ? After::OnPull : After::Dead;
        if (!next) {
            return forecast;
        }
        wait = *next;
        at = now + wait;
        isWaitDecided = false;
    }
    while (true) {
        if (job.expires && at >= *job.expires) {
            forecast.after = After::Expires;
            return forecast;
        }
        if (forecast.attempts.size() == most) {
            forecast.after = After::GoesOn;
            return forecast;
        }
        const bool isApproximate = hasJitter && !isWaitDecided && wait > Millis{0};
        forecast.attempts.push_back({number, at, wait, isApproximate});
        const auto next = isEndlessPull ? std::nullopt : waitBefore(settings, job, ++number);
        if (!next) {
            forecast.after = isEndlessPull ? After::OnPull : After::Dead;
            return forecast;
        }
        wait = *next;
        at = std::max(at, now) + wait;
        isWaitDecided = false;
    }
}

}  // namespace restante
