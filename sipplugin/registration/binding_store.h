#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "sipplugin/message/callbacks.h"
#include "sipplugin/message/mailbox_keys.h"

#include <vector>

namespace restante::redis {
class Connection;
struct Reply;
}  // namespace restante::redis

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
    std::string aor;  ///< canonical
    std::string callId;
    std::uint32_t cseq = 0;
    std::vector<Binding> put;
    std::vector<Binding> remove;  ///< by keyOf(); with a reg-id only the one that has it
    bool removeAll = false;       ///< Contact: *
};

/// Calls are answered once, on the loop, never from inside the call. *One loop.*
class BindingStore {
public:
    virtual ~BindingStore() = default;

    /// The living bindings, highest q first, then the most recently updated.
    virtual void lookup(std::string aor, Done<std::vector<Binding>> done) = 0;

    /// Answers the bindings that live afterwards, in the same order. Stale when it touches one of a
    /// later request of the same Call-ID; Conflict when it puts more than an AoR may have; of
    /// others those updated longest ago give way. A success means stored.
    virtual void update(BindingUpdate update, Done<std::vector<Binding>> done) = 0;
};

/// Bindings in Redis, one HASH an AoR: `<prefix>:{sN}:aor:<aor>`, N = the shard of its mailbox;
/// the key expires with its last binding. Borrows connection and clock. *One loop.*
class RedisBindingStore final : public BindingStore {
public:
    struct Settings {
        MailboxKeys keys;
        std::size_t maxContacts = 10;  ///< of one AoR
    };
    RedisBindingStore(redis::Connection& connection, const Clock& clock, Settings settings)
        : connection_(connection),
          clock_(clock),
          settings_(std::move(settings))
    {
    }

    void lookup(std::string aor, Done<std::vector<Binding>> done) override;
    void update(BindingUpdate update, Done<std::vector<Binding>> done) override;

private:
    /// Reading what has just been written would cost more than the rest of a REGISTER.
    struct Written {
        std::string record;
        Binding binding;
    };
    using WrittenPtr = std::shared_ptr<const std::vector<Written>>;

    /// An answer that passes its living bindings on to `done`, unless the store is gone by then.
    std::function<void(Result<redis::Reply>)> passLiving(Done<std::vector<Binding>> done,
                                                         WrittenPtr written = {});
    Result<std::vector<Binding>> living(const redis::Reply& records,
                                        const WrittenPtr& written) const;

    redis::Connection& connection_;
    const Clock& clock_;
    Settings settings_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
