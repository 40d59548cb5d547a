#include "gui/pages/jobs/page_cache.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

void PageCache::put(std::uint64_t page, std::vector<JobRow> rows)
{
    pages_[page] = std::move(rows);
    use(page);
    while (pages_.size() > kPages) {
        const auto oldest = used_.back();
        used_.pop_back();
        places_.erase(oldest);
        pages_.erase(oldest);
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
    places_.clear();
}

void PageCache::each(const std::function<void(std::uint64_t, const JobRow&)>& visit) const
{
    for (const auto& [page, rows] : pages_) {
        for (std::size_t at = 0; at < rows.size(); ++at) {
            visit(page * kPageRows + at, rows[at]);
        }
    }
}

void PageCache::eachPage(
    const std::function<void(std::uint64_t, const std::vector<JobRow>&)>& visit) const
{
    for (const auto& [page, rows] : pages_) {
        visit(page * kPageRows, rows);
    }
}

/// Lists that are swapped keep their places valid.
void PageCache::swap(PageCache& other) noexcept
{
    pages_.swap(other.pages_);
    used_.swap(other.used_);
    places_.swap(other.places_);
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
    if (const auto place = places_.find(page); place != places_.end()) {
        used_.erase(place->second);
    }
    used_.push_front(page);
    places_[page] = used_.begin();
}

}  // namespace restante::gui
