#include "gui/session/journal_audit.h"

#include "gui/session/event_audit.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

constexpr std::uint32_t kMostRows = 1'000;

}  // namespace

AuditBatch auditBatchOf(AuditEntries entries)
{
    AuditBatch page;
    for (const auto& entry : entries.entries) {
        page.rows.push_back(auditRow(entry.at, entry.actor, entry.verb,
                                     entry.id.empty() ? entry.topic : entry.id, entry.from,
                                     entry.to, entry.reason));
    }
    page.cursor = std::move(entries.cursor);
    return page;
}

void readAudit(journal::SqlThread& sql,
               EventLoop& loop,
               const AuditRequest& request,
               Done<AuditBatch> done)
{
    AuditQuery query;
    query.actor = request.actor.toStdString();
    if (!request.verb.isEmpty()) {
        query.verbs = {request.verb.toStdString()};
    }
    query.text = request.text.toStdString();
    query.since = request.since;
    query.until = request.until;
    query.cursor = request.cursor;
    query.limit = std::clamp(request.limit, 1U, kMostRows);
    sql.ask<AuditEntries>(
        loop, [query](journal::SqlJournal& journal) { return journal.audit(query); },
        mapped<AuditEntries>(std::move(done), &auditBatchOf));
}

}  // namespace restante::gui
