#include "core/base/metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <variant>

namespace restante::metrics {

namespace {

/// Callers choose labels such as a topic, so without a bound they could use up our memory.
constexpr std::size_t kMostSeriesOfMetric = 1'000;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBucketBounds[Histogram::kBuckets] = {
    0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,  1,
    2.5,   5,     10,    30,   60,    300,  600, 1800, 3600, kInfinity};

using Series = std::variant<Counter, Gauge, Histogram>;

struct Registry {
    std::mutex mutex;
    /// References to map nodes stay valid.
    std::map<std::string, std::map<LabelValues, std::unique_ptr<Series>>, std::less<>> metrics;
};

Registry& registry()
{
    // Never destroyed, because threads count until the process ends.
    static auto* instance = new Registry;
    return *instance;
}

const Description& descriptionOf(std::string_view name)
{
    const auto descriptions = catalogue();
    const auto found = std::ranges::find_if(
        descriptions, [&](const Description& metric) { return metric.name == name; });
    assert(found != descriptions.end() && "every metric is in the catalogue");
    return *found;
}

template <class T>
T& seriesOf(std::string_view name, Kind kind, LabelValues labels)
{
    [[maybe_unused]] const auto& description = descriptionOf(name);
    assert(description.kind == kind && description.labels.size() == labels.size());
    static_cast<void>(kind);
    auto& seriesRegistry = registry();
    const std::lock_guard guard(seriesRegistry.mutex);
    auto& metric = seriesRegistry.metrics[std::string(name)];
    if (metric.size() >= kMostSeriesOfMetric && !metric.contains(labels)) {
        std::ranges::fill(labels, "other");
    }
    auto& series = metric[std::move(labels)];
    if (!series) {
        series = std::make_unique<Series>(std::in_place_type<T>);
    }
    return std::get<T>(*series);
}

std::string escapeLabel(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '"') {
            out += '\\';
        }
        out += c == '\n' ? std::string{"\\n"} : std::string(1, c);
    }
    return out;
}

std::string formatNumber(double value)
{
    if (std::isinf(value)) {
        return value > 0 ? "+Inf" : "-Inf";
    }
    return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{}", value);
}

/// {a="1",b="2"}, with `extraLabel` as the last label; empty when there are no labels.
std::string
formatLabels(const Description& metric, const LabelValues& values, std::string_view extraLabel = {})
{
    std::string text;
    for (std::size_t n = 0; n < values.size(); ++n) {
        text +=
            fmt::format("{}{}=\"{}\"", n == 0 ? "" : ",", metric.labels[n], escapeLabel(values[n]));
    }
    if (!extraLabel.empty()) {
        text += fmt::format("{}{}", text.empty() ? "" : ",", extraLabel);
    }
    return text.empty() ? text : "{" + text + "}";
}

std::string formatHeading(const Description& metric)
{
    constexpr std::string_view kTypeNames[] = {"counter", "gauge", "histogram"};
    return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", metric.name, metric.help,
                       kTypeNames[static_cast<std::size_t>(metric.kind)]);
}

std::string
formatLines(const Description& metric, const LabelValues& values, const Histogram& histogram)
{
    std::string text;
    std::uint64_t cumulative = 0;
    for (std::size_t n = 0; n < Histogram::kBuckets; ++n) {
        cumulative += histogram.inBucket(n);
        const auto bound = fmt::format("le=\"{}\"", formatNumber(kBucketBounds[n]));
        text += fmt::format("{}_bucket{} {}\n", metric.name, formatLabels(metric, values, bound),
                            cumulative);
    }
    text += fmt::format("{}_sum{} {}\n", metric.name, formatLabels(metric, values),
                        formatNumber(histogram.sum()));
    text += fmt::format("{}_count{} {}\n", metric.name, formatLabels(metric, values), cumulative);
    return text;
}

std::string formatLines(const Description& metric, const LabelValues& values, const Series& series)
{
    if (const auto* histogram = std::get_if<Histogram>(&series)) {
        return formatLines(metric, values, *histogram);
    }
    const auto* counter = std::get_if<Counter>(&series);
    const auto value = counter != nullptr ? fmt::format("{}", counter->value())
                                          : formatNumber(std::get<Gauge>(series).value());
    return fmt::format("{}{} {}\n", metric.name, formatLabels(metric, values), value);
}

}  // namespace

void Histogram::observe(double seconds) noexcept
{
    const auto* bound =
        std::lower_bound(std::begin(kBucketBounds), std::end(kBucketBounds) - 1, seconds);
    buckets_[bound - std::begin(kBucketBounds)].add();
    sum_.add(seconds);
}

std::uint64_t Histogram::count() const noexcept
{
    std::uint64_t total = 0;
    for (const auto& bucket : buckets_) {
        total += bucket.value();
    }
    return total;
}

Counter& counter(std::string_view name, const LabelValues& labels)
{
    return seriesOf<Counter>(name, Kind::Counter, labels);
}

Gauge& gauge(std::string_view name, const LabelValues& labels)
{
    return seriesOf<Gauge>(name, Kind::Gauge, labels);
}

Histogram& histogram(std::string_view name, const LabelValues& labels)
{
    return seriesOf<Histogram>(name, Kind::Histogram, labels);
}

std::string exposition()
{
    auto& seriesRegistry = registry();
    const std::lock_guard guard(seriesRegistry.mutex);
    std::string text;
    for (const auto& [name, metric] : seriesRegistry.metrics) {
        const auto& description = descriptionOf(name);
        text += formatHeading(description);
        for (const auto& [values, series] : metric) {
            text += formatLines(description, values, *series);
        }
    }
    return text;
}

std::string exposition(std::string_view name, std::span<const Sample> samples)
{
    const auto& metric = descriptionOf(name);
    auto text = formatHeading(metric);
    for (const auto& sample : samples) {
        text += fmt::format("{}{} {}\n", metric.name, formatLabels(metric, sample.labels),
                            formatNumber(sample.value));
    }
    return text;
}

}  // namespace restante::metrics
