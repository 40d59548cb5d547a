#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <string>
#include <unordered_map>

namespace restante::sip {

/// So many wrong passwords a minute from a source address, a bucket that fills evenly; a burst that
/// was under way at once is paid back. IPv6 counts by /64, which is one customer's. *One loop.*
class FailureRateLimiter {
public:
    /// 0 a minute = no limit.
    FailureRateLimiter(const Clock& clock, std::uint32_t perMinute)
        : clock_(clock),
          perMinute_(perMinute)
    {
    }

    /// Whether another password may be tried from there now.
    bool admits(const std::string& address);
    void failed(const std::string& address);

    std::size_t size() const noexcept { return buckets_.size(); }

private:
    struct Bucket {
        double tokens = 0;
        TimePoint filled{};
    };
    Bucket refilled(const Bucket& bucket) const;
    void forgetFull();  ///< at most once a second

    const Clock& clock_;
    double perMinute_;
    TimePoint nextSweep_{};
    std::unordered_map<std::string, Bucket> buckets_;  ///< of those with failures only
};

}  // namespace restante::sip
