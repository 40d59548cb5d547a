#pragma once

#include "core/journal/sql/sql_error.h"
#include "core/journal/sql/sql_statement.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace restante::journal {

/// An open SQLite file, used by SQLite's own interface: values are bound without a copy, and
/// statements are cached. A recorder executes the same ten statements for each batch, so both save
/// a large part of its cost. Checkpoints run on a second thread. Throws SqlError. *One thread.*
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
    /// Sets all columns but the last, which is the key. Rows that differ only in the key and stand
    /// beside each other share statements, so the keys must be distinct.
    std::int64_t update(std::string_view table, const SqlRows& rows);
    /// `head` is "INSERT INTO t (a,b) ", `tail` what follows the values.
    std::int64_t insert(const std::string& head, const std::string& tail, const SqlRows& rows);

private:
    class StatementUse;
    class Checkpoints;

    sqlite3_stmt* prepareStatement(const std::string& words) const;
    sqlite3_stmt* cachedStatement(const std::string& words);
    std::int64_t executeInGroups(const std::string& words,
                                 const SqlRows& rows,
                                 std::size_t begin,
                                 std::size_t end,
                                 std::size_t atOnce);
    std::int64_t updateAt(const std::string& words,
                          const SqlRows& rows,
                          const std::vector<std::size_t>& begins,
                          std::size_t count);
    void finalizeStatements() noexcept;

    std::unique_ptr<Checkpoints> checkpoints_;
    sqlite3* file_ = nullptr;
    std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

}  // namespace restante::journal
