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

/// What can be done with the job that is shown: Run Now, and the rest in a menu. *Thread of the
/// window.*
class JobButtons : public QWidget {
    Q_OBJECT

public:
    explicit JobButtons(QWidget* parent = nullptr);

    /// Enables what may start from this state; `refusal` says why nothing can be written, empty =
    /// it can.
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

/// All that is known about one job: overview, payload, history, attempts, and what is related to
/// it. Follows the job while the store goes on; says so when it is gone. *Thread of the window.*
class JobDetail : public QWidget {
    Q_OBJECT

public:
    explicit JobDetail(Context context, QWidget* parent = nullptr);

    /// From now on jobs come from this store; null = there is none. Shows no job until showJob().
    void open(StoreSession* session);
    /// Empty: none.
    void showJob(const std::string& id) { watch_->follow(id); }
    void refresh() { watch_->refresh(); }
    /// A second has passed: what is written relative to now is written anew.
    void tick();
    const std::string& id() const noexcept { return watch_->id(); }

    enum class Tab { Overview, Payload, History, Attempts, Related };
    void showTab(Tab tab) { tabWidget_->setCurrentIndex(static_cast<int>(tab)); }
    Tab tab() const;
    QWidget* firstFocus();
    /// The focus is in the payload: the command Find means this text, and not the filter box.
    bool hasPayloadFocus() const;

signals:
    /// Another job is to be shown: a related one.
    void jobRequested(const std::string& id);
    /// A term, "to:bob" or "-to:bob", to be put into the filter box beside what is there.
    void filterRequested(const QString& term);
    /// Do that to exactly this job.
    void actionRequested(restante::BulkAction::Verb verb,
                         const restante::gui::Selection& selection);
    /// The recurring reminder that the job stands for, or that has sent it, is to be shown.
    void seriesRequested(const std::string& id);
    /// What is shown is another job, in another state, or gone: for titles.
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
    std::string tabsJobId_;  ///< the job that the tabs were last told of
    QStackedWidget* stack_ = nullptr;
    QLabel* noJobLabel_ = nullptr;
    QLabel* stateIcon_ = nullptr;
    QLabel* stateLabel_ = nullptr;
    QLabel* idLabel_ = nullptr;
    JobButtons* buttons_ = nullptr;
    QLabel* banner_ = nullptr;
    QLabel* whyLabel_ = nullptr;  ///< why it is waiting, in a sentence
    LinkButton* seriesLink_ = nullptr;
    StoreSession* session_ = nullptr;
    std::string seriesId_;                         ///< of the job; empty = it has to do with none
    std::optional<reminder::Series> knownSeries_;  ///< none = it is not known (yet)
    QTabWidget* tabWidget_ = nullptr;
    PayloadTab* payloadTab_ = nullptr;
    QTimer* loadingTimer_ = nullptr;  ///< until it is worth saying
    std::vector<DetailTab*> tabs_;
};

}  // namespace restante::gui
