#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/redis/store/stream_id.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

using redis::StreamId;

/// How far a shard has been recorded: written in the same transaction as what was recorded.
/// *Value.*
struct Position {
    std::string identity;  ///< of the shard's store; empty in a journal of before 0.1.0
    std::string
        listenToken;  ///< names the listening: what was not listened to is not in the stream
    StreamId cursor;

    friend bool operator==(const Position&, const Position&) = default;
};

/// One entry as Redis answers it.
struct StreamEntry {
    StreamId id;
    redis::Reply::Array fields;
};

/// What Redis answers to the recorder. *Pure functions*; what is malformed is left out.
std::vector<StreamEntry> entriesOf(redis::Reply reply);  ///< XRANGE, XREVRANGE
/// XREAD of one stream; nil has none. What it read is moved: it may be tens of MB.
std::vector<StreamEntry> entriesOfStream(redis::Reply reply);
/// journal_rows: id and eight texts of each job. What is gone is left out.
std::vector<JobInEvent> jobsOfRows(const redis::Reply& reply);

/// Of a stream that is compared with the journal.
inline constexpr std::string_view kEntriesOfBatch = "64";

/// What has been read of one shard's stream, to be committed as one.
struct ShardBatch {
    std::uint32_t shard = 0;
    Position from;  ///< what is recorded before: of which store, of which listening, up to where
    Position to;    ///< and after
    std::vector<JournalEvent> events;
};

/// How many entries of a stream to read and to commit as one, when the last were like those of
/// `last`. An entry holds one to some hundred jobs, so it is a matter of what they hold: a commit
/// has its price whatever is in it, and is to be one of some thousand rows and some MB.
std::size_t entriesBehind(const ShardBatch& last, std::size_t entries);
inline constexpr std::size_t kFewestEntries = 64;

/// Entries behind `from`, at least one. What is no event is passed over, with a line in the log.
ShardBatch
batchOf(std::uint32_t shard, const Position& from, const std::vector<StreamEntry>& entries);

}  // namespace restante::journal
