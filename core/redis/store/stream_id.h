#pragma once

#include "core/base/text.h"

#include <algorithm>
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

    static std::optional<StreamId> parse(std::string_view text)
    {
        const auto dash = std::min(text.find('-'), text.size());
        const auto ms = wholeNumber<std::uint64_t>(text.substr(0, dash));
        const auto seq = wholeNumber<std::uint64_t>(text.substr(std::min(dash + 1, text.size())));
        return ms && seq ? std::optional(StreamId{*ms, *seq}) : std::nullopt;
    }
    std::string toString() const { return std::to_string(ms) + "-" + std::to_string(seq); }

    friend auto operator<=>(const StreamId&, const StreamId&) = default;
};

}  // namespace restante::redis
