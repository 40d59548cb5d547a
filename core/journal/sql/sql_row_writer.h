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

/// The table `refused`: rows that the database would not take, in ASCII, so that it takes them
/// there. Functions throw SqlError. *One thread.*

/// The event that a row comes from. Of what Redis had when the journal began anew: 0-0.
struct RowPlace {
    std::uint32_t shard = 0;
    redis::StreamId at;
    std::size_t position = 0;
};

/// What of it says where the row can be found.
struct RefusedRow {
    std::string id;
    std::string table;
    std::string reason;
    std::int64_t atMs = 0;
};
struct RefusedRows {
    std::uint64_t count = 0;         ///< of all
    std::vector<RefusedRow> newest;  ///< as many as were asked for
};

RefusedRows readRefused(SqlSession& session, std::size_t limit);

/// The JSON of the newest row of `id` meant for `table`; empty: there is none.
std::string refusedContent(SqlSession& session, const std::string& id, std::string_view table);

/// What one table gets of a batch; a row's `id` is its job's.
struct TableRows {
    std::string_view table;
    SqlRows rows;
    std::vector<RowPlace> places;  ///< of each row
};

/// A row that did not go where it belongs.
struct RowError {
    std::string id;
    std::string_view table;
    std::string reason;
    bool writtenWithoutText = false;  ///< its row is there, without the texts that only people read
};

/// Writes the rows of a batch in its transaction. *One thread*; throws SqlError.
class SqlRowWriter {
public:
    enum class RefusalMode {
        AbortBatch,  ///< one row that is refused is the end of the transaction
        IsolateRow,  ///< it is found by halves and kept aside, and all others are written
    };
    using Columns = std::initializer_list<std::string_view>;

    SqlRowWriter(SqlSession& session, RefusalMode mode) : session_(session), mode_(mode) {}

    /// As SqlSession::insert() and update(). A row that is refused is written once more without the
    /// texts of the columns `optionalColumns`, for what the program needs of a job is in others.
    void insert(const TableRows& all,
                std::string_view key,
                SqlSession::Present present,
                Columns optionalColumns);
    void update(const TableRows& all, Columns optionalColumns = {});

    const std::vector<RowError>& rowErrors() const noexcept { return rowErrors_; }

private:
    /// Writes all rows or throws.
    using Write = std::function<void(const SqlRows& rows)>;

    void write(const TableRows& all, const Write& write, Columns optionalColumns);
    void writePart(const TableRows& all,
                   std::size_t begin,
                   std::size_t end,
                   const Write& write,
                   Columns optionalColumns);
    bool isWritten(const SqlRows& rows, const Write& write, std::string& reason);

    SqlSession& session_;
    RefusalMode mode_;
    std::vector<RowError> rowErrors_;
};

}  // namespace restante::journal
