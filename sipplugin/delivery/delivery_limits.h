#pragma once

#include "core/base/clock.h"
#include "core/queue/job_store.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace restante::sip {

/// How much of the limits of a process the deliveries of all its threads use. *Any thread.*
struct SharedLimitUsage {
    /// The earliest send time that no message has reserved, since the epoch.
    std::atomic<std::int64_t> nextSendTimeUs{0};
    std::atomic<std::size_t> usedMemory{0};  ///< bytes
};

/// Limits how fast messages are sent: the shortest time between two to one recipient
/// (`sip.mailbox.pace`), and the number per second in all (`sip.limits.send_rate`). 0 = no limit.
/// *One loop.*
class DeliveryRateLimiter {
public:
    DeliveryRateLimiter(
        Millis minIntervalPerRecipient,
        std::uint32_t perSecond,
        std::shared_ptr<SharedLimitUsage> shared = std::make_shared<SharedLimitUsage>())
        : minIntervalPerRecipient_(minIntervalPerRecipient),
          minInterval_(perSecond == 0 ? 0 : 1'000'000 / perSecond),
          shared_(std::move(shared))
    {
    }

    /// Reserves the next free send time of the daemon and returns it; `now` without a limit.
    TimePoint reserveSendTime(TimePoint now);
    /// The earliest time at which the next message to `recipient` may be sent.
    TimePoint nextSendTimeFor(const std::string& recipient) const;
    void recordSent(const std::string& recipient, TimePoint now);

private:
    using Micros = std::chrono::microseconds;

    Millis minIntervalPerRecipient_;
    Micros minInterval_{0};  ///< between any two messages; 0 = no limit
    std::shared_ptr<SharedLimitUsage> shared_;
    std::unordered_map<std::string, TimePoint> nextSendTimesByRecipient_;
};

/// The memory for messages that a daemon has claimed (`sip.limits.flush_memory`). Batches shrink as
/// it fills; when it is full, a run gets one message at a time and no other begins. *One loop.*
class MemoryBudget {
public:
    struct Grant {
        std::uint32_t maxMessages = 1;
        std::size_t maxRecordBytes = 1;  ///< of the store's records
        std::size_t reservedBytes = 0;   ///< to be released when the batch has been claimed
    };

    explicit MemoryBudget(
        std::size_t limit,
        std::shared_ptr<SharedLimitUsage> shared = std::make_shared<SharedLimitUsage>())
        : limit_(limit),
          shared_(std::move(shared))
    {
    }

    /// Reserves memory for the next batch of one run, at most `wanted` messages.
    Grant grant(std::uint32_t wanted);
    void acquire(std::size_t bytes) noexcept { shared_->usedMemory += bytes; }
    void release(std::size_t bytes) noexcept { shared_->usedMemory -= bytes; }
    /// Whether another run may begin.
    bool hasRoom() const noexcept { return used() < limit_; }
    std::size_t used() const noexcept { return shared_->usedMemory; }

    /// The bytes of memory that a claimed message takes. Includes them in the average from which
    /// grant() estimates a batch.
    std::size_t sampleCost(const ClaimedJob& claimed);

private:
    std::size_t limit_;
    std::shared_ptr<SharedLimitUsage> shared_;
    std::size_t averageCost_ = 5'000;  ///< bytes of memory of one message
};

}  // namespace restante::sip
