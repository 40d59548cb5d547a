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

/// One session with a database, text in and text out. Throws SqlError; whoever catches it drops the
/// session, unless it was Refused within a savepoint. Every call waits for the database. *One
/// thread.*
class SqlSession {
public:
    using Row = std::vector<std::string>;

    explicit SqlSession(const JournalUrl& url);
    ~SqlSession();

    Dialect dialect() const noexcept { return dialect_; }

    /// SQLite: throws unless its path still names the file that is open. What is written into one
    /// that was deleted is lost with it.
    void requireFile() const;

    /// How many rows it changed.
    std::int64_t execute(const SqlStatement& statement);
    /// All rows of `columns` columns each; NULL is the empty text.
    std::vector<Row> query(const SqlStatement& statement, std::size_t columns);

    /// As many ids as a statement of those below has at a time.
    static constexpr std::size_t kIdsPerStatement = 500;
    /// Calls `each` with the rows of any number of ids: `words` end with IN, `more` follows the
    /// list.
    void queryIn(const std::string& words,
                 const std::vector<std::string>& ids,
                 std::size_t columns,
                 const std::function<void(Row&)>& each,
                 std::string_view more = {});
    void executeIn(const std::string& words,
                   const std::vector<std::string>& ids,
                   std::size_t atOnce = kIdsPerStatement);
    /// Deletes about `most` of the rows whose `column` is below `before`, the oldest ones.
    void deleteOldest(std::string_view table,
                      std::string_view column,
                      std::int64_t before,
                      std::size_t most);

    /// What becomes of a row that is there already, by its primary key.
    enum class Present { Stays, IsReplaced };
    /// Any number of rows in as few statements as the database takes them in; `key` is a column of
    /// the primary key, all of it when rows are replaced. How many rows it changed.
    std::int64_t
    insert(std::string_view table, std::string_view key, const SqlRows& rows, Present present);
    /// The end of an INSERT that leaves what is there alone, and refuses everything else that is
    /// wrong, which INSERT IGNORE does not.
    std::string keepPresentClause(std::string_view table, std::string_view key) const;
    /// In each row that has the text of the last column there: sets the others.
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
        bool open_ = true;
    };

private:
    struct Impl;

    template <class Bind>
    std::int64_t run(const std::string& words, Bind bind);
    std::int64_t
    insertValues(const std::string& head, const SqlRows& rows, const std::string& tail);
    void updateInGroups(std::string_view table, const SqlRows& rows);
    void requireStatementFits(std::size_t bytes) const;
    std::int64_t executeWithArrays(const std::string& words, const SqlRows& rows);

    Dialect dialect_;
    std::string path_;  ///< of SQLite's file, which is file_
    std::string file_;
    std::size_t maxStatementBytes_ = 0;       ///< bytes of a statement; 0 = no matter
    std::unique_ptr<Impl> impl_;              ///< of a server
    std::unique_ptr<SqliteDatabase> sqlite_;  ///< or a file
};

/// What `read` makes of each row.
template <class Read>
auto readAll(const std::vector<SqlSession::Row>& rows, Read read)
{
    std::vector<std::decay_t<decltype(read(rows.front()))>> all;
    all.reserve(rows.size());
    std::transform(rows.begin(), rows.end(), std::back_inserter(all), read);
    return all;
}

}  // namespace restante::journal
