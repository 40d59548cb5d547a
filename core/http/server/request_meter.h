#pragma once

#include "core/http/server/router.h"

#include <chrono>

namespace restante::http {

/// Counts one request for /metrics. *Any thread.*
class RequestMeter {
public:
    using Clock = std::chrono::steady_clock;

    /// The request of this route is complete; its time begins.
    void begin(const Router::Route& route);
    /// It is answered with this status, or its client has gone (kGone). Only the first counts.
    void end(int status);
    static constexpr int kGone = 0;

    /// A request that never got as far as its handler; `route` is null when none matched.
    static void refused(const Router::Route* route, int status);

private:
    struct RouteMetrics;
    static RouteMetrics& metricsOf(const Router::Route* route);

    RouteMetrics* metrics_ = nullptr;  ///< while a request is being handled; never destroyed
    Clock::time_point begun_;
};

}  // namespace restante::http
