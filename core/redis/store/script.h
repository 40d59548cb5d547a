#pragma once

#include <span>
#include <string_view>

namespace restante::redis {

/// One file of core/lua or sipplugin/lua, embedded at build time. *Value.*
struct Script {
    std::string_view name;
    std::string_view text;
    std::string_view sha1;  ///< of `text`, 40 lower-case hex digits: the argument of EVALSHA
};

/// The files of core/lua, sorted by name. Any thread.
std::span<const Script> scripts() noexcept;

/// The script of that name; asserts that there is one.
const Script& script(std::string_view name) noexcept;

}  // namespace restante::redis
