#include "sipplugin/delivery/delivery_limits.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// What was not sent in this time may be sent at once: timers tick in milliseconds.
constexpr std::chrono::milliseconds kCatchUp{20};

/// More recipients than this are swept of those whose pause is over.
constexpr std::size_t kManyRecipients = 10'000;

/// Measured: a message of 200 bytes with a dozen headers takes 4.7 KB from the store's answer to
/// its finish; of larger ones three copies are alive for a moment.
constexpr std::size_t kFixed = 4'096;
constexpr std::size_t kCopies = 3;

/// One batch takes this part of what is free, so that runs that come later find something, too.
constexpr std::size_t kBatchShare = 128;

}  // namespace

TimePoint DeliveryRateLimiter::reserve(TimePoint now)
{
    if (interval_ == Micros{0}) {
        return now;
    }
    const auto earliest =
        std::chrono::duration_cast<Micros>(now.time_since_epoch() - kCatchUp).count();
    auto next = taken_->place.load();
    auto mine = std::max(next, earliest);
    while (!taken_->place.compare_exchange_weak(next, mine + interval_.count())) {
        mine = std::max(next, earliest);
    }
    return TimePoint{std::chrono::ceil<TimePoint::duration>(Micros{mine})};
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

MemoryBudget::Grant MemoryBudget::grant(std::uint32_t wanted)
{
    const auto taken = used();
    const auto room = limit_ > taken ? (limit_ - taken) / kBatchShare : 0;
    const auto messages = std::clamp<std::size_t>(room / average_, 1, std::max(wanted, 1U));
    Grant grant;
    grant.messages = static_cast<std::uint32_t>(messages);
    grant.recordBytes = std::max<std::size_t>(1, room / kCopies);
    grant.reserved = messages * average_;
    acquire(grant.reserved);
    return grant;
}

std::size_t MemoryBudget::costOf(const ClaimedJob& claimed)
{
    const auto& job = claimed.job;
    std::size_t size = job.body.size() + job.contentType.size() + job.sender.size();
    for (const auto& [name, value] : job.headers) {
        size += name.size() + value.size();
    }
    const auto cost = kFixed + kCopies * size;
    average_ += (static_cast<std::ptrdiff_t>(cost) - static_cast<std::ptrdiff_t>(average_)) / 8;
    return cost;
}

}  // namespace restante::sip
