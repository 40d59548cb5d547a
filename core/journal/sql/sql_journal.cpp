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

constexpr std::string_view kEnded = "('done','gone')";
/// Of jobs that Redis is not to have: those that have ended, and cold ones.
constexpr std::string_view kElsewhere = "('done','gone','cold')";
constexpr std::string_view kMessageColumns =
    "id,expires_ms,state,due_ms,due_order,attempts,arrival,last_error,origin,record,"
    "forgotten,updated_ms";
constexpr std::size_t kMessageWidth = 13;  // with the kind of its record
constexpr std::string_view kBytes = "blob";
constexpr std::size_t kDeletedAtOnce = 500;  // in one transaction
/// Of Redis, which names events, and of whoever writes the journal.
constexpr Millis kClocksApart{10'000};
constexpr std::size_t kLongestHistory = 1'000;

/// SQLite keeps the bytes of records as they are, but those of before version 9, which are base64
/// as they are in the other databases.
std::string messageColumns(Dialect dialect)
{
    return fmt::format("{},{}", kMessageColumns,
                       dialect == Dialect::Sqlite ? "typeof(record)" : "'text'");
}

StoredMessage messageOf(const SqlSession::Row& row)
{
    const JobPlace place{row[2],
                         leadingNumber<std::int64_t>(row[3]),
                         leadingNumber<std::uint32_t>(row[4]),
                         leadingNumber<std::uint32_t>(row[5]),
                         leadingNumber<std::uint64_t>(row[6]),
                         row[7],
                         row[8],
                         leadingNumber<std::uint32_t>(row[10])};
    return {row[0], leadingNumber<std::int64_t>(row[1]), place,
            row[12] == kBytes ? row[9] : fromBase64Prefix(row[9]),
            leadingNumber<std::int64_t>(row[11])};
}

std::vector<std::string> missingOf(const std::vector<std::string>& ids,
                                   const std::vector<StoredMessage>& found)
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

/// Those of `ids` of which no row could be written: as they were when it was refused.
void addRefused(SqlSession& session,
                const std::vector<std::string>& ids,
                std::vector<StoredMessage>& found)
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
        found.back().id = id;  // which its row has in ASCII
    }
}

/// Those of `ids` of which there is history alone, because they ended before the journal, which had
/// just begun anew, came to read them.
void addEnded(SqlSession& session,
              const std::vector<std::string>& ids,
              std::vector<StoredMessage>& found)
{
    const auto rest = missingOf(ids, found);
    std::map<std::string, std::string> last;
    session.queryIn(
        "SELECT id, CASE WHEN to_state = 'done' OR (to_state = '' AND transition IN "
        "('finish','finish_late','expire','purge')) THEN 'gone' ELSE to_state END "
        "FROM transition WHERE id IN ",
        rest, 2, [&](auto& row) { last[row[0]] = row[1]; },
        " ORDER BY id, stream_ms, stream_seq, position");
    for (const auto& [id, state] : last) {
        if (state == "gone") {
            found.push_back({id, 0, {.state = "gone", .lastError = {}, .origin = {}}, {}, 0});
        }
    }
}

std::string positionName(std::uint32_t shard)
{
    return fmt::format("position.{}", shard);
}

/// As journals of before stores had an identity name it: the listening, whose name may have spaces
/// in it, and the cursor.
std::string oldPositionName(std::uint32_t shard)
{
    return fmt::format("cursor.{}", shard);
}

std::string print(const Position& position)
{
    return fmt::format("{} {} {}", position.identity, position.listenToken,
                       position.cursor.print());
}

/// "<identity> <listening> <cursor>".
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

void put(SqlSession& session, const std::string& name, const std::string& value)
{
    SqlStatement drop("DELETE FROM journal_meta WHERE name = ");
    session.execute(drop.value(name));
    SqlStatement insert("INSERT INTO journal_meta (name, value) VALUES (");
    session.execute(insert.value(name).words(",").value(value).words(")"));
}

/// Somebody else has moved the cursor.
struct Overtaken {};

template <class T>
struct AsResult {
    using Type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
    using Type = Result<T>;
};

std::string factIn(SqlSession& session, const std::string& name)
{
    SqlStatement find("SELECT value FROM journal_meta WHERE name = ");
    const auto rows = session.query(find.value(name), 1);
    return rows.empty() ? std::string() : rows.front().front();
}

metrics::Counter& refusedBy(std::string table)
{
    return metrics::counter("restante_journal_refused_total", {std::move(table)});
}

