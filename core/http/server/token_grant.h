#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace restante::http {

/// What a token without the scope admin is confined to, by patterns (matchesPattern). *Value.*
struct TokenGrant {
    std::vector<std::string> topics;   ///< patterns; empty = every topic
    std::vector<std::string> senders;  ///< patterns; empty = whatever sender a push names

    /// Whether jobs of the topic may be pushed, taken, seen and changed.
    bool coversTopic(std::string_view topic) const noexcept;
    /// Whether a push may name that sender.
    bool coversSender(std::string_view sender) const noexcept;

    friend bool operator==(const TokenGrant&, const TokenGrant&) = default;
};

}  // namespace restante::http
