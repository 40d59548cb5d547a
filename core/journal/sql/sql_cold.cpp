#include "core/journal/sql/sql_cold.h"

#include "core/base/encoding.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_error.h"
#include "core/redis/store/job_codec.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace restante::journal {

namespace {

using cold::ColdState;
using Transaction = SqlSession::Transaction;

constexpr std::string_view kColdColumns =
    "id,shard,state,due_ms,due_order,attempts,forgotten,last_error,version,channel,topic,record";
constexpr std::size_t kColdColumnCount = 12;
constexpr std::string_view kInsertedColdColumns =
    "id,shard#,state,due_ms#,due_order#,attempts#,forgotten#,last_error,version#,channel,topic,"
    "biz_key,record*";

std::string_view stateWord(ColdState state)
{
    switch (state) {
    case ColdState::Leaving: return "leaving";
    case ColdState::Cold: return "cold";
    case ColdState::Entering: return "entering";
    }
    return "";
}

/// A row with the channel and topic under which it is counted.
struct CountedRow {
    ColdRow row;
    std::string channel;
    std::string topic;
};

CountedRow countedRowOf(SqlSession& session, SqlSession::Row& from)
{
    CountedRow counted;
    auto& row = counted.row;
    row.id = std::move(from[0]);
    row.shard = leadingNumber<std::uint32_t>(from[1]);
    row.state = from[2] == "leaving"    ? ColdState::Leaving
                : from[2] == "entering" ? ColdState::Entering
                                        : ColdState::Cold;
    row.dueMs = leadingNumber<std::int64_t>(from[3]);
    row.dueOrder = leadingNumber<std::uint32_t>(from[4]);
    row.attempts = leadingNumber<std::uint32_t>(from[5]);
    row.attemptOffset = leadingNumber<std::uint32_t>(from[6]);
    row.lastError = std::move(from[7]);
    row.version = leadingNumber<std::int64_t>(from[8]);
    counted.channel = std::move(from[9]);
    counted.topic = std::move(from[10]);
    row.record =
        session.dialect() == Dialect::Sqlite ? std::move(from[11]) : fromBase64Prefix(from[11]);
    return counted;
}

std::vector<CountedRow> countedRows(SqlSession& session, const SqlStatement& statement)
{
    auto rows = session.query(statement, kColdColumnCount);
    std::vector<CountedRow> found;
    found.reserve(rows.size());
    std::transform(rows.begin(), rows.end(), std::back_inserter(found),
                   [&session](auto& row) { return countedRowOf(session, row); });
    return found;
}

std::vector<CountedRow> countedRowsById(SqlSession& session, const std::vector<std::string>& ids)
{
    std::vector<CountedRow> found;
    session.queryIn(fmt::format("SELECT {} FROM cold_job WHERE id IN ", kColdColumns), ids,
                    kColdColumnCount,
                    [&](auto& row) { found.push_back(countedRowOf(session, row)); });
    return found;
}

std::vector<ColdRow> rowsOf(std::vector<CountedRow> found)
{
    std::vector<ColdRow> rows;
    rows.reserve(found.size());
    for (auto& counted : found) {
        rows.push_back(std::move(counted.row));
    }
    return rows;
}

std::vector<std::string> idsOfRows(std::span<const ColdRow> rows)
{
    std::vector<std::string> ids;
    ids.reserve(rows.size());
    std::transform(rows.begin(), rows.end(), std::back_inserter(ids),
                   [](const auto& row) { return row.id; });
    return ids;
}

/// Changes of the numbers of jobs, by shard, channel and topic.
class CountChanges {
public:
    void add(std::uint32_t shard, std::string_view channel, std::string_view topic, int jobs)
    {
        changes_[{shard, std::string(channel), std::string(topic)}] += jobs;
    }
    void add(const CountedRow& counted, int jobs)
    {
        add(counted.row.shard, counted.channel, counted.topic, jobs);
    }

    /// Always in the same order, so that no two transactions wait for each other.
    void write(SqlSession& session) const
    {
        for (const auto& [key, jobs] : changes_) {
            const auto& [shard, channel, topic] = key;
            if (jobs == 0 || addToExisting(session, key, jobs)) {
                continue;
            }
            SqlStatement insertion("INSERT INTO cold_count (shard, channel, topic, jobs) VALUES (");
            insertion.append(fmt::format("{}, ", shard)).value(channel).append(", ").value(topic);
            insertion.append(", 0)").append(session.keepExistingClause("cold_count", "shard"));
            session.execute(insertion);
            addToExisting(session, key, jobs);
        }
    }

private:
    using Key = std::tuple<std::uint32_t, std::string, std::string>;

