#include "core/journal/sql_journal.h"

#include "core/base/metrics.h"
#include "core/journal/sql_audit.h"
#include "core/journal/sql_schema.h"
#include "core/journal/sql_session.h"
#include "core/journal/sql_text.h"
#include "core/journal/sql_writer.h"

#include <charconv>
#include <fmt/format.h>

namespace restante::journal {

namespace {

constexpr std::string_view kEnded = "('done','gone')";
constexpr std::string_view kMessageColumns =
    "id,expires_ms,state,due_ms,due_order,attempts,arrival,last_error,origin,record,"
    "forgotten";
constexpr std::size_t kMessageWidth = 11;
constexpr std::size_t kIdsPerStatement = 500;
constexpr std::size_t kLongestHistory = 1'000;

template <class T>
T numberOf(std::string_view text)
{
    T value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

StoredMessage messageOf(const SqlSession::Row& row)
{
    StoredMessage message;
    message.id = row[0];
    message.expiresMs = numberOf<std::int64_t>(row[1]);
    message.place = {row[2],
                     numberOf<std::int64_t>(row[3]),
                     numberOf<std::uint32_t>(row[4]),
                     numberOf<std::uint32_t>(row[5]),
                     numberOf<std::uint64_t>(row[6]),
                     row[7],
                     row[8],
                     numberOf<std::uint32_t>(row[10])};
    message.record = fromBase64(row[9]);
    return message;
}

std::string cursorName(std::uint32_t shard)
{
    return fmt::format("cursor.{}", shard);
}

std::string print(const Position& position)
{
    return fmt::format("{} {}", position.since, position.cursor.print());
}

void put(SqlSession& session, const std::string& name, const std::string& value)
{
    session.execute("DELETE FROM journal_meta WHERE name = " + literalOf(name));
    session.execute(fmt::format("INSERT INTO journal_meta (name, value) VALUES ({}, {})",
                                literalOf(name), literalOf(value)));
}

/// Somebody else has moved the cursor.
struct Overtaken {};

void moveCursor(SqlSession& session, const ShardBatch& batch)
{
    const auto changed = session.execute(
        fmt::format("UPDATE journal_meta SET value = {} WHERE name = {} AND value = {}",
                    literalOf(print({batch.since, batch.to})), literalOf(cursorName(batch.shard)),
                    literalOf(print({batch.since, batch.from}))));
    if (changed != 1) {
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

SqlJournal::SqlJournal(JournalUrl url, Access access) : url_(std::move(url)), access_(access) {}

SqlJournal::~SqlJournal() = default;

/// Runs `work(session)` on a session that is connected; drops it when the work fails.
template <class T, class Work>
Result<T> SqlJournal::with(Work work)
{
    static auto& up = metrics::gauge("restante_journal_up");
    try {
        if (!session_) {
            session_ = std::make_unique<SqlSession>(url_);
            access_ == Access::Look ? requireVersion(*session_) : bringUpToDate(*session_);
        }
        auto result = work(*session_);
        up.set(1);
        return result;
    } catch (const SqlError& problem) {
        up.set(0);
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
        const auto rows =
            session.query("SELECT value FROM journal_meta WHERE name = " + literalOf(name), 1);
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
    auto text = fact(cursorName(shard));
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto space = text->find(' ');
    const auto cursor =
        space == std::string::npos ? std::nullopt : StreamId::parse(text->substr(space + 1));
    if (!cursor) {
        return std::optional<Position>{};
    }
    return std::optional<Position>{{text->substr(0, space), *cursor}};
}

Result<void> SqlJournal::setPosition(std::uint32_t shard, const Position& position)
{
    return setFact(cursorName(shard), print(position));
}

Result<void> SqlJournal::commit(const ShardBatch& batch)
{
    auto written = with<void>([&](SqlSession& session) -> Result<void> {
        SqlSession::Transaction transaction(session);
        // First: whoever has been overtaken writes nothing, and the row's lock keeps others away.
        moveCursor(session, batch);
        SqlWriter writer(session, batch.shard);
        writer.add(batch.events);
        writer.write();
        transaction.commit();
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
        SqlSession::Transaction transaction(session);
        SqlWriter writer(session, shard);
        for (const auto& job : jobs) {
            writer.addSnapshot(job, toEpochMs(now));
        }
        writer.write();
        transaction.commit();
        return {};
    });
}

Result<std::vector<HistoryRow>> SqlJournal::history(const std::string& id)
{
    return with<std::vector<HistoryRow>>([&](SqlSession& session)
                                             -> Result<std::vector<HistoryRow>> {
        const auto rows = session.query(
            fmt::format("SELECT at_ms, transition, from_state, to_state, worker, actor, reason, "
                        "shard, note FROM transition WHERE id = {} ORDER BY stream_ms DESC, "
                        "stream_seq DESC, position DESC LIMIT {}",
                        literalOf(id), kLongestHistory),
            9);
        std::vector<HistoryRow> history;
        for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
            const auto& r = *row;
            history.push_back({fromEpochMs(numberOf<std::int64_t>(r[0])), r[1], r[2], r[3], r[4],
                               r[5], r[6], r[8], numberOf<std::uint32_t>(r[7])});
        }
        return history;
    });
}

Result<AuditEntries> SqlJournal::audit(const AuditQuery& query)
{
    return with<AuditEntries>([&](SqlSession& session) { return readAudit(session, query); });
}

Result<FlowPart> SqlJournal::flow(const FlowQuery& query)
{
    return with<FlowPart>([&](SqlSession& session) { return readFlow(session, query); });
}

Result<bool> SqlJournal::addSample(const JournalSample& sample)
{
    return with<bool>(
        [&](SqlSession& session) -> Result<bool> { return writeSample(session, sample); });
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

Result<std::vector<SampleStep>> SqlJournal::samples(const SampleQuery& query)
{
    return with<std::vector<SampleStep>>(
        [&](SqlSession& session) { return readSamples(session, query); });
}

Result<std::vector<LivingJob>> SqlJournal::living(const std::string& after, std::size_t limit)
{
    return with<std::vector<LivingJob>>([&](SqlSession& session) -> Result<std::vector<LivingJob>> {
        std::vector<LivingJob> jobs;
        for (const auto& row : session.query(
                 fmt::format("SELECT id, expires_ms FROM message WHERE id > {} AND state NOT IN {} "
                             "ORDER BY id LIMIT {}",
                             literalOf(after), kEnded, limit),
                 2)) {
            jobs.push_back({row[0], numberOf<std::int64_t>(row[1])});
        }
        return jobs;
    });
}

Result<std::uint64_t> SqlJournal::countLiving()
{
    return with<std::uint64_t>([&](SqlSession& session) -> Result<std::uint64_t> {
        const auto rows = session.query(
            fmt::format("SELECT COUNT(*) FROM message WHERE state NOT IN {}", kEnded), 1);
        return numberOf<std::uint64_t>(rows.front().front());
    });
}

Result<std::vector<StoredMessage>> SqlJournal::messages(const std::vector<std::string>& ids)
{
    return with<std::vector<StoredMessage>>(
        [&](SqlSession& session) -> Result<std::vector<StoredMessage>> {
            std::vector<StoredMessage> found;
            for (std::size_t i = 0; i < ids.size(); i += kIdsPerStatement) {
                const auto end = std::min(ids.size(), i + kIdsPerStatement);
                for (const auto& row :
                     session.query(fmt::format("SELECT {} FROM message WHERE id IN {}",
                                               kMessageColumns, literalList(ids, i, end)),
                                   kMessageWidth)) {
                    found.push_back(messageOf(row));
                }
            }
            return found;
        });
}

Result<std::uint64_t> SqlJournal::newestArrival()
{
    return with<std::uint64_t>([&](SqlSession& session) -> Result<std::uint64_t> {
        const auto rows = session.query(
            fmt::format("SELECT COALESCE(MAX(arrival), 0) FROM message WHERE state NOT IN {}",
                        kEnded),
            1);
        return numberOf<std::uint64_t>(rows.front().front());
    });
}

Result<void> SqlJournal::forget(const std::vector<std::string>& ids, TimePoint now)
{
    return with<void>([&](SqlSession& session) -> Result<void> {
        for (std::size_t i = 0; i < ids.size(); i += kIdsPerStatement) {
            session.execute(fmt::format(
                "UPDATE message SET state = 'gone', updated_ms = {} WHERE id IN {}", toEpochMs(now),
                literalList(ids, i, std::min(ids.size(), i + kIdsPerStatement))));
        }
        return {};
    });
}

Result<std::string> SqlJournal::sweep(const std::string& after, std::size_t limit, TimePoint before)
{
    return with<std::string>([&](SqlSession& session) -> Result<std::string> {
        const auto rows = session.query(
            fmt::format("SELECT id, state, updated_ms FROM message WHERE id > {} ORDER BY id "
                        "LIMIT {}",
                        literalOf(after), limit),
            3);
        sweepAudit(session, toEpochMs(before));
        sweepSamples(session, toEpochMs(before));
        sweepTraffic(session, toEpochMs(before));
        std::vector<std::string> old;
        for (const auto& row : rows) {
            const bool ended = row[1] == "done" || row[1] == "gone";
            if (ended && numberOf<std::int64_t>(row[2]) < toEpochMs(before)) {
                old.push_back(row[0]);
            }
        }
        for (std::size_t i = 0; i < old.size(); i += kIdsPerStatement) {
            const auto ids = literalList(old, i, std::min(old.size(), i + kIdsPerStatement));
            SqlSession::Transaction transaction(session);
            session.execute("DELETE FROM transition WHERE id IN " + ids);
            // Once more by state: it may have been pushed again since.
            session.execute(
                fmt::format("DELETE FROM message WHERE id IN {} AND state IN {}", ids, kEnded));
            transaction.commit();
        }
        return rows.size() < limit ? std::string() : rows.back()[0];
    });
}

}  // namespace restante::journal
