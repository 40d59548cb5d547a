#pragma once

#include "core/base/error.h"

#include <string_view>

namespace restante::redis {

/// What an error reply of Redis ("OOM command not allowed ...") means to us: see Connection. The
/// message begins with Redis' own word, says what to do where an administrator can do something,
/// and has lost what Redis may have quoted of the command's arguments.
Error errorOfReply(std::string_view reply);

}  // namespace restante::redis
