#pragma once

#include "core/redis/script.h"

#include <span>

namespace restante::sip {

/// The files of sipplugin/lua, embedded at build time, sorted by name. Any thread.
std::span<const redis::Script> scripts() noexcept;

}  // namespace restante::sip
