#include "core/journal/recovery/comparison.h"

#include "core/base/text.h"

#include <cstdint>
#include <fmt/format.h>
#include <random>

namespace restante::journal {

namespace {

/// When a listening began, by its name.
std::int64_t beganAt(const std::string& since)
{
    return leadingNumber<std::int64_t>(since);
}

}  // namespace

StoreMatch
storeMatchOf(const ShardFacts& shard, const std::optional<Position>& position, bool living)
{
    const bool heard = position && position->since == shard.since;
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
streamMatchOf(const std::string& since, const Position& position, const StreamFacts& stream)
{
    const bool heard = since == position.since;
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
    return beganAt(since) < beganAt(position.since) ? StreamMatch::RolledBack
                                                    : StreamMatch::NotHeard;
}

std::string newToken(std::int64_t nowMs)
{
    std::random_device random;
    return fmt::format("{}.{:08x}{:08x}", nowMs, random(), random());
}

std::string newIdentity()
{
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
}

}  // namespace restante::journal
