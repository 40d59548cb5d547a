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

/// A mailbox that another daemon is to serve. *Value.*
struct MailboxHandover {
    std::string recipient;
    bool due = false;  ///< its next attempt is due; else a message has come (Cause::HandedOver)
};

/// Hands mailboxes to the daemon that owns the flow to a device (flowOwnerOf()) and takes them from
/// others: by a pub/sub channel for each owner name, and a key of that name for as long as its
/// owner sends heartbeats (docs/redis-schema.md). Handovers may be lost, or come twice. Borrows the
/// loop and `commands`; answers may come after its end. *One loop.*
class FlowOwners {
public:
    using HandoverHandler = std::function<void(const MailboxHandover&)>;

    /// An owner counts as alive for `lifetime` after its last heartbeat; it sends three in that
    /// time.
    FlowOwners(EventLoop& loop,
               redis::Connection& commands,
               const redis::RedisUrl& url,
               std::string_view prefix,
               Millis lifetime = Millis{15'000})
        : loop_(loop),
          commands_(commands),
          settings_{.url = url, .name = "restanted-flows"},
          channelPrefix_(redis::shardPrefix(prefix, 0) + "flows:"),
          lifetime_(lifetime),
          heartbeatTimer_(loop)
    {
    }

    /// We are the owner by these names; another thread of this process listens.
    void own(std::vector<std::string> names) { ownerNames_ = std::move(names); }
    /// Announces us as the owner of these names; `handler` gets their handovers, until stop().
    void listen(std::vector<std::string> names, HandoverHandler handler);
    /// Announces us no more, so no handover comes; isOwnName() stays as it is.
    void stop();
    /// Whether it is one of the names by which we are an owner.
    bool isOwnName(std::string_view name) const;
    /// Whether that owner listens and sends heartbeats.
    void isAlive(const std::string& owner, Done<bool> done);
    void tell(const std::string& owner, const MailboxHandover& handover);

private:
    void sendHeartbeat();
    std::string channelOf(const std::string& owner) const { return channelPrefix_ + owner; }

    EventLoop& loop_;
    redis::Connection& commands_;
    redis::Connection::Settings settings_;
    std::string channelPrefix_;  ///< what the names of the channels begin with
    Millis lifetime_;
    std::vector<std::string> ownerNames_;
    std::unique_ptr<redis::Connection> handoverListener_;
    Timer heartbeatTimer_;
};

}  // namespace restante::sip
