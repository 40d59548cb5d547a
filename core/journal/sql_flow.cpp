#include "core/journal/sql_flow.h"

#include "core/journal/sql_session.h"
#include "core/journal/sql_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace restante::journal {

namespace {

constexpr std::uint32_t kMostPerPart = 1'000'000;

std::int64_t numberOf(std::string_view text)
{
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// The last id of this part; empty = it reaches to the end.
std::string lastOf(SqlSession& session, const FlowQuery& query)
{
    const auto rows = session.query(
        fmt::format("SELECT id FROM transition WHERE id > {} ORDER BY id LIMIT 1 OFFSET {}",
                    literalOf(query.after), query.most - 1),
        1);
    return rows.empty() ? std::string() : rows.front().front();
}

/// The transitions that are in the window and of the share; all others count for nothing, but tell
/// how far the journal reaches.
std::string conditionOf(const FlowQuery& query)
{
    auto wanted =
        fmt::format("t.at_ms >= {} AND t.at_ms < {}", toEpochMs(query.begin), toEpochMs(query.end));
    if (!query.topic.empty()) {
        wanted += " AND m.topic = " + literalOf(query.topic);
    }
    if (!query.channel.empty()) {
        wanted += " AND m.channel = " + literalOf(query.channel);
    }
    return wanted;
}

}  // namespace

Result<FlowPart> readFlow(SqlSession& session, const FlowQuery& query)
{
    if (query.step <= Millis{0}) {
        return failure(ErrorCode::Invalid, "step: must be longer than nothing");
    }
    if (query.most < 1 || query.most > kMostPerPart) {
        return failure(ErrorCode::Invalid, fmt::format("most: 1 to {} are allowed", kMostPerPart));
    }
    FlowPart part;
    part.after = lastOf(session, query);
    const bool isShare = !query.topic.empty() || !query.channel.empty();
    const auto rows = session.query(
        fmt::format("SELECT slot, word, COUNT(*), MIN(at_ms), MAX(at_ms) FROM ("
                    "SELECT CASE WHEN {0} THEN t.at_ms - t.at_ms % {1} ELSE -1 END AS slot,"
                    " CASE WHEN {0} THEN t.transition ELSE '' END AS word, t.at_ms AS at_ms "
                    "FROM transition t{2} WHERE t.id > {3}{4}) AS looked GROUP BY slot, word",
                    conditionOf(query), query.step.count(),
                    isShare ? " LEFT JOIN message m ON m.id = t.id" : "", literalOf(query.after),
                    part.after.empty() ? "" : " AND t.id <= " + literalOf(part.after)),
        5);
    for (const auto& row : rows) {
        const auto slot = numberOf(row[0]);
        const auto earliest = fromEpochMs(numberOf(row[3]));
        const auto latest = fromEpochMs(numberOf(row[4]));
        part.earliest = std::min(part.earliest.value_or(earliest), earliest);
        part.latest = std::max(part.latest.value_or(latest), latest);
        if (slot >= 0) {
            part.moves[{fromEpochMs(slot), row[1]}] += static_cast<std::uint64_t>(numberOf(row[2]));
        }
    }
    return part;
}

}  // namespace restante::journal
