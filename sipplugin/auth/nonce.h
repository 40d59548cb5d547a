#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/store_token.h"

#include <string>
#include <string_view>

namespace restante::redis {
class Connection;
}

namespace restante::sip {

/// Makes and verifies stateless nonces: time, a random number, and an HMAC of both, the realm and
/// the challenged address, with a secret that all daemons of one store share. So a challenge needs
/// no memory, and any daemon can check the answer. *Value.*
class NonceIssuer {
public:
    NonceIssuer(std::string secret, Millis lifetime)
        : secret_(std::move(secret)),
          lifetime_(lifetime)
    {
    }

    /// The realm and address that a nonce is valid for. With another one, or forged, it is Foreign.
    struct Scope {
        std::string_view realm;
        std::string_view source;  ///< the address that was challenged
    };
    std::string make(Scope scope, TimePoint now) const;

    enum class Status {
        Fresh,
        Stale,    ///< ours, but too old
        Foreign,  ///< not ours, or of another realm or address
    };
    struct Validity {
        Status status = Status::Foreign;
        Millis remaining{0};  ///< lifetime of a Fresh one
    };
    Validity validate(std::string_view nonce, Scope scope, TimePoint now) const;

private:
    /// The part of a nonce that authenticates the rest of it.
    std::string macOf(std::string_view content, Scope scope) const;

    std::string secret_;
    Millis lifetime_;
};

/// The state that all daemons of one store share for digest authentication. *One loop.*
class NonceStore {
public:
    virtual ~NonceStore() = default;

    /// The secret of NonceIssuer; created by the first call of any daemon.
    virtual void secret(Done<std::string> done) = 0;

    /// One use of a nonce by a client that has proved that it knows the password.
    struct Use {
        std::string nonce;
        std::uint32_t count = 0;
        std::string request;  ///< a hash that identifies the request
        Millis remaining{0};  ///< how long the nonce lives
    };
    /// `done` gets true for the first use with that count, which is remembered, and for a
    /// retransmission of the same request. False for another request, which may be a replay, and
    /// when the nonce has been used too often.
    virtual void use(const Use& use, Done<bool> done) = 0;
};

/// `sip_secret` of `meta`, and `Ksip_nonce:<nonce>`. Borrows the connection. *One loop.*
class RedisNonceStore final : public NonceStore {
public:
    RedisNonceStore(redis::Connection& connection, const std::string& prefix);

    void secret(Done<std::string> done) override { secret_.read(std::move(done)); }
    void use(const Use& use, Done<bool> done) override;

private:
    redis::Connection& connection_;
    StoreToken secret_;
    std::string keyPrefix_;  ///< "rst:{s0}:sip_nonce:"
};

}  // namespace restante::sip
