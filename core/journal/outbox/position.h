#pragma once

#include "core/redis/store/stream_id.h"

#include <string>

namespace restante::journal {

using redis::StreamId;

/// How far a shard has been recorded: written in the same transaction as what was recorded.
/// *Value.*
struct Position {
    std::string identity;  ///< of the shard's store; empty in a journal of before 0.1.0
    std::string since;     ///< names the listening: what was not listened to is not in the stream
    StreamId cursor;

    friend bool operator==(const Position&, const Position&) = default;
};

}  // namespace restante::journal
