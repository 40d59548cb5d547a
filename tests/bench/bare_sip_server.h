#pragma once

#include <string>

namespace restante::bench {

/// The reference for "MESSAGE -> stored -> 202": nothing but nta and hiredis on one su_root. Each
/// MESSAGE becomes one EVALSHA (SET of the body, ZADD of its id) and is answered statelessly when
/// Redis said yes. No parsing of content, no duplicates, no mailboxes, no events.
///
/// Prints "ready PORT" on standard output and serves until it is killed.
int runBareSipServer(const std::string& redisSocket);

}  // namespace restante::bench
