#pragma once

#include "core/journal/sql/sql_session.h"
#include "core/redis/store/stream_id.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

/// The table `refused`: rows that the database has rejected, in ASCII, which it accepts. Functions
/// throw SqlError. *One thread.*

/// The event from which a row comes; 0-0 for rows of a rebuild from Redis.
struct RowSource {
    std::uint32_t shard = 0;
    redis::StreamId streamId;
    std::size_t position = 0;
};

/// A row of `refused` as people are shown it: without its source and its content.
struct RefusedRow {
    std::string id;
    std::string table;
    std::string reason;
    std::int64_t atMs = 0;
};
struct RefusedRows {
    std::uint64_t count = 0;         ///< number of all refused rows
    std::vector<RefusedRow> newest;  ///< as many as were asked for
};

RefusedRows readRefused(SqlSession& session, std::size_t limit);

/// The newest refused row of `id` for `table`, as JSON; empty: there is none.
std::string refusedContent(SqlSession& session, const std::string& id, std::string_view table);

/// The rows of a batch for one table; the `id` of a row is its job's or its setting's, and empty in
/// the audit of a topic.
struct TableRows {
    std::string_view table;
    SqlRows rows;
    std::vector<RowSource> sources;  ///< of each row
};

/// A row that was refused.
struct RowError {
    std::string id;
    std::string_view table;
    std::string reason;
    bool writtenWithoutText =
        false;  ///< written after all, without the texts that only people read
};

/// Writes the rows of a batch in its transaction. *One thread*; throws SqlError.
class SqlRowWriter {
public:
    enum class RefusalMode {
        AbortBatch,  ///< a refused row ends the transaction
        IsolateRow,  ///< a refused row is found by bisection and kept in `refused`; all others are
                     ///< written
    };
    using Columns = std::initializer_list<std::string_view>;

    SqlRowWriter(SqlSession& session, RefusalMode mode) : session_(session), mode_(mode) {}

    /// As SqlSession::insert() and update(). A refused row is written again without the texts of
    /// `optionalColumns`, because the program does not need them.
    void insert(const TableRows& tableRows,
                std::string_view key,
                SqlSession::OnConflict onConflict,
                Columns optionalColumns);
    void update(const TableRows& tableRows, Columns optionalColumns = {});

    const std::vector<RowError>& rowErrors() const noexcept { return rowErrors_; }

private:
    /// Writes all rows or throws.
    using Write = std::function<void(const SqlRows& rows)>;

    void write(const TableRows& tableRows, const Write& write, Columns optionalColumns);
    void writeOrBisect(const TableRows& tableRows,
                       std::size_t begin,
                       std::size_t end,
                       const Write& write,
                       Columns optionalColumns);
    bool tryWrite(const SqlRows& rows, const Write& write, std::string& reason);

    SqlSession& session_;
    RefusalMode mode_;
    std::vector<RowError> rowErrors_;
};

}  // namespace restante::journal
