#pragma once

#include "core/queue/job_history.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/event_entry.h"
#include "gui/session/job_source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace restante::gui {

/// Reads the actions of people backwards from the event streams. A page may be empty and have a
/// cursor, when all entries read were written by programs. `connection` outlives the answer.
void readAudit(redis::Connection& connection,
               const redis::StoreAddress& address,
               AuditRequest request,
               Done<AuditBatch> done);

/// What the event streams still know of one job, oldest first: for stores without a journal.
void readEvents(redis::Connection& connection,
                const redis::StoreAddress& address,
                std::string id,
                Done<std::vector<HistoryRow>> done);

/// A row of what a store says. *Pure.*
AuditRow auditRow(const AuditEntry& entry);

/// Whether the row matches the request. *Pure.*
bool matches(const AuditRow& row, const AuditRequest& request);

/// The rows of one entry; none unless a person caused it. *Pure.*
std::vector<AuditRow> auditRowsOf(const redis::EventEntry& entry);

}  // namespace restante::gui
