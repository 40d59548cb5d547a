#include "core/journal/recovery/comparison.h"

#include "core/base/crypto.h"
#include "core/base/text.h"

#include <cstdint>
#include <fmt/format.h>

namespace restante::journal {

StoreMatch
storeMatchOf(const ShardFacts& shard, const std::optional<Position>& position, bool hasJobsInRedis)
{
    const bool isSameListening = position && position->listenToken == shard.listenToken;
    if (shard.identity.empty()) {
        if (position && position->identity.empty() && isSameListening) {
            return StoreMatch::Same;  // both are of a version without identities
        }
        return position || hasJobsInRedis ? StoreMatch::Lost : StoreMatch::New;
    }
    if (!position) {
        return StoreMatch::New;
    }
    if (position->identity.empty()) {
        return isSameListening ? StoreMatch::Same : StoreMatch::New;
    }
    return position->identity == shard.identity ? StoreMatch::Same : StoreMatch::Foreign;
}

StreamMatch
streamMatchOf(const std::string& listenToken, const Position& position, const StreamFacts& stream)
{
    const bool isSameListening = listenToken == position.listenToken;
    if (isSameListening && stream.hasEntryAtCursor) {
        return StreamMatch::Agrees;
    }
    if (stream.newest < position.cursor) {
        return StreamMatch::RolledBack;
    }
    if (isSameListening) {
        // Streams are trimmed from the beginning: if an entry older than the missing one exists,
        // the missing one was not trimmed.
        return stream.newestUpTo ? StreamMatch::RolledBack : StreamMatch::Gap;
    }
    // A listen token begins with its time.
    const bool isOlder = leadingNumber<std::int64_t>(listenToken) <
                         leadingNumber<std::int64_t>(position.listenToken);
    return isOlder ? StreamMatch::RolledBack : StreamMatch::NotRecorded;
}

std::string newToken(std::int64_t nowMs)
{
    return fmt::format("{}.{}", nowMs, randomHex(8));
}

std::string newIdentity()
{
    return randomHex(12);
}

}  // namespace restante::journal
