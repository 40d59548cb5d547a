#pragma once

#include "gui/actions/context.h"
#include "gui/pages/jobs/jobs_feed.h"
#include "gui/pages/jobs/live_update.h"
#include "gui/pages/jobs/saved_views.h"
#include "gui/pages/jobs/view_queries.h"
#include "gui/pages/page.h"
#include "gui/pages/selection_owner.h"
#include "gui/session/backend.h"
#include "gui/session/job_writer.h"
#include "gui/theme/empty_pane.h"

#include <QTimer>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QSplitter;
class QStackedWidget;
class QVBoxLayout;

namespace restante::gui {

class FacetSidebar;
class FilterBar;
class JobDetail;
class JobsTable;
class ScanStrip;
class SelectionBar;
class StateTabs;
class ErrorBar;

/// The page of jobs: filter, tabs of states, sidebar, table and the detail of the current job.
/// *Thread of the window.*
class JobsPage : public Page, public SelectionOwner {
    Q_OBJECT

public:
    explicit JobsPage(Context context, QWidget* parent = nullptr);

    void open(StoreSession* session) override;
    void refresh() override;
    SelectionSummary selection() const override;
    QWidget* firstFocus() override;

    Selection selected() const override;
    std::vector<JobRow> knownRows(std::size_t maxRows) const override;
    JobsView shownView() const override { return view_; }
    std::string selectedTopic() const override { return view_.topic; }

    /// Shows another view; tabs, sidebar and filter box are updated.
    void showView(const JobsView& view);
    /// Shows the jobs of that filter, or topic, in all states.
    void showFilter(const QString& filter);
    void showTopic(const std::string& topic);
    /// Makes that job the current one: in its row when that is loaded, else by a filter for its id.
    void showJob(const std::string& id);
    /// False when there is no view of that name.
    bool showSavedView(const QString& name);

    /// The job whose detail is shown; empty = none.
    const std::string& currentJob() const noexcept { return currentJob_; }
    /// The number of matches as a text; "counting…" while it is not known, empty when the store
    /// cannot be asked.
    QString countText() const;
    JobsTable& table() noexcept { return *table_; }
    JobDetail& detail() noexcept { return *detail_; }
    FilterBar& filterBar() noexcept { return *filterBar_; }
    SavedViews& savedViews() noexcept { return savedViews_; }
    const JobsFeed& feed() const noexcept { return feed_; }
    const JobsCounter& counter() const noexcept { return counter_; }

signals:
    /// Empty = none.
    void currentJobChanged(const std::string& id);
    /// The user wants a job in a window of its own.
    void windowRequested(const std::string& id);
    /// The user cancels the connection attempt.
    void cancelRequested();
    /// The user wants to open the demo store.
    void demoRequested();
    /// The user retries all jobs with one reason of failure.
    void retryRequested(const restante::gui::BulkRequest& request);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct MatchCount {
        std::uint64_t count = 0;
        bool exact = true;
    };

    void build();
    QWidget* buildCentre();
    void connectFeed();
    void connectFilters();
    void connectTable();
    void connectActions();
    void restoreLayout();
    void placeDetail();
    void saveLayout();
    void updateForLink();
    void applyFilter(const JobFilter& filter);
    void lookUpKey(const QString& word, const JobFilter& filter);
    /// The word that is looked up will not become the filter.
    void cancelLookUp();
    void setView(const JobsView& view);
    void retryGroup(const std::string& reason, std::uint64_t jobs);
    void reload();
    void reloadLive();
    void reloadAfterWrites();
    /// Requests the rows with these ids; null = all rows on the screen.
    void requestRowsOnScreen(const std::set<std::string>* ids);
    bool mustDelayReload() const;
    void requestFacets();
    void deselectAfterAction(const Selection& selection, const std::vector<JobBefore>& changed);
    std::string jobToOpen();
    void countWhenReady();
    /// A look-up goes on, and will set the filter of the changed view.
    void changeView(const std::function<void(JobsView&)>& edit);
    void saveView();
    void renameView(const QString& name);
    void updateDisplay();
    void showTableOrNotice();
    void focusTableIfWaiting();
    EmptyPane::Content noSessionNotice();
    EmptyPane::Content connectionNotice(const LinkState& link);
    EmptyPane::Content searchingNotice() const;
    EmptyPane::Content noMatchNotice();
    void addElsewhereNotice(EmptyPane::Content& notice);
    void showStatusText();
    void collectTopics(RowRange rows);
    void countNewJobs();
    void resetNewJobs();
    void openCurrent();
    void focusFind();
    MatchCount matchCount() const;
    bool isReady() const;
    bool needsScan() const;
    std::uint64_t jobsToScan() const;

    Context context_;
    StoreSession* session_ = nullptr;
    JobsView view_;
    JobsFeed feed_;
    JobsCounter counter_;
    LiveUpdate liveUpdate_;
    FacetQueries facets_;
    SelectionCheck selectionCheck_;
    RetryingCounter retryingCounter_;
    ReasonCounter reasons_;
    QTimer afterWritesTimer_;
    bool wasReady_ = false;        ///< the connection, when it was last heard of
    bool facetsDue_ = false;       ///< when the count that is under way has ended
    bool reloadDue_ = false;       ///< the user has changed something; nobody saw the page
    bool liveReloadDue_ = false;   ///< the store has changed while nobody saw the page
    RequestId lookUpRequest_ = 0;  ///< of a word that may be an id or a key; 0 = none is on its way
    SavedViews savedViews_;
    std::string currentJob_;
    bool countDue_ = false;  ///< the count begins when the first rows are here
    std::map<JobState, std::uint64_t> storeStateCounts_;
    std::set<std::string> seenTopics_;                     ///< of the view's rows so far
    std::vector<std::function<void()>> emptyPaneActions_;  ///< one a button
    std::optional<std::uint64_t> seenTotal_;  ///< rows when the user last was up to date
    std::int64_t newAbove_ = 0;               ///< rows that have come above the screen since
    QSplitter* facetSplitter_ = nullptr;
    QSplitter* detailSplitter_ = nullptr;
    FacetSidebar* sidebar_ = nullptr;
    FilterBar* filterBar_ = nullptr;
    StateTabs* tabs_ = nullptr;
    ErrorBar* errorBar_ = nullptr;
    ScanStrip* scanStrip_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    JobsTable* table_ = nullptr;
    EmptyPane* emptyPane_ = nullptr;
    SelectionBar* selectionBar_ = nullptr;
    JobDetail* detail_ = nullptr;
    bool focusAwaitsRows_ = false;  ///< the focus, which is in the filter box until then
};

}  // namespace restante::gui
