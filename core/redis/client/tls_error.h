#pragma once

#include <string>

namespace restante::redis {

/// Why a TLS connection failed. *Value.*
struct TlsError {
    enum class Kind {
        None,
        UnknownIssuer,  ///< `detail` is the issuer of the server's certificate
        Expired,        ///< `detail` is the last day, "2026-11-20"
        NotYetValid,    ///< `detail` is the first day
        WrongName,      ///< `object` is the expected name, `detail` those of the certificate
        BadCertificate,
        NotTls,               ///< the server speaks another protocol
        Silent,               ///< no answer to our ClientHello
        CertificateRequired,  ///< the server requires a client certificate
        CertificateRefused,   ///< the server refuses ours; `detail` is its alert
        TooOld,               ///< the server speaks only versions of TLS that are not safe
        File,                 ///< `object` is the file, `detail` why it cannot be used
        Other,
    };
    Kind kind = Kind::None;
    std::string object = {};
    std::string detail = {};

    bool isNone() const noexcept { return kind == Kind::None; }
    /// "TLS: its certificate has expired (on 2026-11-20)", with what to do about it.
    std::string toString() const;
    /// The two parts of toString().
    std::string what() const;
    std::string advice() const;

    friend bool operator==(const TlsError&, const TlsError&) = default;
};

}  // namespace restante::redis
