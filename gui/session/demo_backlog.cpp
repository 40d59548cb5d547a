#include "gui/session/demo_backlog.h"

#include <algorithm>
#include <array>
#include <optional>

namespace restante::gui {

namespace {

constexpr std::array kNoted{JobState::Ready, JobState::Scheduled, JobState::Leased, JobState::Held,
                            JobState::Dead};

std::optional<JobState> noted(const std::string& word)
{
    const auto* found = std::find_if(kNoted.begin(), kNoted.end(),
                                     [&](JobState state) { return name(state) == word; });
    return found == kNoted.end() ? std::nullopt : std::optional{*found};
}

/// Of sorted lengths: what so many per cent of them do not exceed.
Millis percentile(const std::vector<Millis>& sorted, std::size_t percent)
{
    return sorted.empty() ? Millis{0}
                          : sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
}

}  // namespace

DemoBacklog::DemoBacklog(const PastRequest& request)
    : request_(request),
      first_(request.begin - request.begin.time_since_epoch() % request.step),
      steps_(static_cast<std::size_t>((request.end - first_ + request.step - Millis{1}) /
                                      request.step)),
      late_(steps_)
{
    for (const auto state : kNoted) {
        const bool isKnown =
            request.share.isAll() || state == JobState::Ready || state == JobState::Scheduled;
        if (isKnown) {
            jobs_[state].assign(steps_, 0);
        }
    }
}

TimePoint DemoBacklog::begin(std::size_t step) const
{
    return first_ + request_.step * static_cast<std::int64_t>(step);
}

/// The first that begins at or after it.
std::size_t DemoBacklog::stepAt(TimePoint at) const
{
    const auto steps = (std::max(at, first_) - first_ + request_.step - Millis{1}) / request_.step;
    return std::min(steps_, static_cast<std::size_t>(steps));
}

void DemoBacklog::add(const std::vector<HistoryRow>& history)
{
    for (std::size_t row = 0; row < history.size(); ++row) {
        if (const auto state = noted(history[row].to)) {
            const auto until = row + 1 < history.size() ? history[row + 1].at : request_.end;
            wait(*state, history[row].at, until);
        }
    }
}

void DemoBacklog::wait(JobState state, TimePoint since, TimePoint until)
{
    const auto counted = jobs_.find(state);
    if (counted == jobs_.end()) {
        return;
    }
    for (auto step = stepAt(since); step < stepAt(until); ++step) {
        counted->second[step] += 1;
        if (state == JobState::Ready) {
            late_[step].push_back(begin(step) - since);
        }
    }
}

std::vector<PastBacklog> DemoBacklog::steps(TimePoint from) const
{
    std::vector<PastBacklog> all;
    for (auto step = stepAt(from); step < steps_; ++step) {
        PastBacklog one;
        one.at = begin(step);
        one.until = one.at + request_.step;
        for (const auto& [state, jobs] : jobs_) {
            one.states[state] = jobs[step];
        }
        auto late = late_[step];
        std::sort(late.begin(), late.end());
        one.lateness = Lateness{percentile(late, 50), percentile(late, 95), percentile(late, 99),
                                percentile(late, 100)};
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace restante::gui
