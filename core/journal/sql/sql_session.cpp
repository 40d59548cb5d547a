#include "core/journal/sql/sql_session.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/journal/sql/sqlite_database.h"
#include "core/journal/sql/sqlite_file.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <soci/soci.h>

// Declared here, because the headers of SOCI's back-ends include those of the database clients.
extern "C" {
const soci::backend_factory* factory_mysql();
const soci::backend_factory* factory_postgresql();
}

namespace restante::journal {

namespace {

/// The target size of a statement: well below the limit of any database, and large enough that its
/// fixed cost does not matter.
constexpr std::size_t kBytesPerStatement = 262'144;
constexpr std::size_t kKeysPerStatement = 500;

const soci::backend_factory& factoryOf(Dialect server)
{
    return server == Dialect::Mysql ? *factory_mysql() : *factory_postgresql();
}

/// Statements at the start of each session. The sql_mode matters because SOCI's MySQL back-end
/// inserts bound values into the statement by the client library's rules, which depend on it.
std::vector<std::string> sessionSetup(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Mysql:
        return {"SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES'"};
    case Dialect::Postgresql:
        return {"SET standard_conforming_strings = on", "SET client_encoding = 'UTF8'",
                "SET client_min_messages = warning"};
    case Dialect::Sqlite: break;
    }
    // page_size applies to a new file: with larger pages a batch writes fewer of them, but with
    // much larger ones a single job writes more bytes. synchronous = FULL: a commit survives a
    // power cut, as a durable answer promises. cache_size holds the pages that a large batch
    // changes and the next one reads.
    return {"PRAGMA page_size = 8192", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
            "PRAGMA cache_size = -16384"};
}

/// For a single execution (st_one_time_query): PostgreSQL then gets statement and values in one
/// round trip instead of three.
void prepare(soci::statement& statement, const std::string& sql)
{
    statement.alloc();
    statement.prepare(sql, soci::details::st_one_time_query);
    statement.define_and_bind();
}

/// "unnest(CAST(:v0 AS TEXT[]),CAST(:v1 AS BIGINT[])) AS v(id,shard)"
std::string unnestClause(const SqlRows& rows)
{
    std::string arrays;
    for (std::size_t i = 0; i < rows.columns().size(); ++i) {
        const bool isNumber = rows.columns()[i].kind == SqlRows::Kind::Number;
        arrays +=
            fmt::format("{}CAST(:v{} AS {}[])", i == 0 ? "" : ",", i, isNumber ? "BIGINT" : "TEXT");
    }
    return fmt::format("unnest({}) AS v({})", arrays, rows.names());
}

/// "a=excluded.a,b=excluded.b" of all columns but the key.
std::string overwriteClause(const SqlRows& rows, std::string_view key)
{
    std::string set;
    for (const auto& column : rows.columns()) {
        if (column.name != key) {
            set +=
                fmt::format("{}{}=excluded.{}", set.empty() ? "" : ",", column.name, column.name);
        }
    }
    return set;
}

}  // namespace

struct SqlSession::Impl {
    soci::session session;

    explicit Impl(const JournalUrl& url) : session(factoryOf(url.dialect), url.connection) {}
};

SqlSession::SqlSession(const JournalUrl& url) : dialect_(url.dialect), path_(url.path)
{
    if (!path_.empty()) {
        prepareSqliteFile(path_);
        fileIdentity_ = fileIdentity(path_);  // read before opening, so that an exchange is noticed
    }
    if (dialect_ == Dialect::Sqlite) {
        sqlite_ = std::make_unique<SqliteDatabase>(path_);
    } else {
        try {
            impl_ = std::make_unique<Impl>(url);
        } catch (const std::exception& problem) {
            throw connectionErrorOf(problem);
        }
    }
    for (const auto& statement : sessionSetup(dialect_)) {
        execute(statement);
    }
    if (dialect_ == Dialect::Mysql) {
        // From 11.6.2 on MariaDB refuses (error 1020) to change or to lock a row that was changed
        // since the transaction's first read. Ours lock what they rely on, or have it in their
        // conditions, as PostgreSQL wants it, too.
        if (!query("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'", 2).empty()) {
            execute("SET SESSION innodb_snapshot_isolation = OFF");
        }
        // A longer statement would end the session, as if the database were away.
        const auto text = query("SELECT @@max_allowed_packet", 1).at(0).at(0);
        readNumber(text, maxStatementBytes_);
    }
}

SqlSession::~SqlSession() = default;

void SqlSession::requireSameFile() const
{
    if (!path_.empty() && fileIdentity(path_) != fileIdentity_) {
        throw SqlError{"its file was deleted or exchanged"};
    }
}

