#pragma once

#include "core/job/job.h"
#include "core/queue/bulk_action.h"
#include "core/reminder/series.h"
#include "gui/actions/context.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/session/jobs_view.h"

#include <QString>
#include <QTabWidget>

#include <map>
#include <optional>
#include <string>
#include <vector>

class QAction;
class QLabel;
class QMenu;
class QStackedWidget;
class QTimer;
class QToolButton;

namespace restante::gui {

class DetailTab;
class LinkButton;
class PayloadTab;
class StoreSession;

/// The actions on the job that is shown: a button for Run Now, a menu for the others. *Thread of
/// the window.*
class JobButtons : public QWidget {
    Q_OBJECT

public:
    explicit JobButtons(QWidget* parent = nullptr);

    /// Enables the actions that the state allows; `refusal` says why nothing can be written, empty
    /// = it can.
    void setContent(const std::optional<JobView>& view, const QString& refusal);
    void retranslate();
    QAction* action(BulkAction::Verb verb) const;

signals:
    void actionRequested(restante::BulkAction::Verb verb);

private:
    QToolButton* runButton_ = nullptr;
    QToolButton* moreButton_ = nullptr;
    QMenu* menu_ = nullptr;
    std::map<BulkAction::Verb, QAction*> actions_;
};

/// All that is known about one job: overview, payload, history, attempts and related jobs. Follows
/// the job's changes and says when it is gone. *Thread of the window.*
class JobDetail : public QWidget {
    Q_OBJECT

public:
    explicit JobDetail(Context context, QWidget* parent = nullptr);

    /// Uses this store for jobs; null = there is none. Shows no job until showJob().
    void open(StoreSession* session);
    /// Empty = show no job.
    void showJob(const std::string& id) { watch_->follow(id); }
    void refresh() { watch_->refresh(); }
    /// Updates times relative to now; called each second.
    void tick();
    const std::string& id() const noexcept { return watch_->id(); }

    enum class Tab { Overview, Payload, History, Attempts, Related };
    void showTab(Tab tab) { tabWidget_->setCurrentIndex(static_cast<int>(tab)); }
    Tab tab() const;
    QWidget* firstFocus();
    /// Whether the focus is in the payload; the command Find then searches it.
    bool hasPayloadFocus() const;

signals:
    /// A related job is to be shown.
    void jobRequested(const std::string& id);
    /// A term, "to:bob" or "-to:bob", to be added to the filter box.
    void filterRequested(const QString& term);
    /// Do `verb` to exactly this job.
    void actionRequested(restante::BulkAction::Verb verb,
                         const restante::gui::Selection& selection);
    /// The recurring reminder that the job stands for, or that has sent it, is to be shown.
    void seriesRequested(const std::string& id);
    /// The text for a window's title, after the job or its state has changed.
    void titleChanged(const QString& title);

protected:
    void changeEvent(QEvent* event) override;

private:
    void addTab(DetailTab* tab);
    void connectFind();
    QWidget* buildHeader();
    void retranslate();
    void updateContent();
    void updateHeader();
    void updateWaitingText();
    void updateSeriesLink();
    void loadSeries(const std::string& id);
    void updateBanner();
    QString lastTransition() const;
    DetailTab* shownTab() const;

    Context context_;
    JobWatch* watch_;
    std::string tabsJobId_;  ///< the job that the tabs show
    QStackedWidget* stack_ = nullptr;
    QLabel* noJobLabel_ = nullptr;
    QLabel* stateIcon_ = nullptr;
    QLabel* stateLabel_ = nullptr;
    QLabel* idLabel_ = nullptr;
    JobButtons* buttons_ = nullptr;
    QLabel* banner_ = nullptr;
    QLabel* waitingLabel_ = nullptr;  ///< why it is waiting, in a sentence
    LinkButton* seriesLink_ = nullptr;
    StoreSession* session_ = nullptr;
    std::string seriesId_;                         ///< the series of the job; empty = none
    std::optional<reminder::Series> knownSeries_;  ///< nullopt = not loaded, or unreadable
    QTabWidget* tabWidget_ = nullptr;
    PayloadTab* payloadTab_ = nullptr;
    QTimer* loadingTimer_ = nullptr;  ///< delays the message that it is loading
    std::vector<DetailTab*> tabs_;
};

}  // namespace restante::gui
