#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <linux/filter.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::sip {

/// The program by which the kernel picks one of `count` sockets (2 to 64) that share a UDP address:
/// - a MESSAGE by the first 48 bytes behind "sip:" of its Request-URI, as written: what is for one
///   recipient, and what is repeated, comes to one socket, and a proxy's messages are spread over
///   all;
/// - another request, or a MESSAGE to another scheme, by its first 192 bytes, in which a proxy
///   writes a branch: what is repeated comes to one socket;
/// - a response by its branch, to the socket whose agent has made that (branchTag());
/// - anything else, and what is too short, by addresses and ports, as the kernel does without it.
/// *Pure function.*
std::vector<sock_filter> steeringProgram(std::size_t count);

/// Gives the program to the sockets that share the address of `fd`, all of which are bound. An
/// error says why the kernel does not take it: addresses and ports decide then.
Result<void> steerDatagrams(int fd, std::size_t count);

/// What stands behind "z9hG4bK" in the branches of agent `number` of several. *Pure function.*
std::string branchTag(std::size_t number);
/// The agent that has made that branch; nothing when it was none of several. *Pure function.*
std::optional<std::size_t> agentOfBranch(std::string_view branch);

}  // namespace restante::sip
