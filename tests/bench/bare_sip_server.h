#pragma once

#include <cstdint>
#include <string>

namespace restante::bench {

/// The reference for "MESSAGE -> stored -> 202" and for recipients that return: nothing but nta and
/// hiredis on one su_root. No parsing of content, no duplicates, no limits, no events.
///
/// Each MESSAGE becomes one EVALSHA (SET of the body, ZADD of its id) and is answered statelessly
/// when Redis said yes. Each REGISTER becomes one EVALSHA that keeps the binding and leases what
/// storeForBareRecipients() has put there for the user, is answered with its Contact, and what
/// waited goes to that Contact; when it was answered 200, a second EVALSHA forgets it.
///
/// Prints "ready PORT" on standard output and serves until it is killed.
int runBareSipServer(const std::string& redisSocket);

/// One message for each of u0 to u<users - 1>, for their REGISTERs at the server with that Redis.
/// Throws std::runtime_error when Redis refuses.
void storeForBareRecipients(const std::string& redisSocket, std::uint32_t users);

}  // namespace restante::bench
