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

// What stands above and below the table of jobs. JobsPage tells them anew after a change of the
// language.
namespace restante::gui {

/// "812k", "1.2M": as exact as a tab has room for; all of it stands in the tool tip.
QString shortNumber(std::uint64_t number);

/// The tabs of states above the table, each with how many match; between them the jobs that are
/// being retried, which the store keeps among the scheduled and ready ones. *Thread of the window.*
class StateTabs : public QTabBar {
    Q_OBJECT

public:
    explicit StateTabs(QWidget* parent = nullptr);

    /// The one of all states when those of the view have no tab of their own.
    void setView(const JobsView& view);
    void setCounts(const JobsCounter& counter, const RetryingCounter& retrying);

signals:
    /// `retrying`: only those of which an attempt has failed.
    void statesRequested(const std::vector<restante::JobState>& states, bool retrying);

protected:
    /// As narrow as needed: eight tabs are a long row.
    QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }

private:
    void retranslate();

    std::vector<QString> counts_;
    bool updatingTabs_ = false;
};

/// Above a table whose rows could not be brought up to date: why, how old they are, Retry and Copy
/// Details. *Thread of the window.*
class ErrorBar : public MessageBar {
    Q_OBJECT

public:
    explicit ErrorBar(QWidget* parent = nullptr);

    /// Shown while there is an error; `hasRows`: there is something old to look at.
    void setContent(const std::optional<Error>& error, bool hasRows);
    /// The rows that are shown are up to date as of now.
    void markFresh() { lastGood_.start(); }

private:
    void reformat();

    std::optional<Error> error_;
    bool hasRows_ = false;
    QElapsedTimer lastGood_;
    QTimer tick_;
};

/// Under the filter while a view is looked through job by job: how far it is, Stop and Continue.
/// *Thread of the window.*
class ScanStrip : public QFrame {
    Q_OBJECT

public:
    explicit ScanStrip(QWidget* parent = nullptr);

    /// `of` = jobs to scan, 0 = unknown. `counting`: a count scans them as well.
    void setContent(const ScanState& scan, std::uint64_t of, bool counting);
    /// Says that the store has changed since the scan.
    void setOutdated(bool outdated);

signals:
    void stopRequested();
    void continueRequested();
    void searchAgainRequested();

private:
    void retranslate();

    ScanState scan_;
    std::uint64_t of_ = 0;
    bool counting_ = false;
    bool outdated_ = false;
    QLabel* text_;
    QProgressBar* bar_;
    QToolButton* stop_;
    QToolButton* continue_;
    QToolButton* again_;
};

/// Under the table: what is selected and how to select all that match, and how many have come since
/// the user looked. *Thread of the window.*
class SelectionBar : public QFrame {
    Q_OBJECT

public:
    explicit SelectionBar(QWidget* parent = nullptr);

    /// `exact`: `total` is how many match, not only how many are known.
    void setContent(const SelectedJobs& selected, std::uint64_t total, bool exact);
    enum class Where { Above, Below };
    void setNew(std::uint64_t count, Where where);

signals:
    void selectAllRequested();
    void selectNoneRequested();
    /// Show the new jobs.
    void newJobsRequested();

private:
    void retranslate();

    std::uint64_t count_ = 0;
    std::uint64_t excludedCount_ = 0;
    std::uint64_t total_ = 0;
    bool all_ = false;
    bool exact_ = true;
    std::uint64_t new_ = 0;
    Where where_ = Where::Above;
    QLabel* text_;
    QToolButton* selectAll_;
    QToolButton* selectNone_;
    QToolButton* newJobsButton_;
};

}  // namespace restante::gui
