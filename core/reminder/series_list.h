#pragma once

#include "core/queue/job_inspector.h"
#include "core/reminder/series.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::reminder {

/// An occurrence that was due. *Value.*
struct LastRun {
    TimePoint at{};
    std::string id;  ///< of its job
    /// None = the store has no such job: it was delivered and forgotten, or removed, or never sent.
    std::optional<JobView> job = {};
};

/// A series as people see it. *Value.*
struct SeriesView {
    JobView job;                        ///< that stands for it; one that is held is paused
    std::optional<Series> series = {};  ///< none = nobody can read it
    std::string problem = {};           ///< why, or why its times are not known; empty = they are
    std::vector<TimePoint> next = {};   ///< as many as were asked for; fewer = it ends
    std::optional<LastRun> last = {};   ///< none = none was due yet

    bool isPaused() const noexcept { return job.state == JobState::Held; }
};

/// What the job of a series tells, by the recurrence that the RecurrenceScheduler goes by: its next
/// `count` times, the first of which has passed when nobody has sent it yet. Of one that is paused
/// they are those that come once it is resumed. `last` names the job and does not know it. Pure.
SeriesView seriesViewOf(JobView job, TimePoint now, std::size_t count, std::uint32_t shards);

/// The id of the series that has pushed this job; none when no series has.
std::optional<std::string> seriesOf(const Job& job);

struct SeriesQuery {
    std::uint32_t next = 5;          ///< times of each
    std::uint32_t most = 1'000;      ///< series
    std::uint64_t budget = 200'000;  ///< jobs looked at: among them are those that are paused
};

struct SeriesList {
    std::vector<SeriesView> series;  ///< which have not ended; state by state, by their next time
    bool complete = true;            ///< false: `most` or the budget was reached
};

/// Every series with what became of its last occurrence. Borrows the inspector until it answers.
void listSeries(JobInspector& inspector,
                const Clock& clock,
                std::uint32_t shards,
                SeriesQuery query,
                Done<SeriesList> done);

}  // namespace restante::reminder
