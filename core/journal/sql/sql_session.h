#pragma once

#include "core/base/result.h"
#include "core/journal/sql/journal_url.h"
#include "core/journal/sql/sql_error.h"
#include "core/journal/sql/sql_statement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace restante::journal {

class SqliteDatabase;

/// One session with a database; all values are texts. Throws SqlError, after which the session must
/// be dropped, unless it was Refused within a savepoint. Every call waits for the database. *One
/// thread.*
class SqlSession {
public:
    using Row = std::vector<std::string>;

    explicit SqlSession(const JournalUrl& url);
    ~SqlSession();

    Dialect dialect() const noexcept { return dialect_; }

    /// SQLite: throws unless the path still names the open file, because writes into a deleted file
    /// would be lost.
    void requireSameFile() const;

    /// Returns the number of changed rows.
    std::int64_t execute(const SqlStatement& statement);
    /// All rows of `columns` columns each; NULL is the empty text.
    std::vector<Row> query(const SqlStatement& statement, std::size_t columns);

    /// The number of ids in one statement of the functions below.
    static constexpr std::size_t kIdsPerStatement = 500;
    /// Queries any number of ids and calls `each` with each row: `sql` ends with IN, and `tail`
    /// follows the list of ids.
    void queryIn(const std::string& sql,
                 const std::vector<std::string>& ids,
                 std::size_t columns,
                 const std::function<void(Row&)>& each,
                 std::string_view tail = {});
    void executeIn(const std::string& sql,
                   const std::vector<std::string>& ids,
                   std::size_t idsPerStatement = kIdsPerStatement);
    /// Deletes the oldest rows whose `column` is below `before`, about `most` of them.
    void deleteOldest(std::string_view table,
                      std::string_view column,
                      std::int64_t before,
                      std::size_t most);

    /// What happens to an existing row with the same primary key.
    enum class OnConflict { Keep, Replace };
    /// Inserts any number of rows in few statements. `key` is a column of the primary key, the
    /// whole key when rows are replaced. Returns the number of changed rows; MySQL and MariaDB also
    /// count rows that they keep.
    std::int64_t insert(std::string_view table,
                        std::string_view key,
                        const SqlRows& rows,
                        OnConflict onConflict);
    /// The end of an INSERT that keeps existing rows but still fails on every other error, unlike
    /// INSERT IGNORE.
    std::string keepExistingClause(std::string_view table, std::string_view key) const;
    /// For each of `rows`, updates the table's row with the key in the last column: sets the other
    /// columns.
    void update(std::string_view table, const SqlRows& rows);

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
        bool isOpen_ = true;
    };

private:
    struct Impl;

    template <class Bind>
    std::int64_t run(const std::string& sql, Bind bind);
    std::int64_t
    insertValues(const std::string& head, const SqlRows& rows, const std::string& tail);
    void updateInGroups(std::string_view table, const SqlRows& rows);
    void requireStatementFits(std::size_t bytes) const;
    std::int64_t executeWithArrays(const std::string& sql, const SqlRows& rows);

    Dialect dialect_;
    std::string path_;  ///< of SQLite's file
    std::string fileIdentity_;
    std::size_t maxStatementBytes_ = 0;       ///< 0 = no limit
    std::unique_ptr<Impl> impl_;              ///< set for a database server
    std::unique_ptr<SqliteDatabase> sqlite_;  ///< set for SQLite
};

/// The values that `read` returns for each row.
template <class Read>
auto readAll(const std::vector<SqlSession::Row>& rows, Read read)
{
    std::vector<std::decay_t<decltype(read(rows.front()))>> all;
    all.reserve(rows.size());
    std::transform(rows.begin(), rows.end(), std::back_inserter(all), read);
    return all;
}

}  // namespace restante::journal
