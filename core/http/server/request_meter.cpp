#include "core/http/server/request_meter.h"

#include "core/base/metrics.h"

#include <array>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace restante::http {

/// The metrics of one route; a counter is registered when it first counts, so that /metrics does
/// not list what never happened.
struct RouteMetrics {
    explicit RouteMetrics(std::string name)
        : route(std::move(name)),
          seconds(metrics::histogram("restante_http_request_seconds", {route}))
    {
    }

    void count(int status)
    {
        const auto digit = static_cast<std::size_t>(status) / 100;
        const auto index = digit < classes.size() ? digit : 0;
        auto* counter = classes[index].load();
        if (counter == nullptr) {
            counter = &metrics::counter("restante_http_requests_total",
                                        {route, index == 0 ? "gone" : fmt::format("{}xx", index)});
            classes[index].store(counter);
        }
        counter->add();
    }

    std::string route;
    metrics::Histogram& seconds;
    std::array<std::atomic<metrics::Counter*>, 6> classes{};  ///< of gone, 1xx - 5xx
};

namespace {

/// The metrics of that name; any thread.
RouteMetrics& metricsNamed(const std::string& name)
{
    struct Registry {
        std::mutex lock;
        std::unordered_map<std::string, std::unique_ptr<RouteMetrics>> metricsByName;
    };
    // Never destroyed: the last requests end when the program does.
    static auto* registry = new Registry;
    const std::lock_guard guard(registry->lock);
    auto& entry = registry->metricsByName[name];
    if (!entry) {
        entry = std::make_unique<RouteMetrics>(name);
    }
    return *entry;
}

}  // namespace

RouteMetrics& RequestMeter::metricsOf(const Router::Route* route)
{
    if (route == nullptr) {
        return metricsNamed("other");
    }
    if (route->metrics == nullptr) {
        route->metrics = &metricsNamed(route->method + " " + route->pattern);
    }
    return *route->metrics;
}

void RequestMeter::begin(const Router::Route& route)
{
    metrics_ = &metricsOf(&route);
    startTime_ = Clock::now();
}

void RequestMeter::end(int status)
{
    auto* metrics = std::exchange(metrics_, nullptr);
    if (metrics == nullptr) {
        return;
    }
    metrics->count(status);
    metrics->seconds.observe(std::chrono::duration<double>(Clock::now() - startTime_).count());
}

void RequestMeter::countRefusal(const Router::Route* route, int status)
{
    metricsOf(route).count(status);
}

}  // namespace restante::http
