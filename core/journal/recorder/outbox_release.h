#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/redis/client/connection.h"

namespace restante::journal {

/// For a daemon without a journal: frees the event streams that another daemon, or an earlier
/// configuration, kept for its journal. Shards that have a recorder are left alone.
void releaseOutbox(EventLoop& loop,
                   redis::Connection& connection,
                   const Clock& clock,
                   const Config& config);

}  // namespace restante::journal