/// Runs a statement; `bind(statement)` binds its values.
template <class Bind>
std::int64_t SqlSession::run(const std::string& sql, Bind bind)
{
    try {
        soci::statement statement(impl_->session);
        bind(statement);
        prepare(statement, sql);
        statement.execute(true);
        return statement.get_affected_rows();
    } catch (const std::exception& problem) {
        throw sqlErrorOf(problem);
    }
}

std::int64_t SqlSession::execute(const SqlStatement& sqlStatement)
{
    if (sqlite_) {
        return sqlite_->execute(sqlStatement);
    }
    return run(sqlStatement.text(), [&](soci::statement& statement) {
        for (const auto& value : sqlStatement.values()) {
            statement.exchange(soci::use(value));
        }
    });
}

std::vector<SqlSession::Row> SqlSession::query(const SqlStatement& sqlStatement,
                                               std::size_t columns)
{
    if (sqlite_) {
        return sqlite_->query(sqlStatement, columns);
    }
    try {
        Row row(columns);
        std::vector<soci::indicator> indicators(columns, soci::i_ok);
        soci::statement statement(impl_->session);
        for (std::size_t i = 0; i < columns; ++i) {
            statement.exchange(soci::into(row[i], indicators[i]));
        }
        for (const auto& value : sqlStatement.values()) {
            statement.exchange(soci::use(value));
        }
        prepare(statement, sqlStatement.text());
        std::vector<Row> rows;
        for (bool more = statement.execute(true); more; more = statement.fetch()) {
            for (std::size_t i = 0; i < columns; ++i) {
                if (indicators[i] == soci::i_null) {
                    row[i].clear();
                }
            }
            rows.push_back(row);
        }
        return rows;
    } catch (const std::exception& problem) {
        throw sqlErrorOf(problem);
    }
}

void SqlSession::queryIn(const std::string& sql,
                         const std::vector<std::string>& ids,
                         std::size_t columns,
                         const std::function<void(Row&)>& each,
                         std::string_view tail)
{
    for (std::size_t i = 0; i < ids.size(); i += kIdsPerStatement) {
        SqlStatement find(sql);
        find.list(ids, i, std::min(ids.size(), i + kIdsPerStatement)).append(tail);
        auto rows = query(find, columns);
        std::for_each(rows.begin(), rows.end(), each);
    }
}

void SqlSession::executeIn(const std::string& sql,
                           const std::vector<std::string>& ids,
                           std::size_t idsPerStatement)
{
    for (std::size_t i = 0; i < ids.size(); i += idsPerStatement) {
        execute(SqlStatement(sql).list(ids, i, std::min(ids.size(), i + idsPerStatement)));
    }
}

void SqlSession::deleteOldest(std::string_view table,
                              std::string_view column,
                              std::int64_t before,
                              std::size_t most)
{
    const auto rows =
        query(fmt::format("SELECT {1} FROM {0} WHERE {1} < {2} ORDER BY {1} LIMIT 1 OFFSET {3}",
                          table, column, before, most - 1),
              1);
    // Includes all rows with the last value, so there may be more than `most`.
    const auto last = rows.empty() ? std::to_string(before - 1) : rows.front().front();
    execute(fmt::format("DELETE FROM {} WHERE {} <= {}", table, column, last));
}

void SqlSession::requireStatementFits(std::size_t bytes) const
{
    if (maxStatementBytes_ > 0 && bytes >= maxStatementBytes_) {
        throw SqlError{fmt::format("a row of {} bytes is longer than a statement may be "
                                   "(max_allowed_packet is {})",
                                   bytes, maxStatementBytes_),
                       SqlError::Cause::Refused};
    }
}

/// Many rows in a statement, which is fastest with MySQL.
std::int64_t
SqlSession::insertValues(const std::string& head, const SqlRows& rows, const std::string& tail)
{
    const auto maxBytes = maxStatementBytes_ > 0
                              ? std::min(kBytesPerStatement, maxStatementBytes_ / 2)
                              : kBytesPerStatement;
    std::int64_t changed = 0;
    std::string sql;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        sql += sql.empty() ? head : ",";
        sql += '(';
        for (const auto& column : rows.columns()) {
            sql += &column == &rows.columns().front() ? "" : ",";
            addMysqlLiteral(sql, column, i);
        }
        sql += ')';
        if (i + 1 == rows.size() || sql.size() + rows.lengthOf(i + 1) >= maxBytes) {
            requireStatementFits(sql.size() + tail.size());
            changed += execute(sql + tail);
            sql.clear();
        }
    }
    return changed;
}

