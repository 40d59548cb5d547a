#include "gui/jobs/jobs_feed.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace restante::gui {

namespace {

/// Rows beside the visible ones that are loaded as well: a turn of the wheel shows no gap, and
/// with a screen of rows it never takes more than three pages.
constexpr std::int64_t kMargin = 80;
/// While a scroll bar is dragged only the place where it rests for this long is asked for.
constexpr std::chrono::milliseconds kScrollPause{25};
/// Between two batches of a scan, so that others are served.
constexpr std::chrono::milliseconds kScanPause{15};
/// Found rows below the screen from which on a scan waits.
constexpr std::uint64_t kScanAhead = 1'000;
/// More rows than a table view can lay out with its 32-bit pixels.
constexpr std::uint64_t kMostRows = 50'000'000;

}  // namespace

JobsFeed::JobsFeed(QObject* parent) : QObject(parent)
{
    wantSoon_.setSingleShot(true);
    wantSoon_.setInterval(kScrollPause);
    connect(&wantSoon_, &QTimer::timeout, this, &JobsFeed::want);
    scanSoon_.setSingleShot(true);
    scanSoon_.setInterval(kScanPause);
    connect(&scanSoon_, &QTimer::timeout, this, &JobsFeed::askScan);
}

void JobsFeed::setSource(JobSource* source)
{
    cancelAll();
    source_ = source;
    view_ = {};
    begin();
}

void JobsFeed::show(const JobsView& view)
{
    cancelAll();
    view_ = view;
    begin();
    if (source_ == nullptr) {
        return;
    }
    if (ranked_) {
        ask(0);
    } else {
        continueScan();
    }
}

/// Forgets everything that is shown.
void JobsFeed::begin()
{
    ++epoch_;
    ranked_ = view_.ranked();
    answered_ = false;
    refreshing_ = false;
    visible_ = {0, 0};
    resize(0);
    cache_.clear();
    fresh_.clear();
    found_.clear();
    freshFound_.clear();
    cursor_.clear();
    scan_ = {};
    setError({});
    emit reset();
}

void JobsFeed::refresh()
{
    if (source_ == nullptr) {
        return;
    }
    if (!answered_) {
        show(JobsView(view_));
        return;
    }
    cancelAll();
    ++epoch_;
    refreshing_ = true;
    fresh_.clear();
    freshFound_.clear();
    cursor_.clear();
    if (ranked_) {
        want();
        return;
    }
    scan_ = {};
    continueScan();
}

void JobsFeed::setVisible(RowRange rows)
{
    if (rows.empty() || rows == visible_) {
        return;
    }
    visible_ = rows;
    cache_.touch(rows);
    if (ranked_) {
        if (!wantSoon_.isActive()) {
            wantSoon_.start();
        }
    } else if (scan_.phase == ScanState::Phase::Waiting) {
        continueScan();
    }
}

std::uint64_t JobsFeed::firstPage() const
{
    return PageCache::pageOf(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, visible_.first - kMargin)));
}

std::uint64_t JobsFeed::lastPage() const
{
    const auto last = std::max<std::int64_t>(static_cast<std::int64_t>(total_) - 1, 0);
    return PageCache::pageOf(static_cast<std::uint64_t>(std::min(last, visible_.last + kMargin)));
}

/// Asks for the pages around the screen, and for no others any more.
void JobsFeed::want()
{
    if (source_ == nullptr || !ranked_ || (!answered_ && !asked_.empty())) {
        return;
    }
    const auto first = std::min(firstPage(), lastPage());
    const auto last = lastPage();
    for (auto at = asked_.begin(); at != asked_.end();) {
        if (at->first < first || at->first > last) {
            source_->cancel(at->second);
            at = asked_.erase(at);
        } else {
            ++at;
        }
    }
    for (auto page = first; page <= last; ++page) {
        const bool here = refreshing_ ? fresh_.count(page) != 0 : cache_.has(page);
        if (!here && asked_.count(page) == 0) {
            ask(page);
        }
    }
    if (refreshing_) {
        swapWhenWhole();
    }
}

void JobsFeed::ask(std::uint64_t page)
{
    PageRequest request{epoch_, view_, page * PageCache::kPageRows, PageCache::kPageRows};
    const auto epoch = epoch_;
    asked_[page] = source_->page(std::move(request), {this, [this, page, epoch](auto answer) {
                                                          if (epoch == epoch_) {
                                                              take(page, std::move(answer));
                                                          }
                                                      }});
}

void JobsFeed::take(std::uint64_t page, Result<JobRows> answer)
{
    asked_.erase(page);
    if (!answer) {
        setError(answer.error());
        return;
    }
    if (answer->epoch != epoch_) {
        return;
    }
    setError({});
    answered_ = true;
    const auto total = std::min(answer->total, kMostRows);
    if (refreshing_) {
        fresh_[page] = std::move(answer->rows);
        freshTotal_ = total;
        swapWhenWhole();
        return;
    }
    resize(total);
    const auto first = static_cast<std::int64_t>(page * PageCache::kPageRows);
    const RowRange rows{first, first + static_cast<std::int64_t>(answer->rows.size()) - 1};
    cache_.put(page, std::move(answer->rows));
    emit rowsArrived(rows);
    want();
}

