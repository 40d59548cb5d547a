#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/config.h"
#include "core/redis/client/redis_url.h"

#include <memory>

namespace restante::daemon {

/// The couriers of webhooks and text messages with their dispatchers, and the scheduler of
/// recurring reminders: on a thread, a loop and Redis connections of their own, so that a slow
/// receiver delays nothing else. *One loop* (the caller's), blocked only at start and end.
class CourierPart {
public:
    /// Returns when it delivers, or with the error: Redis, a file of `webhook`, or `sms`.
    static Result<std::unique_ptr<CourierPart>> start(const redis::RedisUrl& url,
                                                      const Config& config);
    /// Ends it now. Jobs being delivered are left to their lease.
    virtual ~CourierPart() = default;

    /// Reads the secrets that sign webhooks again; on an error nothing changes.
    virtual Result<void> reload(const Config& config) = 0;
    /// Claims nothing new, gives back unsent jobs, and waits for those being delivered, at most
    /// `timeout`. `done` is called once, on the part's own thread.
    virtual void drain(Millis timeout, std::function<void()> done) = 0;
};

}  // namespace restante::daemon
