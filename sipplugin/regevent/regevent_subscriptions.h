#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/metrics.h"
#include "core/base/result.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/transport/request_sender.h"

#include <deque>
#include <unordered_map>

namespace restante::sip {

/// The content of one SUBSCRIBE of a reg-event subscription. *Value.*
struct SubscribeRequest {
    std::string aor;      ///< the subject: To, and Request-URI while there is no dialog
    std::string watcher;  ///< our own address of record
    std::string contact;  ///< where NOTIFYs go, a URI
    std::string callId = {};
    std::string localTag = {};
    std::string remoteTag = {};  ///< empty as long as there is no dialog
    std::string target = {};     ///< the server's Contact; empty as long as there is none
    std::vector<std::string> routeSet = {};  ///< Route values, first = nearest
    std::uint32_t cseq = 1;
    std::chrono::seconds expires{3'600};  ///< 0 ends the subscription
};

/// The request without the Via. Fails with Invalid where RequestWriter::finish() does.
/// *Pure function.*
Result<std::string> formatSubscribe(const SubscribeRequest& request);

/// The value of Subscription-State, RFC 6665 section 8.4. *Value.*
struct SubscriptionState {
    bool ended = false;
    std::string reason;  ///< in lower case
    std::optional<std::chrono::seconds> expires;
    std::optional<std::chrono::seconds> retryAfter;
};
SubscriptionState parseSubscriptionState(std::string_view text);

/// When to refresh: early enough for a second try, and after 10 s at the earliest. *Pure function.*
Millis refreshAfter(std::chrono::seconds expires);

/// The pause before the next try after so many failures in a row (1 = the first): 5 s, doubled each
/// time, at most ten minutes; an hour where the server says that it cannot or will not (403, 404,
/// 405, 489, 501); the server's Retry-After when that is longer, at most a day. *Pure function.*
Millis pauseAfter(int status, std::size_t failures, std::optional<Millis> retryAfter);

/// The same after the server has ended it: one second where it asks for a new subscription, the
/// first time; an hour at least where it says that another would be useless.
Millis pauseAfter(const SubscriptionState& state, std::size_t failures);

/// Subscribes to the registrations (RFC 3680) of recipients for whom messages wait, and reports
/// when one can be reached. Each daemon has one subscription per AoR: refreshed in time, renewed
/// when the server has lost it, dropped when the mailbox is empty. Borrows the loop and the
/// clock. *One loop.*
class RegEventSubscriptions {
public:
    struct Environment {
        EventLoop& loop;
        const Clock& clock;
        /// Sends the request; the handler gets its final answer, once, never from inside the call.
        std::function<void(const SubscribeRequest&, RequestSender::AnswerHandler)> send;
        /// Whether messages are held for an AoR; true when the store cannot tell.
        std::function<void(const std::string&, std::function<void(bool)>)> hasMessages;
        /// Called with the AoR that can be reached now.
        std::function<void(const std::string&)> onReachable;
        /// Returns 128 random bits as text, so that nobody can guess a dialog and forge a NOTIFY.
        std::function<std::string()> newToken;
    };
    struct Settings {
        std::string watcher;  ///< our own address of record
        std::string contact;  ///< the URI for NOTIFYs
        std::chrono::seconds expires{3'600};
        std::size_t maxSubscriptions =
            10'000;  ///< subscriptions at once; the others have the retry schedule
        std::size_t maxConcurrent =
            100;  ///< unanswered SUBSCRIBEs, which limits the load of a restart
    };

    RegEventSubscriptions(Environment environment, Settings settings)
        : environment_(std::move(environment)),
          settings_(std::move(settings)),
          logLimiter_(environment_.clock),
          subscriptionGauge_(metrics::gauge("restante_sip_subscriptions")),
          refusedCounter_(metrics::counter("restante_sip_subscriptions_refused_total"))
    {
    }
    /// Sends no unsubscribe: the server's next NOTIFY is answered 481, which ends the subscription.
    ~RegEventSubscriptions();

    /// Subscribes for this AoR, for which messages wait and which could not be reached.
    void watch(const std::string& aor);
    /// Ends the subscription of this AoR if no message is left after a delivery.
    void unsubscribeIfEmpty(const std::string& aor);
    /// Handles a NOTIFY and returns its answer.
    SipAnswer handleNotify(const ReceivedRequest& request);

    bool isFull() const noexcept { return byAor_.size() >= settings_.maxSubscriptions; }
    std::size_t subscriptions() const noexcept { return byAor_.size(); }

private:
    struct Subscription;
    /// Shared with callbacks of pending requests.
    using SubscriptionPtr = std::shared_ptr<Subscription>;

    void beginQueued();
    void subscribe(const SubscriptionPtr& subscription);
    void handleAnswer(const SubscriptionPtr& subscription, const RequestSender::Response& answer);
    void handleSuccess(const SubscriptionPtr& subscription, const RequestSender::Response& answer);
    void handleFailure(const SubscriptionPtr& subscription, const RequestSender::Response& answer);
    void refresh(const SubscriptionPtr& subscription);
    void restart(const SubscriptionPtr& subscription, Millis pause);
    void drop(const SubscriptionPtr& subscription);
    void unsubscribe(const SubscriptionPtr& subscription);
    void forgetDialog(Subscription& subscription);
    void handleState(const SubscriptionPtr& subscription, const ReceivedRequest& request);
    std::size_t countFailure(Subscription& subscription) const;
    void updateGauge() { subscriptionGauge_.set(static_cast<double>(byAor_.size())); }

    Environment environment_;
    Settings settings_;
    std::unordered_map<std::string, SubscriptionPtr> byAor_;
    std::unordered_map<std::string, SubscriptionPtr> byCallId_;  ///< also those that are ending
    std::deque<std::weak_ptr<Subscription>> queue_;  ///< those with a SUBSCRIBE to be sent
    std::size_t unansweredCount_ = 0;
    LogRateLimiter logLimiter_;
    metrics::Gauge& subscriptionGauge_;
    metrics::Counter& refusedCounter_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
