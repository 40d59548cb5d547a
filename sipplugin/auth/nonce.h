#pragma once

#include "core/base/clock.h"

#include <string>
#include <string_view>

namespace restante::sip {

/// Nonces that carry their own proof: time, a random number, and an HMAC of both, the realm and the
/// address they were given to, with a secret that all daemons of one store share. So nothing is
/// kept of a challenge, and another daemon may take the answer. *Value.*
class NonceIssuer {
public:
    NonceIssuer(std::string secret, Millis lifetime)
        : secret_(std::move(secret)),
          lifetime_(lifetime)
    {
    }

    /// Whom a nonce is for. One that was given to somebody else, or made up, is Foreign.
    struct Scope {
        std::string_view realm;
        std::string_view source;  ///< the address that was challenged
    };
    std::string make(Scope scope, TimePoint now) const;

    enum class Age {
        Fresh,
        Stale,    ///< ours, but too old
        Foreign,  ///< not ours, or of another realm or address
    };
    struct Judgement {
        Age age = Age::Foreign;
        Millis left{0};  ///< of a fresh one
    };
    Judgement judge(std::string_view nonce, Scope scope, TimePoint now) const;

private:
    std::string seal(std::string_view front, Scope scope) const;

    std::string secret_;
    Millis lifetime_;
};

}  // namespace restante::sip
