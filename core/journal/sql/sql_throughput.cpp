#include "core/journal/sql/sql_throughput.h"

#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace restante::journal {

namespace {

constexpr std::uint32_t kMostPerPart = 1'000'000;

/// The last id of this part; empty = it reaches to the end.
std::string lastOf(SqlSession& session, const ThroughputQuery& query)
{
    SqlStatement find("SELECT id FROM transition WHERE id > ");
    find.value(query.after).words(fmt::format(" ORDER BY id LIMIT 1 OFFSET {}", query.most - 1));
    const auto rows = session.query(find, 1);
    return rows.empty() ? std::string() : rows.front().front();
}

/// The transitions that are in the window and of the share; all others count for nothing, but tell
/// how far the journal reaches.
void addCondition(SqlStatement& wanted, const ThroughputQuery& query)
{
    wanted.words(fmt::format("t.at_ms >= {} AND t.at_ms < {}", toEpochMs(query.begin),
                             toEpochMs(query.end)));
    if (!query.topic.empty()) {
        wanted.words(" AND m.topic = ").value(query.topic);
    }
    if (!query.channel.empty()) {
        wanted.words(" AND m.channel = ").value(query.channel);
    }
}

/// Moves by step and transition.
SqlStatement countOf(const ThroughputQuery& query, const std::string& last)
{
    const bool isShare = !query.topic.empty() || !query.channel.empty();
    SqlStatement count(
        "SELECT slot, word, COUNT(*), MIN(at_ms), MAX(at_ms) FROM (SELECT CASE WHEN ");
    addCondition(count, query);
    count.words(fmt::format(" THEN t.at_ms - t.at_ms % {} ELSE -1 END AS slot, CASE WHEN ",
                            query.step.count()));
    addCondition(count, query);
    count.words(" THEN t.transition ELSE '' END AS word, t.at_ms AS at_ms FROM transition t");
    count.words(isShare ? " LEFT JOIN message m ON m.id = t.id" : "");
    count.words(" WHERE t.id > ").value(query.after);
    if (!last.empty()) {
        count.words(" AND t.id <= ").value(last);
    }
    return count.words(") AS looked GROUP BY slot, word");
}

}  // namespace

Result<ThroughputPart> readThroughput(SqlSession& session, const ThroughputQuery& query)
{
    if (query.step <= Millis{0}) {
        return failure(ErrorCode::Invalid, "step: must be longer than nothing");
    }
    if (query.most < 1 || query.most > kMostPerPart) {
        return failure(ErrorCode::Invalid, fmt::format("most: 1 to {} are allowed", kMostPerPart));
    }
    ThroughputPart part;
    part.after = lastOf(session, query);
    const auto rows = session.query(countOf(query, part.after), 5);
    for (const auto& row : rows) {
        const auto slot = leadingNumber<std::int64_t>(row[0]);
        const auto earliest = fromEpochMs(leadingNumber<std::int64_t>(row[3]));
        const auto latest = fromEpochMs(leadingNumber<std::int64_t>(row[4]));
        part.earliest = std::min(part.earliest.value_or(earliest), earliest);
        part.latest = std::max(part.latest.value_or(latest), latest);
        if (slot >= 0) {
            part.moves[{fromEpochMs(slot), row[1]}] +=
                static_cast<std::uint64_t>(leadingNumber<std::int64_t>(row[2]));
        }
    }
    return part;
}

}  // namespace restante::journal
