#include "core/journal/sql/sql_journal.h"

#include "core/base/encoding.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_audit.h"
#include "core/journal/sql/sql_refused.h"
#include "core/journal/sql/sql_schema.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_text.h"
#include "core/journal/sql/sql_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace restante::journal {

namespace {

constexpr std::string_view kEnded = "('done','gone')";
constexpr std::string_view kMessageColumns =
    "id,expires_ms,state,due_ms,due_order,attempts,arrival,last_error,origin,record,"
    "forgotten,updated_ms";
constexpr std::size_t kMessageWidth = 12;
constexpr std::size_t kIdsPerStatement = 500;
/// Of Redis, which names events, and of whoever writes the journal.
constexpr Millis kClocksApart{10'000};
constexpr std::size_t kLongestHistory = 1'000;

StoredMessage messageOf(const SqlSession::Row& row)
{
    StoredMessage message;
    message.id = row[0];
    message.expiresMs = leadingNumber<std::int64_t>(row[1]);
    message.place = {row[2],
                     leadingNumber<std::int64_t>(row[3]),
                     leadingNumber<std::uint32_t>(row[4]),
                     leadingNumber<std::uint32_t>(row[5]),
                     leadingNumber<std::uint64_t>(row[6]),
                     row[7],
                     row[8],
                     leadingNumber<std::uint32_t>(row[10])};
    message.record = fromBase64Front(row[9]);
    message.updatedMs = leadingNumber<std::int64_t>(row[11]);
    return message;
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
        const auto row = nlohmann::json::parse(content, nullptr, false);
        if (!row.is_object() || !row.contains("record")) {
            continue;
        }
        const auto number = [&row](const char* name) { return row.value(name, std::int64_t{0}); };
        const auto text = [&row](const char* name) { return row.value(name, std::string()); };
        StoredMessage message{
            id, number("expires_ms"), {}, fromBase64Front(text("record")), number("updated_ms")};
        message.place = {text("state"),
                         number("due_ms"),
                         static_cast<std::uint32_t>(number("due_order")),
                         static_cast<std::uint32_t>(number("attempts")),
                         static_cast<std::uint64_t>(number("arrival")),
                         text("last_error"),
                         text("origin"),
                         static_cast<std::uint32_t>(number("forgotten"))};
        found.push_back(std::move(message));
    }
}

/// Those of `ids` of which there is history alone, because they ended before the journal, which had
/// just begun anew, came to read them.
void addEnded(SqlSession& session,
              const std::vector<std::string>& ids,
              std::vector<StoredMessage>& found)
{
    const auto rest = missingOf(ids, found);
    for (std::size_t i = 0; i < rest.size(); i += kIdsPerStatement) {
        SqlStatement find(
            "SELECT id, CASE WHEN to_state = 'done' OR (to_state = '' AND transition IN "
            "('finish','finish_late','expire','purge')) THEN 'gone' ELSE to_state END "
            "FROM transition WHERE id IN ");
        find.list(rest, i, std::min(rest.size(), i + kIdsPerStatement))
            .words(" ORDER BY id, stream_ms, stream_seq, position");
        std::map<std::string, std::string> last;
        for (const auto& row : session.query(find, 2)) {
            last[row[0]] = row[1];
        }
        for (const auto& [id, state] : last) {
            if (state == "gone") {
                found.push_back({id, 0, {.state = "gone", .lastError = {}, .origin = {}}, {}, 0});
            }
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
    return fmt::format("{} {} {}", position.identity, position.since, position.cursor.print());
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
                       row.shown ? ", and written without the texts that only people read" : "");
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

/// Runs `work(session)` on a session that is connected; drops it when the work fails.
template <class T, class Work>
Result<T> SqlJournal::with(Work work)
{
    try {
        if (!session_) {
            session_ = std::make_unique<SqlSession>(url_);
            access_ == Access::Look ? requireVersion(*session_) : bringUpToDate(*session_);
        }
        session_->requireFile();
        auto result = work(*session_);
        session_->requireFile();
        return result;
    } catch (const SqlError& problem) {
        session_.reset();
        return failure(ErrorCode::Unavailable,
                       fmt::format("journal {}: {}", url_.shown, problem.message));
    } catch (const Overtaken&) {
        return failure(ErrorCode::Conflict, "another program has recorded this shard");
    }
}

Result<void> SqlJournal::open()
{
    return with<void>([](SqlSession&) { return Result<void>{}; });
}

Result<std::string> SqlJournal::fact(const std::string& name)
{
    return with<std::string>([&](SqlSession& session) -> Result<std::string> {
        SqlStatement find("SELECT value FROM journal_meta WHERE name = ");
        const auto rows = session.query(find.value(name), 1);
        return rows.empty() ? std::string() : rows.front().front();
    });
}

Result<void> SqlJournal::setFact(const std::string& name, const std::string& value)
{
    return with<void>([&](SqlSession& session) -> Result<void> {
        SqlSession::Transaction transaction(session);
        put(session, name, value);
        transaction.commit();
        return {};
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
    return with<void>([&](SqlSession& session) -> Result<void> {
        SqlSession::Transaction transaction(session);
        if (!isMoved(session, shard, before, position)) {
            SqlStatement find("SELECT value FROM journal_meta WHERE name = ");
            const auto rows = session.query(find.value(positionName(shard)), 1);
            const auto there = rows.empty() ? std::string() : rows.front().front();
            if (!there.empty() && there != print(position)) {
                throw Overtaken{};
            }
            put(session, positionName(shard), print(position));
        }
        transaction.commit();
        return {};
    });
}

/// In one transaction: `before`, and what a writer has been given. When a row of it is refused,
/// everything once more with care, so that the row goes aside and all others are written.
template <class Before, class Give>
void writeAll(SqlSession& session, std::uint32_t shard, Before before, Give give)
{
    const auto attempt = [&](SqlRowWriter::Care care) {
        SqlSession::Transaction transaction(session);
        before();
        SqlWriter writer(session, shard, care);
        give(writer);
        writer.write();
        transaction.commit();
        tellOf(writer.rowErrors());
    };
    try {
        attempt(SqlRowWriter::Care::Together);
    } catch (const SqlError& problem) {
        if (problem.cause != SqlError::Cause::Refused) {
            throw;
        }
        attempt(SqlRowWriter::Care::OneByOne);
    }
}

Result<void> SqlJournal::commit(const ShardBatch& batch)
{
    auto written = with<void>([&](SqlSession& session) -> Result<void> {
        // First the cursor: whoever has been overtaken writes nothing, and the row's lock keeps
        // others away.
        writeAll(
            session, batch.shard, [&] { moveCursor(session, batch); },
            [&](SqlWriter& writer) { writer.add(batch.events); });
        return {};
    });
    if (written) {
        traffic_.add(batch.events);
    }
    return written;
}

Result<void>
SqlJournal::snapshot(std::uint32_t shard, const std::vector<JobInEvent>& jobs, TimePoint now)
{
    return with<void>([&](SqlSession& session) -> Result<void> {
        writeAll(
            session, shard, [] {},
            [&](SqlWriter& writer) {
                for (const auto& job : jobs) {
                    writer.addSnapshot(job, toEpochMs(now));
                }
            });
        return {};
    });
}

Result<std::vector<StoredSetting>> SqlJournal::settings(std::uint32_t shard,
                                                        const std::string& after,
                                                        std::size_t limit,
                                                        TimePoint now)
{
    return with<std::vector<StoredSetting>>(
        [&](SqlSession& session) -> Result<std::vector<StoredSetting>> {
            return readSettings(session, shard, after, limit, toEpochMs(now));
        });
}

Result<void> SqlJournal::keepSettings(std::uint32_t shard,
                                      const std::vector<StoredSetting>& settings,
                                      TimePoint now)
{
    return with<void>([&](SqlSession& session) -> Result<void> {
        writeAll(
            session, shard, [] {},
            [&](SqlWriter& writer) {
                for (const auto& setting : settings) {
                    writer.addSetting(setting, toEpochMs(now));
                }
            });
        return {};
    });
}

Result<std::vector<HistoryRow>> SqlJournal::history(const std::string& id)
{
    return with<std::vector<HistoryRow>>([&](SqlSession& session)
                                             -> Result<std::vector<HistoryRow>> {
        SqlStatement find("SELECT at_ms, transition, from_state, to_state, worker, actor, reason, "
                          "shard, note FROM transition WHERE id = ");
        find.value(id).words(fmt::format(" ORDER BY stream_ms DESC, stream_seq DESC, position DESC"
                                         " LIMIT {}",
                                         kLongestHistory));
        const auto rows = session.query(find, 9);
        std::vector<HistoryRow> history;
        for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
            const auto& r = *row;
            history.push_back({fromEpochMs(leadingNumber<std::int64_t>(r[0])), r[1], r[2], r[3],
                               r[4], r[5], r[6], r[8], leadingNumber<std::uint32_t>(r[7])});
        }
        return history;
    });
}

Result<AuditEntries> SqlJournal::audit(const AuditQuery& query)
{
    return with<AuditEntries>([&](SqlSession& session) { return readAudit(session, query); });
}

Result<ThroughputPart> SqlJournal::throughput(const ThroughputQuery& query)
{
    return with<ThroughputPart>(
        [&](SqlSession& session) { return readThroughput(session, query); });
}

Result<bool> SqlJournal::addBacklogSample(const BacklogSample& sample)
{
    return with<bool>(
        [&](SqlSession& session) -> Result<bool> { return writeBacklogSample(session, sample); });
}

Result<void> SqlJournal::addTraffic(const TrafficCounts& counts, TimePoint at, Millis every)
{
    return with<void>([&](SqlSession& session) -> Result<void> {
        writeTraffic(session, counts, at, every);
        return {};
    });
}

Result<TrafficRates> SqlJournal::traffic(TimePoint now)
{
    return with<TrafficRates>([&](SqlSession& session) { return readTraffic(session, now); });
}

Result<std::vector<BacklogStep>> SqlJournal::backlog(const BacklogQuery& query)
{
    return with<std::vector<BacklogStep>>(
        [&](SqlSession& session) { return readBacklog(session, query); });
}

Result<std::vector<LiveJob>> SqlJournal::liveJobs(const std::string& after, std::size_t limit)
{
    return with<std::vector<LiveJob>>([&](SqlSession& session) -> Result<std::vector<LiveJob>> {
        std::vector<LiveJob> jobs;
        SqlStatement find("SELECT id, expires_ms FROM message WHERE id > ");
        find.value(after).words(
            fmt::format(" AND state NOT IN {} ORDER BY id LIMIT {}", kEnded, limit));
        for (const auto& row : session.query(find, 2)) {
            jobs.push_back({row[0], leadingNumber<std::int64_t>(row[1])});
        }
        return jobs;
    });
}

Result<std::uint64_t> SqlJournal::countLiving(std::optional<std::uint32_t> shard)
{
    return with<std::uint64_t>([&](SqlSession& session) -> Result<std::uint64_t> {
        const auto rows = session.query(
            fmt::format("SELECT COUNT(*) FROM message WHERE state NOT IN {}{}", kEnded,
                        shard ? fmt::format(" AND shard = {}", *shard) : std::string()),
            1);
        return leadingNumber<std::uint64_t>(rows.front().front());
    });
}

Result<std::vector<StoredMessage>>
SqlJournal::livingMessages(std::uint32_t shard, const std::string& after, std::size_t limit)
{
    return with<std::vector<StoredMessage>>(
        [&](SqlSession& session) -> Result<std::vector<StoredMessage>> {
            std::vector<StoredMessage> found;
            SqlStatement find(fmt::format("SELECT {} FROM message WHERE id > ", kMessageColumns));
            find.value(after).words(fmt::format(
                " AND shard = {} AND state NOT IN {} ORDER BY id LIMIT {}", shard, kEnded, limit));
            for (const auto& row : session.query(find, kMessageWidth)) {
                found.push_back(messageOf(row));
            }
            return found;
        });
}

Result<std::vector<std::string>> SqlJournal::movedSince(std::uint32_t shard,
                                                        StreamId event,
                                                        const std::string& after,
                                                        std::size_t limit)
{
    return with<std::vector<std::string>>(
        [&](SqlSession& session) -> Result<std::vector<std::string>> {
            std::vector<std::string> found;
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
            for (const auto& row : session.query(find, 1)) {
                found.push_back(row[0]);
            }
            return found;
        });
}

Result<std::vector<StoredMessage>> SqlJournal::messages(const std::vector<std::string>& ids)
{
    return with<std::vector<StoredMessage>>(
        [&](SqlSession& session) -> Result<std::vector<StoredMessage>> {
            std::vector<StoredMessage> found;
            for (std::size_t i = 0; i < ids.size(); i += kIdsPerStatement) {
                const auto end = std::min(ids.size(), i + kIdsPerStatement);
                SqlStatement find(
                    fmt::format("SELECT {} FROM message WHERE id IN ", kMessageColumns));
                for (const auto& row : session.query(find.list(ids, i, end), kMessageWidth)) {
                    found.push_back(messageOf(row));
                }
            }
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
    return with<RefusedRows>([&](SqlSession& session) -> Result<RefusedRows> {
        return RefusedRows{countRefused(session), readRefused(session, most)};
    });
}

Result<std::uint64_t> SqlJournal::newestArrival(std::optional<std::uint32_t> shard)
{
    return with<std::uint64_t>([&](SqlSession& session) -> Result<std::uint64_t> {
        const auto rows = session.query(
            fmt::format("SELECT COALESCE(MAX(arrival), 0) FROM message{}",
                        shard ? fmt::format(" WHERE shard = {}", *shard) : std::string()),
            1);
        return leadingNumber<std::uint64_t>(rows.front().front());
    });
}

Result<void> SqlJournal::forget(const std::vector<std::string>& ids, TimePoint now)
{
    return with<void>([&](SqlSession& session) -> Result<void> {
        for (std::size_t i = 0; i < ids.size(); i += kIdsPerStatement) {
            SqlStatement end(fmt::format(
                "UPDATE message SET state = 'gone', updated_ms = {} WHERE id IN ", toEpochMs(now)));
            session.execute(end.list(ids, i, std::min(ids.size(), i + kIdsPerStatement)));
        }
        return {};
    });
}

Result<std::string> SqlJournal::sweep(const std::string& after, std::size_t limit, TimePoint before)
{
    return with<std::string>([&](SqlSession& session) -> Result<std::string> {
        SqlStatement find("SELECT id, state, updated_ms FROM message WHERE id > ");
        const auto rows =
            session.query(find.value(after).words(fmt::format(" ORDER BY id LIMIT {}", limit)), 3);
        sweepAudit(session, toEpochMs(before));
        sweepSamples(session, toEpochMs(before));
        sweepTraffic(session, toEpochMs(before));
        sweepSettings(session, toEpochMs(before));
        std::vector<std::string> old;
        for (const auto& row : rows) {
            const bool ended = row[1] == "done" || row[1] == "gone";
            if (ended && leadingNumber<std::int64_t>(row[2]) < toEpochMs(before)) {
                old.push_back(row[0]);
            }
        }
        for (std::size_t i = 0; i < old.size(); i += kIdsPerStatement) {
            const auto end = std::min(old.size(), i + kIdsPerStatement);
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
