#include "core/journal/sql/sql_refused.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_text.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::journal {

namespace {

/// Of base64 a row: any database takes a statement of that size, whatever it is set to.
constexpr std::size_t kPart = 49'152;
constexpr std::size_t kLongestName = 128;

std::string_view textIn(const SqlRows& row, std::string_view name)
{
    for (const auto& column : row.columns()) {
        if (column.name == name && column.kind == SqlRows::Kind::Text) {
            return column.texts.front();
        }
    }
    return {};
}

std::string jsonOf(const SqlRows& row)
{
    nlohmann::ordered_json document;
    for (const auto& column : row.columns()) {
        if (column.kind == SqlRows::Kind::Text) {
            document[column.name] = column.texts.front();
        } else {
            document[column.name] = column.numbers.front();
        }
    }
    return document.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void keepRefused(SqlSession& session,
                 std::string_view table,
                 const RowPlace& place,
                 const SqlRows& row,
                 std::string_view reason)
{
    const auto id = storableAscii(textIn(row, "id").substr(0, kLongestName));
    const auto which =
        fmt::format(" AND shard = {} AND stream_ms = {} AND stream_seq = {} AND position = {}",
                    place.shard, place.at.ms, place.at.seq, place.position);
    SqlStatement drop("DELETE FROM refused WHERE id = ");
    session.execute(drop.value(id).words(" AND row_of = ").value(table).words(which));
    const auto nowMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
    const auto content = toBase64(jsonOf(row));
    for (std::size_t begin = 0; begin < content.size(); begin += kPart) {
        SqlStatement insert("INSERT INTO refused (id,row_of,shard,stream_ms,stream_seq,position,"
                            "part,at_ms,reason,content) VALUES (");
        insert.value(id).words(",").value(table).words(
            fmt::format(",{},{},{},{},{},{},", place.shard, place.at.ms, place.at.seq,
                        place.position, begin / kPart, nowMs));
        insert.value(storableAscii(reason)).words(",").value(content.substr(begin, kPart));
        session.execute(insert.words(")"));
    }
}

RefusedRows readRefused(SqlSession& session, std::size_t limit)
{
    const auto count = session.query("SELECT COUNT(*) FROM refused WHERE part = 0", 1);
    const auto rows = session.query(
        fmt::format("SELECT id, row_of, reason, at_ms FROM refused WHERE part = 0 ORDER BY "
                    "at_ms DESC, id LIMIT {}",
                    limit),
        4);
    return {leadingNumber<std::uint64_t>(count.front().front()), readAll(rows, [](const auto& row) {
                return RefusedRow{row[0], row[1], row[2], leadingNumber<std::int64_t>(row[3])};
            })};
}

std::string refusedContent(SqlSession& session, const std::string& id, std::string_view table)
{
    SqlStatement find("SELECT stream_ms, stream_seq, position, content FROM refused WHERE id = ");
    find.value(id)
        .words(" AND row_of = ")
        .value(table)
        .words(" ORDER BY stream_ms DESC, stream_seq DESC, position DESC, part");
    std::string content;
    const auto rows = session.query(find, 4);
    for (const auto& row : rows) {
        const auto& first = rows.front();
        if (std::equal(row.begin(), row.begin() + 3, first.begin())) {
            content += row[3];
        }
    }
    return fromBase64Front(content);
}

}  // namespace restante::journal
