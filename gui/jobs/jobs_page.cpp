#include "gui/jobs/jobs_page.h"

#include "gui/jobs/jobs_table.h"
#include "gui/session/session.h"

#include <QVBoxLayout>

namespace restante::gui {

JobsPage::JobsPage(Context context, QWidget* parent) : Page(parent), context_(context)
{
    setObjectName(QStringLiteral("jobsPage"));
    build();
}

JobsPage::~JobsPage() = default;

void JobsPage::build()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    table_ = new JobsTable(context_, feed_, QStringLiteral("jobs/header"), this);
    column->addWidget(table_);
    connect(table_, &JobsTable::currentJobChanged, this, [this](const std::string& id) {
        currentJob_ = id;
        emit currentJobChanged(id);
    });
    connect(&table_->marks(), &JobsSelection::picked, this, [this] {
        emit selectionChanged();
        tell();
    });
}

void JobsPage::open(Session* session)
{
    session_ = session;
    feed_.setSource(session ? &session->source() : nullptr);
    counter_.setSource(session ? &session->source() : nullptr);
    if (session != nullptr) {
        table_->jobs().setClock([session] { return session->source().now(); });
        showView({});
    } else {
        table_->jobs().setClock([] { return SystemClock().now(); });
    }
}

void JobsPage::refresh()
{
    feed_.refresh();
}

SelectionSummary JobsPage::selection() const
{
    return table_->picks().summary(feed_.total());
}

QWidget* JobsPage::firstFocus()
{
    return table_;
}

Selection JobsPage::selected() const
{
    return table_->picks().selection(view_, feed_.total(), feed_.complete());
}

std::vector<JobRow> JobsPage::knownRows(std::size_t most) const
{
    std::vector<JobRow> rows;
    feed_.eachLoaded([&](std::uint64_t, const JobRow& row) {
        if (rows.size() < most && table_->picks().has(row.id)) {
            rows.push_back(row);
        }
    });
    return rows;
}

void JobsPage::showView(const JobsView& view)
{
    view_ = view;
    feed_.show(view);
    counter_.start(view);
    emit selectionChanged();
}

void JobsPage::showFilter(const QString& filter)
{
    if (const auto parsed = JobFilter::parse(filter.toStdString())) {
        JobsView view;
        view.filter = *parsed;
        showView(view);
    }
}

void JobsPage::showTopic(const std::string& topic)
{
    JobsView view;
    view.topic = topic;
    showView(view);
}

void JobsPage::tell()
{
    emit told(tr("%n job(s)", "", static_cast<int>(feed_.total())));
}

}  // namespace restante::gui
