#include "gui/pages/jobs/jobs_feed.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

/// Rows above and below the visible ones that are loaded, too: a turn of the wheel shows no gap,
/// and for up to 240 visible rows no more than three pages are needed.
constexpr std::int64_t kMargin = 80;
/// While the user scrolls, rows are requested at most this often.
constexpr std::chrono::milliseconds kRequestInterval{25};
/// The pause between two batches of a scan, which lets other clients be served.
constexpr std::chrono::milliseconds kScanPause{15};
/// So many rows a table view can lay out with its 32-bit pixels.
constexpr std::uint64_t kMaxRows = 50'000'000;
/// A binary search among kMaxRows needs fewer; the limit ends one in a store that keeps changing.
constexpr int kMaxProbes = 24;
/// A scan waits when it has found this many rows below the screen; that of a refresh only once its
/// rows are the ones shown.
constexpr std::uint64_t kRowsBelowScreen = 1'000;

}  // namespace

JobsFeed::JobsFeed(QObject* parent) : QObject(parent)
{
    requestTimer_.setSingleShot(true);
    requestTimer_.setInterval(kRequestInterval);
    connect(&requestTimer_, &QTimer::timeout, this, &JobsFeed::requestVisiblePages);
    scanTimer_.setSingleShot(true);
    scanTimer_.setInterval(kScanPause);
    connect(&scanTimer_, &QTimer::timeout, this, &JobsFeed::requestScan);
}

void JobsFeed::setSource(JobSource* source)
{
    cancelAll();
    source_ = source;
    view_ = {};
    clear();
}

void JobsFeed::setView(const JobsView& view)
{
    cancelAll();
    view_ = view;
    clear();
    if (source_ == nullptr) {
        return;
    }
    if (ranked_) {
        requestPage(0);
    } else {
        continueScan();
    }
}

/// Drops everything that is shown.
void JobsFeed::clear()
{
    ++epoch_;
    ranked_ = view_.ranked();
    answered_ = false;
    refreshing_ = false;
    visibleRows_ = {0, 0};
    shift_ = 0;
    resize(0);
    asOf_ = source_ != nullptr ? source_->now() : TimePoint{};
    cache_.clear();
    freshPages_.clear();
    scannedRows_.clear();
    freshScannedRows_.clear();
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
        setView(JobsView(view_));
        return;
    }
    cancelAll();
    ++epoch_;
    refreshing_ = true;
    shift_ = 0;
    probes_ = 0;
    freshTotal_ = total_;
    freshAsOf_ = source_->now();
    freshPages_.clear();
    freshScannedRows_.clear();
    cursor_.clear();
    if (ranked_) {
        requestVisiblePages();
        return;
    }
    scan_ = {};
    continueScan();
}

void JobsFeed::setVisibleRows(RowRange rows)
{
    if (rows.empty() || rows == visibleRows_) {
        return;
    }
    visibleRows_ = rows;
    cache_.touch(rows);
    if (ranked_) {
        if (!requestTimer_.isActive()) {
            requestTimer_.start();
        }
    } else if (scan_.phase == ScanState::Phase::Waiting) {
        continueScan();
    }
}

std::pair<std::uint64_t, std::uint64_t> JobsFeed::pagesAroundScreen() const
{
    const auto shift = refreshing_ ? shift_ : 0;
    const auto total = static_cast<std::int64_t>(refreshing_ ? freshTotal_ : total_);
    const auto end = std::max<std::int64_t>(total - 1, 0);
    const auto page = [end](std::int64_t row) {
        return PageCache::pageOf(static_cast<std::uint64_t>(std::clamp<std::int64_t>(row, 0, end)));
    };
    return {page(visibleRows_.first + shift - kMargin), page(visibleRows_.last + shift + kMargin)};
}

/// Requests the pages around the screen and cancels requests for others.
void JobsFeed::requestVisiblePages()
{
    if (source_ == nullptr || !ranked_ || (!answered_ && !pendingPages_.empty())) {
        return;
    }
    const auto [first, last] = pagesAroundScreen();
    for (auto at = pendingPages_.begin(); at != pendingPages_.end();) {
        if (at->first < first || at->first > last) {
            source_->cancel(at->second);
            at = pendingPages_.erase(at);
        } else {
            ++at;
        }
    }
    for (auto page = first; page <= last; ++page) {
        const bool isLoaded = refreshing_ ? freshPages_.has(page) : cache_.has(page);
        if (!isLoaded && pendingPages_.count(page) == 0) {
            requestPage(page);
        }
    }
    if (refreshing_) {
        swapWhenLoaded();
    }
}

