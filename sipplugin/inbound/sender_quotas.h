#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// How many scheduled messages each sender may have pending, for all daemons of one store and in
/// one step: a message takes its place before it is stored. A port. *One loop.*
class SenderQuotas {
public:
    struct Claim {
        std::string sender;
        std::string id;          ///< of the message that wants a place
        std::uint32_t most = 1;  ///< places of a sender
        Millis keep{};           ///< as long as this message may be pending
        /// Set: places that were taken until then, and those whose messages were stored(), are
        /// given back first, unless their messages are among `pending`.
        std::optional<TimePoint> before = {};
        std::vector<std::string> pending = {};
    };

    SenderQuotas() = default;
    SenderQuotas(const SenderQuotas&) = delete;
    SenderQuotas& operator=(const SenderQuotas&) = delete;
    virtual ~SenderQuotas() = default;

    /// False: there is no place for it.
    virtual void acquire(Claim claim, Done<bool> done) = 0;
    /// The message that has this place is in the store.
    virtual void stored(const std::string& sender, const std::string& id) = 0;
    /// It is not, and never will be.
    virtual void release(const std::string& sender, const std::string& id) = 0;
};

/// `Kshare:<sender>` in the shard of the sender's mailbox (docs/redis-schema.md). Borrows the
/// connection, which must outlive every call, and the clock.
class RedisSenderQuotas final : public SenderQuotas {
public:
    RedisSenderQuotas(redis::Connection& connection,
                      const Clock& clock,
                      std::string prefix,
                      std::uint32_t shards);
    void acquire(Claim claim, Done<bool> done) override;
    void stored(const std::string& sender, const std::string& id) override;
    void release(const std::string& sender, const std::string& id) override;

private:
    std::string keyOf(const std::string& sender) const;

    redis::Connection& connection_;
    const Clock& clock_;
    std::string prefix_;
    std::uint32_t shards_;
};

}  // namespace restante::sip
