#pragma once

#include "gui/pages/jobs/saved_views.h"
#include "gui/pages/jobs/topic_facets.h"
#include "gui/pages/jobs/view_questions.h"

#include <QTreeWidget>

#include <set>
#include <string>
#include <vector>

namespace restante::gui {

/// The tree beside the table: states, kinds, topics and saved views, with their numbers; a click
/// narrows the view. Kinds and topics have the numbers of the view's states as far as the store
/// keeps them, and say so where it does not. *Thread of the window.*
class FacetSidebar : public QTreeWidget {
    Q_OBJECT

public:
    explicit FacetSidebar(SavedViews& views, QWidget* parent = nullptr);

    void setView(const JobsView& view);
    void setCounts(const JobsCounter& counter);
    /// Of the whole store, as it keeps them.
    void setTopics(const std::vector<TopicView>& topics);
    /// Topics of jobs that the view has shown: the store does not list those that have neither
    /// scheduled nor ready jobs.
    void setSeen(const std::set<std::string>& topics);
    bool isPaused(const std::string& topic) const;
    const std::vector<TopicView>& topics() const noexcept { return topics_; }
    void retranslate();
    QSize sizeHint() const override;

signals:
    void statesWanted(const std::vector<restante::JobState>& states);
    void channelWanted(const std::optional<restante::Channel>& channel);
    void topicWanted(const std::string& topic);
    void savedViewWanted(const QString& name);
    void renameWanted(const QString& name);
    void removeWanted(const QString& name);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum Section { States, Kinds, Topics, Views };
    QTreeWidgetItem* section(Section section) const;
    void buildStates();
    void buildKinds();
    void buildTopics();
    void buildViews();
    void rebuild();
    void addNote(QTreeWidgetItem* under);
    void choose(const QTreeWidgetItem* item);
    void showChosen();

    SavedViews& views_;
    JobsView view_;
    TopicFacets facets_;
    std::vector<TopicView> topics_;
    std::set<std::string> seen_;
};

}  // namespace restante::gui
