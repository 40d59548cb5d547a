#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/journal/outbox/journal_reading.h"
#include "core/journal/outbox/position.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace restante::journal {

/// How many entries of a stream are read and committed as one. An entry holds up to a hundred jobs,
/// so this is one commit of up to 6,400 rows and some ten MB.
inline constexpr std::string_view kEntriesOfBatch = "64";

/// What has been read of one shard's stream, to be committed as one.
struct ShardBatch {
    std::uint32_t shard = 0;
    Position from;  ///< what is recorded before: of which store, of which listening, up to where
    Position to;    ///< and after
    std::vector<JournalEvent> events;
};

/// Entries behind `from`, at least one. What is no event is passed over, with a line in the log.
ShardBatch
batchOf(std::uint32_t shard, const Position& from, const std::vector<StreamEntry>& entries);

}  // namespace restante::journal