/// For MySQL, where each statement is a round trip: one statement for all rows that differ only in
/// the key.
void SqlSession::updateInGroups(std::string_view table, const SqlRows& rows)
{
    std::map<std::string, std::vector<std::size_t>> rowsBySet;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::string set;
        for (std::size_t n = 0; n + 1 < rows.columns().size(); ++n) {
            const auto& column = rows.columns()[n];
            set += n == 0 ? "" : ", ";
            set += column.name;
            set += " = ";
            addMysqlLiteral(set, column, i);
        }
        rowsBySet[std::move(set)].push_back(i);
    }
    const auto& key = rows.columns().back();
    for (const auto& [set, rowIndices] : rowsBySet) {
        for (std::size_t i = 0; i < rowIndices.size();) {
            auto sql = fmt::format("UPDATE {} SET {} WHERE {} IN (", table, set, key.name);
            const auto end = std::min(rowIndices.size(), i + kKeysPerStatement);
            for (const auto begin = i; i < end; ++i) {
                sql += i == begin ? "" : ",";
                addMysqlLiteral(sql, key, rowIndices[i]);
            }
            requireStatementFits(sql.size());
            execute(sql + ")");
        }
    }
}

/// All rows in one statement, each column as an array, which is fastest with PostgreSQL.
std::int64_t SqlSession::executeWithArrays(const std::string& sql, const SqlRows& rows)
{
    if (rows.empty()) {
        return 0;
    }
    std::vector<std::string> arrays;
    for (const auto& column : rows.columns()) {
        arrays.push_back(postgresqlArrayOf(column));
    }
    return run(sql, [&](soci::statement& statement) {
        for (const auto& array : arrays) {
            statement.exchange(soci::use(array));
        }
    });
}

std::string SqlSession::keepExistingClause(std::string_view table, std::string_view key) const
{
    return dialect_ == Dialect::Mysql
               ? fmt::format(" ON DUPLICATE KEY UPDATE {0}.{1} = {0}.{1}", table, key)
               : " ON CONFLICT DO NOTHING";
}

std::int64_t SqlSession::insert(std::string_view table,
                                std::string_view key,
                                const SqlRows& rows,
                                OnConflict onConflict)
{
    const bool replaces = onConflict == OnConflict::Replace;
    const bool usesOnConflict =
        replaces && dialect_ == Dialect::Postgresql;  // PostgreSQL has no REPLACE
    const auto head =
        fmt::format("{} INTO {} ({}) ", replaces && !usesOnConflict ? "REPLACE" : "INSERT", table,
                    rows.names());
    const auto tail = usesOnConflict ? fmt::format(" ON CONFLICT ({}) DO UPDATE SET {}", key,
                                                   overwriteClause(rows, key))
                      : replaces     ? std::string()
                                     : keepExistingClause(table, key);
    switch (dialect_) {
    case Dialect::Postgresql:
        return executeWithArrays(
            fmt::format("{}SELECT * FROM {}{}", head, unnestClause(rows), tail), rows);
    case Dialect::Mysql: return insertValues(head + "VALUES ", rows, tail);
    case Dialect::Sqlite: break;
    }
    return sqlite_->insert(head, tail, rows);
}

void SqlSession::update(std::string_view table, const SqlRows& rows)
{
    if (dialect_ == Dialect::Sqlite) {
        sqlite_->update(table, rows);
        return;
    }
    if (dialect_ == Dialect::Mysql) {
        return updateInGroups(table, rows);
    }
    const auto& key = rows.columns().back().name;
    std::string set;
    for (std::size_t i = 0; i + 1 < rows.columns().size(); ++i) {
        const auto& name = rows.columns()[i].name;
        set += fmt::format("{}{} = v.{}", i == 0 ? "" : ", ", name, name);
    }
    executeWithArrays(fmt::format("UPDATE {0} SET {1} FROM {2} WHERE {0}.{3} = v.{3}", table, set,
                                  unnestClause(rows), key),
                      rows);
}

SqlSession::Transaction::Transaction(SqlSession& session) : session_(session)
{
    // SQLite: takes the write lock at once, or two programs could wait for each other.
    session_.execute(session_.dialect() == Dialect::Sqlite ? "BEGIN IMMEDIATE" : "BEGIN");
}

SqlSession::Transaction::~Transaction()
{
    if (isOpen_) {
        try {
            session_.execute("ROLLBACK");
        } catch (const SqlError&) {  // NOLINT(bugprone-empty-catch): see below
            // The session is dropped by whoever catches the error under way, or, where that goes
            // on with it (after a conflict or a refused row), by its next statement, which fails.
        }
    }
}

void SqlSession::Transaction::commit()
{
    session_.execute("COMMIT");
    isOpen_ = false;
}

}  // namespace restante::journal
