#pragma once

#include "core/base/result.h"
#include "core/journal/journal_url.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::journal {

/// One session with a database, text in and text out. Throws SqlError; whoever catches it drops the
/// session. Every call waits for the database. *One thread.*
class SqlSession {
public:
    using Row = std::vector<std::string>;

    explicit SqlSession(const JournalUrl& url);
    SqlSession(const SqlSession&) = delete;
    SqlSession& operator=(const SqlSession&) = delete;
    ~SqlSession();

    Dialect dialect() const noexcept { return dialect_; }

    /// How many rows it changed.
    std::int64_t execute(const std::string& statement);
    /// All rows of `columns` columns each; NULL is the empty text.
    std::vector<Row> query(const std::string& statement, std::size_t columns);

    /// A transaction that is rolled back unless commit() was called.
    class Transaction {
    public:
        explicit Transaction(SqlSession& session);
        Transaction(const Transaction&) = delete;
        Transaction& operator=(const Transaction&) = delete;
        ~Transaction();
        void commit();

    private:
        SqlSession& session_;
        bool open_ = true;
    };

private:
    struct Impl;
    Dialect dialect_;
    std::unique_ptr<Impl> impl_;
};

/// What the database said. Caught where SqlJournal's methods end.
struct SqlError {
    std::string message;
};

}  // namespace restante::journal
