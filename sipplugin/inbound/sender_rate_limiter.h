#pragma once

#include "core/base/clock.h"

#include <string>
#include <unordered_map>

namespace restante::sip {

/// So many messages a second of each sender (`sip.limits.per_sender`). *One loop.*
class SenderRateLimiter {
public:
    /// 0 a second = no limit.
    SenderRateLimiter(const Clock& clock, std::uint32_t perSecond)
        : clock_(clock),
          perSecond_(perSecond)
    {
    }

    /// Takes one token of the sender's; false when there is none.
    bool admits(const std::string& sender);

private:
    struct Bucket {
        double tokens = 0;
        TimePoint filled{};
    };
    void forgetFull();

    const Clock& clock_;
    double perSecond_;
    TimePoint swept_{};
    std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace restante::sip
