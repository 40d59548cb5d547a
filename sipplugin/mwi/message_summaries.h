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

/// A SUBSCRIBE to a message-summary (RFC 6665, RFC 3842), taken apart. *Value.*
struct SummaryRequest {
    std::string aor;         ///< of the Request-URI, canonical: the mailbox, unless it is a refresh
    std::string subscriber;  ///< of From, canonical: who asks
    std::string callId;
    std::string fromTag;
    std::string toTag;    ///< of the subscription that is refreshed; empty = a new one
    std::string from;     ///< as written, with the tag: To of what we send
    std::string to;       ///< without tag: From of what we send
    std::string eventId;  ///< `id` of Event, or empty
    std::uint32_t cseq = 0;
    Millis expires{0};    ///< as it will be granted; 0 = once, and the end
    DeliveryRoute route;  ///< to the device

    /// What tells it from others: the dialog, as far as the device makes it.
    std::string key() const { return callId + "\n" + fromTag; }
};

/// The answer says what is wrong: 489 another event, 406 another body, 423 too brief, 400, 404.
/// Call-ID and tag above 256 bytes, or a dialog above 8 KiB, are 400. *Pure function.*
tl::expected<SummaryRequest, SipAnswer> readSummaryRequest(const ReceivedRequest& request);

/// What one NOTIFY says. *Value.*
struct SummaryNotice {
    std::uint64_t waiting = 0;
    Millis remaining{0};  ///< of the subscription; 0 = it has ended
    std::string tag;      ///< ours
    std::uint32_t cseq = 1;
    std::string contact;  ///< our URI in this dialog
};

/// The NOTIFY as it goes out, but for the Via. Invalid as RequestWriter has it. *Pure function.*
Result<std::string> printSummaryNotify(const SummaryRequest& subscription,
                                       const SummaryNotice& notice);

/// How many messages wait for somebody, those under way included. A port. *One loop.*
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

/// Tells phones that have subscribed how many messages wait for their user (RFC 3842). The
/// subscriptions are in memory: after a restart a refresh is answered 481, and the phone subscribes
/// anew. A mailbox in which something waits is counted again and again, at growing pauses, so that
/// it does not matter who has emptied it. Borrows everything. *One loop.*
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
    /// A message has come for them, or they have registered. Costs nothing without a subscription.
    void changed(const std::string& aor);

    std::size_t subscriptions() const noexcept { return subscriptions_.size(); }

private:
    struct Subscription {
        explicit Subscription(EventLoop& loop) : expiryTimer(loop) {}

        SummaryRequest request;
        std::string tag;
        std::string contact;
        TimePoint ends{};
        Timer expiryTimer;  ///< tells the phone of it
        std::uint32_t cseq = 0;
        std::optional<std::uint64_t> lastNotified;
        bool notifying = false;    ///< the answer to a NOTIFY is awaited; the next waits for it
        bool notifyAgain = false;  ///< another NOTIFY waits for that
    };
    /// Whoever has subscriptions.
    struct Mailbox {
        explicit Mailbox(EventLoop& loop) : recountTimer(loop) {}

        std::set<std::string> keys;  ///< of subscriptions_
        Millis pause{0};             ///< until it is counted again; 0 = it is not
        Timer recountTimer;          ///< of counting again
    };

    void begin(SummaryRequest wanted, const ReceivedRequest& request, const Respond& done);
    void refresh(SummaryRequest wanted, const Respond& done);
    void accept(const std::string& key, const Respond& done);
    void notify(const std::string& key);
    void send(const std::string& key, std::uint64_t waiting);
    void handleAnswer(const std::string& key, const std::string& tag, int status);
    void watch(const std::string& aor, Millis pause);
    void count(const std::string& aor);
    void tell(const std::string& aor, std::uint64_t waiting);
    void endAt(const std::string& key, TimePoint when);
    void forget(const std::string& key);
    std::string contactFor(const ReceivedRequest& request, const std::string& aor) const;

    Parts parts_;
    RequestSender sender_;
    std::unordered_map<std::string, Subscription> subscriptions_;  ///< by SummaryRequest::key()
    std::unordered_map<std::string, Mailbox> mailboxes_;           ///< by AoR
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
