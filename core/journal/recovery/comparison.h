#pragma once

#include "core/journal/outbox/shard_batch.h"

#include <cstdint>
#include <optional>
#include <string>

namespace restante::journal {

/// What a shard stores about itself.
struct ShardFacts {
    std::string identity;     ///< empty: never compared with a journal, or emptied since
    std::string listenToken;  ///< names the recording period that is in progress
};

/// Whether a shard and the journal belong together (docs/journal.md, "Identity"). *Pure functions.*
enum class StoreMatch {
    Same,     ///< the journal has recorded this shard
    New,      ///< the journal knows nothing of it, and begins with its contents
    Lost,     ///< the shard has no identity, but the journal has recorded it or has jobs of it in
              ///< Redis, which are restored
    Foreign,  ///< the journal belongs to another store
};
/// `hasJobsInRedis`: the journal has jobs of this shard that must be in Redis, dead and trashed
/// ones included.
StoreMatch
storeMatchOf(const ShardFacts& shard, const std::optional<Position>& position, bool hasJobsInRedis);

/// The entries around the journal's position in the stream of a shard of the same store.
struct StreamFacts {
    bool hasEntryAtCursor = false;       ///< the entry at the position exists
    std::optional<StreamId> newestUpTo;  ///< the newest entry at or before the position
    StreamId newest;                     ///< the newest entry of all; zero when there is none
};

enum class StreamMatch {
    Agrees,       ///< the entries after the position are all that the journal lacks
    Gap,          ///< entries were trimmed before they were recorded
    NotRecorded,  ///< events were not written for a while, so the journal lacks them
    RolledBack,   ///< the store has lost its newest writes: the journal knows more
};
StreamMatch
streamMatchOf(const std::string& listenToken, const Position& position, const StreamFacts& stream);

/// A unique name of a recording period or a comparison: "<ms since epoch>.<random>".
std::string newToken(std::int64_t nowMs);
/// A new identity of a store: 24 random hexadecimal digits.
std::string newIdentity();

}  // namespace restante::journal
