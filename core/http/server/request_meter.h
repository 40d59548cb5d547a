#pragma once

#include "core/http/server/router.h"

#include <chrono>

namespace restante::http {

/// Counts one request for /metrics. *One loop*, that of its route; the metrics are of all threads.
class RequestMeter {
public:
    using Clock = std::chrono::steady_clock;

    /// Starts the time of a complete request of this route.
    void begin(const Router::Route& route);
    /// Counts the request as answered with this status, or as one whose client has gone (kGone).
    /// Only the first call counts.
    void end(int status);
    static constexpr int kGone = 0;

    /// Counts a request that did not reach its handler; `route` is null when none matched.
    static void countRefusal(const Router::Route* route, int status);

private:
    static RouteMetrics& metricsOf(const Router::Route* route);

    RouteMetrics* metrics_ = nullptr;  ///< while a request is being handled; never destroyed
    Clock::time_point startTime_;
};

}  // namespace restante::http
