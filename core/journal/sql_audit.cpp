#include "core/journal/sql_audit.h"

#include "core/journal/sql_session.h"
#include "core/journal/sql_text.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace restante::journal {

namespace {

/// What the daemon does by itself, such as forgetting what is old, is no deed of a person.
constexpr std::string_view kOurselves = "restanted";
constexpr std::uint32_t kMostPerPage = 1'000;
constexpr std::size_t kSweptAtOnce = 1'000;

constexpr std::string_view kColumns =
    "stream_ms,stream_seq,shard,position,at_ms,transition,id,topic,from_state,to_state,worker,"
    "actor,reason";

/// A row's primary key, which is also the order of the pages.
using Place = std::array<std::uint64_t, 4>;
constexpr std::array<std::string_view, 4> kPlace{"stream_ms", "stream_seq", "shard", "position"};

std::uint64_t numberOf(std::string_view text)
{
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::optional<Place> placeIn(std::string_view cursor)
{
    Place place{};
    for (std::size_t i = 0; i < place.size(); ++i) {
        const auto [end, error] =
            std::from_chars(cursor.data(), cursor.data() + cursor.size(), place[i]);
        cursor.remove_prefix(static_cast<std::size_t>(end - cursor.data()));
        const bool last = i + 1 == place.size();
        if (error != std::errc{} || (last ? !cursor.empty() : !cursor.starts_with(' '))) {
            return std::nullopt;
        }
        cursor.remove_prefix(last ? 0 : 1);
    }
    return place;
}

/// "comes before this place in the table", in words that every database finds by its index.
std::string before(const Place& place)
{
    std::string words;
    std::string same;
    for (std::size_t i = 0; i < place.size(); ++i) {
        words +=
            fmt::format("{}({}a.{} < {})", words.empty() ? "" : " OR ", same, kPlace[i], place[i]);
        same += fmt::format("a.{} = {} AND ", kPlace[i], place[i]);
    }
    return fmt::format("a.stream_ms <= {} AND ({})", place[0], words);
}

std::string conditionOf(SqlSession& session, const AuditQuery& query)
{
    std::string where = "1 = 1";
    if (!query.actor.empty()) {
        const auto* const find = session.dialect() == Dialect::Postgresql ? "strpos" : "instr";
        where += fmt::format(" AND {}(a.actor, {}) > 0", find, literalOf(query.actor));
    }
    if (!query.text.empty()) {
        // Each database's lower() agrees on ASCII, whatever it does with the rest.
        const auto* const find = session.dialect() == Dialect::Postgresql ? "strpos" : "instr";
        const auto text = literalOf(query.text);
        where += fmt::format(" AND ({0}(lower(a.id), lower({1})) > 0 OR {0}(lower(a.topic), "
                             "lower({1})) > 0 OR {0}(lower(a.reason), lower({1})) > 0)",
                             find, text);
    }
    if (!query.verbs.empty()) {
        where += " AND a.transition IN " + literalList(query.verbs, 0, query.verbs.size());
    }
    if (!query.id.empty()) {
        where += " AND a.id = " + literalOf(query.id);
    }
    // Redis numbers its events by its own clock, milliseconds from ours; the key is in that order.
    if (query.since) {
        where += fmt::format(" AND a.stream_ms >= {}", toEpochMs(*query.since));
    }
    if (query.until) {
        where += fmt::format(" AND a.stream_ms < {}", toEpochMs(*query.until));
    }
    return where;
}

void insertNew(SqlSession& session, const std::string& what)
{
    switch (session.dialect()) {
    case Dialect::Sqlite: session.execute("INSERT OR IGNORE " + what); return;
    case Dialect::Mysql: session.execute("INSERT IGNORE " + what); return;
    case Dialect::Postgresql: session.execute("INSERT " + what + " ON CONFLICT DO NOTHING"); return;
    }
}

}  // namespace

void createAudit(SqlSession& session)
{
    const bool mysql = session.dialect() == Dialect::Mysql;
    const std::string ascii =
        mysql ? "VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin"
              : (session.dialect() == Dialect::Postgresql ? "VARCHAR(128) COLLATE \"C\"" : "TEXT");
    session.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS audit (stream_ms BIGINT NOT NULL, stream_seq BIGINT NOT NULL,"
        " shard INTEGER NOT NULL, position INTEGER NOT NULL, at_ms BIGINT NOT NULL,"
        " transition {0} NOT NULL, id {0} NOT NULL, topic {1} NOT NULL, from_state {0} NOT NULL,"
        " to_state {0} NOT NULL, worker {1} NOT NULL, actor {1} NOT NULL, reason {1} NOT NULL,"
        " PRIMARY KEY (stream_ms, stream_seq, shard, position)){2}",
        ascii, mysql ? "MEDIUMTEXT" : "TEXT",
        mysql ? " ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
              : (session.dialect() == Dialect::Sqlite ? " WITHOUT ROWID" : "")));
    insertNew(session,
              fmt::format("INTO audit ({}) SELECT stream_ms,stream_seq,shard,position,at_ms,"
                          "transition,id,'',from_state,to_state,worker,actor,reason FROM transition"
                          " WHERE actor <> '' AND actor <> '{}' AND transition <> 'mark'",
                          kColumns, kOurselves));
}

