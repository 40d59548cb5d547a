#include "gui/shell/page_table.h"

#include "gui/pages/audit/audit_page.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/mailboxes/mailboxes_page.h"
#include "gui/pages/monitor/monitor_page.h"
#include "gui/pages/overview/overview_page.h"
#include "gui/pages/reminders/reminders_page.h"
#include "gui/pages/topics/topics_page.h"

#include <algorithm>
#include <iterator>

namespace restante::gui {

namespace {

template <class PageType>
Page* make(Context context, QWidget* parent)
{
    return new PageType(context, parent);
}

/// Each page here is in the rail and can be named by --page; the action of its row shows it.
constexpr PageEntry kTable[]{
    {PageId::Overview, "overview", ActionId::ShowOverview, &make<OverviewPage>},
    {PageId::Mailboxes, "mailboxes", ActionId::ShowMailboxes, &make<MailboxesPage>},
    {PageId::Jobs, "jobs", ActionId::ShowJobs, &make<JobsPage>},
    {PageId::Reminders, "reminders", ActionId::ShowReminders, &make<RemindersPage>},
    {PageId::Topics, "topics", ActionId::ShowTopics, &make<TopicsPage>},
    {PageId::Monitor, "monitor", ActionId::ShowMonitor, &make<MonitorPage>},
    {PageId::Audit, "audit", ActionId::ShowAudit, &make<AuditPage>},
};

}  // namespace

std::span<const PageEntry> pageTable()
{
    return kTable;
}

std::vector<PageId> pageIds()
{
    std::vector<PageId> ids;
    std::transform(std::begin(kTable), std::end(kTable), std::back_inserter(ids),
                   [](const PageEntry& entry) { return entry.id; });
    return ids;
}

std::optional<PageId> pageNamed(std::string_view name)
{
    const auto* found = std::find_if(std::begin(kTable), std::end(kTable),
                                     [&](const PageEntry& entry) { return name == entry.name; });
    return found == std::end(kTable) ? std::nullopt : std::optional(found->id);
}

}  // namespace restante::gui
