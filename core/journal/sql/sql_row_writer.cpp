#include "core/journal/sql/sql_row_writer.h"

#include <algorithm>

namespace restante::journal {

void SqlRowWriter::insert(TableRows& all,
                          std::string_view key,
                          SqlSession::Present present,
                          Columns spare)
{
    write(
        all, [&](SqlRows& rows) { session_.insert(all.table, key, rows, present); }, spare);
}

void SqlRowWriter::update(TableRows& all, Columns spare)
{
    write(
        all, [&](SqlRows& rows) { session_.update(all.table, rows); }, spare);
}

void SqlRowWriter::write(TableRows& all, const Write& write, Columns spare)
{
    if (all.rows.empty()) {
        return;
    }
    if (care_ == Care::Together) {
        return write(all.rows);
    }
    writePart(all, 0, all.rows.size(), write, spare);
}

/// A savepoint, because after an error PostgreSQL takes nothing more in a transaction, and the
/// others may have written some of the rows.
bool SqlRowWriter::isWritten(SqlRows& rows, const Write& write, std::string& reason)
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

void SqlRowWriter::writePart(
    const TableRows& all, std::size_t begin, std::size_t end, const Write& write, Columns spare)
{
    auto rows = all.rows.part(begin, end);
    std::string reason;
    if (isWritten(rows, write, reason)) {
        return;
    }
    if (end - begin > 1) {
        const auto middle = begin + (end - begin) / 2;
        writePart(all, begin, middle, write, spare);
        return writePart(all, middle, end, write, spare);
    }
    const auto row = all.rows.part(begin, end);
    for (const auto column : spare) {
        rows.set(0, column, "");
    }
    std::string again;
    const bool shown = spare.size() > 0 && isWritten(rows, write, again);
    try {
        keepRefused(session_, all.table, all.places[begin], row, reason);
    } catch (SqlError& problem) {
        // Nowhere to put it: nothing may be called recorded that is not.
        problem.cause = SqlError::Cause::Away;
        throw;
    }
    const auto& columns = row.columns();
    const auto id = std::find_if(columns.begin(), columns.end(),
                                 [](const auto& column) { return column.name == "id"; });
    rowErrors_.push_back({id->texts.front(), all.table, std::move(reason), shown});
}

}  // namespace restante::journal