    /// False: there is no such count yet.
    static bool addToExisting(SqlSession& session, const Key& key, std::int64_t jobs)
    {
        const auto& [shard, channel, topic] = key;
        SqlStatement change(fmt::format(
            "UPDATE cold_count SET jobs = jobs + ({}) WHERE shard = {} AND channel = ", jobs,
            shard));
        change.value(channel).append(" AND topic = ").value(topic);
        return session.execute(change) > 0;
    }

    std::map<Key, std::int64_t> changes_;
};

/// Inserts the rows that are new. Returns whether all were; always false on MySQL and MariaDB,
/// which also count rows that they leave alone.
bool insertNew(SqlSession& session, std::span<const ColdRow> rows, ColdState state)
{
    SqlRows table(kInsertedColdColumns);
    for (const auto& row : rows) {
        const auto summary = redis::summaryOf(row.record).value_or(redis::RecordSummary{});
        table.text(std::string_view(row.id)).number(row.shard).text(stateWord(state));
        table.number(row.dueMs).number(row.dueOrder).number(row.attempts);
        table.number(row.attemptOffset).text(std::string_view(row.lastError)).number(row.version);
        table.text(name(summary.channel))
            .text(summary.topic)
            .text(summary.bizKey)
            .bytes(row.record);
    }
    const auto written = session.insert("cold_job", "id", table, SqlSession::OnConflict::Keep);
    return session.dialect() != Dialect::Mysql && written == static_cast<std::int64_t>(rows.size());
}

/// Sets the state of these jobs in `message`; unknown jobs need no row there.
void markMessagesCold(SqlSession& session, const std::vector<std::string>& ids, std::int64_t nowMs)
{
    session.executeIn(
        fmt::format("UPDATE message SET state = 'cold', updated_ms = {} WHERE id IN ", nowMs), ids);
}

/// Writes pushes that were in no event stream, so their position there is -1.
void writeHistory(SqlSession& session,
                  const std::vector<const ColdRow*>& rows,
                  const std::string& worker)
{
    SqlRows table("id,stream_ms#,stream_seq#,position#,shard#,transition,from_state,to_state,"
                  "at_ms#,worker,actor,reason,note");
    for (const auto* row : rows) {
        table.text(std::string_view(row->id)).number(row->version).number(0).number(-1);
        table.number(row->shard).text(std::string_view("push")).text(std::string_view());
        table.text(std::string_view("cold")).number(row->version).text(std::string_view(worker));
        table.text(std::string_view()).text(std::string_view()).text(std::string_view());
    }
    session.insert("transition", "id", table, SqlSession::OnConflict::Keep);
}

void addInCondition(SqlStatement& statement,
                    std::string_view column,
                    const std::vector<std::string>& values)
{
    if (!values.empty()) {
        statement.append(fmt::format(" AND {} IN ", column)).list(values, 0, values.size());
    }
}

/// Calls `each` with the ids of each version, in parts. Versions are times, so there are few.
template <class Each>
void forEachVersion(const std::vector<ColdRow>& rows, Each each)
{
    std::map<std::int64_t, std::vector<std::string>> versions;
    for (const auto& row : rows) {
        versions[row.version].push_back(row.id);
    }
    for (const auto& [version, ids] : versions) {
        for (std::size_t i = 0; i < ids.size(); i += SqlSession::kIdsPerStatement) {
            const auto end = std::min(ids.size(), i + SqlSession::kIdsPerStatement);
            each(version, std::vector<std::string>(ids.begin() + static_cast<std::ptrdiff_t>(i),
                                                   ids.begin() + static_cast<std::ptrdiff_t>(end)));
        }
    }
}

/// The condition that the journal has recorded the move of a row since it began, as recordedIds()
/// has it: settleCold() ends it then. Asked once more where something else is to be done, because
/// Redis, which said what has become of the job, may have lost the store meanwhile.
std::string recordedCondition(std::string_view comparison)
{
    return fmt::format("EXISTS (SELECT 1 FROM message m WHERE m.id = cold_job.id AND m.state {} "
                       "'cold' AND m.updated_ms >= cold_job.version)",
                       comparison);
}

/// Ids of rows whose move the journal has recorded since it began: the state of the job in
/// `message` is 'cold' (`comparison` "=") or another one ("<>").
std::vector<std::string> recordedIds(SqlSession& session,
                                     std::uint32_t shard,
                                     std::string_view state,
                                     std::string_view comparison,
                                     std::size_t limit)
{
    const auto rows = session.query(
        fmt::format("SELECT c.id FROM cold_job c JOIN message m ON m.id = c.id"
                    " WHERE c.state = '{}' AND c.state <> 'cold' AND c.shard = {} AND m.state {}"
                    " 'cold' AND m.updated_ms >= c.version LIMIT {}",
                    state, shard, comparison, limit),
        1);
    return readAll(rows, [](const auto& row) { return row[0]; });
}

/// Those of the ids whose rows are leaving, and meet the condition ("AND ..."), without their
/// records, and locked until the transaction ends: another daemon may make the same rows cold at
/// this moment, and only one of both counts them.
std::vector<CountedRow> lockLeaving(SqlSession& session,
                                    const std::vector<std::string>& ids,
                                    const std::string& condition = {})
{
    std::vector<CountedRow> found;
    session.queryIn(
        fmt::format("SELECT id, shard, version, channel, topic FROM cold_job WHERE state = "
                    "'leaving' {} AND id IN ",
                    condition),
        ids, 5,
        [&found](auto& row) {
            CountedRow counted;
            counted.row.id = row[0];
            counted.row.shard = leadingNumber<std::uint32_t>(row[1]);
            counted.row.version = leadingNumber<std::int64_t>(row[2]);
            counted.channel = row[3];
            counted.topic = row[4];
            found.push_back(std::move(counted));
        },
        session.dialect() == Dialect::Sqlite ? "" : " FOR UPDATE");  // SQLite's file is locked
    return found;
}

std::vector<std::string> idsOf(const std::vector<CountedRow>& found)
{
    std::vector<std::string> ids;
    for (const auto& counted : found) {
        ids.push_back(counted.row.id);
    }
    return ids;
}

/// Calls `write(rows)`, which is one transaction. When the database refuses values, calls it with
/// the halves, down to the row, of which it calls `refuse(row, problem)`; in the order of the rows.
template <class Write, class Refuse>
void writeByHalves(std::span<const ColdRow> rows, const Write& write, const Refuse& refuse)
{
    try {
        return write(rows);
    } catch (const SqlError& problem) {
        if (problem.cause != SqlError::Cause::Refused) {
            throw;
        }
        if (rows.size() == 1) {
            return refuse(rows.front(), problem);
        }
    }
    const auto half = rows.size() / 2;
    writeByHalves(rows.first(half), write, refuse);
    writeByHalves(rows.subspan(half), write, refuse);
}

/// As insertCold(), in one transaction.
std::vector<std::optional<ColdRow>>
insertTogether(SqlSession& session, std::span<const ColdRow> rows, const std::string& worker)
{
    std::vector<std::optional<ColdRow>> before(rows.size());
    Transaction transaction(session);
    if (!insertNew(session, rows, ColdState::Cold)) {
        std::map<std::string, ColdRow> existing;
        for (auto& row : rowsOf(countedRowsById(session, idsOfRows(rows)))) {
            existing.emplace(row.id, std::move(row));
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto existingRow = existing.find(rows[i].id);
            const bool isOurs = existingRow != existing.end() &&
                                existingRow->second.version == rows[i].version &&
                                existingRow->second.record == rows[i].record;
            if (existingRow != existing.end() && !isOurs) {
                before[i] = existingRow->second;
            }
        }
    }
    CountChanges counts;
    std::vector<const ColdRow*> stored;
    std::vector<std::string> maybeReusedIds;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (before[i]) {
            continue;
        }
        const auto summary = redis::summaryOf(rows[i].record).value_or(redis::RecordSummary{});
        counts.add(rows[i].shard, name(summary.channel), summary.topic, 1);
        stored.push_back(&rows[i]);
        if (rows[i].mayReuseId) {
            maybeReusedIds.push_back(rows[i].id);
        }
    }
    counts.write(session);
    writeHistory(session, stored, worker);
    // An earlier job with this id may have ended; without this, the new one would seem to have been
    // in Redis already.
    markMessagesCold(session, maybeReusedIds, rows.empty() ? 0 : rows.front().version);
    transaction.commit();
    return before;
}

