#include "sipplugin/delivery/delivery_rate_limiter.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// What was not sent in this time may be sent at once: timers tick in milliseconds.
constexpr std::chrono::milliseconds kCatchUp{20};

/// More recipients than this are swept of those whose pause is over.
constexpr std::size_t kManyRecipients = 10'000;

}  // namespace

TimePoint DeliveryRateLimiter::reserve(TimePoint now)
{
    if (interval_ == Micros{0}) {
        return now;
    }
    place_ =
        std::max(place_, std::chrono::duration_cast<Micros>(now.time_since_epoch() - kCatchUp));
    const auto mine = place_;
    place_ += interval_;
    return TimePoint{std::chrono::ceil<TimePoint::duration>(mine)};
}

TimePoint DeliveryRateLimiter::next(const std::string& recipient) const
{
    const auto found = next_.find(recipient);
    return found == next_.end() ? TimePoint{} : found->second;
}

void DeliveryRateLimiter::sent(const std::string& recipient, TimePoint now)
{
    if (perRecipient_ == Millis{0}) {
        return;
    }
    if (next_.size() >= kManyRecipients) {
        std::erase_if(next_, [&](const auto& entry) { return entry.second <= now; });
    }
    next_[recipient] = now + perRecipient_;
}

}  // namespace restante::sip
