#pragma once

#include "core/base/result.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace restante::redis {

/// A Redis answer, independent of hiredis. *Value.* Arrays nest; Nil is monostate. An error reply
/// never gets here: the connection turns it into an Error.
struct Reply {
    using Array = std::vector<Reply>;
    std::variant<std::monostate, std::int64_t, std::string, Array> value;

    bool isNil() const noexcept { return std::holds_alternative<std::monostate>(value); }
    const std::string* text() const noexcept { return std::get_if<std::string>(&value); }
    const std::int64_t* integer() const noexcept { return std::get_if<std::int64_t>(&value); }
    const Array* array() const noexcept { return std::get_if<Array>(&value); }

    /// The text; empty for other types.
    std::string_view textOrEmpty() const noexcept
    {
        return text() != nullptr ? std::string_view(*text()) : std::string_view();
    }
    /// The size of an array; 0 for other types.
    std::size_t size() const noexcept { return array() != nullptr ? array()->size() : 0; }
    /// The element of an array; Nil if there is none.
    const Reply& at(std::size_t index) const noexcept
    {
        static const Reply kNil{};
        return index < size() ? (*array())[index] : kNil;
    }
};

/// Whether the reply is an error with this code.
inline bool isRefused(const Result<Reply>& reply, std::string_view word)
{
    return !reply && reply.error().remoteCode == word;
}

/// Removes the field before the next `separator`, and the separator, from `rest`; all of it when
/// there is none.
constexpr std::string_view takeField(std::string_view& rest, char separator = ' ') noexcept
{
    const auto word = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    return word;
}

}  // namespace restante::redis
