#include "gui/pages/jobs/ranked_pages.h"

#include <algorithm>
#include <string_view>
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
    return std::tuple(state - kJobStates.begin(), moment, std::string_view(row.id));
}

}  // namespace

void PageCache::put(std::uint64_t page, std::vector<JobRow> rows)
{
    pages_[page] = std::move(rows);
    use(page);
    while (pages_.size() > kPages) {
        pages_.erase(used_.front());
        used_.erase(used_.begin());
    }
}

const JobRow* PageCache::at(std::uint64_t row) const
{
    const auto found = pages_.find(pageOf(row));
    if (found == pages_.end() || row % kPageRows >= found->second.size()) {
        return nullptr;
    }
    return &found->second[row % kPageRows];
}

JobRow* PageCache::at(std::uint64_t row)
{
    return const_cast<JobRow*>(std::as_const(*this).at(row));
}

void PageCache::touch(RowRange rows)
{
    if (rows.empty()) {
        return;
    }
    const auto last = pageOf(static_cast<std::uint64_t>(rows.last));
    for (auto page = pageOf(static_cast<std::uint64_t>(rows.first)); page <= last; ++page) {
        if (has(page)) {
            use(page);
        }
    }
}

void PageCache::clear()
{
    pages_.clear();
    used_.clear();
}

void PageCache::each(const std::function<void(std::uint64_t, const JobRow&)>& visit) const
{
    for (const auto& [page, rows] : pages_) {
        for (std::size_t at = 0; at < rows.size(); ++at) {
            visit(page * kPageRows + at, rows[at]);
        }
    }
}

std::int64_t PageCache::rowOf(const std::string& id) const
{
    for (const auto& [page, rows] : pages_) {
        const auto found =
            std::find_if(rows.begin(), rows.end(), [&](const JobRow& row) { return row.id == id; });
        if (found != rows.end()) {
            return static_cast<std::int64_t>(page * kPageRows) + (found - rows.begin());
        }
    }
    return -1;
}

void PageCache::use(std::uint64_t page)
{
    std::erase(used_, page);
    used_.push_back(page);
}

bool standsBefore(const JobRow& a, const JobRow& b, bool descending)
{
    return descending ? placeOf(b) < placeOf(a) : placeOf(a) < placeOf(b);
}

bool standsAs(const JobRow& a, const JobRow& b)
{
    return placeOf(a) == placeOf(b);
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
