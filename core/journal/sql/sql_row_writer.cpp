#include "core/journal/sql/sql_row_writer.h"

#include "core/base/clock.h"
#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::journal {

namespace {

/// Bytes of base64 in one row, so that every database accepts the statement with any setting.
constexpr std::size_t kContentPartBytes = 49'152;
constexpr std::size_t kLongestId = 128;

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
        switch (column.kind) {
        case SqlRows::Kind::Text: document[column.name] = column.texts.front(); break;
        case SqlRows::Kind::Bytes: document[column.name] = toBase64(column.texts.front()); break;
        case SqlRows::Kind::Number: document[column.name] = column.numbers.front(); break;
        }
    }
    return document.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Writes `row`, one row for `table`, into `refused`.
void keepRefused(SqlSession& session,
                 std::string_view table,
                 const RowSource& source,
                 const SqlRows& row,
                 std::string_view reason)
{
    const auto id = storableAscii(textIn(row, "id").substr(0, kLongestId));
    const auto sourceCondition =
        fmt::format(" AND shard = {} AND stream_ms = {} AND stream_seq = {} AND position = {}",
                    source.shard, source.streamId.ms, source.streamId.seq, source.position);
    SqlStatement drop("DELETE FROM refused WHERE id = ");
    session.execute(drop.value(id).append(" AND row_of = ").value(table).append(sourceCondition));
    const auto nowMs =
        std::chrono::floor<Millis>(std::chrono::system_clock::now().time_since_epoch()).count();
    const auto content = toBase64(jsonOf(row));
    for (std::size_t begin = 0; begin < content.size(); begin += kContentPartBytes) {
        SqlStatement insert("INSERT INTO refused (id,row_of,shard,stream_ms,stream_seq,position,"
                            "part,at_ms,reason,content) VALUES (");
        insert.value(id).append(",").value(table).append(
            fmt::format(",{},{},{},{},{},{},", source.shard, source.streamId.ms,
                        source.streamId.seq, source.position, begin / kContentPartBytes, nowMs));
        insert.value(storableAscii(reason))
            .append(",")
            .value(content.substr(begin, kContentPartBytes));
        session.execute(insert.append(")"));
    }
}

}  // namespace

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
        .append(" AND row_of = ")
        .value(table)
        .append(" ORDER BY stream_ms DESC, stream_seq DESC, position DESC, part");
    std::string content;
    const auto rows = session.query(find, 4);
    for (const auto& row : rows) {
        const auto& first = rows.front();
        if (std::equal(row.begin(), row.begin() + 3, first.begin())) {
            content += row[3];
        }
    }
    return fromBase64Prefix(content);
}

void SqlRowWriter::insert(const TableRows& tableRows,
                          std::string_view key,
                          SqlSession::OnConflict onConflict,
                          Columns optionalColumns)
{
    write(
        tableRows,
        [&](const SqlRows& rows) { session_.insert(tableRows.table, key, rows, onConflict); },
        optionalColumns);
}

void SqlRowWriter::update(const TableRows& tableRows, Columns optionalColumns)
{
    write(
        tableRows, [&](const SqlRows& rows) { session_.update(tableRows.table, rows); },
        optionalColumns);
}

void SqlRowWriter::write(const TableRows& tableRows, const Write& write, Columns optionalColumns)
{
    if (tableRows.rows.empty()) {
        return;
    }
    if (mode_ == RefusalMode::AbortBatch) {
        return write(tableRows.rows);
    }
    writeOrBisect(tableRows, 0, tableRows.rows.size(), write, optionalColumns);
}

/// Uses a savepoint, because after an error PostgreSQL rejects the rest of a transaction, and the
/// others may have written some of the rows.
bool SqlRowWriter::tryWrite(const SqlRows& rows, const Write& write, std::string& reason)
{
    session_.execute("SAVEPOINT attempt");
    try {
        write(rows);
    } catch (const SqlError& problem) {
        if (problem.cause != SqlError::Cause::Refused) {
            throw;
        }
        reason = problem.message;
        session_.execute("ROLLBACK TO SAVEPOINT attempt");
        return false;
    }
    session_.execute("RELEASE SAVEPOINT attempt");
    return true;
}

void SqlRowWriter::writeOrBisect(const TableRows& tableRows,
                                 std::size_t begin,
                                 std::size_t end,
                                 const Write& write,
                                 Columns optionalColumns)
{
    auto rows = tableRows.rows.part(begin, end);
    std::string reason;
    if (tryWrite(rows, write, reason)) {
        return;
    }
    if (end - begin > 1) {
        const auto middle = begin + (end - begin) / 2;
        writeOrBisect(tableRows, begin, middle, write, optionalColumns);
        return writeOrBisect(tableRows, middle, end, write, optionalColumns);
    }
    const auto row = tableRows.rows.part(begin, end);
    for (const auto column : optionalColumns) {
        rows.clear(0, column);
    }
    std::string secondReason;
    const bool writtenWithoutText =
        optionalColumns.size() > 0 && tryWrite(rows, write, secondReason);
    try {
        keepRefused(session_, tableRows.table, tableRows.sources[begin], row, reason);
    } catch (SqlError& problem) {
        // The row could be written nowhere, so the batch must not count as recorded.
        problem.cause = SqlError::Cause::Away;
        throw;
    }
    rowErrors_.push_back(
        {std::string(textIn(row, "id")), tableRows.table, std::move(reason), writtenWithoutText});
}

}  // namespace restante::journal
