#pragma once

#include "sipplugin/auth/nonce_store.h"
#include "sipplugin/message/shared_text.h"

#include <memory>
#include <string>

namespace restante::redis {
class Connection;
}

namespace restante::sip {

/// In Redis: the field `sip_secret` of the store's `meta`, and `Ksip_nonce:<nonce>` in shard 0
/// (docs/redis-schema.md). Borrows the connection. *One loop.*
class RedisNonceStore final : public NonceStore {
public:
    RedisNonceStore(redis::Connection& connection, const std::string& prefix);

    void secret(Done<std::string> done) override { secret_.read(std::move(done)); }
    void use(const Use& use, Done<Verdict> done) override;

private:
    redis::Connection& connection_;
    SharedText secret_;
    std::string uses_;  ///< "rst:{s0}:sip_nonce:"
};

}  // namespace restante::sip
