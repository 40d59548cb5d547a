#pragma once

#include "core/base/network.h"
#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante {

/// One entry of `sip.trusted`: who is believed, and by what they are known. *Value.*
///
///     192.0.2.10, 10.0.0.0/8     whoever sends from there. Over UDP a source address is a claim.
///     udp:192.0.2.10             the same, over UDP only
///     tcp:192.0.2.10             over a connection from there, TCP or TLS: the address is proved
///     tls:192.0.2.10             over TLS from there
///     tls:proxy.example.org      over TLS, with a certificate of that name that we believe
struct TrustedPeer {
    enum class Over { Any, Udp, Tcp, Tls };
    Over over = Over::Any;
    std::optional<Network> network;  ///< none: known by its name
    std::string name;                ///< in lower case, no dot at its end; only over TLS

    TrustedPeer() = default;
    /// Whoever sends from there.
    TrustedPeer(Network from) : network(from) {}

    /// Refuses what is none of these forms, naming the text.
    static Result<TrustedPeer> parse(std::string_view text);
    std::string print() const;

    /// Whether datagrams with this peer's source address are trusted, though anybody can forge it.
    bool believesDatagrams() const noexcept { return over == Over::Any || over == Over::Udp; }

    friend bool operator==(const TrustedPeer&, const TrustedPeer&) = default;
};

}  // namespace restante
