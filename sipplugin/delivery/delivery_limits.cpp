#include "sipplugin/delivery/delivery_limits.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// Up to this much unused time may be caught up at once: timers have millisecond resolution.
constexpr std::chrono::milliseconds kCatchUp{20};

/// With more recipients than this, those whose pause is over are removed.
constexpr std::size_t kManyRecipients = 10'000;

/// Measured: a message of 200 bytes with a dozen headers takes 4.7 KB from the store's answer to
/// its finish; of a larger one up to three copies exist at a time.
constexpr std::size_t kFixedCost = 4'096;
constexpr std::size_t kMessageCopies = 3;

/// One batch takes this fraction of the free memory, so that later runs find some, too.
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

TimePoint DeliveryRateLimiter::nextFor(const std::string& recipient) const
{
    const auto found = nextByRecipient_.find(recipient);
    return found == nextByRecipient_.end() ? TimePoint{} : found->second;
}

void DeliveryRateLimiter::recordSent(const std::string& recipient, TimePoint now)
{
    if (perRecipient_ == Millis{0}) {
        return;
    }
    if (nextByRecipient_.size() >= kManyRecipients) {
        std::erase_if(nextByRecipient_, [&](const auto& entry) { return entry.second <= now; });
    }
    nextByRecipient_[recipient] = now + perRecipient_;
}

MemoryBudget::Grant MemoryBudget::grant(std::uint32_t wanted)
{
    const auto taken = used();
    const auto room = limit_ > taken ? (limit_ - taken) / kBatchShare : 0;
    const auto messages = std::clamp<std::size_t>(room / average_, 1, std::max(wanted, 1U));
    Grant grant;
    grant.messages = static_cast<std::uint32_t>(messages);
    grant.recordBytes = std::max<std::size_t>(1, room / kMessageCopies);
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
    const auto cost = kFixedCost + kMessageCopies * size;
    average_ += (static_cast<std::ptrdiff_t>(cost) - static_cast<std::ptrdiff_t>(average_)) / 8;
    return cost;
}

}  // namespace restante::sip
