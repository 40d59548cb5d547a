#pragma once

#include <string>

namespace restante::sip {

/// `sip.tls.*`: what we show over TLS and whom we believe. *Value.*
struct TlsSettings {
    /// What whoever connects to us has to show.
    enum class Clients { Anonymous, MayShow, MustShow };

    std::string certificate;  ///< PEM chain, ours first; empty = we show none
    std::string key;          ///< PEM; empty = in the file of the certificate
    std::string ca;           ///< PEM; empty = the system's authorities
    Clients clients = Clients::Anonymous;

    bool asksForTls() const { return !certificate.empty() || !ca.empty(); }
    friend bool operator==(const TlsSettings&, const TlsSettings&) = default;
};

}  // namespace restante::sip
