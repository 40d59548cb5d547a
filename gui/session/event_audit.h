#pragma once

#include "core/queue/job_history.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/event_entry.h"
#include "gui/session/job_source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace restante::gui {

struct EventPlace {
    std::string prefix = "rst";
    std::uint32_t shards = 1;
};

/// Reads the event streams backwards for what people did: a page may be empty and go on, when what
/// it has looked at was all done by programs. `connection` outlives the answer.
void readAudit(redis::Connection& connection,
               const EventPlace& place,
               AuditRequest request,
               Done<AuditBatch> done);

/// What the event streams still know of one job, oldest first: for stores without a journal.
void readEvents(redis::Connection& connection,
                const EventPlace& place,
                std::string id,
                Done<std::vector<HistoryRow>> done);

/// A row of what a store says. *Pure.*
AuditRow auditRow(const AuditEntry& entry);

/// Whether the request asks for it. *Pure.*
bool matches(const AuditRow& row, const AuditRequest& request);

/// The rows of one entry, none unless a person did it. *Pure.*
std::vector<AuditRow> auditRowsOf(const redis::EventEntry& entry);

}  // namespace restante::gui
