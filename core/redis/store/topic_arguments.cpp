#include "core/redis/store/topic_arguments.h"

#include <fmt/format.h>

namespace restante::redis {

namespace {

/// Microseconds between two jobs of one of `shards` that together keep the rate.
double intervalOf(const Rate& rate, std::uint32_t shards)
{
    constexpr double kMicros = 1'000;  // in a millisecond
    return rate.count == 0 ? 0
                           : static_cast<double>(rate.per.count()) * kMicros * shards /
                                 static_cast<double>(rate.count);
}

}  // namespace

LimitArguments limitArguments(const TopicLimits& limits, std::uint32_t shards)
{
    return {
        fmt::format("{:.3f}", intervalOf(limits.rate, shards)),
        fmt::format("{} {} {}", limits.concurrency, limits.rate.count, limits.rate.per.count())};
}

}  // namespace restante::redis
