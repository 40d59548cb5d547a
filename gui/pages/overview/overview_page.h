#pragma once

#include "core/queue/bulk_action.h"
#include "gui/pages/overview/overview_watch.h"
#include "gui/pages/overview/reason_list.h"
#include "gui/pages/store_page.h"
#include "gui/session/job_writer.h"
#include "gui/theme/empty_pane.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QScrollArea;

namespace restante::gui {

class Figure;
class FullestList;
struct LinkState;
class StateMark;
class TopicList;
struct BusyTopic;

/// What an administrator reads first: who delivers, what was delivered and what failed today, what
/// waits and how late, why jobs are dead, for whom most waits, and which topics are busy; each
/// leads to the page that shows exactly that. *Thread of the window.*
class OverviewPage : public StorePage {
    Q_OBJECT

public:
    explicit OverviewPage(Context context, QWidget* parent = nullptr);

    void refresh() override;
    QWidget* firstFocus() override;
    bool isLoaded() const override { return watch_.isComplete(); }
    /// None = nobody knows who works on the store.
    void setDaemons(const std::optional<std::vector<DaemonView>>& daemons);

signals:
    /// The verb on exactly that, with whatever is asked first.
    void actionRequested(restante::BulkAction::Verb verb,
                         const restante::gui::Selection& selection);
    /// That at once: it is exactly what a row says.
    void retryRequested(const restante::gui::BulkRequest& request);
    /// The page of mailboxes, at this one or as it is.
    void personRequested(const std::string& recipient);
    void mailboxesRequested();
    /// The page of all topics.
    void topicsRequested();
    /// A made-up store, to look around.
    void demoRequested();
    /// The connection that is being made is not wanted any more.
    void cancelRequested();

private:
    void forget() override {}
    void clear() override;
    bool isUnasked() const override { return !watch_.sample(); }
    bool isAsking() const override { return watch_.isAsking(); }
    void retranslate() override;
    void reformat() override { showAll(); }
    void updateStatus() override;

    QWidget* build();
    QBoxLayout* buildHead();
    QWidget* buildFigures(QWidget* parent);
    QWidget* buildSides(QWidget* parent);
    void showAll();
    void showDaemons();
    void showFigures();
    void showLists();
    void showNotice();
    void showEmptyPane();
    EmptyPane::Content contentOf(const LinkState& link);
    void retry(const ReasonList::Reason& reason);
    std::uint64_t jobsIn(std::initializer_list<JobState> states) const;
    Sparkline::Values waited() const;
    Sparkline::Values lateness() const;
    TimePoint midnight() const;

    OverviewWatch watch_{this};
    std::optional<std::vector<DaemonView>> daemons_;
    TimePoint answered_{};  ///< the store's time of what is shown
    bool failed_ = false;
    std::vector<std::function<void()>> emptyActs_;  ///< one a button

    QLabel* title_ = nullptr;
    StateMark* mark_ = nullptr;
    QLabel* deliverers_ = nullptr;
    QScrollArea* area_ = nullptr;
    Figure* delivered_ = nullptr;
    Figure* failedFigure_ = nullptr;
    Figure* waiting_ = nullptr;
    Figure* late_ = nullptr;
    ReasonList* reasons_ = nullptr;
    FullestList* fullest_ = nullptr;
    TopicList* topics_ = nullptr;
};

}  // namespace restante::gui