bool isAudited(const JournalEvent& event)
{
    // The actor of a mark is a device, by the name that it has given itself.
    return !event.topic.empty() ||
           (!event.actor.empty() && event.actor != kOurselves && event.transition != "mark");
}

void AuditWriter::add(const JournalEvent& event,
                      const std::string& id,
                      std::size_t position,
                      const std::string& from,
                      const std::string& to)
{
    rows_.push_back(fmt::format("({},{},{},{},{},{},{},{},{},{},{},{},{})", event.at.ms,
                                event.at.seq, shard_, position, event.atMs,
                                literalOf(event.transition), literalOf(id), literalOf(event.topic),
                                literalOf(from), literalOf(to), literalOf(event.worker),
                                literalOf(event.actor), literalOf(event.reason)));
}

void AuditWriter::addJob(const JournalEvent& event,
                         const std::string& id,
                         std::size_t position,
                         const std::string& from,
                         const std::string& to)
{
    if (isAudited(event)) {
        add(event, id, position, from, to);
    }
}

void AuditWriter::addTopic(const JournalEvent& event)
{
    add(event, "", 0, event.transition == "resume" ? "paused" : "",
        event.transition == "pause" ? "paused" : event.limits);
}

void AuditWriter::write()
{
    // As many as an operator's bulk action has in flight: small enough for one statement.
    constexpr std::size_t kRows = 500;
    std::string values;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        values += (values.empty() ? "" : ",") + rows_[i];
        if ((i + 1) % kRows == 0 || i + 1 == rows_.size()) {
            insertNew(session_, fmt::format("INTO audit ({}) VALUES {}", kColumns, values));
            values.clear();
        }
    }
    rows_.clear();
}

Result<AuditEntries> readAudit(SqlSession& session, const AuditQuery& query)
{
    if (query.limit < 1 || query.limit > kMostPerPage) {
        return failure(ErrorCode::Invalid, fmt::format("limit: 1 to {} are allowed", kMostPerPage));
    }
    auto where = conditionOf(session, query);
    if (!query.cursor.empty()) {
        const auto place = placeIn(query.cursor);
        if (!place) {
            return failure(ErrorCode::Invalid, "cursor: is not one that a page has given; ask for "
                                               "the first page without one");
        }
        where += " AND " + before(*place);
    }
    // The topic of a job is in its own row, as long as that is there.
    const auto rows = session.query(
        fmt::format("SELECT a.stream_ms,a.stream_seq,a.shard,a.position,a.at_ms,a.actor,"
                    "a.transition,a.id,COALESCE(m.topic, a.topic),a.from_state,a.to_state,a.reason,"
                    "a.worker FROM audit a LEFT JOIN message m ON a.id <> '' AND m.id = a.id "
                    "WHERE {} ORDER BY a.stream_ms DESC, a.stream_seq DESC, a.shard DESC, "
                    "a.position DESC LIMIT {}",
                    where, query.limit + 1),
        13);
    AuditEntries page;
    for (const auto& row : rows) {
        if (page.entries.size() == query.limit) {
            break;
        }
        page.entries.push_back({fromEpochMs(static_cast<std::int64_t>(numberOf(row[4]))), row[5],
                                row[6], row[7], row[8], row[9], row[10], row[11], row[12]});
    }
    if (rows.size() > query.limit) {
        const auto& last = rows[query.limit - 1];
        page.cursor = fmt::format("{} {} {} {}", last[0], last[1], last[2], last[3]);
    }
    return page;
}

void sweepAudit(SqlSession& session, std::int64_t beforeMs)
{
    const auto rows =
        session.query(fmt::format("SELECT stream_ms FROM audit WHERE stream_ms < {} ORDER BY "
                                  "stream_ms LIMIT 1 OFFSET {}",
                                  beforeMs, kSweptAtOnce),
                      1);
    const auto end = rows.empty() ? std::to_string(beforeMs) : rows.front().front();
    session.execute(fmt::format("DELETE FROM audit WHERE stream_ms < {}", end));
}

}  // namespace restante::journal
