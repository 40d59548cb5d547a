#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace restante::redis {

/// The id of one entry of an event stream, "1700000000000-3". *Value.*
struct StreamId {
    std::uint64_t ms = 0;
    std::uint64_t seq = 0;

    static std::optional<StreamId> parse(std::string_view text);
    std::string print() const;

    friend auto operator<=>(const StreamId&, const StreamId&) = default;
};

}  // namespace restante::redis
