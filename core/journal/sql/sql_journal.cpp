#include "core/journal/sql/sql_journal.h"

#include "core/base/encoding.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_audit.h"
#include "core/journal/sql/sql_schema.h"
#include "core/journal/sql/sql_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

namespace restante::journal {

namespace {

constexpr std::string_view kDeletableStates = "('done','gone')";
/// Jobs in these states do not come back into Redis: they have ended (`retention.done` may still
/// keep one there) or are cold.
constexpr std::string_view kStatesNotInRedis = "('done','gone','cold')";
constexpr std::string_view kMessageColumns =
    "id,expires_ms,state,due_ms,due_order,attempts,arrival,last_error,origin,record,"
    "forgotten,updated_ms";
constexpr std::size_t kMessageColumnCount = 13;  // of messageColumns()
constexpr std::string_view kBlobType = "blob";
constexpr std::size_t kDeletesPerTransaction = 500;  // messages deleted in one transaction
/// The largest expected difference between the clock of Redis, from which events have their ids,
/// and that of the recorder.
constexpr Millis kMostClockSkew{10'000};
constexpr std::size_t kMostHistoryRows = 1'000;
/// Rows of one living job's history that are deleted at once: as long as a commit may wait.
constexpr std::size_t kHistoryDeletesPerStep = 10'000;
/// Name of the fact of deletedUntilMs().
constexpr auto kDeletedUntilFact = "deleted_until";

/// The columns of which messageOf() makes a message. The last one is the type of `record`: SQLite
/// has bytes there, or base64 in rows of schema versions before 9; the other databases have base64.
std::string messageColumns(Dialect dialect)
{
    return fmt::format("{},{}", kMessageColumns,
                       dialect == Dialect::Sqlite ? "typeof(record)" : "'text'");
}

MessageRow messageOf(const SqlSession::Row& row)
{
    const JobStatus status{row[2],
                           leadingNumber<std::int64_t>(row[3]),
                           leadingNumber<std::uint32_t>(row[4]),
                           leadingNumber<std::uint32_t>(row[5]),
                           leadingNumber<std::uint64_t>(row[6]),
                           row[7],
                           row[8],
                           leadingNumber<std::uint32_t>(row[10])};
    return {row[0], leadingNumber<std::int64_t>(row[1]), status,
            row[12] == kBlobType ? row[9] : fromBase64Prefix(row[9]),
            leadingNumber<std::int64_t>(row[11])};
}

std::vector<std::string> missingOf(const std::vector<std::string>& ids,
                                   const std::vector<MessageRow>& found)
{
    std::set<std::string_view> known;
    for (const auto& message : found) {
        known.insert(message.id);
    }
    std::vector<std::string> missing;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(missing),
                 [&known](const auto& id) { return !known.contains(id); });
    return missing;
}

/// Adds to `found` those of `ids` that are missing there and whose row the database refused, with
/// the status of the refused row.
void addRefused(SqlSession& session,
                const std::vector<std::string>& ids,
                std::vector<MessageRow>& found)
{
    for (const auto& id : missingOf(ids, found)) {
        const auto content = refusedContent(session, id, "message");
        const auto columns = nlohmann::json::parse(content, nullptr, false);
        if (!columns.is_object() || !columns.contains("record")) {
            continue;
        }
        SqlSession::Row row;
        for (const auto name : split(kMessageColumns, ',')) {
            const auto value = columns.value(std::string(name), nlohmann::json(""));
            row.push_back(value.is_string() ? value.get<std::string>() : value.dump());
        }
        row.emplace_back();
        found.push_back(messageOf(row));
        found.back().id = id;  // the refused row has only the ASCII form of it
    }
}

/// Adds to `found`, as gone, those of `ids` that are done or gone and of which the journal has
/// history only: a rebuilt journal has no status of a job that ended before it read the store.
void addGone(SqlSession& session,
             const std::vector<std::string>& ids,
             std::vector<MessageRow>& found)
{
    const auto missing = missingOf(ids, found);
    std::map<std::string, std::string> lastStates;
    session.queryIn(
        "SELECT id, CASE WHEN to_state = 'done' OR (to_state = '' AND transition IN "
        "('finish','finish_late','expire','purge')) THEN 'gone' ELSE to_state END "
        "FROM transition WHERE id IN ",
        missing, 2, [&](auto& row) { lastStates[row[0]] = row[1]; },
        " ORDER BY id, stream_ms, stream_seq, position");
    for (const auto& [id, state] : lastStates) {
        if (state == "gone") {
            found.push_back({id, 0, {.state = "gone", .lastError = {}, .origin = {}}, {}, 0});
        }
    }
}

std::string positionName(std::uint32_t shard)
{
    return fmt::format("position.{}", shard);
}

/// The name that older versions, which knew no store identities, have used. Its value is "<listen
/// token> <cursor>"; the token may contain spaces.
std::string oldPositionName(std::uint32_t shard)
{
    return fmt::format("cursor.{}", shard);
}

std::string toString(const Position& position)
{
    return fmt::format("{} {} {}", position.identity, position.listenToken,
                       position.cursor.toString());
}

/// Parses "<identity> <listen token> <cursor>".
std::optional<Position> positionOf(const std::string& text)
{
    const auto first = text.find(' ');
    const auto last = text.rfind(' ');
    if (first == std::string::npos || first == last) {
        return std::nullopt;
    }
    const auto cursor = StreamId::parse(text.substr(last + 1));
    if (!cursor) {
        return std::nullopt;
    }
    return Position{text.substr(0, first), text.substr(first + 1, last - first - 1), *cursor};
}

SqlStatement insertOfFact(const std::string& name, const std::string& value)
{
    SqlStatement insert("INSERT INTO journal_meta (name, value) VALUES (");
    insert.value(name).append(",").value(value).append(")");
    return insert;
}

void writeFact(SqlSession& session, const std::string& name, const std::string& value)
{
    SqlStatement remove("DELETE FROM journal_meta WHERE name = ");
    session.execute(remove.value(name));
    session.execute(insertOfFact(name, value));
}

void changeFact(SqlSession& session, const std::string& name, const std::string& value)
{
    SqlStatement change("UPDATE journal_meta SET value = ");
    change.value(value).append(" WHERE name = ");
    session.execute(change.value(name));
}

/// Writes the fact if there is none of that name. Returns what there is then, which nobody else can
/// change until the transaction ends.
std::string lockFact(SqlSession& session, const std::string& name, const std::string& value)
{
    session.execute(
        insertOfFact(name, value).append(session.keepExistingClause("journal_meta", "name")));
    SqlStatement find("SELECT value FROM journal_meta WHERE name = ");
    find.value(name).append(session.dialect() == Dialect::Sqlite ? "" : " FOR UPDATE");
    const auto rows = session.query(find, 1);
    if (rows.empty()) {
        // An older daemon replaces facts: it has removed this one since the INSERT found it.
        throw SqlError{fmt::format("the fact {} was replaced meanwhile", name)};
    }
    return rows.front().front();
}

/// Thrown when another program has moved the shard's position.
struct PositionConflict {};

template <class T>
struct AsResult {
    using Type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
    using Type = Result<T>;
};

std::string readFact(SqlSession& session, const std::string& name)
{
    SqlStatement find("SELECT value FROM journal_meta WHERE name = ");
    const auto rows = session.query(find.value(name), 1);
    return rows.empty() ? std::string() : rows.front().front();
}

/// Before the rows are deleted, in the same transaction. Never lowers it: several daemons may
/// delete, each by a `journal.retention` of its own.
void raiseDeletedUntil(SqlSession& session, std::int64_t ms)
{
    const auto known = lockFact(session, kDeletedUntilFact, std::to_string(ms));
    if (leadingNumber<std::int64_t>(known) < ms) {
        changeFact(session, kDeletedUntilFact, std::to_string(ms));
    }
}

/// The stream's time of one row of a job's history, counted from 0 in that order ("ASC" = the
/// oldest first, "DESC").
std::optional<std::int64_t> historyTimeAt(SqlSession& session,
                                          const std::string& id,
                                          std::string_view order,
                                          std::size_t offset)
{
    SqlStatement find("SELECT stream_ms FROM transition WHERE id = ");
    find.value(id).append(fmt::format(
        " ORDER BY stream_ms {0}, stream_seq {0}, position {0} LIMIT 1 OFFSET {1}", order, offset));
    const auto rows = session.query(find, 1);
    return rows.empty() ? std::nullopt
                        : std::optional(leadingNumber<std::int64_t>(rows.front().front()));
}

/// Deletes what is older than `beforeMs` and not among the newest rows, the only ones that
/// history() shows. Otherwise the history of a job that never ends, as a series of reminders, would
/// grow without end.
void deleteHiddenHistory(SqlSession& session,
                         const std::vector<std::string>& ids,
                         std::int64_t beforeMs)
{
    std::vector<std::string> longIds;
    session.queryIn(
        "SELECT id FROM transition WHERE id IN ", ids, 1,
        [&longIds](auto& row) { longIds.push_back(row[0]); },
        fmt::format(" GROUP BY id HAVING COUNT(*) > {}", kMostHistoryRows));
    for (const auto& id : longIds) {
        const auto shownSince = historyTimeAt(session, id, "DESC", kMostHistoryRows - 1);
        const auto stepEnd = historyTimeAt(session, id, "ASC", kHistoryDeletesPerStep);
        const auto until =
            std::min({beforeMs, shownSince.value_or(beforeMs), stepEnd.value_or(beforeMs)});
        SqlStatement remove("DELETE FROM transition WHERE id = ");
        session.execute(remove.value(id).append(fmt::format(" AND stream_ms < {}", until)));
    }
}

metrics::Counter& refusedCounter(std::string table)
{
    return metrics::counter("restante_journal_refused_total", {std::move(table)});
}

/// Logs some of the refused rows by id and only counts the others, because a whole batch may have
/// been refused.
void logRowErrors(const std::vector<RowError>& rowErrors)
{
    constexpr std::size_t kMostLogged = 5;
    for (std::size_t i = 0; i < rowErrors.size(); ++i) {
        const auto& row = rowErrors[i];
        refusedCounter(std::string(row.table)).add();
        if (i < kMostLogged) {
            log::error("journal",
                       "job {}: the database refuses its row in the table {}: {}; it is kept in "
                       "the table refused{}",
                       row.id, row.table, row.reason,
                       row.writtenWithoutText
                           ? ", and written without the texts that only people read"
                           : "");
        }
    }
    if (rowErrors.size() > kMostLogged) {
        log::error("journal", "and {} more rows; restantectl doctor names them",
                   rowErrors.size() - kMostLogged);
    }
}

/// Changes the shard's position from `expected` to `next`. False, without a change, when it is not
/// `expected`, or `expected` is none.
bool movePosition(SqlSession& session,
                  std::uint32_t shard,
                  const std::optional<Position>& expected,
                  const Position& next)
{
    if (!expected) {
        return false;
    }
    SqlStatement move("UPDATE journal_meta SET value = ");
    move.value(toString(next)).append(" WHERE name = ");
    move.value(positionName(shard)).append(" AND value = ");
    return session.execute(move.value(toString(*expected))) == 1;
}

void movePositionOrThrow(SqlSession& session, const ShardBatch& batch)
{
    if (!movePosition(session, batch.shard, batch.from, batch.to)) {
        throw PositionConflict{};
    }
}

void migrateWithRetry(SqlSession& session)
{
    try {
        migrate(session);
    } catch (const SqlError&) {
        migrate(session);  // fails when two programs create the same table at once; then once more
    }
}

}  // namespace

SqlJournal::SqlJournal(JournalUrl url, Schema schema) : url_(std::move(url)), schema_(schema)
{
    for (const auto* table : {"message", "transition", "audit", "setting"}) {
        refusedCounter(table);  // so that the counter exists before its first increment
    }
}

SqlJournal::~SqlJournal() = default;

/// Runs `work(session)` on a connected session and returns its value as a Result. Disconnects after
/// an SqlError.
template <class Work>
auto SqlJournal::withSession(Work work)
{
    using Value = std::invoke_result_t<Work, SqlSession&>;
    using Answer = typename AsResult<Value>::Type;
    try {
        if (!session_) {
            session_ = std::make_unique<SqlSession>(url_);
            schema_ == Schema::Require ? requireVersion(*session_) : migrateWithRetry(*session_);
        }
        session_->requireSameFile();
        if constexpr (std::is_void_v<Value>) {
            work(*session_);
            session_->requireSameFile();
            return Answer();
        } else {
            Answer result = work(*session_);
            session_->requireSameFile();
            return result;
        }
    } catch (const SqlError& problem) {
        session_.reset();
        return Answer(failure(ErrorCode::Unavailable,
                              fmt::format("journal {}: {}", url_.shown, problem.message)));
    } catch (const PositionConflict&) {
        return Answer(failure(ErrorCode::Conflict, "another program has recorded this shard"));
    }
}

Result<void> SqlJournal::open()
{
    return withSession([](SqlSession&) {});
}

Result<std::string> SqlJournal::fact(const std::string& name)
{
    return withSession([&](SqlSession& session) { return readFact(session, name); });
}

Result<void> SqlJournal::setFact(const std::string& name, const std::string& value)
{
    return withSession([&](SqlSession& session) {
        SqlSession::Transaction transaction(session);
        writeFact(session, name, value);
        transaction.commit();
    });
}

Result<void> SqlJournal::removeFact(const std::string& name, const std::string& value)
{
    return withSession([&](SqlSession& session) {
        SqlStatement remove("DELETE FROM journal_meta WHERE name = ");
        session.execute(remove.value(name).append(" AND value = ").value(value));
    });
}

Result<std::optional<Position>> SqlJournal::position(std::uint32_t shard)
{
    auto text = fact(positionName(shard));
    if (text && text->empty()) {
        text = fact(oldPositionName(shard)).map([](const std::string& old) {
            return old.empty() ? old : " " + old;  // with an empty identity
        });
    }
    return text.map(positionOf);
}

Result<void> SqlJournal::setPosition(std::uint32_t shard,
                                     const std::optional<Position>& expected,
                                     const Position& position,
                                     const std::string& factName)
{
    return withSession([&](SqlSession& session) {
        SqlSession::Transaction transaction(session);
        if (!movePosition(session, shard, expected, position)) {
            const auto name = positionName(shard);
            const auto wanted = toString(position);
            const auto stored = lockFact(session, name, wanted);
            if (stored.empty()) {
                changeFact(session, name, wanted);
            } else if (stored != wanted) {
                throw PositionConflict{};
            }
        }
        if (!factName.empty()) {
            writeFact(session, factName, toString(position));
        }
        transaction.commit();
    });
}

/// Runs `prepare` and writes the rows that `addRows` adds to a writer, in one transaction. When the
/// database refuses a row, the transaction is repeated, and what is refused is halved down to the
/// row: refused rows go into the table `refused`, all others are written.
template <class Prepare, class AddRows>
void writeIsolatingRefusals(SqlSession& session,
                            std::uint32_t shard,
                            Prepare prepare,
                            AddRows addRows)
{
    const auto attempt = [&](SqlRowWriter::RefusalMode mode) {
        SqlSession::Transaction transaction(session);
        prepare();
        SqlWriter writer(session, shard, mode);
        addRows(writer);
        writer.write();
        transaction.commit();
        logRowErrors(writer.rowErrors());
    };
    try {
        attempt(SqlRowWriter::RefusalMode::AbortBatch);
    } catch (const SqlError& problem) {
        if (problem.cause != SqlError::Cause::Refused) {
            throw;
        }
        attempt(SqlRowWriter::RefusalMode::IsolateRow);
    }
}

Result<void> SqlJournal::commit(const ShardBatch& batch)
{
    auto written = withSession([&](SqlSession& session) {
        // The position first: when another program has moved it nothing is written, and its row is
        // locked until the transaction ends.
        writeIsolatingRefusals(
            session, batch.shard, [&] { movePositionOrThrow(session, batch); },
            [&](SqlWriter& writer) { writer.add(batch.events); });
    });
    if (written) {
        traffic_.add(batch.events);
    }
    return written;
}

Result<void>
SqlJournal::writeSnapshot(std::uint32_t shard, const std::vector<JobInEvent>& jobs, TimePoint now)
{
    return withSession([&](SqlSession& session) {
        writeIsolatingRefusals(
            session, shard, [] {},
            [&](SqlWriter& writer) {
                for (const auto& job : jobs) {
                    writer.addSnapshot(job, toEpochMs(now));
                }
            });
    });
}

Result<std::vector<StoredSetting>> SqlJournal::settings(std::uint32_t shard,
                                                        const std::string& after,
                                                        std::size_t limit,
                                                        TimePoint now)
{
    return withSession([&](SqlSession& session) {
        return readSettings(session, shard, after, limit, toEpochMs(now));
    });
}

Result<void> SqlJournal::writeSettings(std::uint32_t shard,
                                       const std::vector<StoredSetting>& settings,
                                       TimePoint now)
{
    return withSession([&](SqlSession& session) {
        writeIsolatingRefusals(
            session, shard, [] {},
            [&](SqlWriter& writer) {
                for (const auto& setting : settings) {
                    writer.addSetting(setting, toEpochMs(now));
                }
            });
    });
}

Result<std::vector<HistoryRow>> SqlJournal::history(const std::string& id)
{
    return withSession([&](SqlSession& session) {
        SqlStatement find("SELECT at_ms, transition, from_state, to_state, worker, actor, reason, "
                          "shard, note FROM transition WHERE id = ");
        find.value(id).append(fmt::format(" ORDER BY stream_ms DESC, stream_seq DESC, position DESC"
                                          " LIMIT {}",
                                          kMostHistoryRows));
        auto history = readAll(session.query(find, 9), [](const auto& row) {
            return HistoryRow{fromEpochMs(leadingNumber<std::int64_t>(row[0])),
                              row[1],
                              row[2],
                              row[3],
                              row[4],
                              row[5],
                              row[6],
                              row[8],
                              leadingNumber<std::uint32_t>(row[7])};
        });
        std::reverse(history.begin(), history.end());
        return history;
    });
}

Result<AuditEntries> SqlJournal::audit(const AuditQuery& query)
{
    return withSession([&](SqlSession& session) { return readAudit(session, query); });
}

Result<ThroughputPart> SqlJournal::throughput(const ThroughputQuery& query)
{
    return withSession([&](SqlSession& session) { return readThroughput(session, query); });
}

Result<bool> SqlJournal::addBacklogSample(const BacklogSample& sample)
{
    return withSession([&](SqlSession& session) { return writeBacklogSample(session, sample); });
}

Result<void> SqlJournal::addTraffic(const TrafficCounts& counts, TimePoint at, Millis interval)
{
    return withSession([&](SqlSession& session) { writeTraffic(session, counts, at, interval); });
}

Result<TrafficRates> SqlJournal::traffic(TimePoint now)
{
    return withSession([&](SqlSession& session) { return readTraffic(session, now); });
}

Result<TrafficHistory> SqlJournal::trafficHistory(TimePoint begin, TimePoint end, Millis step)
{
    return withSession(
        [&](SqlSession& session) { return readTrafficHistory(session, begin, end, step); });
}

Result<std::vector<BacklogStep>> SqlJournal::backlog(const BacklogQuery& query)
{
    return withSession([&](SqlSession& session) { return readBacklog(session, query); });
}

Result<std::vector<JobInRedis>> SqlJournal::jobsInRedis(const std::string& after, std::size_t limit)
{
    return withSession([&](SqlSession& session) {
        SqlStatement find("SELECT id, expires_ms FROM message WHERE id > ");
        find.value(after).append(
            fmt::format(" AND state NOT IN {} ORDER BY id LIMIT {}", kStatesNotInRedis, limit));
        return readAll(session.query(find, 2), [](const auto& row) {
            return JobInRedis{row[0], leadingNumber<std::int64_t>(row[1])};
        });
    });
}

Result<std::uint64_t> SqlJournal::countJobsInRedis(std::optional<std::uint32_t> shard)
{
    return withSession([&](SqlSession& session) {
        const auto rows = session.query(
            fmt::format("SELECT COUNT(*) FROM message WHERE state NOT IN {}{}", kStatesNotInRedis,
                        shard ? fmt::format(" AND shard = {}", *shard) : std::string()),
            1);
        return leadingNumber<std::uint64_t>(rows.front().front());
    });
}

Result<std::vector<MessageRow>>
SqlJournal::rowsInRedis(std::uint32_t shard, const std::string& after, std::size_t limit)
{
    return withSession([&](SqlSession& session) {
        SqlStatement find(
            fmt::format("SELECT {} FROM message WHERE id > ", messageColumns(session.dialect())));
        find.value(after).append(
            fmt::format(" AND shard = {} AND state NOT IN {} ORDER BY id LIMIT {}", shard,
                        kStatesNotInRedis, limit));
        return readAll(session.query(find, kMessageColumnCount), messageOf);
    });
}

Result<std::vector<std::string>> SqlJournal::movedSince(std::uint32_t shard,
                                                        StreamId event,
                                                        const std::string& after,
                                                        std::size_t limit)
{
    return withSession([&](SqlSession& session) {
        const auto laterCondition = fmt::format(
            " AND shard = {0} AND (stream_ms > {1} OR (stream_ms = {1} AND stream_seq > {2}))",
            shard, event.ms, event.seq);
        // Also the jobs whose row was refused.
        SqlStatement find("SELECT id FROM transition WHERE id > ");
        find.value(after)
            .append(laterCondition)
            .append(" UNION SELECT id FROM refused WHERE id > ");
        // And those whose current status a rebuilt journal has read from the store: they have no
        // row in `transition`.
        find.value(after)
            .append(laterCondition)
            .append(" UNION SELECT id FROM message WHERE id > ");
        find.value(after).append(fmt::format(
            " AND shard = {} AND updated_ms >= {} AND NOT EXISTS (SELECT 1 FROM transition"
            " WHERE transition.id = message.id AND transition.at_ms = message.updated_ms)"
            " ORDER BY id LIMIT {}",
            shard, static_cast<std::int64_t>(event.ms) - kMostClockSkew.count(), limit));
        return readAll(session.query(find, 1), [](const auto& row) { return row[0]; });
    });
}

Result<std::vector<MessageRow>> SqlJournal::rowsOf(const std::vector<std::string>& ids)
{
    return withSession([&](SqlSession& session) {
        std::vector<MessageRow> found;
        session.queryIn(
            fmt::format("SELECT {} FROM message WHERE id IN ", messageColumns(session.dialect())),
            ids, kMessageColumnCount, [&](auto& row) { found.push_back(messageOf(row)); });
        if (found.size() < ids.size()) {
            addRefused(session, ids, found);
        }
        if (found.size() < ids.size()) {
            addGone(session, ids, found);
        }
        return found;
    });
}

Result<std::vector<std::string>> SqlJournal::unknownOf(const std::vector<std::string>& ids)
{
    return withSession([&](SqlSession& session) {
        std::set<std::string> known;
        for (const auto* table : {"message", "transition", "refused", "cold_job"}) {
            session.queryIn(fmt::format("SELECT DISTINCT id FROM {} WHERE id IN ", table), ids, 1,
                            [&known](auto& row) { known.insert(std::move(row[0])); });
        }
        std::vector<std::string> unknown;
        std::copy_if(ids.begin(), ids.end(), std::back_inserter(unknown),
                     [&known](const auto& id) { return !known.contains(id); });
        return unknown;
    });
}

Result<std::int64_t> SqlJournal::deletedUntilMs()
{
    return fact(kDeletedUntilFact).map([](const std::string& ms) {
        return leadingNumber<std::int64_t>(ms);
    });
}

Result<RefusedRows> SqlJournal::refused(std::size_t limit)
{
    return withSession([&](SqlSession& session) { return readRefused(session, limit); });
}

Result<std::uint64_t> SqlJournal::newestArrival(std::optional<std::uint32_t> shard)
{
    return withSession([&](SqlSession& session) {
        const auto rows = session.query(
            fmt::format("SELECT COALESCE(MAX(arrival), 0) FROM message{}",
                        shard ? fmt::format(" WHERE shard = {}", *shard) : std::string()),
            1);
        return leadingNumber<std::uint64_t>(rows.front().front());
    });
}

Result<void>
SqlJournal::markGone(const std::vector<std::string>& ids, TimePoint now, TimePoint absentSince)
{
    return withSession([&](SqlSession& session) {
        session.executeIn(
            fmt::format("UPDATE message SET state = 'gone', updated_ms = {} WHERE updated_ms < {} "
                        "AND state NOT IN {} AND id IN ",
                        toEpochMs(now), toEpochMs(absentSince), kStatesNotInRedis),
            ids);
    });
}

Result<void> SqlJournal::run(const std::function<void(SqlSession&)>& work)
{
    return withSession([&](SqlSession& session) { work(session); });
}

Result<std::string> SqlJournal::deleteOld(const std::string& afterId,
                                          std::size_t limit,
                                          TimePoint endedBefore,
                                          Millis doneRetention)
{
    return withSession([&](SqlSession& session) {
        SqlStatement find("SELECT id, state, updated_ms, created_ms FROM message WHERE id > ");
        const auto rows = session.query(
            find.value(afterId).append(fmt::format(" ORDER BY id LIMIT {}", limit)), 4);
        session.deleteOldest("audit", "stream_ms", toEpochMs(endedBefore), 1'000);
        session.deleteOldest("sample", "at_ms", toEpochMs(endedBefore), 5'000);
        session.deleteOldest("traffic", "at_ms", toEpochMs(endedBefore), 5'000);
        session.execute(fmt::format("DELETE FROM setting WHERE until_ms > 0 AND until_ms < {}",
                                    toEpochMs(endedBefore)));
        std::vector<std::string> idsToDelete;
        std::vector<std::string> idsOfLongLife;
        for (const auto& row : rows) {
            const bool isDone = row[1] == "done";
            const bool hasEnded = isDone || row[1] == "gone";
            const auto before = isDone ? endedBefore - doneRetention : endedBefore;
            if (leadingNumber<std::int64_t>(row[hasEnded ? 2U : 3U]) < toEpochMs(before)) {
                (hasEnded ? idsToDelete : idsOfLongLife).push_back(row[0]);
            }
        }
        deleteHiddenHistory(session, idsOfLongLife, toEpochMs(endedBefore));
        for (std::size_t i = 0; i < idsToDelete.size(); i += kDeletesPerTransaction) {
            const auto end = std::min(idsToDelete.size(), i + kDeletesPerTransaction);
            SqlSession::Transaction transaction(session);
            raiseDeletedUntil(session, toEpochMs(endedBefore));
            SqlStatement deleteHistory("DELETE FROM transition WHERE id IN ");
            session.execute(deleteHistory.list(idsToDelete, i, end));
            // The state is checked again, because the job may have been pushed again since it was
            // read.
            SqlStatement deleteJobs(
                fmt::format("DELETE FROM message WHERE state IN {} AND id IN ", kDeletableStates));
            session.execute(deleteJobs.list(idsToDelete, i, end));
            transaction.commit();
        }
        return rows.size() < limit ? std::string() : rows.back()[0];
    });
}

}  // namespace restante::journal
