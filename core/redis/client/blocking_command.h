#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/redis/client/reply.h"

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace restante::redis {

/// One command over a unix socket of its own, blocking for at most `timeout`: for what happens
/// before the loop and after it. Errors as Connection's. Any thread.
Result<Reply> blockingCommand(const std::filesystem::path& socket,
                              std::initializer_list<std::string_view> command,
                              Millis timeout);

}  // namespace restante::redis
