#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/redis/client/connection.h"

namespace restante::journal {

/// For a daemon without a journal: makes the events small again that another one, or an earlier
/// configuration, wanted for its journal. Does nothing to shards that somebody records.
void stopListening(EventLoop& loop,
                   redis::Connection& connection,
                   const Clock& clock,
                   const Config& config);

}  // namespace restante::journal
