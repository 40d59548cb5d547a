#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/mailbox_keys.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/outbound/delivery_route.h"
#include "sipplugin/transport/request_sender.h"

#include <tl/expected.hpp>

#include <set>
#include <unordered_map>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// A parsed SUBSCRIBE to a message-summary (RFC 6665, RFC 3842). *Value.*
struct SummaryRequest {
    std::string aor;         ///< of the Request-URI, canonical: the mailbox, unless it is a refresh
    std::string subscriber;  ///< of From, canonical
    std::string callId;
    std::string fromTag;
    std::string toTag;    ///< of the subscription that is refreshed; empty = a new one
    std::string from;     ///< as written, with the tag: To of our NOTIFY
    std::string to;       ///< without tag: From of our NOTIFY
    std::string eventId;  ///< `id` of Event, or empty
    std::uint32_t cseq = 0;
    Millis expires{0};    ///< as granted; 0 = one NOTIFY, which ends it
    DeliveryRoute route;  ///< to the device

    /// Identifies the dialog by the parts that the device has chosen.
    std::string key() const { return callId + "\n" + fromTag; }
};

/// Or the answer that refuses it: 489 another event, 406 another body, 423 too brief, 400, 404.
/// Call-ID and tag above 256 bytes, or a dialog above 8 KiB, are 400. *Pure function.*
tl::expected<SummaryRequest, SipAnswer> readSummaryRequest(const ReceivedRequest& request);

/// The content of one NOTIFY. *Value.*
struct SummaryNotice {
    std::uint64_t waiting = 0;
    Millis remaining{0};  ///< of the subscription; 0 = it has ended
    std::string tag;      ///< ours
    std::uint32_t cseq = 1;
    std::string contact;  ///< our URI in this dialog
};

/// The NOTIFY without the Via. Fails with Invalid where RequestWriter::finish() does.
/// *Pure function.*
Result<std::string> formatSummaryNotify(const SummaryRequest& subscription,
                                        const SummaryNotice& notice);

/// Counts the messages in a mailbox, those being delivered included. A port. *One loop.*
class MailboxSizes {
public:
    virtual ~MailboxSizes() = default;

    virtual void count(const std::string& aor, Done<std::uint64_t> done) = 0;
};

/// Borrows the connection, which must outlive every call.
class RedisMailboxSizes final : public MailboxSizes {
public:
    RedisMailboxSizes(redis::Connection& connection, MailboxKeys keys)
        : connection_(connection),
          keys_(std::move(keys))
    {
    }
    void count(const std::string& aor, Done<std::uint64_t> done) override;

private:
    redis::Connection& connection_;
    MailboxKeys keys_;
};

/// Notifies subscribed phones how many messages wait for their user (RFC 3842). The subscriptions
/// are in memory: after a restart a refresh is answered 481, and the phone subscribes anew. A
/// mailbox with messages is counted again and again, at growing pauses, so that it does not matter
/// which daemon empties it. Borrows everything. *One loop.*
class MessageSummaries {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        MailboxSizes& sizes;
        Agent& agent;
    };
    explicit MessageSummaries(Parts parts) : parts_(parts), sender_(parts.agent) {}

    /// A SUBSCRIBE; `done` is called at once.
    void handle(const ReceivedRequest& request, const Respond& done);
    /// Call it when a message has come for them or could not be delivered, or they have registered.
    /// Cheap without subscription.
    void handleMailboxChange(const std::string& aor);

    std::size_t subscriptions() const noexcept { return subscriptions_.size(); }

private:
    struct Subscription {
        explicit Subscription(EventLoop& loop) : expiryTimer(loop) {}

        SummaryRequest request;
        std::string tag;
        std::string contact;
        TimePoint expiresAt{};
        Timer expiryTimer;  ///< sends the last NOTIFY
        std::uint32_t cseq = 0;
        std::optional<std::uint64_t> lastNotifiedCount;
        bool notifying = false;    ///< the answer to a NOTIFY is awaited; the next waits for it
        bool notifyAgain = false;  ///< another NOTIFY waits for that
    };
    /// A mailbox with subscriptions.
    struct Mailbox {
        explicit Mailbox(EventLoop& loop) : recountTimer(loop) {}

        std::set<std::string> keys;  ///< of subscriptions_
        Millis recountPause{0};      ///< until the next count; 0 = none is scheduled
        Timer recountTimer;          ///< of counting again
    };

    void subscribe(SummaryRequest wanted, const ReceivedRequest& request, const Respond& done);
    void refresh(SummaryRequest wanted, const Respond& done);
    void accept(const std::string& key, const Respond& done);
    void notify(const std::string& key);
    void send(const std::string& key, std::uint64_t waiting);
    void handleAnswer(const std::string& key, const std::string& tag, int status);
    void scheduleRecount(const std::string& aor, Millis pause);
    void recount(const std::string& aor);
    void notifyChanged(const std::string& aor, std::uint64_t waiting);
    void scheduleExpiry(const std::string& key, TimePoint when);
    void forget(const std::string& key);
    std::string contactFor(const ReceivedRequest& request, const std::string& aor) const;

    Parts parts_;
    RequestSender sender_;
    std::unordered_map<std::string, Subscription> subscriptions_;  ///< by SummaryRequest::key()
    std::unordered_map<std::string, Mailbox> mailboxes_;           ///< by AoR
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
