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

/// What one SUBSCRIBE of a reg-event subscription says. *Value.*
struct SubscribeRequest {
    std::string aor;      ///< whom it is about: the To, and the target while there is no dialog
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

/// The request but for the Via. Invalid as RequestWriter has it. *Pure function.*
Result<std::string> printSubscribe(const SubscribeRequest& request);

/// The value of Subscription-State, RFC 6665 section 8.4. *Value.*
struct SubscriptionState {
    bool ended = false;
    std::string reason;  ///< in lower case
    std::optional<std::chrono::seconds> expires;
    std::optional<std::chrono::seconds> retryAfter;
};
SubscriptionState parseSubscriptionState(std::string_view text);

/// Early enough for a second try, and not more often than every 10 s. *Pure function.*
Millis refreshAfter(std::chrono::seconds expires);

/// The pause before the next try after so many failures in a row (1 = the first): 5 s, doubled each
/// time, at most ten minutes; an hour where the server says that it cannot or will not (403, 404,
/// 405, 489, 501); what the server wants when that is longer, at most a day. *Pure function.*
Millis pauseAfter(int status, std::size_t failures, std::optional<Millis> retryAfter);

/// After the server has ended it: at once (a second) where it asks for a new one.
Millis pauseAfter(const SubscriptionState& state, std::size_t failures);

/// Subscribes to the registrations (RFC 3680) of those for whom messages wait, and tells when
/// somebody can be reached. One an AoR and daemon: refreshed in time, made anew when the server has
/// lost it, dropped when the mailbox is empty. Borrows what the callbacks borrow. *One loop.*
class RegEventSubscriptions {
public:
    struct Callbacks {
        EventLoop& loop;
        const Clock& clock;
        /// Sends it and passes on its final answer, once, never from inside the call.
        std::function<void(const SubscribeRequest&, RequestSender::Answered)> send;
        /// Whether anything is held for an AoR; true when that cannot be found out.
        std::function<void(const std::string&, std::function<void(bool)>)> hasMessages;
        /// Somebody can be reached now.
        std::function<void(const std::string&)> reachable;
        /// 128 random bits as text: whoever cannot guess them cannot forge a NOTIFY.
        std::function<std::string()> token;
    };
    struct Settings {
        std::string watcher;  ///< our own address of record
        std::string contact;  ///< the URI for NOTIFYs
        std::chrono::seconds expires{3'600};
        std::size_t most = 10'000;  ///< subscriptions at once; the others have the retry schedule
        std::size_t maxConcurrent = 100;  ///< SUBSCRIBEs under way at once: the pace of a restart
    };

    RegEventSubscriptions(Callbacks callbacks, Settings settings)
        : callbacks_(std::move(callbacks)),
          settings_(std::move(settings)),
          logLimiter_(callbacks_.clock),
          open_(metrics::gauge("restante_sip_subscriptions")),
          refused_(metrics::counter("restante_sip_subscriptions_refused_total"))
    {
    }
    /// Ends no subscription: the server's next NOTIFY is answered 481, and that does.
    ~RegEventSubscriptions();

    /// Messages wait for this AoR, which could not be reached.
    void watch(const std::string& aor);
    /// Messages of this AoR have been delivered: the end of its subscription, if none is left.
    void unsubscribeIfEmpty(const std::string& aor);
    /// The answer to a NOTIFY.
    SipAnswer handleNotify(const ReceivedRequest& request);

    bool isFull() const noexcept { return byAor_.size() >= settings_.most; }
    std::size_t subscriptions() const noexcept { return byAor_.size(); }

private:
    struct Subscription;
    using Shared = std::shared_ptr<Subscription>;  ///< with the answers under way

    void beginNext();
    void subscribe(const Shared& one);
    void handleAnswer(const Shared& one, const RequestSender::Response& answer);
    void handleSuccess(const Shared& one, const RequestSender::Response& answer);
    void handleFailure(const Shared& one, const RequestSender::Response& answer);
    void refresh(const Shared& one);
    void restart(const Shared& one, Millis pause);
    void drop(const Shared& one);
    void unsubscribe(const Shared& one);
    void forgetDialog(Subscription& one);
    void handleState(const Shared& one, const ReceivedRequest& request);
    void count() { open_.set(static_cast<double>(byAor_.size())); }

    Callbacks callbacks_;
    Settings settings_;
    std::unordered_map<std::string, Shared> byAor_;
    std::unordered_map<std::string, Shared> byCallId_;  ///< also of those that are ending
    std::deque<std::weak_ptr<Subscription>> queue_;     ///< whose SUBSCRIBE waits for its turn
    std::size_t inProgress_ = 0;
    LogRateLimiter logLimiter_;
    metrics::Gauge& open_;
    metrics::Counter& refused_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