/// As copyToCold(), in one transaction.
std::vector<std::string> copyTogether(SqlSession& session, std::span<const ColdRow> rows)
{
    Transaction transaction(session);
    std::vector<std::string> uncopiedIds;
    if (!insertNew(session, rows, ColdState::Leaving)) {
        std::map<std::string, std::int64_t> versions;
        for (const auto& row : rows) {
            versions[row.id] = row.version;
        }
        for (const auto& row : rowsOf(countedRowsById(session, idsOfRows(rows)))) {
            if (row.state != ColdState::Leaving || row.version != versions[row.id]) {
                uncopiedIds.push_back(row.id);
            }
        }
    }
    transaction.commit();
    return uncopiedIds;
}

}  // namespace

std::vector<Result<std::optional<ColdRow>>>
insertCold(SqlSession& session, const std::vector<ColdRow>& rows, const std::string& worker)
{
    std::vector<Result<std::optional<ColdRow>>> inserted;
    inserted.reserve(rows.size());
    writeByHalves(
        rows,
        [&](std::span<const ColdRow> part) {
            for (auto& before : insertTogether(session, part, worker)) {
                inserted.emplace_back(std::move(before));
            }
        },
        [&](const ColdRow& row, const SqlError& problem) {
            inserted.emplace_back(invalid("job {}: the journal's database refuses its row: {}",
                                          row.id, problem.message));
        });
    return inserted;
}

