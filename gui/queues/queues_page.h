#pragma once

#include "gui/app/context.h"
#include "gui/app/page.h"
#include "gui/commands/selection_owner.h"
#include "gui/queues/backlog_trend.h"
#include "gui/queues/topics_model.h"
#include "gui/session/reply.h"

#include <QTimer>

#include <optional>
#include <string>
#include <vector>

class QLineEdit;
class QMenu;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace restante::gui {

class BlankPane;
class NoticeBar;

/// Topics with what waits in them, how late it is and what holds them back. *Thread of the
/// window.*
class QueuesPage : public Page, public SelectionOwner {
    Q_OBJECT

public:
    explicit QueuesPage(Context context, QWidget* parent = nullptr);

    void open(Session* session) override;
    void refresh() override;
    SelectionSummary selection() const override;
    QWidget* firstFocus() override;
    std::string selectedTopic() const override;

    /// The topic of the current row; none = no row is current.
    std::optional<TopicView> chosenTopic() const;
    const TopicsModel& model() const noexcept { return model_; }

signals:
    /// Show the jobs that this filter finds.
    void filterWanted(const QString& filter);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void buildBar();
    void buildTable();
    void connectAll();
    void retranslate();
    void forget();
    void take(std::vector<TopicView> topics);
    void askLateness();
    void tellState();
    void showJobs();
    void showMenu(const QPoint& at);

    Context context_;
    Session* session_ = nullptr;
    TopicsModel model_;
    BacklogTrend trend_;
    QTimer live_;
    std::vector<Ticket> asked_;
    Ticket listAsked_ = 0;
    bool loaded_ = false;

    QSortFilterProxyModel* sorted_ = nullptr;
    QLineEdit* find_ = nullptr;
    QPushButton* jobs_ = nullptr;
    QToolButton* pause_ = nullptr;
    NoticeBar* notice_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    BlankPane* blank_ = nullptr;
    QTableView* table_ = nullptr;
    QMenu* menu_ = nullptr;
};

}  // namespace restante::gui
