#pragma once

#include "core/journal/sql/sql_session.h"

namespace restante::journal {

/// The version of the tables that this program writes; docs/journal.md describes them.
constexpr int kSchemaVersion = 12;

/// Creates the tables, or brings older ones up to `version` step by step. Throws SqlError when they
/// are newer than this program.
void migrate(SqlSession& session, int version = kSchemaVersion);

/// Throws SqlError unless the tables have this program's version.
void requireVersion(SqlSession& session);

/// The version of the tables at `url`, 0 when there are none yet. Changes nothing and creates no
/// file. Unavailable has the database's message.
Result<int> schemaVersionAt(const JournalUrl& url);

}  // namespace restante::journal