void JobsFeed::requestPage(std::uint64_t page)
{
    PageRequest request{epoch_, view_, page * PageCache::kPageRows, PageCache::kPageRows};
    const auto epoch = epoch_;
    const auto requestedAt = source_->now();
    pendingPages_[page] =
        source_->page(std::move(request), {this, [this, page, requestedAt, epoch](auto answer) {
                                               if (epoch == epoch_) {
                                                   handlePage(page, requestedAt, std::move(answer));
                                               }
                                           }});
}

void JobsFeed::handlePage(std::uint64_t page, TimePoint requestedAt, Result<JobRows> answer)
{
    pendingPages_.erase(page);
    if (!answer) {
        if (refreshing_) {
            // The whole refresh has failed; the old rows stay.
            cancelAll();
            refreshing_ = false;
            freshPages_.clear();
        }
        setError(answer.error());
        return;
    }
    if (answer->epoch != epoch_) {
        return;
    }
    setError({});
    answered_ = true;
    const auto total = std::min(answer->total, kMaxRows);
    if (refreshing_) {
        freshPages_.put(page, std::move(answer->rows));
        freshTotal_ = total;
        swapWhenLoaded();
        return;
    }
    resize(total);
    asOf_ = requestedAt;
    const auto first = static_cast<std::int64_t>(page * PageCache::kPageRows);
    const RowRange rows{first, first + static_cast<std::int64_t>(answer->rows.size()) - 1};
    cache_.put(page, std::move(answer->rows));
    emit rowsArrived(rows);
    requestVisiblePages();
}

void JobsFeed::swapWhenLoaded()
{
    if (!pendingPages_.empty() || freshPages_.pages().empty() || !findShift()) {
        return;
    }
    const auto [first, last] = pagesAroundScreen();
    for (auto page = first; page <= last; ++page) {
        if (!freshPages_.has(page) && probe(page)) {
            return;
        }
    }
    emit aboutToSwap();
    refreshing_ = false;
    resize(freshTotal_);
    asOf_ = freshAsOf_;
    cache_ = std::exchange(freshPages_, {});
    emit swapped();
    requestVisiblePages();
}

/// Sets shift_ to the distance that the first row on the screen has moved in the refreshed rows.
/// False when another page had to be requested to find it.
bool JobsFeed::findShift()
{
    const JobRow* top = nullptr;
    std::int64_t topAt = 0;
    for (auto at = visibleRows_.first; at <= visibleRows_.last; ++at) {
        const auto* row = cache_.at(static_cast<std::uint64_t>(at));
        if (row == nullptr) {
            continue;
        }
        // A row whose own sort key has changed does not show how far the others moved.
        const auto newRow = freshPages_.rowOf(row->id);
        if (newRow >= 0 && sortsEqual(*row, *freshPages_.at(static_cast<std::uint64_t>(newRow)))) {
            shift_ = newRow - at;
            return true;
        }
        if (top == nullptr) {
            top = row;
            topAt = at;
        }
    }
    if (top == nullptr) {
        shift_ = 0;
        return true;
    }
    RankSearch search(*top, view_.descending, freshTotal_);
    for (const auto& [page, rows] : freshPages_.pages()) {
        search.addRows(page * PageCache::kPageRows, rows);
    }
    if (const auto rank = search.rank()) {
        shift_ = static_cast<std::int64_t>(*rank) - topAt;
        return true;
    }
    // First guess: all new rows are above the screen.
    const auto guess = static_cast<std::uint64_t>(topAt) + freshTotal_ - total_;
    return !probe(PageCache::pageOf(search.nextProbe(guess)));
}

/// Requests a page to find the shift. False when it has been loaded, or at the limit of probes.
bool JobsFeed::probe(std::uint64_t page)
{
    if (freshPages_.has(page) || ++probes_ > kMaxProbes) {
        return false;
    }
    requestPage(page);
    return true;
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
        scannedRows_[static_cast<std::size_t>(at)] = row;
    }
    emit rowsArrived({at, at});
}

bool JobsFeed::complete() const noexcept
{
    return ranked_ || (scan_.phase == ScanState::Phase::Done && !refreshing_);
}

const JobRow* JobsFeed::row(std::int64_t row) const
{
    const auto at = static_cast<std::uint64_t>(row);
    if (ranked_) {
        return cache_.at(at);
    }
    return at < scannedRows_.size() ? &scannedRows_[at] : nullptr;
}

