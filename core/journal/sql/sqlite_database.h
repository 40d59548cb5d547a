#pragma once

#include "core/journal/sql/sql_error.h"
#include "core/journal/sql/sql_statement.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace restante::journal {

/// An open SQLite file, used by SQLite's own interface: values are bound without a copy, and
/// statements are cached. A recorder executes the same ten statements for each batch, so both save
/// a large part of its cost. Throws SqlError. *One thread.*
class SqliteDatabase {
public:
    explicit SqliteDatabase(const std::string& path);
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;
    ~SqliteDatabase();

    /// Returns the number of changed rows.
    std::int64_t execute(const SqlStatement& sql);
    /// All rows of `columns` columns each, bytes as they are; NULL is the empty text.
    std::vector<std::vector<std::string>> query(const SqlStatement& sql, std::size_t columns);
    /// Executes a statement with a placeholder for each column, once per row.
    std::int64_t executeForEach(const std::string& words, const SqlRows& rows);

private:
    class StatementUse;

    sqlite3_stmt* prepareStatement(const std::string& words) const;
    sqlite3_stmt* cachedStatement(const std::string& words);
    void finalizeStatements() noexcept;

    sqlite3* file_ = nullptr;
    std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

}  // namespace restante::journal
