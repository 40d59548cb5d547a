#pragma once

#include "core/journal/outbox/shard_batch.h"

#include <cstdint>
#include <optional>
#include <string>

namespace restante::journal {

/// What a shard says of itself.
struct ShardFacts {
    std::string identity;     ///< empty: it has never been compared with a journal, or was emptied
    std::string listenToken;  ///< of the listening that goes on there now
};

/// Whether a shard and the journal belong together (docs/journal.md, "Identity"). *Pure functions.*
enum class StoreMatch {
    Same,     ///< the journal has recorded this very shard
    Fresh,    ///< the journal knows nothing of it: it begins with what is there
    Lost,     ///< the shard has no identity, the journal has one: what lives there comes back
    Foreign,  ///< the journal belongs to another store
};
/// `living`: the journal has jobs of this shard that have not ended.
StoreMatch
storeMatchOf(const ShardFacts& shard, const std::optional<Position>& position, bool living);

/// What the stream of a shard of the same store has around the journal's position.
struct StreamFacts {
    bool hasCursor = false;              ///< the entry at the position
    std::optional<StreamId> newestUpTo;  ///< the newest entry at or before the position
    StreamId newest;                     ///< of all; zero when there is none
};

enum class StreamMatch {
    Agrees,      ///< what is behind the position is all that the journal lacks
    Gap,         ///< entries were cut off before they were recorded
    NotHeard,    ///< nobody listened for a while: the store has moved on, the journal has not
    RolledBack,  ///< the store has forgotten its newest writes: the journal knows more
};
StreamMatch
streamMatchOf(const std::string& listenToken, const Position& position, const StreamFacts& stream);

/// Names a listening or a comparison, never the same twice: "<ms since epoch>.<random>".
std::string newToken(std::int64_t nowMs);
/// A store's name: 24 random hexadecimal digits.
std::string newIdentity();

}  // namespace restante::journal
