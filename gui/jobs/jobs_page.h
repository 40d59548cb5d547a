#pragma once

#include "gui/app/context.h"
#include "gui/app/page.h"
#include "gui/commands/selection_owner.h"
#include "gui/jobs/jobs_counter.h"
#include "gui/jobs/jobs_feed.h"

#include <QMetaObject>

#include <string>
#include <vector>

class QSplitter;
class QStackedWidget;

namespace restante::gui {

class JobsTable;

/// The page of jobs: filter, tabs of states, sidebar, table and the detail of the current job.
/// *Thread of the window.*
class JobsPage : public Page, public SelectionOwner {
    Q_OBJECT

public:
    explicit JobsPage(Context context, QWidget* parent = nullptr);
    ~JobsPage() override;

    void open(Session* session) override;
    void refresh() override;
    SelectionSummary selection() const override;
    QWidget* firstFocus() override;

    Selection selected() const override;
    std::vector<JobRow> knownRows(std::size_t most) const override;
    JobsView shownView() const override { return view_; }
    std::string selectedTopic() const override { return view_.topic; }

    /// Shows another view; tabs, sidebar and filter box follow.
    void showView(const JobsView& view);
    /// From elsewhere: "show the jobs of this topic", "jobs like this". All states.
    void showFilter(const QString& filter);
    void showTopic(const std::string& topic);
    /// The job whose detail is shown; empty = none.
    const std::string& currentJob() const noexcept { return currentJob_; }
    JobsTable& table() noexcept { return *table_; }
    JobsFeed& feed() noexcept { return feed_; }

signals:
    /// Empty = none.
    void currentJobChanged(const std::string& id);
    /// Shift+Return.
    void windowWanted(const std::string& id);

private:
    void build();
    void tell();

    Context context_;
    Session* session_ = nullptr;
    JobsView view_;
    JobsFeed feed_;
    JobsCounter counter_;
    std::string currentJob_;
    JobsTable* table_ = nullptr;
};

}  // namespace restante::gui
