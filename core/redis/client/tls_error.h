#pragma once

#include <string>

namespace restante::redis {

/// Why TLS came to nothing. *Value.*
struct TlsError {
    enum class Kind {
        None,
        UnknownIssuer,  ///< `detail` is who issued their certificate
        Expired,        ///< `detail` is since when, "2026-11-20"
        NotYetValid,    ///< `detail` is from when
        WrongName,      ///< `object` is whom we want, `detail` whose certificate it is
        BadCertificate,
        NotTls,       ///< they speak something else
        Silent,       ///< no answer to our ClientHello
        Wanted,       ///< they want a certificate of ours
        NotBelieved,  ///< they refuse ours; `detail` is their word
        TooOld,       ///< they speak no TLS that is still safe
        File,         ///< `object` is the file, `detail` why it cannot be used
        Other,
    };
    Kind kind = Kind::None;
    std::string object = {};
    std::string detail = {};

    bool isNone() const noexcept { return kind == Kind::None; }
    /// "TLS: its certificate has expired (on 2026-11-20)", with what to do about it.
    std::string print() const;
    /// The two halves of it.
    std::string what() const;
    std::string advice() const;

    friend bool operator==(const TlsError&, const TlsError&) = default;
};

}  // namespace restante::redis
