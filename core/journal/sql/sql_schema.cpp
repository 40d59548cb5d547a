#include "core/journal/sql/sql_schema.h"

#include "core/journal/sql/sql_audit.h"
#include "core/journal/sql/stored_settings.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace restante::journal {

namespace {

/// The column types and table options of a database.
struct Types {
    std::string id;    ///< ASCII, compared byte by byte, which is also the order of the primary key
    std::string text;  ///< UTF-8
    std::string ascii;          ///< a longer ASCII text
    std::string blob;           ///< base64; SQLite takes bytes there, too: allowBytes()
    std::string keyedTable;     ///< options of a table that is stored in its primary key
    std::string otherTable;     ///< options of any other table
    std::string noText = "''";  ///< default of a text column
};

constexpr std::string_view kMysqlAscii = " CHARACTER SET ascii COLLATE ascii_bin";

Types typesOf(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Mysql: {
        const std::string ascii(kMysqlAscii);
        const std::string engine = " ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
        return {"VARCHAR(128)" + ascii,
                "MEDIUMTEXT",
                "MEDIUMTEXT" + ascii,
                "LONGTEXT" + ascii,
                engine,
                engine,
                "('')"};  // MySQL allows only an expression as the default of such a type
    }
    case Dialect::Postgresql: return {"VARCHAR(128) COLLATE \"C\"", "TEXT", "TEXT", "TEXT", "", ""};
    case Dialect::Sqlite: break;
    }
    return {"TEXT", "TEXT", "TEXT", "TEXT", " WITHOUT ROWID", ""};
}

void createMessagesAndTransitions(SqlSession& session, const Types& types)
{
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS message ("
        "id {0} NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, topic {0} NOT NULL,"
        " channel {0} NOT NULL, state {0} NOT NULL, recipient {1} NOT NULL, sender {1} NOT NULL,"
        " biz_key {1} NOT NULL, priority INTEGER NOT NULL, due_ms BIGINT NOT NULL,"
        " due_order INTEGER NOT NULL, expires_ms BIGINT NOT NULL, created_ms BIGINT NOT NULL,"
        " attempts BIGINT NOT NULL, arrival BIGINT NOT NULL, last_error {1} NOT NULL,"
        " record {2} NOT NULL, updated_ms BIGINT NOT NULL){3}",
        types.id, types.text, types.blob, types.otherTable));
    // This one index finds a job's history and prevents a second row of the same event.
    session.execute(
        fmt::format("CREATE TABLE IF NOT EXISTS transition ("
                    "id {0} NOT NULL, stream_ms BIGINT NOT NULL, stream_seq BIGINT NOT NULL,"
                    " position INTEGER NOT NULL, shard INTEGER NOT NULL, transition {0} NOT NULL,"
                    " from_state {0} NOT NULL, to_state {0} NOT NULL, at_ms BIGINT NOT NULL,"
                    " worker {1} NOT NULL, actor {1} NOT NULL, reason {1} NOT NULL,"
                    " PRIMARY KEY (id, stream_ms, stream_seq, position)){2}",
                    types.id, types.text, types.keyedTable));
}

/// What people did before there was the table is in the transitions already.
void createAndFillAudit(SqlSession& session, const Types& types)
{
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS audit (stream_ms BIGINT NOT NULL, stream_seq BIGINT NOT NULL,"
        " shard INTEGER NOT NULL, position INTEGER NOT NULL, at_ms BIGINT NOT NULL,"
        " transition {0} NOT NULL, id {0} NOT NULL, topic {1} NOT NULL, from_state {0} NOT NULL,"
        " to_state {0} NOT NULL, worker {1} NOT NULL, actor {1} NOT NULL, reason {1} NOT NULL,"
        " PRIMARY KEY (stream_ms, stream_seq, shard, position)){2}",
        types.id, types.text, types.keyedTable));
    session.execute(fmt::format(
        "INSERT INTO audit (stream_ms,stream_seq,shard,position,at_ms,transition,id,topic,"
        "from_state,to_state,worker,actor,reason) SELECT stream_ms,stream_seq,shard,position,at_ms,"
        "transition,id,'',from_state,to_state,worker,actor,reason FROM transition"
        " WHERE actor <> '' AND actor <> '{}' AND transition <> 'mark'{}",
        kDaemonActor, session.keepExistingClause("audit", "stream_ms")));
}

