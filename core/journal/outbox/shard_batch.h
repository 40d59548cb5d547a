#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/redis/store/stream_id.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

using redis::StreamId;

/// How far a shard has been recorded; written in the same transaction as the recorded events.
/// *Value.*
struct Position {
    std::string identity;  ///< of the shard's store; empty in a journal of a version before 0.1.0
    std::string
        listenToken;  ///< names the recording period; events outside of it are not in the stream
    StreamId cursor;

    friend bool operator==(const Position&, const Position&) = default;
};

/// One entry of a stream.
struct StreamEntry {
    StreamId id;
    redis::Reply::Array fields;
};

/// Read the replies of Redis. *Pure functions*; malformed parts are left out.
std::vector<StreamEntry> entriesOf(redis::Reply reply);  ///< XRANGE, XREVRANGE
/// XREAD of one stream; nil has no entries. Moves the texts, which may be tens of MB.
std::vector<StreamEntry> entriesOfStream(redis::Reply reply);
/// journal_rows.lua: id and eight texts of each job. Jobs that are gone are left out.
std::vector<JobInEvent> jobsOfRows(const redis::Reply& reply);

/// Entries read at a time when a stream is compared with the journal.
inline constexpr std::string_view kEntriesPerRead = "64";

/// Events of one shard's stream that are committed together.
struct ShardBatch {
    std::uint32_t shard = 0;
    Position from;  ///< the position before
    Position to;    ///< the position after
    std::vector<JournalEvent> events;
};

/// The bytes of all records in it, which are most of it.
std::size_t recordBytesOf(const ShardBatch& batch);

/// How many entries to read and commit together next, judging by `entries` entries that gave
/// `last`. An entry holds one to some hundred jobs, and each commit has a fixed cost, so one should
/// have some thousand rows and some MB.
std::size_t entriesPerCommit(const ShardBatch& last, std::size_t entries);
inline constexpr std::size_t kFewestEntries = 64;

/// The batch of entries after `from`, at least one. Entries that are no events are skipped and
/// logged.
ShardBatch
batchOf(std::uint32_t shard, const Position& from, const std::vector<StreamEntry>& entries);

}  // namespace restante::journal
