#pragma once

#include "core/base/clock.h"

#include <string>
#include <unordered_map>

namespace restante::sip {

/// How fast messages leave: the least time between two to one recipient (`sip.mailbox.pace`), and
/// so many a second in all (`sip.limits.send_rate`). 0 = as fast as they are answered. *One loop.*
class DeliveryRateLimiter {
public:
    DeliveryRateLimiter(Millis perRecipient, std::uint32_t perSecond)
        : perRecipient_(perRecipient),
          interval_(perSecond == 0 ? 0 : 1'000'000 / perSecond)
    {
    }

    /// Takes the next free place in the daemon's rate; answers when it comes.
    TimePoint reserve(TimePoint now);
    /// When the next message to `recipient` may leave.
    TimePoint next(const std::string& recipient) const;
    void sent(const std::string& recipient, TimePoint now);

private:
    using Micros = std::chrono::microseconds;

    Millis perRecipient_;
    Micros interval_{0};  ///< between two of all; 0 = no limit
    Micros place_{0};     ///< the next free one, since the epoch
    std::unordered_map<std::string, TimePoint> next_;
};

}  // namespace restante::sip
