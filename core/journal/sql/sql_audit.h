#pragma once

#include "core/base/result.h"
#include "core/journal/outbox/journal_event.h"
#include "core/journal/sql/sql_row_writer.h"
#include "core/queue/job_history.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace restante::journal {

/// The table `audit`: what people have done, in the order in which it happened, apart from the
/// millions of rows about what workers did. Functions throw SqlError. *One thread.*

/// What the daemon does by itself, such as forgetting what is old, is no deed of a person.
inline constexpr std::string_view kOurselves = "restanted";

/// Whether an event belongs there: somebody did it who is not the daemon itself, or it is about a
/// topic. Pure.
bool isAudited(const JournalEvent& event);

/// An event about a job, or a topic, on its way into the table.
struct AuditedMove {
    const JournalEvent& event;
    std::string_view id = {};  ///< of the job
    std::size_t position = 0;  ///< among those of the event
    std::string_view from = {};
    std::string_view to = {};
};
TableRows auditRows();
void addAudited(TableRows& rows, std::uint32_t shard, const AuditedMove& move);
/// The same of an event about a topic.
void addAuditedTopic(TableRows& rows, std::uint32_t shard, const JournalEvent& event);

/// Invalid: the limit is out of range, or the cursor is none.
Result<AuditEntries> readAudit(SqlSession& session, const AuditQuery& query);

}  // namespace restante::journal
