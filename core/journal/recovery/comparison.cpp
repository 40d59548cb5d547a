#include "core/journal/recovery/comparison.h"

#include "core/base/crypto.h"
#include "core/base/text.h"

#include <cstdint>
#include <fmt/format.h>

namespace restante::journal {

StoreMatch
storeMatchOf(const ShardFacts& shard, const std::optional<Position>& position, bool living)
{
    const bool heard = position && position->listenToken == shard.listenToken;
    if (shard.identity.empty()) {
        if (position && position->identity.empty() && heard) {
            return StoreMatch::Same;  // both are of before stores had an identity
        }
        return position || living ? StoreMatch::Lost : StoreMatch::Fresh;
    }
    if (!position) {
        return StoreMatch::Fresh;
    }
    if (position->identity.empty()) {
        return heard ? StoreMatch::Same : StoreMatch::Fresh;
    }
    return position->identity == shard.identity ? StoreMatch::Same : StoreMatch::Foreign;
}

StreamMatch
streamMatchOf(const std::string& listenToken, const Position& position, const StreamFacts& stream)
{
    const bool heard = listenToken == position.listenToken;
    if (heard && stream.hasCursor) {
        return StreamMatch::Agrees;
    }
    if (stream.newest < position.cursor) {
        return StreamMatch::RolledBack;
    }
    if (heard) {
        // Streams are cut off from the beginning: where something older than the missing entry is
        // left, it was not cut off.
        return stream.newestUpTo ? StreamMatch::RolledBack : StreamMatch::Gap;
    }
    // A name of a listening says when it began.
    const bool isOlder = leadingNumber<std::int64_t>(listenToken) <
                         leadingNumber<std::int64_t>(position.listenToken);
    return isOlder ? StreamMatch::RolledBack : StreamMatch::NotHeard;
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
