#include "gui/pages/jobs/ranked_pages.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace restante::gui {

namespace {

auto sortKeyOf(const JobRow& row)
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
    markUsed(page);
    while (pages_.size() > kMaxPages) {
        pages_.erase(pagesByUse_.front());
        pagesByUse_.erase(pagesByUse_.begin());
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
            markUsed(page);
        }
    }
}

void PageCache::clear()
{
    pages_.clear();
    pagesByUse_.clear();
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

void PageCache::markUsed(std::uint64_t page)
{
    std::erase(pagesByUse_, page);
    pagesByUse_.push_back(page);
}

bool sortsBefore(const JobRow& a, const JobRow& b, bool descending)
{
    return descending ? sortKeyOf(b) < sortKeyOf(a) : sortKeyOf(a) < sortKeyOf(b);
}

bool sortsEqual(const JobRow& a, const JobRow& b)
{
    return sortKeyOf(a) == sortKeyOf(b);
}

RankSearch::RankSearch(JobRow job, bool descending, std::uint64_t total)
    : job_(std::move(job)),
      descending_(descending),
      highestRank_(total)
{
}

void RankSearch::addRows(std::uint64_t first, const std::vector<JobRow>& rows)
{
    const auto split = std::partition_point(rows.begin(), rows.end(), [this](const JobRow& row) {
        return sortsBefore(row, job_, descending_);
    });
    const auto rowsBefore = static_cast<std::uint64_t>(split - rows.begin());
    if (rowsBefore > 0) {
        lowestRank_ = std::max(lowestRank_, first + rowsBefore);
    }
    if (rowsBefore < rows.size() || rows.empty()) {
        highestRank_ = std::min(highestRank_, first + rowsBefore);
    }
}

std::optional<std::uint64_t> RankSearch::rank() const
{
    return lowestRank_ < highestRank_ ? std::nullopt : std::optional(lowestRank_);
}

std::uint64_t RankSearch::nextProbe(std::uint64_t guess) const
{
    return guess >= lowestRank_ && guess < highestRank_
               ? guess
               : lowestRank_ + (highestRank_ - lowestRank_) / 2;
}

}  // namespace restante::gui
