#pragma once

#include <cstdint>
#include <string>

namespace restante::bench {

/// The reference for "MESSAGE -> stored -> 202" and for recipients that return: nothing but nta and
/// hiredis on one su_root. No parsing of content, no duplicates, no limits, no events.
///
/// Each MESSAGE becomes one EVALSHA (SET of the body, ZADD of its id) and is answered statelessly
/// when Redis has accepted it. Each REGISTER becomes one EVALSHA that stores the binding and leases
/// the user's message of storeForBareRecipients(), is answered with its Contact, and the message is
/// sent to that Contact; after a 200 a second EVALSHA deletes it.
///
/// Prints "ready PORT" on standard output and serves until it is killed.
int runBareSipServer(const std::string& redisSocket);

/// Stores one message for each of u0 to u<users - 1> in the Redis of the server. Throws
/// std::runtime_error when Redis refuses.
void storeForBareRecipients(const std::string& redisSocket, std::uint32_t users);

}  // namespace restante::bench
