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

/// How many jobs of a view are in a topic or of a channel, as far as that is known: the store keeps
/// such numbers for scheduled and ready jobs, and for leased ones of topics with a concurrency
/// limit; those of held and dead ones come by setActivity(). *Value.*
class TopicFacets {
public:
    /// Which jobs of the view the numbers cover.
    enum class Coverage {
        Complete,      ///< all of them
        WaitingOnly,   ///< only the scheduled and ready ones; the view shows others, too
        AtLeast,       ///< those examined so far
        NotForStates,  ///< none: the store has no counts for the view's states
        NotForFilter   ///< none: there are no counts for a filter, a reason or retrying jobs
    };

    TopicFacets() = default;
    explicit TopicFacets(const JobsView& view);

    Coverage coverage() const noexcept { return coverage_; }
    /// Whether held or dead jobs are part of the counts, which setActivity() brings.
    bool wantsActivity() const noexcept { return addsHeld_ || addsDead_; }
    /// Sets the counts of held and dead jobs; none while they are not known.
    void setActivity(const std::optional<TopicActivity>& activity);
    /// Jobs of that topic (and of the view's channel, if it has one); none when unknown.
    std::optional<std::uint64_t> count(const TopicView& topic) const;
    /// Jobs of that channel (and of the view's topic, if it has one); none when unknown.
    std::optional<std::uint64_t> count(Channel channel, const std::vector<TopicView>& topics) const;

private:
    /// The scheduled and ready jobs among them, as far as the view shows these states.
    std::uint64_t shownWaitingCount(const TopicCounts& counts) const;
    std::uint64_t
    heldAndDeadCount(const std::function<bool(Channel, const std::string& topic)>& matches) const;

    Coverage coverage_ = Coverage::WaitingOnly;
    bool showsScheduled_ = true;
    bool showsReady_ = true;
    bool showsOnlyLeased_ = false;
    bool addsHeld_ = false;  ///< the view shows them, and only states that can be counted
    bool addsDead_ = false;
    std::optional<TopicActivity> activity_;
    std::optional<Channel> channel_;
    std::string topic_;
};

/// The tree beside the table: channels, topics, the reasons of the last failures and saved views,
/// with their numbers; a click narrows the view. States are chosen by the tabs above the table.
/// Channels and topics have the numbers of the view's states as far as the store keeps them, and
/// say so where it does not. *Thread of the window.*
class FacetSidebar : public QTreeWidget {
    Q_OBJECT

public:
    explicit FacetSidebar(SavedViews& views, QWidget* parent = nullptr);

    void setView(const JobsView& view);
    void setReasons(const ReasonCounter& counter);
    /// The topics and counts of the whole store.
    void setTopics(const std::vector<TopicView>& topics);
    /// Another store is opened, or none: its topics and counts are not known yet.
    void forgetStore();
    /// Counts of held and dead jobs by topic, when the view shows such jobs.
    void setActivity(const restante::gui::TopicActivity& activity);
    /// Topics of jobs that the view has shown: the store does not list those that have neither
    /// scheduled nor ready jobs.
    void setSeenTopics(const std::set<std::string>& topics);
    bool isPaused(const std::string& topic) const;
    const std::vector<TopicView>& topics() const noexcept { return topics_; }
    void retranslate();
    QSize sizeHint() const override;

signals:
    /// Empty = any.
    void reasonRequested(const std::string& reason);
    /// Retry the jobs whose last failure has this reason.
    void reasonRetryRequested(const std::string& reason, std::uint64_t jobs);
    void channelRequested(const std::optional<restante::Channel>& channel);
    void topicRequested(const std::string& topic);
    void savedViewRequested(const QString& name);
    void renameRequested(const QString& name);
    void removeRequested(const QString& name);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    /// The colours of the rows follow the palette.
    void changeEvent(QEvent* event) override;

private:
    enum Section { Channels, Topics, Reasons, Views };
    QTreeWidgetItem* section(Section section) const { return topLevelItem(section); }
    void buildChannels();
    void buildTopics();
    void buildReasons();
    void buildViews();
    void rebuild();
    void addNotCountedRow(QTreeWidgetItem* heading);
    void activate(const QTreeWidgetItem* item);
    void showReasonMenu(const std::string& reason, const QPoint& at);
    void highlightSelection();

    SavedViews& views_;
    JobsView view_;
    TopicFacets facets_;
    std::vector<TopicView> topics_;
    bool topicsKnown_ = false;  ///< false: the store has not answered, or none is open
    std::optional<TopicActivity> activity_;
    std::set<std::string> seenTopics_;
    std::vector<ReasonCounter::Reason> reasons_;
    bool reasonsExact_ = false;
};

}  // namespace restante::gui