/// The table of the rows that the database would not take into the others.
void createRefused(SqlSession& session, const Types& types)
{
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS refused (id {0} NOT NULL, row_of {0} NOT NULL,"
        " shard INTEGER NOT NULL, stream_ms BIGINT NOT NULL, stream_seq BIGINT NOT NULL,"
        " position INTEGER NOT NULL, part INTEGER NOT NULL, at_ms BIGINT NOT NULL,"
        " reason {1} NOT NULL, content {1} NOT NULL,"
        " PRIMARY KEY (id, row_of, shard, stream_ms, stream_seq, position, part)){2}",
        types.id, types.ascii, types.otherTable));
}

/// What a store has besides jobs: pauses and limits of topics, registrations.
void createSettings(SqlSession& session, const Types& types)
{
    const bool mysql = session.dialect() == Dialect::Mysql;
    const auto key = session.dialect() == Dialect::Sqlite
                         ? types.id
                         : fmt::format("VARCHAR({}){}", kLongestSettingId,
                                       mysql ? kMysqlAscii : " COLLATE \"C\"");
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS setting (id {0} NOT NULL PRIMARY KEY, shard INTEGER NOT NULL,"
        " kind {1} NOT NULL, name {2} NOT NULL, value {3} NOT NULL, until_ms BIGINT NOT NULL,"
        " updated_ms BIGINT NOT NULL){4}",
        key, mysql ? fmt::format("VARCHAR(16){}", kMysqlAscii) : "TEXT", types.text, types.ascii,
        mysql ? " ENGINE=InnoDB ROW_FORMAT=DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
              : ""));
}

void addColumn(SqlSession& session,
               std::string_view table,
               std::string_view column,
               std::string_view type,
               std::string_view defaultValue)
{
    try {
        session.query(fmt::format("SELECT {} FROM {} WHERE 1 = 0", column, table), 1);
    } catch (const SqlError&) {
        session.execute(fmt::format("ALTER TABLE {} ADD COLUMN {} {} NOT NULL DEFAULT {}", table,
                                    column, type, defaultValue));
    }
}

/// The place to which restore puts a job back; without it, a recovered dead job could not be
/// restored.
void addOrigin(SqlSession& session, const Types& types)
{
    addColumn(session, "message", "origin", types.text, types.noText);
}

/// What a worker reported about its attempt.
void addNote(SqlSession& session, const Types& types)
{
    addColumn(session, "transition", "note", types.text, types.noText);
}

/// The attempts that no longer count, because an operator has reset them.
void addForgotten(SqlSession& session, const Types& /*types*/)
{
    addColumn(session, "message", "forgotten", "BIGINT", "0");
}

/// From this version on, SQLite's new records are bytes instead of base64. No table changes, but
/// older programs must not read them.
void allowBytes(SqlSession& /*session*/, const Types& /*types*/) {}

/// Tables of samples and traffic, for charts.
/// Of `sample`, `all_topics` is 1 when every topic with a backlog has a row of that moment.
void createStatistics(SqlSession& session, const Types& types)
{
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS sample (at_ms BIGINT NOT NULL, topic {0} NOT NULL,"
        " channel {0} NOT NULL, span_ms BIGINT NOT NULL, all_topics INTEGER NOT NULL,"
        " ready BIGINT NOT NULL, scheduled BIGINT NOT NULL, leased BIGINT NOT NULL,"
        " held BIGINT NOT NULL, dead BIGINT NOT NULL, late_p50_ms BIGINT, late_p95_ms BIGINT,"
        " late_p99_ms BIGINT, PRIMARY KEY (at_ms, topic, channel)){1}",
        types.id, types.keyedTable));
    session.execute(
        fmt::format("CREATE TABLE IF NOT EXISTS traffic (at_ms BIGINT NOT NULL, topic {0} NOT NULL,"
                    " span_ms BIGINT NOT NULL, pushed BIGINT NOT NULL, ended BIGINT NOT NULL,"
                    " PRIMARY KEY (at_ms, topic)){1}",
                    types.id, types.keyedTable));
}

/// Columns for how attempts ended.
void addAttemptCounts(SqlSession& session, const Types& /*types*/)
{
    addColumn(session, "traffic", "finished", "BIGINT", "0");
    addColumn(session, "traffic", "failed", "BIGINT", "0");
}

/// A column for the bulk request to which an action belongs.
void addOrderId(SqlSession& session, const Types& types)
{
    addColumn(session, "audit", "order_id", types.text, types.noText);
}

