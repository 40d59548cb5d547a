#pragma once

#include "core/journal/sql/sql_error.h"
#include "core/journal/sql/sql_statement.h"
#include "core/redis/store/stream_id.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

class SqlSession;

/// The table `refused`: rows that the database would not take, in ASCII, so that it takes them
/// there. Functions throw SqlError. *One thread.*

/// The event that a row comes from. Of what Redis had when the journal began anew: 0-0.
struct RowPlace {
    std::uint32_t shard = 0;
    redis::StreamId at;
    std::size_t position = 0;
};

/// Keeps the only row of `row`, meant for `table`.
void keepRefused(SqlSession& session,
                 std::string_view table,
                 const RowPlace& place,
                 const SqlRows& row,
                 std::string_view reason);

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

}  // namespace restante::journal
