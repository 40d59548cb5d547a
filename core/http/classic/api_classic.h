#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/http/server/router.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/schedule/long_poll_queue.h"

#include <cstdint>
#include <functional>
#include <string>

namespace restante::http {

/// The objects that the classic handlers use: borrowed, all of one loop, and alive as long as the
/// router. *Value.*
struct ClassicServices {
    DelayQueue& queue;
    JobInspector& inspector;
    LongPollQueue& longPolls;
    /// Brings back the jobs that the journal has and Redis has not, `withExpired` those that have
    /// expired, too, and answers how many. `actor` asks for it (audit). None = there is no journal.
    std::function<void(bool withExpired, std::string actor, Done<std::uint64_t>)> recoverAll = {};
    std::function<void(std::string id, std::string actor, Done<void>)> recover = {};
    Millis wait{180'000};  ///< how long a pop is parked
};

/// The endpoints of earlier delay queues, so that their clients run unchanged: POST /push /pop /get
/// /finish /delete, GET /delete?id= /get/{topic} /restore?expire= /restore/{id}. Every answer is
/// 200 {"code":0,"message":...,"data":...}; a code other than 0 says that nothing was done, and the
/// message why. Only a topic that the token does not cover is 403, and what may succeed later
/// unchanged (isTemporary()) 503.
void addClassicRoutes(Router& router, const ClassicServices& services);

}  // namespace restante::http
