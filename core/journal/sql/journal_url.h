#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace restante {
struct Config;
}  // namespace restante

namespace restante::journal {

enum class Dialect { Sqlite, Mysql, Postgresql };

/// Where the journal is kept. *Value.*
struct JournalUrl {
    Dialect dialect = Dialect::Sqlite;
    std::string connection;  ///< the connection string for SOCI, which does not open SQLite's file;
                             ///< may hold the password
    std::string shown;       ///< for messages, without the password:
                             ///< "sqlite:/var/lib/restante/journal.db", "mysql://host/db"
    std::string path;        ///< of SQLite's file
};

/// Reads `sqlite:///path`, `mysql://[user[:password]@]host[:port]/db[?socket=/path]` and
/// `postgresql://...` or `postgres://...` (as libpq reads it). Invalid says what is allowed and
/// shows no password.
Result<JournalUrl> parseJournalUrl(std::string_view text);

/// The journal of a configuration: `journal.url`, or SQLite in the state directory.
Result<JournalUrl> journalUrlOf(const Config& config);

}  // namespace restante::journal
