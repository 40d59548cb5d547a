#pragma once

#include "core/base/error.h"
#include "gui/pages/jobs/jobs_feed.h"
#include "gui/pages/jobs/selected_jobs.h"
#include "gui/pages/jobs/view_queries.h"
#include "gui/theme/message_bar.h"

#include <QElapsedTimer>
#include <QFrame>
#include <QTabBar>
#include <QTimer>

#include <array>
#include <optional>
#include <vector>

class QLabel;
class QProgressBar;
class QToolButton;

// The bars above and below the table of jobs. JobsPage sets their content again after a change of
// the language.
namespace restante::gui {

/// "812k", "1.2M": short enough for a tab, whose tool tip has the exact number.
QString shortNumber(std::uint64_t number);

/// The tabs of states above the table, each with its number of matching jobs. "Retrying" is not a
/// state: the store keeps those jobs among the scheduled and ready ones. *Thread of the window.*
class StateTabs : public QTabBar {
    Q_OBJECT

public:
    explicit StateTabs(QWidget* parent = nullptr);

    /// Selects the tab of the view's states; "All" when no tab has exactly these.
    void setView(const JobsView& view);
    void setCounts(const JobsCounter& counter, const RetryingCounter& retrying);

signals:
    /// `retrying`: only jobs with a failed attempt.
    void statesRequested(const std::vector<restante::JobState>& states, bool retrying);

protected:
    /// Tabs are no wider than their text: there are nine.
    QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }

private:
    void retranslate();

    std::vector<QString> counts_;
    bool updatingTabs_ = false;
};

/// Above a table whose reload has failed: the error, the age of the rows, Retry and Copy Details.
/// *Thread of the window.*
class ErrorBar : public MessageBar {
    Q_OBJECT

public:
    explicit ErrorBar(QWidget* parent = nullptr);

    /// Shown while there is an error. `hasRows`: the table still shows old rows.
    void setContent(const std::optional<Error>& error, bool hasRows);
    /// The rows shown are up to date now: their age counts from here.
    void markUpToDate() { sinceUpToDate_.start(); }

private:
    void reformat();

    std::optional<Error> error_;
    bool hasOldRows_ = false;
    QElapsedTimer sinceUpToDate_;
    QTimer ageTimer_;
};

/// Under the filter while a view is scanned job by job: the progress, Stop and Continue.
/// *Thread of the window.*
class ScanStrip : public QFrame {
    Q_OBJECT

public:
    explicit ScanStrip(QWidget* parent = nullptr);

    /// `jobsToScan`: 0 = unknown. `counting`: a count scans them as well.
    void setContent(const ScanState& scan, std::uint64_t jobsToScan, bool counting);
    /// Says that the store has changed since the scan.
    void setOutdated(bool outdated);

signals:
    void stopRequested();
    void continueRequested();
    void searchAgainRequested();

private:
    void retranslate();

    ScanState scan_;
    std::uint64_t jobsToScan_ = 0;
    bool counting_ = false;
    bool outdated_ = false;
    QLabel* text_;
    QProgressBar* progressBar_;
    QToolButton* stopButton_;
    QToolButton* continueButton_;
    QToolButton* searchAgainButton_;
};

/// Under the table: the number of selected jobs, buttons to select all or none, and the number of
/// jobs that have arrived since the user last looked. *Thread of the window.*
class SelectionBar : public QFrame {
    Q_OBJECT

public:
    explicit SelectionBar(QWidget* parent = nullptr);

    /// `exact`: `total` is the number of matches, not only a lower bound.
    void setContent(const SelectedJobs& selected, std::uint64_t total, bool exact);
    enum class NewJobsSide { Above, Below };
    /// `side`: whether the new jobs are above or below the rows on the screen.
    void setNewJobs(std::uint64_t count, NewJobsSide side);

signals:
    void selectAllRequested();
    void selectNoneRequested();
    /// Show the new jobs.
    void newJobsRequested();

private:
    void retranslate();

    std::uint64_t selectedCount_ = 0;
    std::uint64_t excludedCount_ = 0;
    std::uint64_t total_ = 0;
    bool allMatching_ = false;
    bool totalExact_ = true;
    std::uint64_t newJobs_ = 0;
    NewJobsSide newJobsSide_ = NewJobsSide::Above;
    QLabel* text_;
    QToolButton* selectAll_;
    QToolButton* selectNone_;
    QToolButton* newJobsButton_;
};

}  // namespace restante::gui
