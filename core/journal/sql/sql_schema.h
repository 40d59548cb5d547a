#pragma once

#include "core/journal/sql/sql_session.h"

namespace restante::journal {

/// The version of the tables that this program writes; docs/journal.md describes them.
constexpr int kSchemaVersion = 12;

/// Creates the tables, or brings older ones up to `version` step by step. Throws SqlError when they
/// are newer than this program.
void migrate(SqlSession& session, int version = kSchemaVersion);

/// For those who only look: throws SqlError unless the tables are those of this program.
void requireVersion(SqlSession& session);

/// The version of the tables at `url`, 0 when there are none yet; nothing is changed, and a file
/// that is not there is not made. Unavailable says what the database said.
Result<int> schemaVersionAt(const JournalUrl& url);

}  // namespace restante::journal
