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

/// One entry of a shard's event stream: a transition and its jobs. *Value.*
/// docs/redis-schema.md, "Events".
struct EventEntry {
    std::string position;    ///< its id in the stream, "1700000000000-0"
    std::string transition;  ///< its name, which this program need not know
    TimePoint at{};
    std::vector<std::string> ids;
    std::string actor;
    std::string reason;
    /// All other fields, in order.
    std::vector<std::pair<std::string, std::string>> otherFields;
};

/// Parses one element of an XREAD or XRANGE answer. Internal when it is no event.
Result<EventEntry> readEvent(const Reply& entry);

/// "AB<tab>01 C" -> AB0, AB1, C: the ids in the field `ids` (docs/redis-schema.md, "Events").
std::vector<std::string> unpackIds(std::string_view words);

/// The numbers of a position, for comparison; {0, 0} if it is invalid.
std::pair<std::uint64_t, std::uint64_t> streamPositionOf(std::string_view position) noexcept;

}  // namespace restante::redis