std::vector<ColdRow> readCold(SqlSession& session, const cold::ColdQuery& query)
{
    SqlStatement find(fmt::format("SELECT {} FROM cold_job WHERE state = 'cold'", kColdColumns));
    addInCondition(find, "id", query.ids);
    addInCondition(find, "biz_key", query.bizKeys);
    addInCondition(find, "topic", query.topics);
    std::vector<std::string> channels;
    std::transform(query.channels.begin(), query.channels.end(), std::back_inserter(channels),
                   [](Channel channel) { return std::string(name(channel)); });
    addInCondition(find, "channel", channels);
    const auto* order = query.descending ? "DESC" : "ASC";
    const auto* comparison = query.descending ? "<" : ">";
    if (query.behind) {
        // The first bound alone lets the database use the index.
        find.append(fmt::format(" AND due_ms {0}= {1} AND (due_ms {0} {1} OR id {0} ", comparison,
                                query.behind->first));
        find.value(query.behind->second).append(")");
    }
    find.append(fmt::format(" ORDER BY due_ms {0}, id {0} LIMIT {1}", order, query.limit));
    if (query.offset > 0) {
        find.append(fmt::format(" OFFSET {}", query.offset));
    }
    return rowsOf(countedRows(session, find));
}

std::vector<ColdRow> findCold(SqlSession& session, const std::vector<std::string>& ids)
{
    return rowsOf(countedRowsById(session, ids));
}

std::vector<cold::ColdCount> countCold(SqlSession& session)
{
    const auto rows = session.query("SELECT channel, topic, SUM(jobs) FROM cold_count GROUP BY "
                                    "channel, topic ORDER BY channel, topic",
                                    3);
    std::vector<cold::ColdCount> counts;
    for (const auto& row : rows) {
        const auto jobs = leadingNumber<std::int64_t>(row[2]);
        if (jobs > 0) {
            counts.push_back({channelNamed(row[0]).value_or(Channel::Pull), row[1],
                              static_cast<std::uint64_t>(jobs)});
        }
    }
    return counts;
}

std::uint64_t countColdWithKey(SqlSession& session, const std::string& bizKey)
{
    SqlStatement find("SELECT COUNT(*) FROM cold_job WHERE state = 'cold' AND biz_key = ");
    return leadingNumber<std::uint64_t>(session.query(find.value(bizKey), 1).front().front());
}

cold::RowClaim claimCold(SqlSession& session, const std::string& id, std::int64_t nowMs)
{
    using Status = cold::RowClaim::Status;
    Transaction transaction(session);
    SqlStatement claim(fmt::format(
        "UPDATE cold_job SET state = 'entering', version = {} WHERE state = 'cold' AND id = ",
        nowMs));
    const bool isTaken = session.execute(claim.value(id)) == 1;
    auto found = countedRowsById(session, {id});
    if (isTaken && !found.empty()) {
        CountChanges counts;
        counts.add(found.front(), -1);
        counts.write(session);
    }
    transaction.commit();
    if (found.empty()) {
        return {};
    }
    return {isTaken ? Status::Claimed : Status::Crossing, std::move(found.front().row)};
}

