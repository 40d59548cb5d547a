#include "gui/pages/detail/next_attempts.h"

#include <algorithm>
#include <optional>

namespace restante::gui {

namespace {

using After = AttemptPreview::After;

/// What a job without a schedule goes by unless the daemon is configured otherwise.
RetrySchedule standardSchedule(Channel channel)
{
    const auto* text =
        channel == Channel::Sip ? "0s,2m,10m,10m,1h,2h" : "0s,2m,10m,10m,1h,2h,6h,15h";
    return RetrySchedule::parse(text).value_or(RetrySchedule{});
}

bool ended(JobState state)
{
    return state == JobState::Dead || state == JobState::Trashed || state == JobState::Done;
}

/// A message goes on with its last interval until it expires; the others come to an end.
std::optional<Millis> waitOf(const RetrySchedule& retry, std::uint32_t attempt, bool withoutEnd)
{
    return withoutEnd ? std::optional(retry.waitBeforeWithoutEnd(attempt))
                      : retry.waitBefore(attempt);
}

}  // namespace

AttemptPreview previewAttempts(const JobView& view, TimePoint now, std::size_t most)
{
    const auto& job = view.job;
    AttemptPreview preview;
    if (ended(view.state) || view.byItself) {
        return preview;
    }
    if (view.state == JobState::Held && view.due == TimePoint::max()) {
        preview.after = After::WhenThere;
        return preview;
    }
    preview.standard = job.retry.empty();
    const bool pulled = job.channel == Channel::Pull && preview.standard;
    const auto retry = preview.standard ? standardSchedule(job.channel) : job.retry;
    const bool withoutEnd = preview.standard && job.channel == Channel::Sip;
    const bool rough = retry.print().find("jitter") != std::string::npos;

    auto at = view.due;
    auto wait = std::max(at - now, Millis{0});
    auto number = view.counted() + 1;
    if (view.state == JobState::Leased) {
        const auto next = pulled ? std::nullopt : waitOf(retry, number, withoutEnd);
        preview.after = pulled ? After::WhenAsked : After::Dead;
        if (!next) {
            return preview;
        }
        wait = *next;
        at = now + wait;
    }
    while (true) {
        if (job.expires && at >= *job.expires) {
            preview.after = After::Expires;
            return preview;
        }
        if (preview.attempts.size() == most) {
            preview.after = After::GoesOn;
            return preview;
        }
        preview.attempts.push_back({number, at, wait, rough && !preview.attempts.empty()});
        const auto next = pulled ? std::nullopt : waitOf(retry, ++number, withoutEnd);
        if (!next) {
            preview.after = pulled ? After::WhenAsked : After::Dead;
            return preview;
        }
        wait = *next;
        at = std::max(at, now) + wait;
    }
}

}  // namespace restante::gui
