#pragma once

#include "core/job/job_id.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/inbound/sender_quotas.h"
#include "sipplugin/message/lifetime.h"

#include <cstdint>
#include <memory>
#include <string>

namespace restante::sip {

/// Stores messages that wait for their time, in the sip lanes as reminders do: DueDeliveries puts
/// them at the end of their recipient's mailbox when they are due. Until then they have their part
/// of what that mailbox may hold. Each sender may have so many pending. Borrows all it is given.
/// *One loop.*
class ScheduledMessages {
public:
    struct Parts {
        DelayQueue& queue;
        JobInspector& inspector;
        SenderQuotas* quotas = nullptr;  ///< null: of messages that come together more may pass
    };
    struct Settings {
        std::uint32_t perSender = 0;  ///< 0 = no limit
        Millis lifetime{};            ///< of a message, from its time on (`sip.mailbox.keep`)
    };
    ScheduledMessages(Parts parts, Settings settings);

    /// `order.at` says when. Conflict: the sender has too many; a repetition of one of them is
    /// none more. MailboxFull and Full: there is no room at their recipient's, or in all. Else as
    /// DelayQueue::push().
    void store(PushOrder order, Done<PushOutcome> done);

private:
    struct PendingMessage;
    using PendingPtr = std::shared_ptr<PendingMessage>;
    enum class Place { Taken, None };

    Millis longest(const PushOrder& order) const;
    void acquireQuota(const PendingPtr& message);
    void countPending(const PendingPtr& message, const std::string& cursor);
    void decide(const PendingPtr& message);
    void push(const PendingPtr& message, Place place);
    void
    settle(const std::string& sender, const std::string& id, const Result<PushOutcome>& stored);

    Parts parts_;
    Settings settings_;
    JobIdGenerator ids_;
    Lifetime lifetime_;
};

}  // namespace restante::sip
