#pragma once

#include "core/base/clock.h"

namespace restante::sip {

/// Holds a failure of thousands of requests to one line a second in the log. *One loop.*
class LogRateLimiter {
public:
    explicit LogRateLimiter(const Clock& clock) : clock_(clock) {}

    /// How many failures the line to be written stands for; 0 = write none now.
    std::uint32_t countToLog()
    {
        ++silent_;
        const auto now = clock_.now();
        if (now < next_) {
            return 0;
        }
        next_ = now + std::chrono::seconds{1};
        const auto count = silent_;
        silent_ = 0;
        return count;
    }

private:
    const Clock& clock_;
    TimePoint next_{};
    std::uint32_t silent_ = 0;
};

}  // namespace restante::sip
