#pragma once

#include "core/base/result.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/script.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace restante::sip {

/// The files of sipplugin/lua, embedded at build time, sorted by name. Any thread.
std::span<const redis::Script> scripts() noexcept;

/// Calls the script of sipplugin/lua with that name by its hash, and once more with its text when
/// Redis does not know it (any more). The first `keys` of the arguments are its keys. *On the loop
/// of the connection, which must outlive the answer.*
void evaluate(redis::Connection& connection,
              std::string_view name,
              std::size_t keys,
              std::vector<std::string> arguments,
              Done<redis::Reply> done);

}  // namespace restante::sip
