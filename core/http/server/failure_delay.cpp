#include "core/http/server/failure_delay.h"

#include <algorithm>
#include <utility>

namespace restante::http {

namespace {

/// Addresses that are remembered; the rest, who can only be many machines, share one entry.
constexpr std::size_t kMostAddresses = 10'000;

}  // namespace

Millis FailureDelay::delay(const std::string& address, Moment now)
{
    if (free_.size() >= kMostAddresses && free_.find(address) == free_.end()) {
        forget(now);
    }
    auto& free = free_[free_.size() >= kMostAddresses ? std::string{} : address];
    free = std::max(free, now) + kBetween;
    const auto waits = std::chrono::duration_cast<Millis>(free - now - kBetween * kAtOnce);
    if (waits > kLongest) {
        free = now + kLongest + kBetween * kAtOnce;
    }
    return std::clamp(waits, Millis{0}, kLongest);
}

std::uint64_t FailureDelay::toLog(Moment now)
{
    ++unsaid_;
    if (now < nextLine_) {
        return 0;
    }
    nextLine_ = now + std::chrono::seconds{1};
    return std::exchange(unsaid_, 0);
}

void FailureDelay::forget(Moment now)
{
    for (auto entry = free_.begin(); entry != free_.end();) {
        entry = entry->second <= now ? free_.erase(entry) : std::next(entry);
    }
}

}  // namespace restante::http
