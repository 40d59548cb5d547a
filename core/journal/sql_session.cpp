#include "core/journal/sql_session.h"

#include <exception>
#include <soci/soci.h>

// The headers of SOCI's back-ends drag in those of the databases' clients; this is all we need.
extern "C" {
const soci::backend_factory* factory_sqlite3();
const soci::backend_factory* factory_mysql();
const soci::backend_factory* factory_postgresql();
}

namespace restante::journal {

namespace {

const soci::backend_factory& factoryOf(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Mysql: return *factory_mysql();
    case Dialect::Postgresql: return *factory_postgresql();
    case Dialect::Sqlite: break;
    }
    return *factory_sqlite3();
}

/// What every session begins with. Statements hold literals, so the rules for quoting are fixed.
std::vector<std::string> opening(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Mysql:
        return {"SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES'"};
    case Dialect::Postgresql:
        return {"SET standard_conforming_strings = on", "SET client_encoding = 'UTF8'",
                "SET client_min_messages = warning"};
    case Dialect::Sqlite: break;
    }
    // FULL: a commit survives a power cut, which is what a durable answer promises.
    return {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"};
}

}  // namespace

struct SqlSession::Impl {
    soci::session session;

    explicit Impl(const JournalUrl& url) : session(factoryOf(url.dialect), url.connection) {}
};

SqlSession::SqlSession(const JournalUrl& url) : dialect_(url.dialect)
{
    try {
        impl_ = std::make_unique<Impl>(url);
    } catch (const std::exception& problem) {
        throw SqlError{problem.what()};
    }
    for (const auto& statement : opening(dialect_)) {
        execute(statement);
    }
}

SqlSession::~SqlSession() = default;

std::int64_t SqlSession::execute(const std::string& text)
{
    try {
        soci::statement statement(impl_->session);
        statement.alloc();
        statement.prepare(text);
        statement.define_and_bind();
        statement.execute(true);
        return statement.get_affected_rows();
    } catch (const std::exception& problem) {
        throw SqlError{problem.what()};
    }
}

std::vector<SqlSession::Row> SqlSession::query(const std::string& text, std::size_t columns)
{
    try {
        Row row(columns);
        std::vector<soci::indicator> indicators(columns, soci::i_ok);
        soci::statement statement(impl_->session);
        for (std::size_t i = 0; i < columns; ++i) {
            statement.exchange(soci::into(row[i], indicators[i]));
        }
        statement.alloc();
        statement.prepare(text);
        statement.define_and_bind();
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
        throw SqlError{problem.what()};
    }
}

SqlSession::Transaction::Transaction(SqlSession& session) : session_(session)
{
    // SQLite: a writer from the start, or two programs could wait for each other.
    session_.execute(session_.dialect() == Dialect::Sqlite ? "BEGIN IMMEDIATE" : "BEGIN");
}

SqlSession::Transaction::~Transaction()
{
    if (open_) {
        try {
            session_.execute("ROLLBACK");
        } catch (const SqlError&) {  // NOLINT(bugprone-empty-catch): the session is dropped anyway
        }
    }
}

void SqlSession::Transaction::commit()
{
    session_.execute("COMMIT");
    open_ = false;
}

}  // namespace restante::journal
