#pragma once

#include "core/redis/client/connection_impl.h"

#include <memory>
#include <string_view>

namespace restante::redis {

/// The masters of a Redis Cluster as one Connection. Each command goes to the master of its slot,
/// over one connection to each master that is dialled when it is needed for the first time.
///
/// Commands of one slot are executed in the order in which they were given, also when the slot
/// moves: what a node has redirected is sent again first, and once what is in flight for the slot
/// has been answered. MOVED is followed; so is ASK (ASKING and the command together), but not for
/// scripts: they touch keys that they do not name, and these are in two places until the slot has
/// moved, so they wait for that. TRYAGAIN, CLUSTERDOWN and a master that cannot be reached are
/// waited for, too. All this until the time of the command is over; then it fails with Unavailable.
/// A command that was sent when its connection broke is not repeated: it may have been executed.
///
/// A script that a master does not know is loaded there, once SCRIPT LOAD has brought it.
///
/// It is ready while the master that has shard 0 is. A subscriber is at any master, and goes to the
/// next one when it is lost: what is published anywhere reaches all nodes.
std::unique_ptr<ConnectionImpl> makeClusterConnection(EventLoop& loop,
                                                      Connection::Settings settings);

}  // namespace restante::redis
