#pragma once

#include "core/base/clock.h"
#include "core/queue/job_store.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace restante::sip {

/// What the deliveries of all threads of a process have taken of its limits together. *Any thread.*
struct TakenLimits {
    std::atomic<std::int64_t> place{0};  ///< of DeliveryRateLimiter: the next free one
    std::atomic<std::size_t> memory{0};  ///< of MemoryBudget: bytes
};

/// Limits how fast messages are sent: the shortest time between two to one recipient
/// (`sip.mailbox.pace`), and the number per second in all (`sip.limits.send_rate`). 0 = no limit.
/// *One loop.*
class DeliveryRateLimiter {
public:
    DeliveryRateLimiter(Millis perRecipient,
                        std::uint32_t perSecond,
                        std::shared_ptr<TakenLimits> taken = std::make_shared<TakenLimits>())
        : perRecipient_(perRecipient),
          interval_(perSecond == 0 ? 0 : 1'000'000 / perSecond),
          taken_(std::move(taken))
    {
    }

    /// Reserves the next free send time of the daemon and returns it.
    TimePoint reserve(TimePoint now);
    /// When the next message to `recipient` may leave.
    TimePoint nextFor(const std::string& recipient) const;
    void recordSent(const std::string& recipient, TimePoint now);

private:
    using Micros = std::chrono::microseconds;

    Millis perRecipient_;
    Micros interval_{0};                  ///< between any two messages; 0 = no limit
    std::shared_ptr<TakenLimits> taken_;  ///< with the places of all, in Micros since the epoch
    std::unordered_map<std::string, TimePoint> nextByRecipient_;
};

/// The memory for messages that a daemon has claimed (`sip.limits.flush_memory`). Batches shrink as
/// it fills; when it is full, a run gets one message at a time and no other begins. *One loop.*
class MemoryBudget {
public:
    struct Grant {
        std::uint32_t messages = 1;
        std::size_t recordBytes = 1;  ///< of the store's records
        std::size_t reserved = 0;     ///< bytes to be released when the batch has come
    };

    explicit MemoryBudget(std::size_t limit,
                          std::shared_ptr<TakenLimits> taken = std::make_shared<TakenLimits>())
        : limit_(limit),
          taken_(std::move(taken))
    {
    }

    /// For the next batch of one run, at most `wanted` messages.
    Grant grant(std::uint32_t wanted);
    void acquire(std::size_t bytes) noexcept { taken_->memory += bytes; }
    void release(std::size_t bytes) noexcept { taken_->memory -= bytes; }
    /// Whether another run may begin.
    bool hasRoom() const noexcept { return used() < limit_; }
    std::size_t used() const noexcept { return taken_->memory; }

    /// The bytes that a claimed message takes; also updates the average.
    std::size_t costOf(const ClaimedJob& claimed);

private:
    std::size_t limit_;
    std::shared_ptr<TakenLimits> taken_;
    std::size_t average_ = 5'000;  ///< of a message
};

}  // namespace restante::sip
