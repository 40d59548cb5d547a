#pragma once

#include "core/base/clock.h"

namespace restante::sip {

/// Limits the log to one line a second for a failure that many requests share. *One loop.*
class LogRateLimiter {
public:
    explicit LogRateLimiter(const Clock& clock) : clock_(clock) {}

    /// Counts a failure. Returns how many the line to be written stands for; 0 = write none now.
    std::uint32_t countToLog()
    {
        ++unloggedCount_;
        const auto now = clock_.now();
        if (now < nextLogTime_) {
            return 0;
        }
        nextLogTime_ = now + std::chrono::seconds{1};
        const auto count = unloggedCount_;
        unloggedCount_ = 0;
        return count;
    }

private:
    const Clock& clock_;
    TimePoint nextLogTime_{};
    std::uint32_t unloggedCount_ = 0;
};

}  // namespace restante::sip
