#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/keys.h"

#include <memory>
#include <string_view>
#include <vector>

namespace restante::sip {

/// A mailbox that somebody else is to serve. *Value.*
struct MailboxHandover {
    std::string recipient;
    bool due = false;  ///< its next attempt has come; else a message has, as Cause::Stored
};

/// What the daemons of one store tell each other of devices that only one of them can reach
/// (flowHolderOf() of the flow): by a pub/sub channel for each name, and a key of that name for as
/// long as its owner sends heartbeats (docs/redis-schema.md). Handovers may be lost, or come twice.
/// Borrows the loop and `commands`; answers may come after its end. *One loop.*
class FlowOwners {
public:
    using HandoverHandler = std::function<void(const MailboxHandover&)>;

    /// An owner counts as alive for `lifetime` after its last heartbeat, of which it sends three in
    /// that time.
    FlowOwners(EventLoop& loop,
               redis::Connection& commands,
               const redis::RedisUrl& url,
               std::string_view prefix,
               Millis lifetime = Millis{15'000})
        : loop_(loop),
          commands_(commands),
          settings_{.url = url, .name = "restanted-flows"},
          channels_(redis::shardPrefix(prefix, 0) + "flows:"),
          lifetime_(lifetime),
          heartbeatTimer_(loop)
    {
    }

    /// We are the owner by these names; another thread of this process listens.
    void own(std::vector<std::string> names) { names_ = std::move(names); }
    /// We are the owner by these names, and `handler` gets their handovers, until stop().
    void listen(std::vector<std::string> names, HandoverHandler handler);
    /// Our names are given up: no handover comes any more.
    void stop();
    bool owns(std::string_view owner) const;
    /// Whether that owner listens, and its loop turns.
    void isAlive(const std::string& owner, Done<bool> done);
    void tell(const std::string& owner, const MailboxHandover& handover);

private:
    void sendHeartbeat();
    std::string channelOf(const std::string& owner) const { return channels_ + owner; }

    EventLoop& loop_;
    redis::Connection& commands_;
    redis::Connection::Settings settings_;
    std::string channels_;  ///< what their names begin with
    Millis lifetime_;
    std::vector<std::string> names_;
    std::unique_ptr<redis::Connection> handovers_;
    Timer heartbeatTimer_;
};

}  // namespace restante::sip
