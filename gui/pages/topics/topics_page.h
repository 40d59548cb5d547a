#pragma once

#include "gui/pages/selection_owner.h"
#include "gui/pages/store_page.h"
#include "gui/pages/topics/topics_model.h"
#include "gui/session/reply.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

class QLabel;
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

    /// The topic of the selected row; none = no row is selected.
    std::optional<TopicView> selectedTopicView() const;
    const TopicsModel& model() const noexcept { return model_; }
    /// Opens the field of a limit in the selected row.
    void editLimit(TopicsModel::Column column);
    /// Shows that the store has refused new limits.
    void showRefusedLimits(const std::string& topic, const QString& reason);

    /// The columns that a narrow window hides, in this order. Topic, Jobs, Status, Late and Dead
    /// always stay.
    static constexpr std::array kHiddenFirst{
        TopicsModel::Change,    TopicsModel::Channels,    TopicsModel::Reason,
        TopicsModel::Scheduled, TopicsModel::Ready,       TopicsModel::Leased,
        TopicsModel::Out,       TopicsModel::In,          TopicsModel::Retrying,
        TopicsModel::RateLimit, TopicsModel::Concurrency, TopicsModel::Held,
        TopicsModel::Past,      TopicsModel::Errors};

signals:
    /// Draw this topic over time.
    void chartRequested(const QString& topic);
    /// The user has typed other limits.
    void limitsRequested(const std::string& topic,
                         const restante::TopicLimits& before,
                         const restante::TopicLimits& after);

protected:
    /// Fits the columns when the table is resized.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void cancelRequests() override;
    void clear() override;
    bool needsFirstLoad() const override { return !loaded_; }
    bool hasPendingRequest() const override { return listRequest_ != 0 || activityRequest_ != 0; }
    void retranslate() override;
    void reformat() override { model_.retranslate(); }
    void updateDisplay() override;

    QBoxLayout* buildBar();
    void buildTable();
    void connectAll();
    void connectLimits();
    void fitColumns();
    void showLegend();
    void handleTopics(std::vector<TopicView> topics);
    void showTopics();
    void requestLateness();
    void requestActivity();
    void showEmptyPane();
    void showJobs();
    void showMenu(const QPoint& at);

    TopicsModel model_;
    std::vector<TopicView> topics_;  ///< as the store listed them
    std::optional<TopicActivity>
        activity_;  ///< adds the topics that have only held, dead or leased jobs
    BacklogTrend trend_;
    std::vector<RequestId> latenessRequests_;
    std::size_t pendingLateness_ = 0;  ///< those of them that are not answered
    RequestId listRequest_ = 0;
    RequestId activityRequest_ = 0;
    bool loaded_ = false;

    QSortFilterProxyModel* sortedModel_ = nullptr;
    QLineEdit* searchField_ = nullptr;
    QPushButton* showJobsButton_ = nullptr;
    QToolButton* pauseButton_ = nullptr;
    QTableView* table_ = nullptr;
    QMenu* menu_ = nullptr;
    QLabel* legend_ = nullptr;
    QString refusal_;  ///< of limits; stays until the next try
    bool isFitting_ = false;
};

}  // namespace restante::gui
