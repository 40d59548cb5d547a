#pragma once

#include "core/queue/job_inspector.h"
#include "core/reminder/series.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::reminder {

/// The last occurrence that was due. *Value.*
struct LastOccurrence {
    TimePoint at{};
    std::string id;  ///< of its job
    /// None = the store has no such job: it was delivered and removed, or deleted, or never sent.
    std::optional<JobView> job = {};
};

/// A series for display. *Value.*
struct SeriesView {
    JobView job;                        ///< the job of the series; held = paused
    std::optional<Series> series = {};  ///< none = its body cannot be read
    std::string problem =
        {};  ///< why it cannot be read, or its times are not known; empty = no problem
    std::vector<TimePoint> next = {};  ///< as many as were asked for; fewer = the series ends
    std::optional<LastOccurrence> last = {};  ///< none = nothing was due yet

    bool isPaused() const noexcept { return job.state == JobState::Held; }
};

/// Reads the job of a series and computes, as the RecurrenceScheduler does, its next `count` times;
/// the first has passed when it has not been sent yet. For a paused series they are those after it
/// is resumed. `last` has the id of its job, not the job. Pure.
SeriesView seriesViewOf(JobView job, TimePoint now, std::size_t count, std::uint32_t shards);

/// The id of the series that has pushed this job; none when no series has.
std::optional<std::string> seriesOf(const Job& job);

struct SeriesQuery {
    std::uint32_t times = 5;             ///< times per series
    std::uint32_t maxSeries = 1'000;     ///< series
    std::uint64_t scanBudget = 200'000;  ///< jobs examined, among which are all held ones
};

struct SeriesList {
    std::vector<SeriesView>
        series;            ///< by state, then in the order of a search; those dead included
    bool complete = true;  ///< false: `maxSeries` or the budget was reached
};

/// Every series with what became of its last occurrence. Borrows the inspector and the
/// clock until it answers.
void listSeries(JobInspector& inspector,
                const Clock& clock,
                std::uint32_t shards,
                SeriesQuery query,
                Done<SeriesList> done);

}  // namespace restante::reminder
