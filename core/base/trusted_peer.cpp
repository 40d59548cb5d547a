#include "core/base/trusted_peer.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace restante {

namespace {

constexpr std::array<std::pair<std::string_view, TrustedPeer::Over>, 3> kPrefixes{{
    {"udp:", TrustedPeer::Over::Udp},
    {"tcp:", TrustedPeer::Over::Tcp},
    {"tls:", TrustedPeer::Over::Tls},
}};

/// With a letter, or a mistyped address would be one.
bool isName(std::string_view text)
{
    const auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
    return text.size() <= 253 && std::ranges::any_of(text, isLetter) && text.front() != '.' &&
           std::ranges::all_of(text, [&](char c) {
               return isLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
           });
}

}  // namespace

Result<TrustedPeer> TrustedPeer::parse(std::string_view text)
{
    TrustedPeer peer;
    auto rest = text;
    for (const auto& [prefix, over] : kPrefixes) {
        if (rest.starts_with(prefix)) {
            peer.over = over;
            rest.remove_prefix(prefix.size());
            break;
        }
    }
    if (const auto network = Network::parse(rest)) {
        peer.network = *network;
        return peer;
    }
    auto name = lowered(rest);
    if (peer.over != Over::Tls || !isName(name)) {
        return failure(ErrorCode::Invalid,
                       fmt::format("\"{}\" is nobody who could be trusted; write 192.0.2.1, "
                                   "10.0.0.0/8, tcp:192.0.2.10 or tls:proxy.example.org",
                                   text));
    }
    if (name.ends_with('.')) {
        name.pop_back();  // the root, which no certificate's name has here
    }
    peer.name = std::move(name);
    return peer;
}

std::string TrustedPeer::print() const
{
    std::string_view prefix;
    for (const auto& [text, meaning] : kPrefixes) {
        prefix = meaning == over ? text : prefix;
    }
    return fmt::format("{}{}", prefix, network ? network->print() : name);
}

}  // namespace restante
