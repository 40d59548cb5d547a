#pragma once

#include "core/base/result.h"
#include "core/journal/outbox/journal_event.h"
#include "core/journal/sql/sql_row_writer.h"
#include "core/queue/job_history.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace restante::journal {

/// The table `audit`: actions of people, in order of time, kept apart from the millions of rows
/// about workers. Functions throw SqlError. *One thread.*

/// The actor of what the daemon does by itself, such as purging old jobs, which is no action of a
/// person.
inline constexpr std::string_view kDaemonActor = "restanted";

/// Whether an event belongs into the table: it is about a topic or a person, or it has an
/// actor who is neither the daemon itself nor a device (mark). Pure.
bool isAudited(const JournalEvent& event);

/// An event about a job, a topic or a person, to be written into the table.
struct AuditedMove {
    const JournalEvent& event;
    std::string_view id = {};  ///< of the job
    std::size_t position = 0;  ///< of the job in the event
    std::string_view from = {};
    std::string_view to = {};
};
TableRows auditRows();
void addAudited(TableRows& rows, std::uint32_t shard, const AuditedMove& move);
/// Adds an event about a topic, or about a person (trace, untrace), whose address is in its place.
void addAuditedTopic(TableRows& rows, std::uint32_t shard, const JournalEvent& event);

/// Invalid: the limit is out of range, or the cursor cannot be read.
Result<AuditEntries> readAudit(SqlSession& session, const AuditQuery& query);

}  // namespace restante::journal
