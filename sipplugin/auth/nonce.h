#pragma once

#include "core/base/clock.h"

#include <string>
#include <string_view>

namespace restante::sip {

/// Nonces that carry their own proof: the time they were made, a random number, and an HMAC of
/// both and of the realm with a secret that all daemons of one store share. So nothing is kept of a
/// challenge, and the answer may come to another daemon or after a restart. *Value.*
class NonceMint {
public:
    NonceMint(std::string secret, Millis lifetime);

    std::string make(std::string_view realm, TimePoint now) const;

    enum class Age {
        Fresh,
        Stale,    ///< ours, but too old
        Foreign,  ///< not ours, or of another realm
    };
    struct Judgement {
        Age age = Age::Foreign;
        Millis left{0};  ///< of a fresh one
    };
    Judgement judge(std::string_view nonce, std::string_view realm, TimePoint now) const;

private:
    std::string seal(std::string_view front, std::string_view realm) const;

    std::string secret_;
    Millis lifetime_;
};

}  // namespace restante::sip
