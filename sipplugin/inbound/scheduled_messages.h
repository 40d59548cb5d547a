#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/job/job_id.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/message/mailbox_keys.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/settings/sip_settings.h"

#include <optional>
#include <vector>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// The delivery time that a MESSAGE requests by the header that `sip.schedule_header` names: an RFC
/// 3339 time with its zone, or whole seconds from `now`. Nothing = at once. Invalid, for a 400,
/// when the header appears twice, is malformed, or is beyond the horizon. *Pure function.*
Result<std::optional<TimePoint>>
requestedDeliveryTime(const ReceivedRequest& request, TimePoint now, const Config::Sip& settings);

/// Limits how many scheduled messages each sender may have pending, for all daemons of one store: a
/// message reserves its place, atomically, before it is stored. `Kshare:<sender>` in the shard of
/// the sender's mailbox (docs/redis-schema.md). Borrows the connection, which must outlive every
/// call, and the clock. *One loop.*
class SenderQuotas {
public:
    struct Reservation {
        std::string sender;
        std::string id;           ///< of the message
        std::uint64_t limit = 1;  ///< the most messages of a sender
        Millis lifetime{};        ///< how long this message may be pending
        /// Set: `pending` was collected from then on. A place is given back first if its message is
        /// not in there and was confirmed before, or has been reserved for so long that whoever did
        /// it has gone.
        std::optional<TimePoint> collectingSince = {};
        std::vector<std::string> pending = {};
    };

    SenderQuotas(redis::Connection& connection, const Clock& clock, MailboxKeys keys)
        : connection_(connection),
          clock_(clock),
          keys_(std::move(keys))
    {
    }

    /// `done` gets false when the quota is used up.
    void acquire(Reservation reservation, Done<bool> done);
    /// The message with this reservation is in the store.
    void confirm(const std::string& sender, const std::string& id);
    /// The message was not stored and will not be.
    void release(const std::string& sender, const std::string& id);

private:
    std::string keyOf(const std::string& sender) const { return keys_.key("share", sender); }

    redis::Connection& connection_;
    const Clock& clock_;
    MailboxKeys keys_;
};

/// Stores messages with a delivery time in the sip lanes, as reminders are, from where
/// DueDeliveries takes them. They count towards the limits of their mailbox and of their sender.
/// Borrows all it is given. *One loop.*
class ScheduledMessages {
public:
    struct Parts {
        DelayQueue& queue;
        JobInspector& inspector;
        SenderQuotas& quotas;
    };
    struct Settings {
        std::uint32_t perSender = 0;  ///< 0 = no limit
        Millis lifetime{};            ///< of a message after it is due (`sip.mailbox.keep`)
    };
    ScheduledMessages(Parts parts, Settings settings)
        : parts_(parts),
          settings_(settings),
          ids_(parts.queue.clock())
    {
    }

    /// Due at `push.at`. Conflict: the sender has too many pending (a repetition counts once; of
    /// what only looks like one there may be as many again).
    /// MailboxFull, Full: no room in the mailbox, or in the store. Else as DelayQueue::push().
    void store(PushOptions push, Done<PushOutcome> done);

private:
    struct PendingMessage;
    using PendingPtr = std::shared_ptr<PendingMessage>;

    Millis maxPendingTime(const PushOptions& push) const;
    void acquireQuota(const PendingPtr& message);
    void collectPending(const PendingPtr& message, const std::string& cursor);
    void acquireOrRefuse(const PendingPtr& message);
    void push(const PendingPtr& message);
    void confirmOrReleaseQuota(const std::string& sender,
                               const std::string& id,
                               const Result<PushOutcome>& stored);

    Parts parts_;
    Settings settings_;
    JobIdGenerator ids_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
