#include "sipplugin/delivery/delivery_limits.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// Send times that nobody has used stay usable for this long: timers have millisecond resolution,
/// so a fast rate needs several messages at once.
constexpr std::chrono::milliseconds kMaxCatchUp{20};

/// From this number on, recipients that may be sent to again are removed from the map.
constexpr std::size_t kMaxRecipientsBeforeCleanup = 10'000;

/// The memory of a message: a fixed part, and up to three copies of its content at a time.
/// Measured: a message of 200 bytes with a dozen headers takes 4.7 KB until it is finished.
constexpr std::size_t kFixedBytesPerMessage = 4'096;
constexpr std::size_t kMessageCopies = 3;

/// One batch may take this part of the free memory (1/128), so that later runs find some, too.
constexpr std::size_t kBatchDivisor = 128;

}  // namespace

TimePoint DeliveryRateLimiter::reserveSendTime(TimePoint now)
{
    if (minInterval_ == Micros{0}) {
        return now;
    }
    const auto earliest =
        std::chrono::duration_cast<Micros>(now.time_since_epoch() - kMaxCatchUp).count();
    auto next = shared_->nextSendTimeUs.load();
    auto reserved = std::max(next, earliest);
    while (!shared_->nextSendTimeUs.compare_exchange_weak(next, reserved + minInterval_.count())) {
        reserved = std::max(next, earliest);
    }
    return TimePoint{std::chrono::ceil<TimePoint::duration>(Micros{reserved})};
}

TimePoint DeliveryRateLimiter::nextSendTimeFor(const std::string& recipient) const
{
    const auto found = nextSendTimesByRecipient_.find(recipient);
    return found == nextSendTimesByRecipient_.end() ? TimePoint{} : found->second;
}

void DeliveryRateLimiter::recordSent(const std::string& recipient, TimePoint now)
{
    if (minIntervalPerRecipient_ == Millis{0}) {
        return;
    }
    if (nextSendTimesByRecipient_.size() >= kMaxRecipientsBeforeCleanup) {
        std::erase_if(nextSendTimesByRecipient_,
                      [&](const auto& entry) { return entry.second <= now; });
    }
    nextSendTimesByRecipient_[recipient] = now + minIntervalPerRecipient_;
}

MemoryBudget::Grant MemoryBudget::grant(std::uint32_t wanted)
{
    const auto inUse = used();
    const auto batchBytes = limit_ > inUse ? (limit_ - inUse) / kBatchDivisor : 0;
    const auto messages =
        std::clamp<std::size_t>(batchBytes / averageCost_, 1, std::max(wanted, 1U));
    Grant grant;
    grant.maxMessages = static_cast<std::uint32_t>(messages);
    grant.maxRecordBytes = std::max<std::size_t>(1, batchBytes / kMessageCopies);
    grant.reservedBytes = messages * averageCost_;
    acquire(grant.reservedBytes);
    return grant;
}

std::size_t MemoryBudget::sampleCost(const ClaimedJob& claimed)
{
    const auto& job = claimed.job;
    std::size_t size = job.body.size() + job.contentType.size() + job.sender.size();
    for (const auto& [name, value] : job.headers) {
        size += name.size() + value.size();
    }
    const auto cost = kFixedBytesPerMessage + kMessageCopies * size;
    averageCost_ +=
        (static_cast<std::ptrdiff_t>(cost) - static_cast<std::ptrdiff_t>(averageCost_)) / 8;
    return cost;
}

}  // namespace restante::sip
