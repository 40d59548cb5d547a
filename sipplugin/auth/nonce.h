#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/store_token.h"

#include <string>
#include <string_view>

namespace restante::redis {
class Connection;
}

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

/// What all daemons of one store share for digest authentication. *One loop.*
class NonceStore {
public:
    virtual ~NonceStore() = default;

    /// The secret of NonceIssuer; made by whoever asks first.
    virtual void secret(Done<std::string> done) = 0;

    /// One use of a nonce, by a client that has proved to know the password.
    struct Use {
        std::string nonce;
        std::uint32_t count = 0;
        std::string request;  ///< what tells one request from another, a few bytes
        Millis left{0};       ///< how long the nonce lives
    };
    /// Whether it is good: the first with that count, which is remembered now, or a retransmission
    /// of the very same request. Not of another request, for somebody may have listened; nor when
    /// this nonce has served often enough.
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
    std::string uses_;  ///< "rst:{s0}:sip_nonce:"
};

}  // namespace restante::sip
