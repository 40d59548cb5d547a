#pragma once

#include "gui/pages/selection_owner.h"
#include "gui/pages/store_page.h"
#include "gui/pages/topics/topics_model.h"
#include "gui/session/reply.h"

#include <optional>
#include <string>
#include <vector>

class QLineEdit;
class QMenu;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;
class QToolButton;

namespace restante::gui {

/// Topics with what waits in them, how late it is and what holds them back. *Thread of the
/// window.*
class TopicsPage : public StorePage, public SelectionOwner {
    Q_OBJECT

public:
    explicit TopicsPage(Context context, QWidget* parent = nullptr);

    void refresh() override;
    SelectionSummary selection() const override;
    QWidget* firstFocus() override;
    std::string selectedTopic() const override;

    /// The topic of the current row; none = no row is current.
    std::optional<TopicView> chosenTopic() const;
    const TopicsModel& model() const noexcept { return model_; }

signals:
    /// Draw this topic over time.
    void chartWanted(const QString& topic);

private:
    void forget() override;
    void clear() override;
    bool isUnasked() const override { return !loaded_; }
    bool isAsking() const override { return listAsked_ != 0; }
    void retranslate() override;
    void reformat() override { model_.retranslate(); }
    void updateStatus() override;

    QBoxLayout* buildBar();
    void buildTable();
    void connectAll();
    void take(std::vector<TopicView> topics);
    void showTopics();
    void askLateness();
    void askActivity();
    void showEmptyPane();
    void showJobs();
    void showMenu(const QPoint& at);

    TopicsModel model_;
    std::vector<TopicView> topics_;          ///< as the store listed them
    std::optional<TopicActivity> activity_;  ///< which knows more of them
    BacklogTrend trend_;
    std::vector<Ticket> asked_;
    Ticket listAsked_ = 0;
    Ticket activityAsked_ = 0;
    bool loaded_ = false;

    QSortFilterProxyModel* sorted_ = nullptr;
    QLineEdit* find_ = nullptr;
    QPushButton* jobs_ = nullptr;
    QToolButton* pause_ = nullptr;
    QTableView* table_ = nullptr;
    QMenu* menu_ = nullptr;
};

}  // namespace restante::gui
