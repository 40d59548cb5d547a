#include "core/journal/sql/sql_audit.h"

#include "core/base/text.h"

#include <array>
#include <fmt/format.h>
#include <optional>

namespace restante::journal {

namespace {

constexpr std::uint32_t kMostPerPage = 1'000;

/// A row's primary key, which is also the order of the pages.
using AuditKey = std::array<std::uint64_t, 4>;
constexpr std::array<std::string_view, 4> kKeyColumns{"stream_ms", "stream_seq", "shard",
                                                      "position"};

std::optional<AuditKey> keyIn(std::string_view cursor)
{
    const auto numbers = split(cursor, ' ');
    AuditKey key{};
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (numbers.size() != key.size() || !readNumber(numbers[i], key[i])) {
            return std::nullopt;
        }
    }
    return key;
}

/// A condition "comes before this key in the table", for which every database uses its index.
std::string beforeCondition(const AuditKey& key)
{
    std::string alternatives;
    std::string equalPrefix;
    for (std::size_t i = 0; i < key.size(); ++i) {
        alternatives += fmt::format("{}({}a.{} < {})", alternatives.empty() ? "" : " OR ",
                                    equalPrefix, kKeyColumns[i], key[i]);
        equalPrefix += fmt::format("a.{} = {} AND ", kKeyColumns[i], key[i]);
    }
    return fmt::format("a.stream_ms <= {} AND ({})", key[0], alternatives);
}

/// Adds " AND instr(a.actor, ...) > 0", with the name that each database has for this function.
void addContains(SqlStatement& where,
                 Dialect dialect,
                 std::string_view prefix,
                 std::string_view column,
                 std::string_view text,
                 bool anyCase)
{
    const auto* const function = dialect == Dialect::Postgresql ? "strpos" : "instr";
    // lower() of all databases agrees on ASCII; other characters do not matter.
    const auto* const lower = anyCase ? "lower(" : "(";
    where.append(fmt::format("{}{}({}{}), {}", prefix, function, lower, column, lower))
        .value(text)
        .append(")) > 0");
}

void addCondition(SqlStatement& where, Dialect dialect, const AuditQuery& query)
{
    where.append("1 = 1");
    if (!query.actor.empty()) {
        addContains(where, dialect, " AND ", "a.actor", query.actor, false);
    }
    if (!query.text.empty()) {
        addContains(where, dialect, " AND (", "a.id", query.text, true);
        addContains(where, dialect, " OR ", "a.topic", query.text, true);
        addContains(where, dialect, " OR ", "a.reason", query.text, true);
        where.append(")");
    }
    if (!query.verbs.empty()) {
        where.append(" AND a.transition IN ").list(query.verbs, 0, query.verbs.size());
    }
    if (!query.id.empty()) {
        where.append(" AND a.id = ").value(query.id);
    }
    // Uses the time in the key, which is indexed: the clock of Redis, which differs from ours by
    // milliseconds.
    if (query.since) {
        where.append(fmt::format(" AND a.stream_ms >= {}", toEpochMs(*query.since)));
    }
    if (query.until) {
        where.append(fmt::format(" AND a.stream_ms < {}", toEpochMs(*query.until)));
    }
}

/// A state as the table has it, with its due time if there is one: "scheduled 1793000000000",
/// "held".
std::string withDue(std::string_view state, std::int64_t dueMs)
{
    return dueMs == 0 ? std::string(state) : fmt::format("{} {}", state, dueMs);
}

/// Removes and returns the due time that withDue() has added.
std::optional<TimePoint> takeDue(std::string& state)
{
    const auto space = state.find(' ');
    if (space == std::string::npos) {
        return {};
    }
    const auto due =
        fromEpochMs(leadingNumber<std::int64_t>(std::string_view(state).substr(space + 1)));
    state.resize(space);
    return due;
}

}  // namespace