void giveColdBack(SqlSession& session, const std::string& id, std::int64_t version)
{
    ColdRow row;
    row.id = id;
    row.version = version;
    giveColdBack(session, std::vector{std::move(row)});
}

void giveColdBack(SqlSession& session, const std::vector<ColdRow>& rows)
{
    Transaction transaction(session);
    // Only what this has changed is counted: another daemon may claim such a row meanwhile.
    std::vector<std::string> givenBack;
    for (const auto& row : rows) {
        SqlStatement back(fmt::format("UPDATE cold_job SET state = 'cold' WHERE state = 'entering' "
                                      "AND version = {} AND id = ",
                                      row.version));
        if (session.execute(back.value(row.id)) == 1) {
            givenBack.push_back(row.id);
        }
    }
    if (!givenBack.empty()) {
        CountChanges counts;
        for (const auto& counted : countedRowsById(session, givenBack)) {
            counts.add(counted, 1);
        }
        counts.write(session);
    }
    transaction.commit();
}

std::vector<ColdRow> claimDueCold(SqlSession& session,
                                  std::uint32_t shard,
                                  std::int64_t dueBeforeMs,
                                  std::size_t limit,
                                  std::int64_t nowMs,
                                  const std::vector<std::string>& exceptIds)
{
    Transaction transaction(session);
    SqlStatement find(
        fmt::format("SELECT {} FROM cold_job WHERE state = 'cold' AND due_ms < {} AND shard = {}",
                    kColdColumns, dueBeforeMs, shard));
    if (!exceptIds.empty()) {
        find.append(" AND id NOT IN ").list(exceptIds, 0, exceptIds.size());
    }
    find.append(fmt::format(" ORDER BY due_ms, id LIMIT {}", limit));
    auto found = countedRows(session, find);
    if (found.empty()) {
        return {};
    }
    const auto ids = idsOf(found);
    session.executeIn(
        fmt::format("UPDATE cold_job SET state = 'entering', version = {} WHERE state = 'cold' "
                    "AND id IN ",
                    nowMs),
        ids);
    // Another process may have claimed some of them since they were read.
    found = countedRowsById(session, ids);
    std::erase_if(found, [nowMs](const auto& counted) {
        return counted.row.state != ColdState::Entering || counted.row.version != nowMs;
    });
    CountChanges counts;
    for (const auto& counted : found) {
        counts.add(counted, -1);
    }
    counts.write(session);
    transaction.commit();
    return rowsOf(std::move(found));
}

std::vector<ColdRow>
reclaimCold(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs)
{
    Transaction transaction(session);
    forEachVersion(rows, [&](std::int64_t version, const std::vector<std::string>& ids) {
        session.executeIn(fmt::format("UPDATE cold_job SET version = {} WHERE state = 'entering' "
                                      "AND version = {} AND NOT {} AND id IN ",
                                      nowMs, version, recordedCondition("<>")),
                          ids);
    });
    auto found = rowsOf(countedRowsById(session, idsOfRows(rows)));
    std::erase_if(found, [nowMs](const auto& row) {
        return row.state != ColdState::Entering || row.version != nowMs;
    });
    transaction.commit();
    return found;
}

std::vector<std::string> copyToCold(SqlSession& session, const std::vector<ColdRow>& rows)
{
    std::vector<std::string> uncopiedIds;
    std::vector<std::string> refusedIds;
    std::optional<SqlError> reason;
    writeByHalves(
        rows,
        [&](std::span<const ColdRow> part) {
            std::ranges::move(copyTogether(session, part), std::back_inserter(uncopiedIds));
        },
        [&](const ColdRow& row, const SqlError& problem) {
            refusedIds.push_back(row.id);
            reason = problem;
        });
    if (rows.size() > 1 && refusedIds.size() == rows.size()) {
        throw *reason;  // it is the table that takes nothing, not a row that is too much for it
    }
    if (!refusedIds.empty()) {
        log::error("cold",
                   "{} jobs stay in Redis, {} among them: the database refuses their rows in the "
                   "table cold_job: {}",
                   refusedIds.size(), refusedIds.back(), reason->message);
    }
    std::ranges::move(refusedIds, std::back_inserter(uncopiedIds));
    return uncopiedIds;
}

