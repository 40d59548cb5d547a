#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The metrics of this process, for /metrics. Any thread: a series is looked up once, under a lock,
/// and counted without one; a reference stays valid until the process ends, so keep it in a member
/// or a function's static.
namespace restante::metrics {

enum class Kind { Counter, Gauge, Histogram };

/// One metric. docs/operations.md documents each; a test compares.
struct Description {
    std::string_view name;  ///< Prometheus' conventions: "restante_deliveries_total"
    Kind kind;
    std::string_view help;                 ///< one sentence
    std::vector<std::string_view> labels;  ///< their names, in the order of the values
};

/// Every metric there is. Only these can be counted.
std::span<const Description> catalogue();

/// Only grows.
class Counter {
public:
    void add(std::uint64_t count = 1) noexcept { value_.fetch_add(count, kRelaxed); }
    std::uint64_t value() const noexcept { return value_.load(kRelaxed); }

private:
    static constexpr auto kRelaxed = std::memory_order_relaxed;
    std::atomic<std::uint64_t> value_{0};
};

/// A current value.
class Gauge {
public:
    void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
    void add(double change) noexcept
    {
        auto seen = value_.load(std::memory_order_relaxed);
        while (!value_.compare_exchange_weak(seen, seen + change, std::memory_order_relaxed)) {
        }
    }
    double value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<double> value_{0};
};

/// How long things took, in buckets of 1 ms to 1 h.
class Histogram {
public:
    static constexpr std::size_t kBuckets = 20;

    void observe(double seconds) noexcept;
    std::uint64_t count() const noexcept;
    double sum() const noexcept { return sum_.value(); }
    /// The count of one bucket alone, not cumulated.
    std::uint64_t inBucket(std::size_t index) const noexcept { return buckets_[index].value(); }

private:
    Counter buckets_[kBuckets];
    Gauge sum_;
};

/// The series of a metric for these label values, made at the first call. A metric that has a
/// thousand series already (labels often come from callers) counts every further one as "other".
/// The name must be in the catalogue with that kind and number of labels.
using LabelValues = std::vector<std::string>;
Counter& counter(std::string_view name, const LabelValues& labels = {});
Gauge& gauge(std::string_view name, const LabelValues& labels = {});
Histogram& histogram(std::string_view name, const LabelValues& labels = {});

/// One line of a metric that is looked up only when it is asked for, such as a backlog in Redis.
struct Sample {
    LabelValues labels = {};
    double value = 0;
};

/// All series in Prometheus' text format, version 0.0.4.
std::string exposition();
/// One metric of the catalogue with these samples; a gauge or a counter.
std::string exposition(std::string_view name, std::span<const Sample> samples);

/// Sets the gauges of the process itself (version, start, memory, open files) to their current
/// values.
void measureProcess();

}  // namespace restante::metrics
