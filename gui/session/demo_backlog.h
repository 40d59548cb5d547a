#pragma once

#include "core/queue/job_history.h"
#include "gui/session/job_source.h"

#include <cstddef>
#include <map>
#include <vector>

namespace restante::gui {

/// What waited when, from the histories of jobs: what the daemon of the demonstration would have
/// noted. *Value.*
class DemoBacklog {
public:
    explicit DemoBacklog(const PastRequest& request);

    /// Oldest row first.
    void add(const std::vector<HistoryRow>& history);
    /// From the first step that begins at or after `from` on.
    std::vector<PastBacklog> steps(TimePoint from) const;

private:
    void wait(JobState state, TimePoint since, TimePoint until);
    std::size_t stepAt(TimePoint at) const;
    TimePoint begin(std::size_t step) const;

    PastRequest request_;
    TimePoint first_;
    std::size_t steps_;
    std::map<JobState, std::vector<double>> jobs_;  ///< at the beginning of each step
    std::vector<std::vector<Millis>> late_;         ///< of the jobs that are ready then
};

}  // namespace restante::gui
