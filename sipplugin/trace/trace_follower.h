#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/trace_requests.h"

#include <string>
#include <vector>

namespace restante::sip {

/// Follows the TraceRequests of a store (`restantectl trace`): reads them when Redis is reached,
/// when it is told of a change, by a connection of its own, and when one ends; a read that fails,
/// again a second later. *One loop.*
class TraceFollower {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        redis::Connection& commands;
    };
    /// `changed` is told of the canonical addresses of record whenever they change.
    using Changed = std::function<void(const std::vector<std::string>& addresses)>;
    TraceFollower(Parts parts,
                  const redis::RedisUrl& url,
                  std::string_view prefix,
                  Changed changed);

private:
    void read();
    void apply();

    Parts parts_;
    redis::TraceRequests requests_;
    Changed changed_;
    std::vector<redis::TraceRequest> known_;
    std::vector<std::string> traced_;
    Timer nextEnd_;
    Timer retry_;  ///< of a read that was refused
    CallbackGuard callbackGuard_;
    redis::Connection news_;
};

}  // namespace restante::sip