/// Tables of cold jobs and their numbers.
/// `version`: ms of the insert or of the newest claim, which fences moves.
void createCold(SqlSession& session, const Types& types)
{
    const bool mysql = session.dialect() == Dialect::Mysql;
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS cold_job (id {0} NOT NULL PRIMARY KEY, shard INTEGER NOT NULL,"
        " state {0} NOT NULL, due_ms BIGINT NOT NULL, due_order INTEGER NOT NULL,"
        " attempts BIGINT NOT NULL, forgotten BIGINT NOT NULL, last_error {1} NOT NULL,"
        " version BIGINT NOT NULL, channel {0} NOT NULL, topic {0} NOT NULL,"
        " biz_key {1} NOT NULL, record {2} NOT NULL){3}",
        types.id, types.text, session.dialect() == Dialect::Sqlite ? "BLOB" : types.blob,
        types.otherTable));
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS cold_count (shard INTEGER NOT NULL, channel {0} NOT NULL,"
        " topic {0} NOT NULL, jobs BIGINT NOT NULL, PRIMARY KEY (shard, channel, topic)){1}",
        types.id, types.keyedTable));
    const auto createIndex = [&](std::string_view name, std::string_view columns,
                                 std::string_view condition) {
        if (!mysql) {
            session.execute(fmt::format("CREATE INDEX IF NOT EXISTS {} ON cold_job ({}){}", name,
                                        columns, condition));
            return;
        }
        // MySQL has neither IF NOT EXISTS for an index nor partial indexes.
        const auto existing = session.query(
            fmt::format("SELECT 1 FROM information_schema.statistics WHERE table_schema = "
                        "DATABASE() AND table_name = 'cold_job' AND index_name = '{}'",
                        name),
            1);
        if (existing.empty()) {
            session.execute(fmt::format("CREATE INDEX {} ON cold_job ({})", name, columns));
        }
    };
    createIndex("cold_due", "due_ms, id", "");
    createIndex("cold_key", mysql ? "biz_key(191)" : "biz_key", " WHERE biz_key <> ''");
    createIndex("cold_crossing", "state, shard, version", " WHERE state <> 'cold'");
}

int versionOf(SqlSession& session)
{
    const auto rows = session.query("SELECT value FROM journal_meta WHERE name = 'schema'", 1);
    return rows.empty() ? 0 : std::atoi(rows.front().front().c_str());
}

void setVersion(SqlSession& session, int version)
{
    SqlSession::Transaction transaction(session);
    session.execute("DELETE FROM journal_meta WHERE name = 'schema'");
    session.execute(
        fmt::format("INSERT INTO journal_meta (name, value) VALUES ('schema', '{}')", version));
    transaction.commit();
}

}  // namespace

void migrate(SqlSession& session, int version)
{
    const auto types = typesOf(session.dialect());
    session.execute(fmt::format("CREATE TABLE IF NOT EXISTS journal_meta ("
                                "name {} NOT NULL PRIMARY KEY, value {} NOT NULL){}",
                                types.id, types.text, types.otherTable));
    const int storedVersion = versionOf(session);
    if (storedVersion > kSchemaVersion) {
        throw SqlError{fmt::format("its tables have version {}, this program knows {}; use the "
                                   "version of Restante that wrote them",
                                   storedVersion, kSchemaVersion)};
    }
    using Step = void (*)(SqlSession&, const Types&);
    constexpr Step kSteps[] = {createMessagesAndTransitions,
                               addOrigin,
                               addNote,
                               createAndFillAudit,
                               addForgotten,
                               createStatistics,
                               createRefused,
                               createSettings,
                               allowBytes,
                               addAttemptCounts,
                               addOrderId,
                               createCold};
    for (int done = storedVersion; done < version; ++done) {
        kSteps[done](session, types);
        setVersion(session, done + 1);
    }
}

void requireVersion(SqlSession& session)
{
    int storedVersion = 0;
    try {
        storedVersion = versionOf(session);
    } catch (const SqlError&) {
        throw SqlError{"it has no tables yet; start the daemon that records it first"};
    }
    if (storedVersion != kSchemaVersion) {
        throw SqlError{fmt::format(
            "its tables have version {}, this program knows {}; {}", storedVersion, kSchemaVersion,
            storedVersion < kSchemaVersion ? "start a daemon of this version first"
                                           : "use the version of Restante that wrote them")};
    }
}

Result<int> schemaVersionAt(const JournalUrl& url)
{
    std::error_code unreadable;
    if (!url.path.empty() && !std::filesystem::exists(url.path, unreadable)) {
        if (unreadable) {
            return failure(ErrorCode::Unavailable, unreadable.message());
        }
        return 0;
    }
    try {
        SqlSession session(url);
        try {
            return versionOf(session);
        } catch (const SqlError&) {
            return 0;
        }
    } catch (const SqlError& problem) {
        return failure(ErrorCode::Unavailable, problem.message);
    }
}

}  // namespace restante::journal
