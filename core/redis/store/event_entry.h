#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/redis/client/reply.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::redis {

/// One entry of a shard's event stream: what happened to which jobs. *Value.*
/// docs/redis-schema.md, "Events".
struct EventEntry {
    std::string position;    ///< the stream's id of it, "1700000000000-0"
    std::string transition;  ///< the word, also one that this program does not know
    TimePoint at{};
    std::vector<std::string> ids;
    std::string actor;
    std::string reason;
    /// Fields beside these, in order: what other writers add.
    std::vector<std::pair<std::string, std::string>> more;
};

/// One element of an XREAD or XRANGE answer. Internal when it is no event.
Result<EventEntry> readEvent(const Reply& entry);

/// "AB<tab>01 C" -> AB0, AB1, C: the ids in the field `ids` (docs/redis-schema.md, "Events").
std::vector<std::string> unpackIds(std::string_view words);

/// The numbers of a position, for comparing; {0, 0} of what is none.
std::pair<std::uint64_t, std::uint64_t> positionOf(std::string_view position) noexcept;

}  // namespace restante::redis
