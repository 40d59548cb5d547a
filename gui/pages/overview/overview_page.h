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
class FullestMailboxes;
struct LinkState;
class SeverityMark;
class TopicList;
struct OverviewTopic;

/// The first page: daemons, deliveries and failures of today, waiting jobs and their lateness,
/// reasons of dead jobs, the fullest mailboxes and the busiest topics. Each links to the page with
/// the details. *Thread of the window.*
class OverviewPage : public StorePage {
    Q_OBJECT

public:
    explicit OverviewPage(Context context, QWidget* parent = nullptr);

    void refresh() override;
    QWidget* firstFocus() override;
    bool isLoaded() const override { return watch_.isComplete(); }
    /// None = unknown.
    void setDaemons(const std::optional<std::vector<DaemonView>>& daemons);

signals:
    /// Run the request without a dialog.
    void retryRequested(const restante::gui::BulkRequest& request);
    /// Show this person on the mailboxes page.
    void personRequested(const std::string& recipient);
    /// Show the mailboxes page as it is.
    void mailboxesRequested();
    /// The page of all topics.
    void topicsRequested();
    /// Open the demo store.
    void demoRequested();
    /// Cancel the connection attempt.
    void cancelRequested();

private:
    void refreshNow() override;
    void cancelRequests() override {}
    void clear() override;
    bool needsFirstLoad() const override { return !watch_.sample(); }
    bool hasPendingRequest() const override { return watch_.hasPendingRequest(); }
    void retranslate() override;
    void reformat() override { showAll(); }
    void updateDisplay() override;

    QWidget* buildBody();
    QBoxLayout* buildHeader();
    QWidget* buildFigures(QWidget* parent);
    QWidget* buildLists(QWidget* parent);
    void showAll();
    void showDaemons();
    void showFigures();
    void showLists();
    void showNotice();
    void showEmptyPane();
    void showConnectionPane(const LinkState& link);
    void retry(const ReasonList::Reason& reason);
    std::uint64_t countIn(std::initializer_list<JobState> states) const;
    Sparkline::Values waitingOverDay() const;
    Sparkline::Values latenessOverDay() const;
    TimePoint midnight() const;

    OverviewWatch watch_{this};
    std::optional<std::vector<DaemonView>> daemons_;
    TimePoint answeredAt_{};  ///< the store's time of the last answer
    bool hasFailed_ = false;
    std::vector<std::function<void()>> emptyPaneActions_;  ///< one for each button

    QLabel* title_ = nullptr;
    SeverityMark* daemonsMark_ = nullptr;
    QLabel* daemonsLabel_ = nullptr;
    QScrollArea* scrollArea_ = nullptr;
    Figure* deliveredFigure_ = nullptr;
    Figure* failedFigure_ = nullptr;
    Figure* waitingFigure_ = nullptr;
    Figure* lateFigure_ = nullptr;
    ReasonList* reasons_ = nullptr;
    FullestMailboxes* fullest_ = nullptr;
    TopicList* topics_ = nullptr;
};

}  // namespace restante::gui
