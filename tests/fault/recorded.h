#pragma once

#include "core/redis/one_shot.h"
#include "core/redis/stream_id.h"
#include "tests/fault/load.h"

#include <optional>
#include <string>

namespace restante::test {

/// The newest event of the first shard of the Redis behind that socket; none while it does not
/// tell.
inline std::optional<redis::StreamId> newestEvent(const std::string& socket)
{
    const auto reply = redis::callOnce(
        socket, {"XREVRANGE", "rst:{s0}:events", "+", "-", "COUNT", "1"}, Millis{5'000});
    const auto* entries = reply ? reply->array() : nullptr;
    if (entries == nullptr || entries->empty() || entries->front().array() == nullptr) {
        return std::nullopt;
    }
    const auto* id = entries->front().array()->front().text();
    return id != nullptr ? redis::StreamId::parse(*id) : std::nullopt;
}

/// Whether the journal has everything up to that event.
inline bool isRecorded(const std::string& socket, const redis::StreamId& event)
{
    const auto reply =
        redis::callOnce(socket, {"HGET", "rst:{s0}:journal", "cursor"}, Millis{5'000});
    const auto* text = reply ? reply->text() : nullptr;
    const auto cursor = text != nullptr ? redis::StreamId::parse(*text) : std::nullopt;
    return cursor && *cursor >= event;
}

/// Talks until what has happened by now is in the journal: after a recovery the events of what came
/// back keep its database busy, and for a busy one `async` promises no time. False when that does
/// not come.
inline bool talkUntilRecorded(Load& load, const std::string& socket)
{
    std::optional<redis::StreamId> newest;
    const auto end = std::chrono::steady_clock::now() + kProcessPatience;
    while (std::chrono::steady_clock::now() < end) {
        newest = newest ? newest : newestEvent(socket);
        if (newest && isRecorded(socket, *newest)) {
            return true;
        }
        load.run(Millis{20});
    }
    return false;
}

}  // namespace restante::test
