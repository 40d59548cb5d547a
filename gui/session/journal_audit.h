#pragma once

#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"
#include "gui/session/job_source.h"

namespace restante::gui {

/// What people did, as the journal has it: complete, where the event streams keep the newest
/// entries only. `sql` and `loop` outlive the answer.
void readAudit(journal::SqlThread& sql,
               EventLoop& loop,
               const AuditRequest& request,
               Done<AuditBatch> done);

/// *Pure.*
AuditBatch auditBatchOf(AuditEntries entries);

}  // namespace restante::gui