bool isAudited(const JournalEvent& event)
{
    // The actor of a mark is a device, with the name that it has given itself.
    return !event.topic.empty() ||
           (!event.actor.empty() && event.actor != kDaemonActor && event.transition != "mark");
}

TableRows auditRows()
{
    return {"audit",
            SqlRows("stream_ms#,stream_seq#,shard#,position#,at_ms#,transition,id,topic,from_state,"
                    "to_state,worker,actor,reason,order_id"),
            {}};
}

void addAudited(TableRows& rows, std::uint32_t shard, const AuditedMove& move)
{
    const auto& event = move.event;
    auto& row = rows.rows.number(static_cast<std::int64_t>(event.streamId.ms));
    row.number(static_cast<std::int64_t>(event.streamId.seq)).number(shard);
    row.number(static_cast<std::int64_t>(move.position)).number(event.atMs).text(event.transition);
    row.text(move.id).text(event.topic);
    row.ownedText(withDue(move.from, event.dueWasMs)).ownedText(withDue(move.to, event.dueIsMs));
    row.text(event.worker).text(event.actor).text(event.reason);
    row.text(event.bulkActionId);
    rows.sources.push_back({shard, event.streamId, move.position});
}

void addAuditedTopic(TableRows& rows, std::uint32_t shard, const JournalEvent& event)
{
    using SwitchVerbs = std::array<std::string_view, 3>;  // transition that begins it, transition
                                                          // that ends it, state in between
    AuditedMove move{.event = event, .from = event.from, .to = event.limits};
    for (const auto& [begin, end, state] :
         {SwitchVerbs{"pause", "resume", "paused"}, SwitchVerbs{"trace", "untrace", "traced"}}) {
        if (event.transition == begin || event.transition == end) {
            move.from = event.transition == end ? state : "";
            move.to = event.transition == begin ? state : "";
        }
    }
    addAudited(rows, shard, move);
}

Result<AuditEntries> readAudit(SqlSession& session, const AuditQuery& query)
{
    if (query.limit < 1 || query.limit > kMostPerPage) {
        return invalidField("limit", fmt::format("1 to {} are allowed", kMostPerPage));
    }
    // The topic of a job is read from its own row while that exists.
    SqlStatement statement(
        "SELECT a.stream_ms,a.stream_seq,a.shard,a.position,a.at_ms,a.actor,"
        "a.transition,a.id,COALESCE(m.topic, a.topic),a.from_state,a.to_state,"
        "a.reason,a.worker,a.order_id FROM audit a LEFT JOIN message m ON a.id <> '' AND "
        "m.id = a.id WHERE ");
    addCondition(statement, session.dialect(), query);
    if (!query.cursor.empty()) {
        const auto key = keyIn(query.cursor);
        if (!key) {
            return invalidField("cursor", "is not one that a page has given; ask for "
                                          "the first page without one");
        }
        statement.append(" AND " + beforeCondition(*key));
    }
    const auto rows = session.query(
        statement.append(fmt::format(" ORDER BY a.stream_ms DESC, a.stream_seq DESC, a.shard DESC, "
                                     "a.position DESC LIMIT {}",
                                     query.limit + 1)),
        14);
    AuditEntries page;
    for (const auto& row : rows) {
        if (page.entries.size() == query.limit) {
            break;
        }
        page.entries.push_back({fromEpochMs(leadingNumber<std::int64_t>(row[4])), row[5], row[6],
                                row[7], row[8], row[9], row[10], row[11], row[12]});
        page.entries.back().bulkActionId = row[13];
        if (auto& entry = page.entries.back(); entry.verb == "reschedule") {
            entry.dueBefore = takeDue(entry.from);
            entry.dueAfter = takeDue(entry.to);
        }
    }
    if (rows.size() > query.limit) {
        const auto& last = rows[query.limit - 1];
        page.cursor = fmt::format("{} {} {} {}", last[0], last[1], last[2], last[3]);
    }
    return page;
}

}  // namespace restante::journal
