#include "sipplugin/auth/failure_rate_limiter.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>

namespace restante::sip {

namespace {

/// About 1 MB. Whoever has more addresses than this to try from shares one bucket with the rest.
constexpr std::size_t kMostAddresses = 10'000;
constexpr const char* kTheRest = "*";
/// An hour's worth at most is paid back.
constexpr double kDeepestDebt = 60;

std::string networkOf(const std::string& address)
{
    in6_addr bytes{};
    if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1) {
        return address;
    }
    return {reinterpret_cast<const char*>(bytes.s6_addr), 8};
}

}  // namespace

bool FailureRateLimiter::admits(const std::string& address)
{
    if (perMinute_ == 0) {
        return true;
    }
    auto found = buckets_.find(networkOf(address));
    if (found == buckets_.end()) {
        if (buckets_.size() < kMostAddresses) {
            return true;
        }
        found = buckets_.find(kTheRest);
    }
    return found == buckets_.end() || refilled(found->second).tokens >= 1;
}

void FailureRateLimiter::failed(const std::string& address)
{
    if (perMinute_ == 0) {
        return;
    }
    if (buckets_.size() >= kMostAddresses) {
        forgetFull();
    }
    auto network = networkOf(address);
    if (buckets_.size() >= kMostAddresses && !buckets_.contains(network)) {
        network = kTheRest;
    }
    auto& bucket = buckets_.try_emplace(network, Bucket{perMinute_, clock_.now()}).first->second;
    bucket = refilled(bucket);
    bucket.tokens = std::max(bucket.tokens - 1, -kDeepestDebt * perMinute_);
}

FailureRateLimiter::Bucket FailureRateLimiter::refilled(const Bucket& bucket) const
{
    const auto now = clock_.now();
    const std::chrono::duration<double, std::ratio<60>> passed = now - bucket.filled;
    return {std::min(perMinute_, bucket.tokens + passed.count() * perMinute_), now};
}

void FailureRateLimiter::forgetFull()
{
    const auto now = clock_.now();
    if (now < nextSweep_) {
        return;
    }
    nextSweep_ = now + std::chrono::seconds{1};
    std::erase_if(buckets_,
                  [&](const auto& entry) { return refilled(entry.second).tokens >= perMinute_; });
}

}  // namespace restante::sip
