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

/// How far the look through a view is whose jobs come by cursor. *Value.*
struct ScanState {
    enum class Phase {
        Off,      ///< the view is ranked
        Running,  ///< asks for more
        Waiting,  ///< enough for the screen: goes on when somebody scrolls down
        Stopped,  ///< by the user
        Done,
    };
    Phase phase = Phase::Off;
    std::uint64_t examined = 0;  ///< jobs looked at
    std::uint64_t found = 0;
};

/// Fetches the rows of one view: those of a ranked view page by page around what is visible, those
/// of another by cursor, as the store finds them. Each change of the view or fresh look begins an
/// epoch; what an older one answers changes nothing, and what is not wanted any more is cancelled.
///
/// A fresh look at the same view is swapped in at once when all of it is here, between
/// `aboutToSwap` and `swapped`. Before that it has found where the first row on the screen stands
/// now, however far it has moved, so that the table can keep its place. *Thread of the window.*
class JobsFeed : public QObject {
    Q_OBJECT

public:
    explicit JobsFeed(QObject* parent = nullptr);

    /// Null: shows nothing any more. Borrowed until the next call.
    void setSource(JobSource* source);
    /// Another view: everything that is known goes, also for the same one.
    void setView(const JobsView& view);
    /// The same view again; rows stay until the new ones are here.
    void refresh();
    /// What is on the screen; may be called as often as it moves.
    void setVisible(RowRange rows);
    void stopScan();
    void continueScan();
    /// A job on the screen has changed: shown anew without a look at all others.
    void replace(const JobRow& row);

    const JobsView& view() const noexcept { return view_; }
    bool ranked() const noexcept { return ranked_; }
    Epoch epoch() const noexcept { return epoch_; }
    /// The store's time when the number of rows was asked for; what came in later is not among
    /// them.
    TimePoint asOf() const noexcept { return asOf_; }
    /// By how many rows what is on the screen has moved in the last swap.
    std::int64_t shift() const noexcept { return shift_; }
    /// Rows of the table now.
    std::uint64_t total() const noexcept { return total_; }
    /// Of a cursor view: false while more may be found.
    bool complete() const noexcept;
    /// Null: it has not been loaded, or there is none.
    const JobRow* row(std::int64_t row) const;
    std::int64_t rowOf(const std::string& id) const;
    void eachLoaded(const std::function<void(std::uint64_t, const JobRow&)>& visit) const;
    /// Something is asked for that has not been answered.
    bool busy() const noexcept { return !asked_.empty() || scanRequestId_ != 0; }
    /// A look is under way: another one would begin it anew.
    bool loading() const noexcept { return busy() || scan_.phase == ScanState::Phase::Running; }
    /// The view has been answered at least once.
    bool answered() const noexcept { return answered_; }
    const ScanState& scan() const noexcept { return scan_; }
    const std::optional<Error>& error() const noexcept { return error_; }

signals:
    /// Everything that was shown is gone.
    void reset();
    /// These rows are here, or have changed.
    void rowsArrived(restante::gui::RowRange rows);
    /// The number of rows is about to be, and has been, another one.
    void aboutToResize(std::uint64_t from, std::uint64_t to);
    void resized(std::uint64_t from, std::uint64_t to);
    void aboutToSwap();
    void swapped();
    void scanProgressed();
    /// error() is set, or cleared again by an answer.
    void errorChanged();

private:
    void begin();
    void requestVisiblePages();
    void requestPage(std::uint64_t page);
    void handlePage(std::uint64_t page, TimePoint at, Result<JobRows> answer);
    void swapWhenWhole();
    bool findPlace();
    void findScanShift();
    bool probe(std::uint64_t page);
    void requestScan();
    void handleScan(Result<ScanBatch> answer);
    void append(std::vector<JobRow> rows);
    void resize(std::uint64_t total);
    void setError(std::optional<Error> error);
    void cancelAll();
    /// The pages around the screen; of a fresh look, around where the screen will be.
    std::pair<std::uint64_t, std::uint64_t> pagesAroundScreen() const;

    JobSource* source_ = nullptr;
    JobsView view_;
    bool ranked_ = true;
    bool answered_ = false;
    bool refreshing_ = false;  ///< the rows shown are of the epoch before
    Epoch epoch_ = 0;
    std::uint64_t total_ = 0;
    RowRange visible_{0, 0};
    PageCache cache_;  ///< of a ranked view
    PageCache fresh_;  ///< of the look under way
    std::uint64_t freshTotal_ = 0;
    TimePoint freshAsOf_{};
    TimePoint asOf_{};
    std::int64_t shift_ = 0;
    int probes_ = 0;  ///< pages that were only asked for to find the place
    std::map<std::uint64_t, RequestId> asked_;
    std::vector<JobRow> scannedRows_;  ///< of a cursor view
    std::vector<JobRow> freshScannedRows_;
    std::string cursor_;
    RequestId scanRequestId_ = 0;
    ScanState scan_;
    std::optional<Error> error_;
    QTimer requestSoon_;
    QTimer scanSoon_;
};

}  // namespace restante::gui