SettledRows settleCold(SqlSession& session, std::uint32_t shard, std::size_t limit)
{
    SettledRows settled;
    Transaction transaction(session);
    // Asked once more of the rows as they are now: another daemon may have begun another move.
    const auto out = lockLeaving(session, recordedIds(session, shard, "leaving", "=", limit),
                                 "AND " + recordedCondition("="));
    settled.out = idsOf(out);
    settled.in = recordedIds(session, shard, "entering", "<>", limit);
    session.executeIn("UPDATE cold_job SET state = 'cold' WHERE state = 'leaving' AND id IN ",
                      settled.out);
    session.executeIn(fmt::format("DELETE FROM cold_job WHERE state = 'entering' AND {} AND id IN ",
                                  recordedCondition("<>")),
                      settled.in);
    CountChanges counts;
    for (const auto& counted : out) {
        counts.add(counted, 1);
    }
    counts.write(session);
    transaction.commit();
    return settled;
}

std::vector<ColdRow>
abandonedCold(SqlSession& session, std::uint32_t shard, std::int64_t beforeMs, std::size_t limit)
{
    return rowsOf(countedRows(
        session,
        fmt::format("SELECT {} FROM cold_job WHERE state <> 'cold' AND shard = {} AND version < {}"
                    " ORDER BY version LIMIT {}",
                    kColdColumns, shard, beforeMs, limit)));
}

std::size_t countCrossingCold(SqlSession& session, std::uint32_t shard)
{
    return leadingNumber<std::size_t>(
        session
            .query(fmt::format("SELECT COUNT(*) FROM cold_job WHERE state <> 'cold' AND shard = {}",
                               shard),
                   1)
            .front()
            .front());
}

void confirmCold(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs)
{
    Transaction transaction(session);
    CountChanges counts;
    forEachVersion(rows, [&](std::int64_t version, const std::vector<std::string>& ids) {
        auto found = lockLeaving(session, ids);
        std::erase_if(found,
                      [version](const auto& counted) { return counted.row.version != version; });
        const auto leaving = idsOf(found);
        session.executeIn("UPDATE cold_job SET state = 'cold' WHERE state = 'leaving' AND id IN ",
                          leaving);
        markMessagesCold(session, leaving, nowMs);
        for (const auto& counted : found) {
            counts.add(counted, 1);
        }
    });
    counts.write(session);
    transaction.commit();
}

void deleteEntered(SqlSession& session, const std::vector<ColdRow>& rows)
{
    Transaction transaction(session);
    forEachVersion(rows, [&](std::int64_t version, const std::vector<std::string>& ids) {
        SqlStatement deletion(fmt::format(
            "DELETE FROM cold_job WHERE state = 'entering' AND version = {} AND EXISTS (SELECT 1 "
            "FROM message m WHERE m.id = cold_job.id AND m.state NOT IN ('cold','done','gone')) "
            "AND id IN ",
            version));
        session.execute(deletion.list(ids, 0, ids.size()));
    });
    transaction.commit();
}

void deleteEnded(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs)
{
    Transaction transaction(session);
    forEachVersion(rows, [&](std::int64_t version, const std::vector<std::string>& ids) {
        session.executeIn(
            fmt::format("UPDATE message SET state = 'gone', updated_ms = {} WHERE state = 'cold' "
                        "AND EXISTS (SELECT 1 FROM cold_job c WHERE c.id = message.id AND "
                        "c.state = 'entering' AND c.version = {}) AND id IN ",
                        nowMs, version),
            ids);
        session.executeIn(fmt::format("DELETE FROM cold_job WHERE state = 'entering' AND version "
                                      "= {} AND id IN ",
                                      version),
                          ids);
    });
    transaction.commit();
}

void dropCopies(SqlSession& session, const std::vector<ColdRow>& rows)
{
    Transaction transaction(session);
    forEachVersion(rows, [&](std::int64_t version, const std::vector<std::string>& ids) {
        session.executeIn(fmt::format("DELETE FROM cold_job WHERE state = 'leaving' AND version = "
                                      "{} AND NOT {} AND id IN ",
                                      version, recordedCondition("=")),
                          ids);
    });
    transaction.commit();
}

bool hasColdRows(SqlSession& session)
{
    return !session.query("SELECT id FROM cold_job LIMIT 1", 1).empty();
}

}  // namespace restante::journal