void JobsFeed::swapWhenWhole()
{
    if (!asked_.empty() || fresh_.empty()) {
        return;
    }
    emit aboutToSwap();
    refreshing_ = false;
    resize(freshTotal_);
    cache_.clear();
    for (auto& [page, rows] : fresh_) {
        cache_.put(page, std::move(rows));
    }
    fresh_.clear();
    emit swapped();
    want();
}

void JobsFeed::stopScan()
{
    if (ranked_ || scan_.phase == ScanState::Phase::Done) {
        return;
    }
    if (source_ != nullptr && scanTicket_ != 0) {
        source_->cancel(std::exchange(scanTicket_, 0));
    }
    scanSoon_.stop();
    scan_.phase = ScanState::Phase::Stopped;
    emit scanMoved();
}

void JobsFeed::continueScan()
{
    if (ranked_ || scan_.phase == ScanState::Phase::Done || scanTicket_ != 0) {
        return;
    }
    scan_.phase = ScanState::Phase::Running;
    askScan();
    emit scanMoved();
}

void JobsFeed::askScan()
{
    if (source_ == nullptr || scanTicket_ != 0) {
        return;
    }
    ScanRequest request;
    request.epoch = epoch_;
    request.view = view_;
    request.cursor = cursor_;
    const auto epoch = epoch_;
    scanTicket_ = source_->scan(std::move(request), {this, [this, epoch](auto answer) {
                                                         if (epoch == epoch_) {
                                                             takeScan(std::move(answer));
                                                         }
                                                     }});
}

void JobsFeed::takeScan(Result<ScanBatch> answer)
{
    scanTicket_ = 0;
    if (!answer) {
        scan_.phase = ScanState::Phase::Stopped;
        setError(answer.error());
        emit scanMoved();
        return;
    }
    if (answer->epoch != epoch_) {
        return;
    }
    setError({});
    answered_ = true;
    cursor_ = answer->cursor;
    scan_.examined += answer->examined;
    append(std::move(answer->rows));
    if (cursor_.empty()) {
        scan_.phase = ScanState::Phase::Done;
    } else if (total_ > static_cast<std::uint64_t>(visible_.last + 1) + kScanAhead) {
        scan_.phase = ScanState::Phase::Waiting;
    } else {
        scanSoon_.start();
    }
    emit scanMoved();
}

/// While a fresh look has found less than is shown, the old rows stay on the screen.
void JobsFeed::append(std::vector<JobRow> rows)
{
    auto& into = refreshing_ ? freshFound_ : found_;
    const auto from = into.size();
    const bool swap =
        refreshing_ && (cursor_.empty() || freshFound_.size() + rows.size() >= found_.size());
    if (swap) {
        emit aboutToSwap();
    }
    std::move(rows.begin(), rows.end(), std::back_inserter(into));
    scan_.found = into.size();
    if (swap) {
        refreshing_ = false;
        found_.swap(freshFound_);
        resize(found_.size());
        freshFound_.clear();
        emit swapped();
    } else if (!refreshing_) {
        resize(found_.size());
        emit rowsArrived(
            {static_cast<std::int64_t>(from), static_cast<std::int64_t>(found_.size()) - 1});
    }
}

void JobsFeed::replace(const JobRow& row)
{
    const auto at = rowOf(row.id);
    if (at < 0) {
        return;
    }
    if (ranked_) {
        *cache_.at(static_cast<std::uint64_t>(at)) = row;
    } else {
        found_[static_cast<std::size_t>(at)] = row;
    }
    emit rowsArrived({at, at});
}

bool JobsFeed::complete() const noexcept
{
    return ranked_ || (scan_.phase == ScanState::Phase::Done && !refreshing_);
}

const JobRow* JobsFeed::row(std::uint64_t row) const
{
    if (ranked_) {
        return cache_.at(row);
    }
    return row < found_.size() ? &found_[row] : nullptr;
}

std::int64_t JobsFeed::rowOf(const std::string& id) const
{
    if (ranked_) {
        return cache_.rowOf(id);
    }
    const auto found =
        std::find_if(found_.begin(), found_.end(), [&](const JobRow& row) { return row.id == id; });
    return found == found_.end() ? -1 : found - found_.begin();
}

void JobsFeed::eachLoaded(const std::function<void(std::uint64_t, const JobRow&)>& visit) const
{
    if (ranked_) {
        cache_.each(visit);
        return;
    }
    for (std::size_t at = 0; at < found_.size(); ++at) {
        visit(at, found_[at]);
    }
}

void JobsFeed::resize(std::uint64_t total)
{
    if (total == total_) {
        return;
    }
    const auto from = total_;
    emit aboutToResize(from, total);
    total_ = total;
    emit resized(from, total);
}

void JobsFeed::setError(std::optional<Error> error)
{
    const bool was = error_.has_value();
    error_ = std::move(error);
    if (was || error_) {
        emit errorChanged();
    }
}

void JobsFeed::cancelAll()
{
    wantSoon_.stop();
    scanSoon_.stop();
    if (source_ != nullptr) {
        for (const auto& [page, ticket] : asked_) {
            source_->cancel(ticket);
        }
        if (scanTicket_ != 0) {
            source_->cancel(scanTicket_);
        }
    }
    asked_.clear();
    scanTicket_ = 0;
}

}  // namespace restante::gui
