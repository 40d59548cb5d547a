#pragma once

#include "gui/session/job_row.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>

namespace restante::gui {

/// Rows `first` to `last`, both included; empty while last < first. *Value.*
struct RowRange {
    std::int64_t first = 0;
    std::int64_t last = -1;

    bool empty() const noexcept { return last < first; }
    friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// The rows of a long table that have been loaded, page by page; the pages that were looked at
/// longest ago go first. *Value.*
class PageCache {
public:
    static constexpr std::uint32_t kPageRows = 200;
    /// 10,000 rows: a screen of 8K with the smallest font has 300, and a row weighs about 1 KiB.
    static constexpr std::size_t kPages = 50;

    static std::uint64_t pageOf(std::uint64_t row) noexcept { return row / kPageRows; }

    void put(std::uint64_t page, std::vector<JobRow> rows);
    bool has(std::uint64_t page) const { return pages_.count(page) != 0; }
    /// Null when it has not been loaded.
    const JobRow* at(std::uint64_t row) const;
    JobRow* at(std::uint64_t row);
    /// Keeps these pages from going when others come.
    void touch(RowRange rows);
    void clear();
    /// Every loaded row, by row number.
    void each(const std::function<void(std::uint64_t, const JobRow&)>& visit) const;
    /// Every loaded page, by its first row.
    void
    eachPage(const std::function<void(std::uint64_t, const std::vector<JobRow>&)>& visit) const;
    /// The row of a job that has been loaded; -1 for others.
    std::int64_t rowOf(const std::string& id) const;
    std::size_t pages() const noexcept { return pages_.size(); }
    void swap(PageCache& other) noexcept;

private:
    void use(std::uint64_t page);

    std::map<std::uint64_t, std::vector<JobRow>> pages_;
    std::list<std::uint64_t> used_;  ///< pages, the latest first
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

}  // namespace restante::gui
