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
    std::uint32_t q = 1000;         ///< preference in thousandths
    std::vector<std::string> path;  ///< Path values of RFC 3327, first = nearest to us
    std::string source;             ///< "address:port" the REGISTER came from, IPv6 in brackets
    std::string flow;               ///< ReceivedRequest::flow without a proxy between, or empty
    bool behindNat = false;         ///< its Via names another address than `source`
    std::string transport;          ///< "udp" | "tcp" it came over
    std::string agent;              ///< its User-Agent, or empty: for people
    std::string callId;
    std::uint32_t cseq = 0;
    TimePoint updated{};
    TimePoint expires{};

    friend bool operator==(const Binding&, const Binding&) = default;
};

/// Of a binding within its AoR: the instance, of a device without one its contact.
std::string keyOf(const Binding& binding);

/// What one REGISTER asks for, applied whole or not at all.
struct BindingUpdate {
    /// How much of a mailbox may be given out. No message = none.
    struct Take {
        std::uint32_t messages = 0;
        std::size_t recordBytes = 0;  ///< of the store's records; one is given out in any case
    };

    std::string aor;  ///< canonical
    std::string callId;
    std::uint32_t cseq = 0;
    std::vector<Binding> put;
    std::vector<Binding> remove;  ///< by keyOf(); with a reg-id only the one that has it
    bool removeAll = false;       ///< Contact: *
    bool kept = true;             ///< false: a hint, of which nothing is written down
    bool reachable = false;       ///< the mailbox is released
    Take take = {};               ///< of the mailbox, if it is released
};

/// What a REGISTER has led to. *Value.*
struct Arrival {
    std::vector<Binding> bindings = {};  ///< that live afterwards, in the order of lookup()
    std::uint64_t waiting = 0;           ///< messages in the mailbox that was released
    /// The oldest of them, leased to the caller. None when there are none, when somebody else is at
    /// the mailbox, or when their topic gives nothing out.
    std::vector<ClaimedJob> messages = {};
};

/// Calls are answered once, on the loop, never from inside the call. *One loop.*
class BindingStore {
public:
    virtual ~BindingStore() = default;

    /// The living bindings, highest q first, then the most recently updated.
    virtual void lookup(std::string aor, Done<std::vector<Binding>> done) = 0;

    /// Stale when it touches a binding of a later request of the same Call-ID; Conflict when it
    /// puts more than an AoR may have; of others those updated longest ago give way. A success
    /// means stored.
    virtual void update(BindingUpdate update, Done<Arrival> done) = 0;
};

/// Bindings in Redis, one HASH an AoR: `<prefix>:{sN}:aor:<aor>`, N = the shard of its mailbox;
/// the key expires with its last binding. A REGISTER is one item of the script `arrive`, so many of
/// them share a call. *One loop.*
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
    Result<std::vector<Binding>> living(const redis::Reply& records) const;
    Result<Arrival>
    arrivalOf(const redis::Reply& reply, const std::string& aor, std::vector<Binding> put) const;

    Parts parts_;
    Settings settings_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
