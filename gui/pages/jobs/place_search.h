#pragma once

#include "gui/session/job_row.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace restante::gui {

/// Whether `a` stands before `b` in a ranked view: JobSearch has the order.
bool standsBefore(const JobRow& a, const JobRow& b, bool descending);
/// Nothing has moved it: the same job in the same state at the same moment.
bool standsAs(const JobRow& a, const JobRow& b);

/// Looks for the rank at which a job stands in a ranked view, or would stand if it has left: every
/// page that is known narrows it down, so that some twenty pages find it among millions. *Value.*
class PlaceSearch {
public:
    PlaceSearch(JobRow job, bool descending, std::uint64_t total);

    /// What stands at the rank `first` and after it.
    void note(std::uint64_t first, const std::vector<JobRow>& rows);
    /// Its rank, once that is certain.
    std::optional<std::uint64_t> rank() const;
    /// Where to look next: near `guess` as far as that is possible, else in the middle.
    std::uint64_t next(std::uint64_t guess) const;

private:
    JobRow job_;
    bool descending_;
    std::uint64_t from_ = 0;  ///< what stands before it stands before this rank
    std::uint64_t to_;        ///< nothing from here on stands before it
};

}  // namespace restante::gui
