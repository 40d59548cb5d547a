#pragma once

#include "gui/session/jobs_view.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

/// Rows `first` to `last`, both included; empty while last < first. *Value.*
struct RowRange {
    std::int64_t first = 0;
    std::int64_t last = -1;

    bool empty() const noexcept { return last < first; }
    friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// The loaded rows of a long table, by page; the least recently used pages are dropped first.
/// *Value.*
class PageCache {
public:
    static constexpr std::uint32_t kPageRows = 200;
    /// 10,000 rows: a screen of 8K with the smallest font has 300, and a row weighs about 1 KiB.
    static constexpr std::size_t kMaxPages = 50;

    static std::uint64_t pageOf(std::uint64_t row) noexcept { return row / kPageRows; }

    void put(std::uint64_t page, std::vector<JobRow> rows);
    bool has(std::uint64_t page) const { return pages_.count(page) != 0; }
    /// Null when it has not been loaded.
    const JobRow* at(std::uint64_t row) const;
    JobRow* at(std::uint64_t row);
    /// Marks the pages of these rows as used.
    void touch(RowRange rows);
    void clear();
    /// Every loaded row, by row number.
    void each(const std::function<void(std::uint64_t, const JobRow&)>& visit) const;
    /// The row of a job that has been loaded; -1 for others.
    std::int64_t rowOf(const std::string& id) const;
    /// The loaded pages, by their number.
    const std::map<std::uint64_t, std::vector<JobRow>>& pages() const noexcept { return pages_; }

private:
    void markUsed(std::uint64_t page);

    std::map<std::uint64_t, std::vector<JobRow>> pages_;
    std::vector<std::uint64_t> pagesByUse_;  ///< page numbers, least recently used first
};

/// Whether `a` stands before `b` in a ranked view: JobSearch has the order.
bool sortsBefore(const JobRow& a, const JobRow& b, bool descending);
/// Whether both have the same sort key: the same job in the same state and with the same time.
bool sortsEqual(const JobRow& a, const JobRow& b);

/// Looks for the rank at which a job stands in a ranked view, or would stand if it has left: every
/// page that is known narrows it down, so that some twenty pages find it among millions. *Value.*
class RankSearch {
public:
    RankSearch(JobRow job, bool descending, std::uint64_t total);

    /// Narrows the search by the rows from rank `first` on.
    void addRows(std::uint64_t first, const std::vector<JobRow>& rows);
    /// Its rank, once that is certain.
    std::optional<std::uint64_t> rank() const;
    /// The rank to load next: `guess` when it is still possible, else the middle.
    std::uint64_t nextProbe(std::uint64_t guess) const;

private:
    JobRow job_;
    bool descending_;
    std::uint64_t lowestRank_ = 0;  ///< the job's rank is at least this
    std::uint64_t highestRank_;     ///< and at most this
};

}  // namespace restante::gui
