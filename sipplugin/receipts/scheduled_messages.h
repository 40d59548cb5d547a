#pragma once

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"

#include <cstdint>
#include <memory>
#include <string>

namespace restante::sip {

/// Stores messages that wait for their time, in the sip lanes as reminders do: SipScheduler puts
/// them at the end of their recipient's mailbox when they are due. Each sender may have so many
/// pending. Borrows both. *One loop.*
class ScheduledMessages {
public:
    /// 0 = no limit.
    ScheduledMessages(DelayQueue& queue, JobInspector& inspector, std::uint32_t perSender);
    ScheduledMessages(const ScheduledMessages&) = delete;
    ScheduledMessages& operator=(const ScheduledMessages&) = delete;

    /// `order.at` says when. Conflict: the sender has too many; a repetition of one of them is
    /// none more. Else as DelayQueue::push().
    void store(PushOrder order, Done<PushOutcome> done);

private:
    struct Counting;
    void countPending(const std::shared_ptr<Counting>& counting, const std::string& cursor);

    DelayQueue& queue_;
    JobInspector& inspector_;
    std::uint32_t perSender_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< for answers that outlive this
};

}  // namespace restante::sip
