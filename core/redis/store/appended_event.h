#pragma once

#include "core/redis/store/stream_id.h"

#include <string>

namespace restante::redis {

/// The newest entry of a shard's event stream that a call has appended, which the journal has once
/// it has what the call did. *Value.*
struct AppendedEvent {
    StreamId id;
    std::string tokenKey;  ///< key of the token under which the call was executed; empty = none
};

}  // namespace restante::redis
