#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace restante::redis {

/// A Redis answer without hiredis in sight. *Value.* Arrays nest; Nil is monostate. An error reply
/// never gets here: the connection turns it into an Error.
struct Reply {
    using Array = std::vector<Reply>;
    std::variant<std::monostate, std::int64_t, std::string, Array> value;

    bool isNil() const noexcept { return std::holds_alternative<std::monostate>(value); }
    const std::string* text() const noexcept { return std::get_if<std::string>(&value); }
    const std::int64_t* integer() const noexcept { return std::get_if<std::int64_t>(&value); }
    const Array* array() const noexcept { return std::get_if<Array>(&value); }

    /// Of an array; 0 of anything else.
    std::size_t size() const noexcept { return array() != nullptr ? array()->size() : 0; }
    /// The element there of an array; Nil where there is none.
    const Reply& at(std::size_t index) const noexcept
    {
        static const Reply kNil{};
        return index < size() ? (*array())[index] : kNil;
    }
};

}  // namespace restante::redis