/// The first ones by name: a whole batch may have been refused.
void tellOf(const std::vector<RowError>& rowErrors)
{
    constexpr std::size_t kNamed = 5;
    for (std::size_t i = 0; i < rowErrors.size(); ++i) {
        const auto& row = rowErrors[i];
        refusedBy(std::string(row.table)).add();
        if (i < kNamed) {
            log::error("journal",
                       "job {}: the database refuses its row in the table {}: {}; it is kept in "
                       "the table refused{}",
                       row.id, row.table, row.reason,
                       row.writtenWithoutText
                           ? ", and written without the texts that only people read"
                           : "");
        }
    }
    if (rowErrors.size() > kNamed) {
        log::error("journal", "and {} more rows; restantectl doctor names them",
                   rowErrors.size() - kNamed);
    }
}

/// False when the shard's position is another one than `before`, or there is none.
bool isMoved(SqlSession& session,
             std::uint32_t shard,
             const std::optional<Position>& before,
             const Position& after)
{
    if (!before) {
        return false;
    }
    SqlStatement move("UPDATE journal_meta SET value = ");
    move.value(print(after)).words(" WHERE name = ");
    move.value(positionName(shard)).words(" AND value = ");
    return session.execute(move.value(print(*before))) == 1;
}

void moveCursor(SqlSession& session, const ShardBatch& batch)
{
    if (!isMoved(session, batch.shard, batch.from, batch.to)) {
        throw Overtaken{};
    }
}

void bringUpToDate(SqlSession& session)
{
    try {
        migrate(session);
    } catch (const SqlError&) {
        migrate(session);  // two that begin together may have made the same table at once
    }
}

}  // namespace

SqlJournal::SqlJournal(JournalUrl url, Access access) : url_(std::move(url)), access_(access)
{
    for (const auto* table : {"message", "transition", "audit", "setting"}) {
        refusedBy(table);  // so that a first one shows as one
    }
}

SqlJournal::~SqlJournal() = default;

/// What `work(session)` returns, as a Result, on a session that is connected; drops it when the
/// work fails.
template <class Work>
auto SqlJournal::with(Work work)
{
    using Value = std::invoke_result_t<Work, SqlSession&>;
    using Answer = typename AsResult<Value>::Type;
    try {
        if (!session_) {
            session_ = std::make_unique<SqlSession>(url_);
            access_ == Access::Look ? requireVersion(*session_) : bringUpToDate(*session_);
        }
        session_->requireFile();
        if constexpr (std::is_void_v<Value>) {
            work(*session_);
            session_->requireFile();
            return Answer();
        } else {
            Answer result = work(*session_);
            session_->requireFile();
            return result;
        }
    } catch (const SqlError& problem) {
        session_.reset();
        return Answer(failure(ErrorCode::Unavailable,
                              fmt::format("journal {}: {}", url_.shown, problem.message)));
    } catch (const Overtaken&) {
        return Answer(failure(ErrorCode::Conflict, "another program has recorded this shard"));
    }
}

Result<void> SqlJournal::open()
{
    return with([](SqlSession&) {});
}

Result<std::string> SqlJournal::fact(const std::string& name)
{
    return with([&](SqlSession& session) { return factIn(session, name); });
}

Result<void> SqlJournal::setFact(const std::string& name, const std::string& value)
{
    return with([&](SqlSession& session) {
        SqlSession::Transaction transaction(session);
        put(session, name, value);
        transaction.commit();
    });
}

Result<std::optional<Position>> SqlJournal::position(std::uint32_t shard)
{
    auto text = fact(positionName(shard));
    if (text && text->empty()) {
        text = fact(oldPositionName(shard)).map([](const std::string& old) {
            return old.empty() ? old : " " + old;  // of no identity
        });
    }
    return text.map(positionOf);
}

Result<void> SqlJournal::setPosition(std::uint32_t shard,
                                     const std::optional<Position>& before,
                                     const Position& position)
{
    return with([&](SqlSession& session) {
        SqlSession::Transaction transaction(session);
        if (!isMoved(session, shard, before, position)) {
            const auto there = factIn(session, positionName(shard));
            if (!there.empty() && there != print(position)) {
                throw Overtaken{};
            }
            put(session, positionName(shard), print(position));
        }
        transaction.commit();
    });
}

