#include "gui/pages/jobs/place_search.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace restante::gui {

namespace {

auto placeOf(const JobRow& row)
{
    const auto state = std::find(kJobStates.begin(), kJobStates.end(), row.state);
    auto moment = row.due;
    if (row.state == JobState::Held) {
        // The store keeps them by when they expire; those that never do come last.
        moment = row.expires == TimePoint{} ? TimePoint::max() : row.expires;
    }
    return std::tuple(state - kJobStates.begin(), moment, std::cref(row.id));
}

}  // namespace

bool standsBefore(const JobRow& a, const JobRow& b, bool descending)
{
    const auto one = placeOf(descending ? b : a);
    const auto other = placeOf(descending ? a : b);
    return std::tie(std::get<0>(one), std::get<1>(one), std::get<2>(one).get()) <
           std::tie(std::get<0>(other), std::get<1>(other), std::get<2>(other).get());
}

bool standsAs(const JobRow& a, const JobRow& b)
{
    return !standsBefore(a, b, false) && !standsBefore(b, a, false);
}

PlaceSearch::PlaceSearch(JobRow job, bool descending, std::uint64_t total)
    : job_(std::move(job)),
      descending_(descending),
      to_(total)
{
}

void PlaceSearch::note(std::uint64_t first, const std::vector<JobRow>& rows)
{
    const auto split = std::partition_point(rows.begin(), rows.end(), [this](const JobRow& row) {
        return standsBefore(row, job_, descending_);
    });
    const auto before = static_cast<std::uint64_t>(split - rows.begin());
    if (before > 0) {
        from_ = std::max(from_, first + before);
    }
    if (before < rows.size() || rows.empty()) {
        to_ = std::min(to_, first + before);
    }
}

std::optional<std::uint64_t> PlaceSearch::rank() const
{
    return from_ < to_ ? std::nullopt : std::optional(from_);
}

std::uint64_t PlaceSearch::next(std::uint64_t guess) const
{
    return guess >= from_ && guess < to_ ? guess : from_ + (to_ - from_) / 2;
}

}  // namespace restante::gui
