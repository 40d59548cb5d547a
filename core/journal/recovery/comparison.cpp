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

Kinship kinshipOf(const ShardFacts& shard, const std::optional<Position>& position, bool living)
{
    const bool heard = position && position->since == shard.since;
    if (shard.identity.empty()) {
        if (position && position->identity.empty() && heard) {
            return Kinship::Same;  // both are of before stores had an identity
        }
        return position || living ? Kinship::Lost : Kinship::Fresh;
    }
    if (!position) {
        return Kinship::Fresh;
    }
    if (position->identity.empty()) {
        return heard ? Kinship::Same : Kinship::Fresh;
    }
    return position->identity == shard.identity ? Kinship::Same : Kinship::Foreign;
}

Agreement agreementOf(const std::string& since, const Position& position, const StreamFacts& stream)
{
    const bool heard = since == position.since;
    if (heard && stream.hasCursor) {
        return Agreement::Agrees;
    }
    if (stream.newest < position.cursor) {
        return Agreement::RolledBack;
    }
    if (heard) {
        // Streams are cut off from the beginning: where something older than the missing entry is
        // left, it was not cut off.
        return stream.newestUpTo ? Agreement::RolledBack : Agreement::Gap;
    }
    return beganAt(since) < beganAt(position.since) ? Agreement::RolledBack : Agreement::NotHeard;
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
