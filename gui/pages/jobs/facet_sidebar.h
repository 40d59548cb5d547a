#pragma once

#include "gui/pages/jobs/saved_views.h"
#include "gui/pages/jobs/view_queries.h"

#include <QTreeWidget>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace restante::gui {

/// How many jobs of a view are in a topic or of a kind, as far as the store keeps such numbers: it
/// does for scheduled and ready jobs, and for leased ones of topics with a concurrency limit.
/// *Value.*
class TopicFacets {
public:
    enum class Why {
        Known,    ///< the numbers are those of the view
        Partly,   ///< they are of its scheduled and ready jobs; it shows others, too
        AtLeast,  ///< of those that have been looked at so far
        State,    ///< the store keeps none for the view's states
        Filtered  ///< nor for what a filter leaves of them
    };

    TopicFacets() = default;
    explicit TopicFacets(const JobsView& view);

    Why why() const noexcept { return why_; }
    /// Whether the view has jobs that are held or dead, which are counted apart.
    bool wantsActivity() const noexcept { return held_ || dead_; }
    /// They have been counted.
    void setActivity(const std::optional<TopicActivity>& activity);
    /// Of the view's kind, if it has one. None: nobody knows.
    std::optional<std::uint64_t> of(const TopicView& topic) const;
    /// Of the view's topic, if it has one.
    std::optional<std::uint64_t> of(Channel channel, const std::vector<TopicView>& topics) const;

private:
    std::uint64_t sum(const TopicCounts& counts) const;
    std::uint64_t
    countedApart(const std::function<bool(Channel, const std::string& topic)>& wanted) const;

    Why why_ = Why::Partly;
    bool scheduled_ = true;
    bool ready_ = true;
    bool leased_ = false;  ///< and nothing else
    bool held_ = false;    ///< among states that can all be counted
    bool dead_ = false;
    std::optional<TopicActivity> activity_;
    std::optional<Channel> channel_;
    std::string topic_;
};

/// The tree beside the table: kinds, topics, the reasons of the last failures and saved views, with
/// their numbers; a click narrows the view. States are chosen by the tabs above the table. Kinds
/// and topics have the numbers of the view's states as far as the store keeps them, and say so
/// where it does not. *Thread of the window.*
class FacetSidebar : public QTreeWidget {
    Q_OBJECT

public:
    explicit FacetSidebar(SavedViews& views, QWidget* parent = nullptr);

    void setView(const JobsView& view);
    void setReasons(const ReasonCounter& counter);
    /// Of the whole store, as it keeps them.
    void setTopics(const std::vector<TopicView>& topics);
    /// What is held and dead of each topic, where the view shows such jobs.
    void setActivity(const restante::gui::TopicActivity& activity);
    /// Topics of jobs that the view has shown: the store does not list those that have neither
    /// scheduled nor ready jobs.
    void setSeen(const std::set<std::string>& topics);
    bool isPaused(const std::string& topic) const;
    const std::vector<TopicView>& topics() const noexcept { return topics_; }
    void retranslate();
    QSize sizeHint() const override;

signals:
    /// Empty = any.
    void reasonRequested(const std::string& reason);
    /// Try again what has failed by it.
    void reasonRetryRequested(const std::string& reason, std::uint64_t jobs);
    void channelRequested(const std::optional<restante::Channel>& channel);
    void topicRequested(const std::string& topic);
    void savedViewRequested(const QString& name);
    void renameRequested(const QString& name);
    void removeRequested(const QString& name);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    /// The colours of the rows are the look's.
    void changeEvent(QEvent* event) override;

private:
    enum Section { Kinds, Topics, Reasons, Views };
    QTreeWidgetItem* section(Section section) const { return topLevelItem(section); }
    void buildKinds();
    void buildTopics();
    void buildReasons();
    void buildViews();
    void rebuild();
    void addNote(QTreeWidgetItem* under);
    void choose(const QTreeWidgetItem* item);
    void showReasonMenu(const std::string& reason, const QPoint& at);
    void showChosen();

    SavedViews& views_;
    JobsView view_;
    TopicFacets facets_;
    std::vector<TopicView> topics_;
    std::optional<TopicActivity> activity_;
    std::set<std::string> seen_;
    std::vector<ReasonCounter::Reason> reasons_;
    bool reasonsExact_ = false;
};

}  // namespace restante::gui
