#pragma once

#include "core/base/result.h"
#include "core/journal/outbox/journal_event.h"
#include "core/journal/sql/sql_row_writer.h"
#include "core/queue/job_history.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace restante::journal {

class SqlSession;

/// The table `audit`: what people have done, in the order in which it happened, apart from the
/// millions of rows about what workers did. Functions throw SqlError. *One thread.*

void createAudit(SqlSession& session);

/// Whether an event belongs there: somebody did it who is not the daemon itself, or it is about a
/// topic. Pure.
bool isAudited(const JournalEvent& event);

/// Rows on their way into the table.
class AuditWriter {
public:
    explicit AuditWriter(std::uint32_t shard);

    void addJob(const JournalEvent& event,
                const std::string& id,
                std::size_t position,
                const std::string& from,
                const std::string& to);
    void addTopic(const JournalEvent& event);
    TableRows& rows() noexcept { return rows_; }

private:
    void add(const JournalEvent& event,
             const std::string& id,
             std::size_t position,
             const std::string& from,
             const std::string& to);

    std::uint32_t shard_;
    TableRows rows_;
};

/// Invalid: the limit is out of range, or the cursor is none.
Result<AuditEntries> readAudit(SqlSession& session, const AuditQuery& query);

/// Deletes some of what is older than `before`.
void sweepAudit(SqlSession& session, std::int64_t beforeMs);

}  // namespace restante::journal
