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

/// How fast messages leave: the least time between two to one recipient (`sip.mailbox.pace`), and
/// so many a second in all (`sip.limits.send_rate`). 0 = as fast as they are answered. *One loop.*
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

    /// Takes the next free place in the daemon's rate; answers when it comes.
    TimePoint reserve(TimePoint now);
    /// When the next message to `recipient` may leave.
    TimePoint next(const std::string& recipient) const;
    void sent(const std::string& recipient, TimePoint now);

private:
    using Micros = std::chrono::microseconds;

    Millis perRecipient_;
    Micros interval_{0};                  ///< between two of all; 0 = no limit
    std::shared_ptr<TakenLimits> taken_;  ///< with the places of all, in Micros since the epoch
    std::unordered_map<std::string, TimePoint> next_;
};

/// What the messages in a daemon's hand may take (`sip.limits.flush_memory`). The fuller, the
/// smaller the batches; full, a run under way gets one at a time and no other begins. *One loop.*
class MemoryBudget {
public:
    struct Grant {
        std::uint32_t messages = 1;
        std::size_t recordBytes = 1;  ///< of the store's records
        std::size_t reserved = 0;     ///< to be released when the batch has come
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

    /// What a message in hand takes; also teaches what messages take on average.
    std::size_t costOf(const ClaimedJob& claimed);

private:
    std::size_t limit_;
    std::shared_ptr<TakenLimits> taken_;
    std::size_t average_ = 5'000;  ///< of a message
};

}  // namespace restante::sip
