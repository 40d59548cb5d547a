#pragma once

#include "core/base/result.h"
#include "core/redis/store/script.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace restante::redis {
class Connection;
struct Reply;
}  // namespace restante::redis

namespace restante::sip {

/// The files of sipplugin/lua, embedded at build time, sorted by name. Any thread.
std::span<const redis::Script> scripts() noexcept;

/// The script of that name, which must exist.
const redis::Script& script(std::string_view name);

/// Calls the script of that name by its hash, and again with its text when Redis does not know it.
/// The first `keys` arguments are its keys. *On the loop of the connection, which outlives it.*
void evaluate(redis::Connection& connection,
              std::string_view name,
              std::size_t keys,
              std::vector<std::string> arguments,
              Done<redis::Reply> done);

}  // namespace restante::sip
