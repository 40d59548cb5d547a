#include "gui/pages/jobs/jobs_feed.h"

#include <algorithm>
#include <iterator>
#include <utility>

// What of the feed fetches a view that comes by cursor.

namespace restante::gui {

namespace {

/// Found rows below the screen from which on a scan waits.
constexpr std::uint64_t kScanAhead = 1'000;

}  // namespace

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
        findFoundPlace();
        asOf_ = freshAsOf_;
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

/// The same for a view that comes by cursor: what is left of the screen leads there.
void JobsFeed::findFoundPlace()
{
    shift_ = 0;
    const auto end =
        std::min<std::int64_t>(visible_.last + 1, static_cast<std::int64_t>(found_.size()));
    for (auto at = visible_.first; at < end; ++at) {
        const auto& row = found_[static_cast<std::size_t>(at)];
        const auto now = std::find_if(freshFound_.begin(), freshFound_.end(),
                                      [&](const JobRow& one) { return one.id == row.id; });
        if (now != freshFound_.end()) {
            shift_ = now - freshFound_.begin() - at;
            return;
        }
    }
}

}  // namespace restante::gui
