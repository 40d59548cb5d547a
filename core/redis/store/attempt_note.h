#pragma once

#include <string_view>

namespace restante::redis {

/// The note of an attempt, cut where it is too long for the stream: never in the middle of a
/// character. It lives as long as what it is given. *Pure function.*
std::string_view shortNote(std::string_view note) noexcept;

}  // namespace restante::redis
