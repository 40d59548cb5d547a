#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/job/job_id.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/message/callbacks.h"
#include "sipplugin/message/mailbox_keys.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/settings/sip_settings.h"

#include <optional>
#include <vector>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// When a MESSAGE wants to be delivered, by the header that `sip.schedule_header` names: an RFC
/// 3339 time with its zone, or whole seconds from `now`. Nothing = at once. Invalid, for a 400,
/// when it is there twice, cannot be read, or is beyond the horizon. *Pure function.*
Result<std::optional<TimePoint>>
requestedDeliveryTime(const ReceivedRequest& request, TimePoint now, const Config::Sip& settings);

/// How many scheduled messages each sender may have pending, for all daemons of one store and in
/// one step: a message takes its place before it is stored. `Kshare:<sender>` in the shard of the
/// sender's mailbox (docs/redis-schema.md). Borrows the connection, which must outlive every call,
/// and the clock. *One loop.*
class SenderQuotas {
public:
    struct Reservation {
        std::string sender;
        std::string id;          ///< of the message that wants a place
        std::uint32_t most = 1;  ///< places of a sender
        Millis keep{};           ///< as long as this message may be pending
        /// Set: reservations made before this are dropped, unless their message is in `pending`.
        std::optional<TimePoint> before = {};
        std::vector<std::string> pending = {};
    };

    SenderQuotas(redis::Connection& connection, const Clock& clock, MailboxKeys keys)
        : connection_(connection),
          clock_(clock),
          keys_(std::move(keys))
    {
    }

    /// False: there is no place for it.
    void acquire(Reservation claim, Done<bool> done);
    /// The message that has this place is in the store.
    void stored(const std::string& sender, const std::string& id);
    /// It is not, and never will be.
    void release(const std::string& sender, const std::string& id);

private:
    std::string keyOf(const std::string& sender) const { return keys_.key("share", sender); }

    redis::Connection& connection_;
    const Clock& clock_;
    MailboxKeys keys_;
};

/// Stores messages that wait for their time, in the sip lanes as reminders do, from where
/// DueDeliveries takes them; they have their part of what their mailbox may hold, and each sender
/// may have so many. Borrows all it is given. *One loop.*
class ScheduledMessages {
public:
    struct Parts {
        DelayQueue& queue;
        JobInspector& inspector;
        SenderQuotas& quotas;
    };
    struct Settings {
        std::uint32_t perSender = 0;  ///< 0 = no limit
        Millis lifetime{};            ///< of a message, from its time on (`sip.mailbox.keep`)
    };
    ScheduledMessages(Parts parts, Settings settings)
        : parts_(parts),
          settings_(settings),
          ids_(parts.queue.clock())
    {
    }

    /// Due at `push.at`. Conflict: the sender has too many pending (a repetition counts once).
    /// MailboxFull, Full: no room in the mailbox, or in the store. Else as DelayQueue::push().
    void store(PushOptions push, Done<PushOutcome> done);

private:
    struct PendingMessage;
    using PendingPtr = std::shared_ptr<PendingMessage>;
    enum class Place { Taken, None };

    Millis maxPendingTime(const PushOptions& push) const;
    void acquireQuota(const PendingPtr& message);
    void countPending(const PendingPtr& message, const std::string& cursor);
    void decide(const PendingPtr& message);
    void push(const PendingPtr& message, Place place);
    void confirmOrReleaseQuota(const std::string& sender,
                               const std::string& id,
                               const Result<PushOutcome>& stored);

    Parts parts_;
    Settings settings_;
    JobIdGenerator ids_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
