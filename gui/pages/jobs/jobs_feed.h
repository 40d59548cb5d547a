#pragma once

#include "gui/pages/jobs/ranked_pages.h"
#include "gui/session/job_source.h"

#include <QObject>
#include <QTimer>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// The progress of the scan of a view whose jobs come by cursor. *Value.*
struct ScanState {
    enum class Phase {
        Off,      ///< the view is ranked
        Running,  ///< requests more
        Waiting,  ///< enough for the screen; continues when the user scrolls down
        Stopped,  ///< by the user, or by a failure
        Done,
    };
    Phase phase = Phase::Off;
    std::uint64_t examined = 0;  ///< jobs looked at
    std::uint64_t found = 0;
};

/// Fetches the rows of one view: of a ranked view the pages around the visible rows, of any other
/// by cursor, as the store finds them. Each change of the view and each refresh begins an epoch;
/// answers to an older one are ignored, and requests that are no longer needed are cancelled.
///
/// The rows of a refresh replace the old ones all at once, between `aboutToSwap` and `swapped`,
/// when those on the screen have been loaded. By then shift() is known: how far the first row on
/// the screen has moved, so that the table can keep its scroll position. *Thread of the window.*
class JobsFeed : public QObject {
    Q_OBJECT

public:
    explicit JobsFeed(QObject* parent = nullptr);

    /// Null: shows nothing. Borrowed until the next call.
    void setSource(JobSource* source);
    /// Drops all rows and loads the view, also when it is the same one.
    void setView(const JobsView& view);
    /// Loads the same view again; the old rows stay until the new ones have arrived.
    void refresh();
    /// The rows on the screen; cheap enough to be called for each scroll step.
    void setVisibleRows(RowRange rows);
    void stopScan();
    void continueScan();
    /// Replaces the row of one job, without loading others.
    void replace(const JobRow& row);

    const JobsView& view() const noexcept { return view_; }
    bool ranked() const noexcept { return ranked_; }
    Epoch epoch() const noexcept { return epoch_; }
    /// The store's time when the number of rows was requested; later jobs are not among them.
    TimePoint asOf() const noexcept { return asOf_; }
    /// By how many rows the first row on the screen moved in the last swap.
    std::int64_t shift() const noexcept { return shift_; }
    /// Rows of the table now.
    std::uint64_t total() const noexcept { return total_; }
    /// False while the scan of a cursor view may find more.
    bool complete() const noexcept;
    /// Null when it has not been loaded or does not exist.
    const JobRow* row(std::int64_t row) const;
    std::int64_t rowOf(const std::string& id) const;
    void forEachLoaded(const std::function<void(std::uint64_t, const JobRow&)>& visit) const;
    /// A request has not been answered yet.
    bool busy() const noexcept { return !pendingPages_.empty() || scanRequest_ != 0; }
    /// A load or scan is running, which refresh() would restart.
    bool loading() const noexcept { return busy() || scan_.phase == ScanState::Phase::Running; }
    /// The view has been answered at least once.
    bool answered() const noexcept { return answered_; }
    const ScanState& scan() const noexcept { return scan_; }
    const std::optional<Error>& error() const noexcept { return error_; }

signals:
    /// All rows have been dropped.
    void reset();
    /// These rows have been loaded or changed.
    void rowsArrived(restante::gui::RowRange rows);
    /// Before and after a change of the number of rows.
    void aboutToResize(std::uint64_t from, std::uint64_t to);
    void resized(std::uint64_t from, std::uint64_t to);
    void aboutToSwap();
    void swapped();
    void scanProgressed();
    /// error() is set, or cleared again by an answer.
    void errorChanged();

private:
    void clear();
    void requestVisiblePages();
    void requestPage(std::uint64_t page);
    void handlePage(std::uint64_t page, TimePoint requestedAt, Result<JobRows> answer);
    void swapWhenLoaded();
    bool findShift();
    void findScanShift();
    bool probe(std::uint64_t page);
    void requestScan();
    void handleScan(Result<ScanBatch> answer);
    void append(std::vector<JobRow> rows);
    void resize(std::uint64_t total);
    void setError(std::optional<Error> error);
    void cancelAll();
    /// The first and last page to load around the screen; in a refresh, around where it will be.
    std::pair<std::uint64_t, std::uint64_t> pagesAroundScreen() const;

    JobSource* source_ = nullptr;
    JobsView view_;
    bool ranked_ = true;
    bool answered_ = false;
    bool refreshing_ = false;  ///< the rows shown are of the previous epoch
    Epoch epoch_ = 0;
    std::uint64_t total_ = 0;
    RowRange visibleRows_{0, 0};
    PageCache cache_;       ///< of a ranked view
    PageCache freshPages_;  ///< of the refresh
    std::uint64_t freshTotal_ = 0;
    TimePoint freshAsOf_{};
    TimePoint asOf_{};
    std::int64_t shift_ = 0;
    int probes_ = 0;  ///< pages requested since the shift is looked for
    std::map<std::uint64_t, RequestId> pendingPages_;
    std::vector<JobRow> scannedRows_;  ///< of a cursor view
    std::vector<JobRow> freshScannedRows_;
    std::string cursor_;
    RequestId scanRequest_ = 0;
    ScanState scan_;
    std::optional<Error> error_;
    QTimer requestTimer_;
    QTimer scanTimer_;
};

}  // namespace restante::gui