std::int64_t JobsFeed::rowOf(const std::string& id) const
{
    if (ranked_) {
        return cache_.rowOf(id);
    }
    const auto found = std::find_if(scannedRows_.begin(), scannedRows_.end(),
                                    [&](const JobRow& row) { return row.id == id; });
    return found == scannedRows_.end() ? -1 : found - scannedRows_.begin();
}

void JobsFeed::forEachLoaded(const std::function<void(std::uint64_t, const JobRow&)>& visit) const
{
    if (ranked_) {
        cache_.each(visit);
        return;
    }
    for (std::size_t at = 0; at < scannedRows_.size(); ++at) {
        visit(at, scannedRows_[at]);
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
    const bool hadError = error_.has_value();
    error_ = std::move(error);
    if (hadError || error_) {
        emit errorChanged();
    }
}

void JobsFeed::cancelAll()
{
    requestTimer_.stop();
    scanTimer_.stop();
    if (source_ != nullptr) {
        for (const auto& [page, requestId] : pendingPages_) {
            source_->cancel(requestId);
        }
        if (scanRequest_ != 0) {
            source_->cancel(scanRequest_);
        }
    }
    pendingPages_.clear();
    scanRequest_ = 0;
}

void JobsFeed::stopScan()
{
    if (ranked_ || scan_.phase == ScanState::Phase::Done) {
        return;
    }
    if (source_ != nullptr && scanRequest_ != 0) {
        source_->cancel(std::exchange(scanRequest_, 0));
    }
    scanTimer_.stop();
    scan_.phase = ScanState::Phase::Stopped;
    emit scanProgressed();
}

void JobsFeed::continueScan()
{
    if (ranked_ || scan_.phase == ScanState::Phase::Done || scanRequest_ != 0) {
        return;
    }
    scan_.phase = ScanState::Phase::Running;
    requestScan();
    emit scanProgressed();
}

void JobsFeed::requestScan()
{
    if (source_ == nullptr || scanRequest_ != 0) {
        return;
    }
    ScanRequest request;
    request.epoch = epoch_;
    request.view = view_;
    request.cursor = cursor_;
    const auto epoch = epoch_;
    scanRequest_ = source_->scan(std::move(request), {this, [this, epoch](auto answer) {
                                                          if (epoch == epoch_) {
                                                              handleScan(std::move(answer));
                                                          }
                                                      }});
}

void JobsFeed::handleScan(Result<ScanBatch> answer)
{
    scanRequest_ = 0;
    if (!answer) {
        scan_.phase = ScanState::Phase::Stopped;
        setError(answer.error());
        emit scanProgressed();
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
    } else if (!refreshing_ &&
               total_ > static_cast<std::uint64_t>(visibleRows_.last + 1) + kRowsBelowScreen) {
        scan_.phase = ScanState::Phase::Waiting;
    } else {
        scanTimer_.start();
    }
    emit scanProgressed();
}

/// In a refresh, the old rows stay on the screen until as many new ones, or all, have been found.
void JobsFeed::append(std::vector<JobRow> rows)
{
    auto& target = refreshing_ ? freshScannedRows_ : scannedRows_;
    const auto from = target.size();
    const bool swap = refreshing_ && (cursor_.empty() || freshScannedRows_.size() + rows.size() >=
                                                             scannedRows_.size());
    if (swap) {
        emit aboutToSwap();
    }
    std::move(rows.begin(), rows.end(), std::back_inserter(target));
    scan_.found = target.size();
    if (swap) {
        refreshing_ = false;
        findScanShift();
        asOf_ = freshAsOf_;
        scannedRows_.swap(freshScannedRows_);
        resize(scannedRows_.size());
        freshScannedRows_.clear();
        emit swapped();
    } else if (!refreshing_) {
        resize(scannedRows_.size());
        emit rowsArrived(
            {static_cast<std::int64_t>(from), static_cast<std::int64_t>(scannedRows_.size()) - 1});
    }
}

/// As findShift(), for a cursor view: takes the shift of the first row on the screen that the new
/// scan has found again.
void JobsFeed::findScanShift()
{
    shift_ = 0;
    const auto end = std::min<std::int64_t>(visibleRows_.last + 1,
                                            static_cast<std::int64_t>(scannedRows_.size()));
    for (auto at = visibleRows_.first; at < end; ++at) {
        const auto& row = scannedRows_[static_cast<std::size_t>(at)];
        const auto newRow = std::find_if(freshScannedRows_.begin(), freshScannedRows_.end(),
                                         [&](const JobRow& one) { return one.id == row.id; });
        if (newRow != freshScannedRows_.end()) {
            shift_ = newRow - freshScannedRows_.begin() - at;
            return;
        }
    }
}

}  // namespace restante::gui
