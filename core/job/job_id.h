#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace restante {

/// Rules for the ids of jobs, which are plain text. *Pure functions.*
///
/// A caller's id is 1-128 printable ASCII characters without space or control.
/// A generated id is 26 characters of Crockford's base 32, sortable by time:
///
///     TTTTTTTTTT RRRR XXXXXXXXXXX S      (without the spaces)
///     |          |    |           slot 0-F: up to sixteen ids share all that precedes
///     |          |    55 random bits
///     |          shard number, so that the id alone finds its shard
///     ms since epoch at which the first of the sixteen was made
///
/// The record of a job lives in the Redis hash named by its id without the last character, in the
/// field of that character: sixteen neighbours share one compact hash, which is what keeps a
/// pending job under 460 bytes (docs/decisions/). The rule is the same for a caller's own id.

/// Refuses what is not a caller's id, saying what is allowed.
Result<std::string> checkedJobId(std::string_view id);

/// The shard an id belongs to: the number it carries when it has the shape of a generated id,
/// otherwise a hash (CRC-32 of zlib's polynomial) of the whole id. `shards` >= 1.
std::uint32_t shardOfId(std::string_view id, std::uint32_t shards) noexcept;

/// Whether a caller may have chosen the id: it does not have the shape of an id generated for one
/// of these shards. A caller's id has that shape by chance once in a million.
bool mayBeCallersId(std::string_view id, std::uint32_t shards) noexcept;

/// The shard of a recipient's mailbox. All its messages get ids of this shard.
std::uint32_t shardOfMailbox(std::string_view recipient, std::uint32_t shards) noexcept;

/// Makes ids that are unique and, per generator and shard, strictly increasing. *One loop.*
class JobIdGenerator {
public:
    /// `random` returns 64 random bits (default: the operating system's).
    explicit JobIdGenerator(const Clock& clock, std::function<std::uint64_t()> random = {});

    std::string generate(std::uint32_t shard);

private:
    struct Prefix {
        std::string text;  ///< the first 25 characters
        TimePoint time{};  ///< the time in these characters
        std::uint64_t random = 0;
        std::uint32_t idsUsed = 16;
    };
    /// Gives the prefix a later time, or a larger random part within the same millisecond.
    void renewPrefix(Prefix& prefix, std::uint32_t shard, TimePoint now);

    const Clock& clock_;
    std::function<std::uint64_t()> random_;
    std::vector<Prefix> prefixes_;  ///< by shard
};

}  // namespace restante