/// In one transaction: `before`, and what a writer has been given. When a row of it is refused,
/// everything once more row by row, so that the row goes aside and all others are written.
template <class Before, class Give>
void writeAll(SqlSession& session, std::uint32_t shard, Before before, Give give)
{
    const auto attempt = [&](SqlRowWriter::RefusalMode mode) {
        SqlSession::Transaction transaction(session);
        before();
        SqlWriter writer(session, shard, mode);
        give(writer);
        writer.write();
        transaction.commit();
        tellOf(writer.rowErrors());
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
    auto written = with([&](SqlSession& session) {
        // First the cursor: whoever has been overtaken writes nothing, and the row's lock keeps
        // others away.
        writeAll(
            session, batch.shard, [&] { moveCursor(session, batch); },
            [&](SqlWriter& writer) { writer.add(batch.events); });
    });
    if (written) {
        traffic_.add(batch.events);
    }
    return written;
}

Result<void>
SqlJournal::snapshot(std::uint32_t shard, const std::vector<JobInEvent>& jobs, TimePoint now)
{
    return with([&](SqlSession& session) {
        writeAll(
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
    return with([&](SqlSession& session) {
        return readSettings(session, shard, after, limit, toEpochMs(now));
    });
}

Result<void> SqlJournal::keepSettings(std::uint32_t shard,
                                      const std::vector<StoredSetting>& settings,
                                      TimePoint now)
{
    return with([&](SqlSession& session) {
        writeAll(
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
    return with([&](SqlSession& session) {
        SqlStatement find("SELECT at_ms, transition, from_state, to_state, worker, actor, reason, "
                          "shard, note FROM transition WHERE id = ");
        find.value(id).words(fmt::format(" ORDER BY stream_ms DESC, stream_seq DESC, position DESC"
                                         " LIMIT {}",
                                         kLongestHistory));
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
    return with([&](SqlSession& session) { return readAudit(session, query); });
}

Result<ThroughputPart> SqlJournal::throughput(const ThroughputQuery& query)
{
    return with([&](SqlSession& session) { return readThroughput(session, query); });
}

Result<bool> SqlJournal::addBacklogSample(const BacklogSample& sample)
{
    return with([&](SqlSession& session) { return writeBacklogSample(session, sample); });
}

Result<void> SqlJournal::addTraffic(const TrafficCounts& counts, TimePoint at, Millis every)
{
    return with([&](SqlSession& session) { writeTraffic(session, counts, at, every); });
}

Result<TrafficRates> SqlJournal::traffic(TimePoint now)
{
    return with([&](SqlSession& session) { return readTraffic(session, now); });
}

Result<TrafficHistory> SqlJournal::trafficHistory(TimePoint begin, TimePoint end, Millis step)
{
    return with([&](SqlSession& session) { return readTrafficHistory(session, begin, end, step); });
}

Result<std::vector<BacklogStep>> SqlJournal::backlog(const BacklogQuery& query)
{
    return with([&](SqlSession& session) { return readBacklog(session, query); });
}

Result<std::vector<LiveJob>> SqlJournal::liveJobs(const std::string& after, std::size_t limit)
{
    return with([&](SqlSession& session) {
        SqlStatement find("SELECT id, expires_ms FROM message WHERE id > ");
        find.value(after).words(
            fmt::format(" AND state NOT IN {} ORDER BY id LIMIT {}", kElsewhere, limit));
        return readAll(session.query(find, 2), [](const auto& row) {
            return LiveJob{row[0], leadingNumber<std::int64_t>(row[1])};
        });
    });
}

Result<std::uint64_t> SqlJournal::countLiving(std::optional<std::uint32_t> shard)
{
    return with([&](SqlSession& session) {
        const auto rows = session.query(
            fmt::format("SELECT COUNT(*) FROM message WHERE state NOT IN {}{}", kElsewhere,
                        shard ? fmt::format(" AND shard = {}", *shard) : std::string()),
            1);
        return leadingNumber<std::uint64_t>(rows.front().front());
    });
}

Result<std::vector<StoredMessage>>
SqlJournal::livingMessages(std::uint32_t shard, const std::string& after, std::size_t limit)
{
    return with([&](SqlSession& session) {
        SqlStatement find(
            fmt::format("SELECT {} FROM message WHERE id > ", messageColumns(session.dialect())));
        find.value(after).words(fmt::format(
            " AND shard = {} AND state NOT IN {} ORDER BY id LIMIT {}", shard, kElsewhere, limit));
        return readAll(session.query(find, kMessageWidth), messageOf);
    });
}

Result<std::vector<std::string>> SqlJournal::movedSince(std::uint32_t shard,
                                                        StreamId event,
                                                        const std::string& after,
                                                        std::size_t limit)
{
    return with([&](SqlSession& session) {
        const auto later = fmt::format(
            " AND shard = {0} AND (stream_ms > {1} OR (stream_ms = {1} AND stream_seq > {2}))",
            shard, event.ms, event.seq);
        // A move of which no row could be written is a move all the same.
        SqlStatement find("SELECT id FROM transition WHERE id > ");
        find.value(after).words(later).words(" UNION SELECT id FROM refused WHERE id > ");
        // And so is what the journal saw when it began anew, of which it has no history.
        find.value(after).words(later).words(" UNION SELECT id FROM message WHERE id > ");
        find.value(after).words(fmt::format(
            " AND shard = {} AND updated_ms >= {} AND NOT EXISTS (SELECT 1 FROM transition"
            " WHERE transition.id = message.id AND transition.at_ms = message.updated_ms)"
            " ORDER BY id LIMIT {}",
            shard, static_cast<std::int64_t>(event.ms) - kClocksApart.count(), limit));
        return readAll(session.query(find, 1), [](const auto& row) { return row[0]; });
    });
}

Result<std::vector<StoredMessage>> SqlJournal::messages(const std::vector<std::string>& ids)
{
    return with([&](SqlSession& session) {
        std::vector<StoredMessage> found;
        session.queryIn(
            fmt::format("SELECT {} FROM message WHERE id IN ", messageColumns(session.dialect())),
            ids, kMessageWidth, [&](auto& row) { found.push_back(messageOf(row)); });
        if (found.size() < ids.size()) {
            addRefused(session, ids, found);
        }
        if (found.size() < ids.size()) {
            addEnded(session, ids, found);
        }
        return found;
    });
}

Result<RefusedRows> SqlJournal::refused(std::size_t most)
{
    return with([&](SqlSession& session) { return readRefused(session, most); });
}

Result<std::uint64_t> SqlJournal::newestArrival(std::optional<std::uint32_t> shard)
{
    return with([&](SqlSession& session) {
        const auto rows = session.query(
            fmt::format("SELECT COALESCE(MAX(arrival), 0) FROM message{}",
                        shard ? fmt::format(" WHERE shard = {}", *shard) : std::string()),
            1);
        return leadingNumber<std::uint64_t>(rows.front().front());
    });
}

Result<void> SqlJournal::forget(const std::vector<std::string>& ids, TimePoint now)
{
    return with([&](SqlSession& session) {
        session.executeIn(
            fmt::format("UPDATE message SET state = 'gone', updated_ms = {} WHERE id IN ",
                        toEpochMs(now)),
            ids);
    });
}

Result<void> SqlJournal::run(const std::function<void(SqlSession&)>& work)
{
    return with([&](SqlSession& session) { work(session); });
}

Result<std::string> SqlJournal::sweep(const std::string& after, std::size_t limit, TimePoint before)
{
    return with([&](SqlSession& session) {
        SqlStatement find("SELECT id, state, updated_ms FROM message WHERE id > ");
        const auto rows =
            session.query(find.value(after).words(fmt::format(" ORDER BY id LIMIT {}", limit)), 3);
        session.deleteOldest("audit", "stream_ms", toEpochMs(before), 1'000);
        session.deleteOldest("sample", "at_ms", toEpochMs(before), 5'000);
        session.deleteOldest("traffic", "at_ms", toEpochMs(before), 5'000);
        session.execute(fmt::format("DELETE FROM setting WHERE until_ms > 0 AND until_ms < {}",
                                    toEpochMs(before)));
        std::vector<std::string> old;
        for (const auto& row : rows) {
            const bool ended = row[1] == "done" || row[1] == "gone";
            if (ended && leadingNumber<std::int64_t>(row[2]) < toEpochMs(before)) {
                old.push_back(row[0]);
            }
        }
        for (std::size_t i = 0; i < old.size(); i += kDeletedAtOnce) {
            const auto end = std::min(old.size(), i + kDeletedAtOnce);
            SqlSession::Transaction transaction(session);
            SqlStatement history("DELETE FROM transition WHERE id IN ");
            session.execute(history.list(old, i, end));
            // Once more by state: it may have been pushed again since.
            SqlStatement jobs(
                fmt::format("DELETE FROM message WHERE state IN {} AND id IN ", kEnded));
            session.execute(jobs.list(old, i, end));
            transaction.commit();
        }
        return rows.size() < limit ? std::string() : rows.back()[0];
    });
}

}  // namespace restante::journal
