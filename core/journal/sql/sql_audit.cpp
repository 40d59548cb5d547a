#include "core/journal/sql/sql_audit.h"

#include "core/base/text.h"

#include <array>
#include <fmt/format.h>
#include <optional>

namespace restante::journal {

namespace {

constexpr std::uint32_t kMostPerPage = 1'000;

/// A row's primary key, which is also the order of the pages.
using Place = std::array<std::uint64_t, 4>;
constexpr std::array<std::string_view, 4> kPlace{"stream_ms", "stream_seq", "shard", "position"};

std::optional<Place> placeIn(std::string_view cursor)
{
    const auto numbers = split(cursor, ' ');
    Place place{};
    for (std::size_t i = 0; i < place.size(); ++i) {
        if (numbers.size() != place.size() || !readNumber(numbers[i], place[i])) {
            return std::nullopt;
        }
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

/// " AND instr(a.actor, ...) > 0": text search by each database's own name for it.
void contains(SqlStatement& where,
              Dialect dialect,
              std::string_view begin,
              std::string_view column,
              std::string_view text,
              bool anyCase)
{
    const auto* const find = dialect == Dialect::Postgresql ? "strpos" : "instr";
    // Each database's lower() agrees on ASCII, whatever it does with the rest.
    const auto* const lower = anyCase ? "lower(" : "(";
    where.words(fmt::format("{}{}({}{}), {}", begin, find, lower, column, lower))
        .value(text)
        .words(")) > 0");
}

void addCondition(SqlStatement& where, Dialect dialect, const AuditQuery& query)
{
    where.words("1 = 1");
    if (!query.actor.empty()) {
        contains(where, dialect, " AND ", "a.actor", query.actor, false);
    }
    if (!query.text.empty()) {
        contains(where, dialect, " AND (", "a.id", query.text, true);
        contains(where, dialect, " OR ", "a.topic", query.text, true);
        contains(where, dialect, " OR ", "a.reason", query.text, true);
        where.words(")");
    }
    if (!query.verbs.empty()) {
        where.words(" AND a.transition IN ").list(query.verbs, 0, query.verbs.size());
    }
    if (!query.id.empty()) {
        where.words(" AND a.id = ").value(query.id);
    }
    // Redis numbers its events by its own clock, milliseconds from ours; the key is in that order.
    if (query.since) {
        where.words(fmt::format(" AND a.stream_ms >= {}", toEpochMs(*query.since)));
    }
    if (query.until) {
        where.words(fmt::format(" AND a.stream_ms < {}", toEpochMs(*query.until)));
    }
}

/// A state as the table has it: "scheduled 1793000000000" is due then, "held" at no time.
std::string withDue(std::string_view state, std::int64_t dueMs)
{
    return dueMs == 0 ? std::string(state) : fmt::format("{} {}", state, dueMs);
}

/// Takes the due time out of what withDue() has made.
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
    // The actor of a mark is a device, by the name that it has given itself.
    return !event.topic.empty() ||
           (!event.actor.empty() && event.actor != kOurselves && event.transition != "mark");
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
    row.plain(withDue(move.from, event.dueWasMs)).plain(withDue(move.to, event.dueIsMs));
    row.text(event.worker).text(event.actor).text(event.reason);
    row.text(event.order);
    rows.places.push_back({shard, event.streamId, move.position});
}

void addAuditedTopic(TableRows& rows, std::uint32_t shard, const JournalEvent& event)
{
    using Words = std::array<std::string_view, 3>;  // it begins by, it ends by, and is meanwhile
    AuditedMove move{.event = event, .from = event.from, .to = event.limits};
    for (const auto& [begin, end, state] :
         {Words{"pause", "resume", "paused"}, Words{"trace", "untrace", "traced"}}) {
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
    // The topic of a job is in its own row, as long as that is there.
    SqlStatement find(
        "SELECT a.stream_ms,a.stream_seq,a.shard,a.position,a.at_ms,a.actor,"
        "a.transition,a.id,COALESCE(m.topic, a.topic),a.from_state,a.to_state,"
        "a.reason,a.worker,a.order_id FROM audit a LEFT JOIN message m ON a.id <> '' AND "
        "m.id = a.id WHERE ");
    addCondition(find, session.dialect(), query);
    if (!query.cursor.empty()) {
        const auto place = placeIn(query.cursor);
        if (!place) {
            return invalidField("cursor", "is not one that a page has given; ask for "
                                          "the first page without one");
        }
        find.words(" AND " + before(*place));
    }
    const auto rows = session.query(
        find.words(fmt::format(" ORDER BY a.stream_ms DESC, a.stream_seq DESC, a.shard DESC, "
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
        page.entries.back().order = row[13];
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
