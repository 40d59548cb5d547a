#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/trace_requests.h"

#include <string>
#include <vector>

namespace restante::sip {

/// Follows the TraceRequests of a store (`restantectl trace`): reads them when Redis becomes ready,
/// at a notification of a change (which comes on a connection of its own), and when a request ends;
/// again one second after a failure. *One loop.*
class TraceFollower {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        redis::Connection& commands;
    };
    /// Gets the canonical addresses of record whenever they change.
    using ChangeHandler = std::function<void(const std::vector<std::string>& addresses)>;
    TraceFollower(Parts parts,
                  const redis::RedisUrl& url,
                  std::string_view prefix,
                  ChangeHandler onChange);

private:
    void read();
    void apply();

    Parts parts_;
    redis::TraceRequests requestStore_;
    ChangeHandler onChange_;
    std::vector<redis::TraceRequest> requests_;
    std::vector<std::string> tracedAddresses_;
    Timer expiryTimer_;
    Timer retryTimer_;  ///< after a failed read
    CallbackGuard callbackGuard_;
    redis::Connection notifications_;
};

}  // namespace restante::sip
