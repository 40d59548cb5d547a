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

/// An open SQLite file, by SQLite's own interface: values are bound where they lie, and a statement
/// that comes again is not parsed again. A recorder executes the same ten for each batch, so both
/// are a large part of what a batch costs. Throws SqlError. *One thread.*
class SqliteDatabase {
public:
    explicit SqliteDatabase(const std::string& path);
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;
    ~SqliteDatabase();

    /// How many rows it changed.
    std::int64_t execute(const SqlStatement& wanted);
    /// All rows of `columns` columns each, bytes as they are; NULL is the empty text.
    std::vector<std::vector<std::string>> query(const SqlStatement& wanted, std::size_t columns);
    /// One statement with a place for each column, executed for each row.
    std::int64_t executeForEach(const std::string& words, const SqlRows& rows);

private:
    class Use;

    sqlite3_stmt* prepared(const std::string& words) const;
    sqlite3_stmt* kept(const std::string& words);
    void forgetStatements() noexcept;

    sqlite3* file_ = nullptr;
    std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

}  // namespace restante::journal
