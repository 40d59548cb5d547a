#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/queue/job_store.h"
#include "core/redis/store/script_queue.h"
#include "sipplugin/message/mailbox_keys.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace restante::sip {

/// Where a user can be reached, as one REGISTER said (RFC 3261 section 10). *Value.*
struct Binding {
    std::string contact;            ///< the URI as registered, parameters included
    std::string instance;           ///< `+sip.instance` without quotes and brackets, or empty
    std::string regId;              ///< `reg-id` of RFC 5626, or empty
    std::uint32_t q = 1000;         ///< the q parameter in thousandths
    std::vector<std::string> path;  ///< Path values of RFC 3327, first = nearest to us
    std::string source;             ///< "address:port" the REGISTER came from, IPv6 in brackets
    std::string flow;               ///< ReceivedRequest::flow without a proxy between, or empty
    bool behindNat = false;         ///< its Via names another address than `source`
    std::string transport;          ///< "udp" | "tcp" | "tls" that the REGISTER came over
    std::string agent;              ///< its User-Agent, or empty: for people
    std::string callId;
    std::uint32_t cseq = 0;
    TimePoint updated{};
    TimePoint expires{};

    friend bool operator==(const Binding&, const Binding&) = default;
};

/// The key of a binding within its AoR: the instance, or the contact of a device without one.
std::string keyOf(const Binding& binding);

/// The changes that one REGISTER asks for, applied as a whole or not at all.
struct BindingUpdate {
    /// How much of a mailbox to lease. 0 messages = nothing.
    struct ClaimLimits {
        std::uint32_t messages = 0;
        std::size_t recordBytes = 0;  ///< of the store's records; one message is leased in any case
    };

    std::string aor;  ///< canonical
    std::string callId;
    std::uint32_t cseq = 0;
    std::vector<Binding> additions;
    std::vector<Binding> removals;  ///< by keyOf(); with a reg-id only the one that has it
    bool removeAll = false;         ///< Contact: *
    bool storesBindings = true;     ///< false: a hint, of which nothing is stored
    bool releasesMailbox = false;   ///< the AoR can be reached now
    ClaimLimits claimLimits = {};   ///< for the released mailbox
};

/// The result of a REGISTER in the store. *Value.*
struct Arrival {
    std::vector<Binding> bindings = {};  ///< the living ones afterwards, in the order of lookup()
    std::uint64_t waiting = 0;           ///< messages in the mailbox that was released
    /// The oldest of them, leased to the caller. Empty when there are none, when another has leases
    /// of the mailbox, or when their topic is paused or at its limit.
    std::vector<ClaimedJob> messages = {};
};

/// Each `done` is called once, on the loop, never from inside the call. *One loop.*
class BindingStore {
public:
    virtual ~BindingStore() = default;

    /// The living bindings, highest q first, then the most recently updated.
    virtual void lookup(std::string aor, Done<std::vector<Binding>> done) = 0;

    /// Stale when it touches a binding of a later request of the same Call-ID; Conflict when it
    /// adds more than an AoR may have. When old and new ones are too many, the old ones that were
    /// updated longest ago are removed. A success means stored.
    virtual void update(BindingUpdate update, Done<Arrival> done) = 0;
};

/// Bindings in Redis, one HASH an AoR: `<prefix>:{sN}:aor:<aor>`, N = the shard of its mailbox;
/// the key expires with its last binding. Many REGISTERs share one call of the script `arrive`.
/// *One loop.*
class RedisBindingStore final : public BindingStore {
public:
    /// Borrowed.
    struct Parts {
        redis::Connection& connection;
        const redis::ShardQueues& shards;
        JobStore& jobs;  ///< buries messages that cannot be read
        const Clock& clock;
    };
    struct Settings {
        MailboxKeys keys;
        std::size_t maxContacts = 10;  ///< of one AoR
    };
    RedisBindingStore(Parts parts, Settings settings)
        : parts_(parts),
          settings_(std::move(settings))
    {
    }

    void lookup(std::string aor, Done<std::vector<Binding>> done) override;
    void update(BindingUpdate update, Done<Arrival> done) override;

private:
    Result<std::vector<Binding>> livingBindings(const redis::Reply& records) const;
    Result<Arrival> arrivalOf(const redis::Reply& reply,
                              const std::string& aor,
                              std::vector<Binding> additions) const;

    Parts parts_;
    Settings settings_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
