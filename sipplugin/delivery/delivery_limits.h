#pragma once

#include "core/base/clock.h"
#include "core/queue/job_store.h"

#include <cstddef>
#include <string>
#include <unordered_map>

namespace restante::sip {

/// Limits how fast messages are sent: the shortest time between two to one recipient
/// (`sip.mailbox.pace`), and the number per second in all (`sip.limits.send_rate`). 0 = no limit.
/// *One loop.*
class DeliveryRateLimiter {
public:
    DeliveryRateLimiter(Millis minIntervalPerRecipient, std::uint32_t perSecond)
        : minIntervalPerRecipient_(minIntervalPerRecipient),
          minInterval_(perSecond == 0 ? 0 : 1'000'000 / perSecond)
    {
    }

    /// Reserves the next free send time of the daemon and returns it.
    TimePoint reserveSendTime(TimePoint now);
    /// The earliest time at which the next message to `recipient` may be sent.
    TimePoint nextSendTimeFor(const std::string& recipient) const;
    void recordSent(const std::string& recipient, TimePoint now);

private:
    using Micros = std::chrono::microseconds;

    Millis minIntervalPerRecipient_;
    Micros minInterval_{0};   ///< between any two messages; 0 = no limit
    Micros nextSendTime_{0};  ///< of any message, since the epoch; not reserved yet
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

    explicit MemoryBudget(std::size_t limit) : limit_(limit) {}

    /// Reserves memory for the next batch of one run, at most `wanted` messages.
    Grant grant(std::uint32_t wanted);
    void acquire(std::size_t bytes) noexcept { used_ += bytes; }
    void release(std::size_t bytes) noexcept { used_ -= bytes; }
    /// Whether another run may begin.
    bool hasRoom() const noexcept { return used_ < limit_; }
    std::size_t used() const noexcept { return used_; }

    /// The bytes of memory that a claimed message takes. Includes them in the average from which
    /// grant() estimates a batch.
    std::size_t recordCost(const ClaimedJob& claimed);

private:
    std::size_t limit_;
    std::size_t used_ = 0;
    std::size_t averageCost_ = 5'000;  ///< bytes of memory of one message
};

}  // namespace restante::sip
