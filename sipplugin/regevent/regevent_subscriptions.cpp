#include "sipplugin/regevent/regevent_subscriptions.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/request_text.h"
#include "sipplugin/message/sip_date.h"
#include "sipplugin/regevent/reginfo.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace restante::sip {

namespace {

constexpr Millis kFirstPause{5'000};
constexpr Millis kLongestPause{600'000};
/// The server does not support it, or not for us: its configuration must be changed.
constexpr Millis kPermanentFailurePause{3'600'000};
constexpr Millis kMostRetryAfter{std::chrono::hours{24}};
constexpr Millis kRenewalPause{1'000};

constexpr auto kPermanentFailures = std::to_array<int>({403, 404, 405, 489, 501});
/// RFC 6665 section 4.1.3: subscribing again would be useless.
constexpr auto kFinalReasons = std::to_array<std::string_view>({"rejected", "noresource"});

/// How long before the expiry to refresh, so that there is no gap between two subscriptions.
constexpr std::chrono::seconds kRefreshMargin{64};  // two transactions that time out
/// The shortest interval, however short the server's expiry is.
constexpr std::chrono::seconds kSoonestRefresh{10};

Millis backOff(std::size_t failures)
{
    Millis pause = kFirstPause;
    for (std::size_t i = 1; i < failures && pause < kLongestPause; ++i) {
        pause *= 2;
    }
    return std::min(pause, kLongestPause);
}

/// A dialog that has lasted so long has worked: what ends it then is the first failure.
constexpr Millis kProvenAfter = kLongestPause;

/// How long a dialog waits for the NOTIFY that ends it (timer N of RFC 6665, 64 * T1).
constexpr Millis kDialogLinger{32'000};

constexpr std::string_view kReginfo = "application/reginfo+xml";

/// The value before the parameters, in lower case.
std::string firstWordOf(std::string_view value)
{
    return lowered(value.substr(0, value.find_first_of("; \t")));
}

/// Whether `aor` is registered. If no registration names it, any active one counts: the server may
/// spell the address differently.
bool isActive(const std::vector<ReginfoRegistration>& registrations, const std::string& aor)
{
    const auto isAbout = [&](const auto& one) { return canonicalAor(one.aor).value_or("") == aor; };
    const bool named = std::ranges::any_of(registrations, isAbout);
    return std::ranges::any_of(
        registrations, [&](const auto& one) { return one.isActive() && (!named || isAbout(one)); });
}

/// Sets the dialog's target to the server's Contact, if that is a SIP URI.
void updateTarget(SubscribeRequest& dialog, std::string_view contact)
{
    const auto address = parseNameAddr(contact);
    if (address && parseSipUri(address->uri)) {
        dialog.target = address->uri;
    }
}

}  // namespace

Result<std::string> formatSubscribe(const SubscribeRequest& request)
{
    RequestWriter writer("SUBSCRIBE", request.target.empty() ? request.aor : request.target);
    for (const auto& hop : request.routeSet) {
        writer.addLine("Route", hop);
    }
    writer.addLine("Max-Forwards", "70");
    writer.addLine("From", fmt::format("<{}>;tag={}", request.watcher, request.localTag));
    writer.addLine("To", fmt::format("<{}>{}{}", request.aor,
                                     request.remoteTag.empty() ? "" : ";tag=", request.remoteTag));
    writer.addLine("Call-ID", request.callId);
    writer.addLine("CSeq", fmt::format("{} SUBSCRIBE", request.cseq));
    writer.addLine("Contact", fmt::format("<{}>", request.contact));
    writer.addLine("Event", "reg");
    writer.addLine("Accept", "application/reginfo+xml");
    writer.addLine("Expires", std::to_string(request.expires.count()));
    return std::move(writer).finish();
}

SubscriptionState parseSubscriptionState(std::string_view text)
{
    SubscriptionState state;
    bool first = true;
    for (const auto one : split(text, ';')) {
        const auto part = trimmed(one);
        const auto equals = std::min(part.find('='), part.size());
        const auto name = trimmed(part.substr(0, equals));
        const auto value = trimmed(part.substr(std::min(equals + 1, part.size())));
        if (std::exchange(first, false)) {
            state.ended = equalIgnoringCase(part, "terminated");
        } else if (equalIgnoringCase(name, "reason")) {
            state.reason = lowered(value);
        } else if (equalIgnoringCase(name, "expires")) {
            state.expires = wholeSeconds(value);
        } else if (equalIgnoringCase(name, "retry-after")) {
            state.retryAfter = wholeSeconds(value);
        }
    }
    return state;
}

Millis refreshAfter(std::chrono::seconds expires)
{
    const auto early = std::max(expires / 10, kRefreshMargin);
    return expires > 2 * early ? Millis{expires - early}
                               : Millis{std::max(expires / 2, kSoonestRefresh)};
}

Millis pauseAfter(int status, std::size_t failures, std::optional<Millis> retryAfter)
{
    const bool permanent =
        std::ranges::find(kPermanentFailures, status) != kPermanentFailures.end();
    const auto wanted = std::min(retryAfter.value_or(Millis{0}), kMostRetryAfter);
    return std::max(permanent ? kPermanentFailurePause : backOff(failures), wanted);
}

Millis pauseAfter(const SubscriptionState& state, std::size_t failures)
{
    const std::optional<Millis> wanted = state.retryAfter;
    if (std::ranges::find(kFinalReasons, state.reason) != kFinalReasons.end()) {
        return std::max(kPermanentFailurePause,
                        std::min(wanted.value_or(Millis{0}), kMostRetryAfter));
    }
    const bool mayRenewAtOnce = state.reason == "deactivated" || state.reason == "timeout";
    return mayRenewAtOnce && !wanted && failures <= 1 ? kRenewalPause
                                                      : pauseAfter(0, failures, wanted);
}

/// The base is the dialog as the next request names it; its `cseq` is that of the last one.
struct RegEventSubscriptions::Subscription : SubscribeRequest {
    Subscription(EventLoop& loop, SubscribeRequest first)
        : SubscribeRequest(std::move(first)),
          timer(loop)
    {
    }

    std::size_t lastActiveBodyHash = 0;  ///< of the last body, if it said active; else 0
    std::uint32_t remoteCseq = 0;
    std::size_t failures = 0;  ///< in a row
    bool sending = false;
    bool subscribed = false;
    TimePoint subscribedAt{};          ///< since when, if it is
    bool dropped = false;              ///< to be ended: no message waits
    bool awaitsRefreshNotify = false;  ///< the next NOTIFY only answers our refresh
    Timer timer;
};

RegEventSubscriptions::~RegEventSubscriptions() = default;

void RegEventSubscriptions::watch(const std::string& aor)
{
    if (byAor_.contains(aor)) {
        return;
    }
    if (isFull()) {
        refusedCounter_.add();
        return;
    }
    SubscribeRequest first{aor, settings_.watcher, settings_.contact};
    first.expires = settings_.expires;
    auto subscription = std::make_shared<Subscription>(environment_.loop, std::move(first));
    byAor_.emplace(aor, subscription);
    updateGauge();
    restart(subscription, Millis{0});
}

void RegEventSubscriptions::unsubscribeIfEmpty(const std::string& aor)
{
    const auto found = byAor_.find(aor);
    if (found == byAor_.end()) {
        return;
    }
    environment_.hasMessages(
        aor, callbackGuard_.guard([this, weak = std::weak_ptr{found->second}](bool hasMessages) {
            if (const auto still = weak.lock(); still && !hasMessages) {
                drop(still);
            }
        }));
}

/// Begins a new dialog, so that late messages of the old one are not taken for its own.
void RegEventSubscriptions::restart(const SubscriptionPtr& subscription, Millis pause)
{
    forgetDialog(*subscription);
    auto begin = callbackGuard_.guard([this, weak = std::weak_ptr{subscription}] {
        if (const auto still = weak.lock(); still && !still->dropped) {
            still->callId = environment_.newToken();
            still->localTag = environment_.newToken();
            byCallId_[still->callId] = still;
            queue_.push_back(still);
            beginQueued();
        }
    });
    pause == Millis{0} ? begin() : subscription->timer.arm(pause, begin);
}

void RegEventSubscriptions::forgetDialog(Subscription& subscription)
{
    byCallId_.erase(subscription.callId);
    subscription.callId.clear();
    subscription.remoteTag.clear();
    subscription.target.clear();
    subscription.routeSet.clear();
    subscription.cseq = subscription.remoteCseq = 0;
    subscription.subscribed = subscription.awaitsRefreshNotify = false;
}

void RegEventSubscriptions::beginQueued()
{
    while (unansweredCount_ < settings_.maxConcurrent && !queue_.empty()) {
        const auto next = queue_.front().lock();
        queue_.pop_front();
        if (next && !next->dropped && !next->sending) {
            subscribe(next);
        }
    }
}

void RegEventSubscriptions::subscribe(const SubscriptionPtr& subscription)
{
    ++unansweredCount_;
    subscription->sending = true;
    subscription->awaitsRefreshNotify = subscription->subscribed;
    ++subscription->cseq;
    environment_.send(*subscription,
                      callbackGuard_.guard([this, subscription, callId = subscription->callId](
                                               const RequestSender::Response& answer) {
                          --unansweredCount_;
                          subscription->sending = false;
                          // Otherwise the server has ended that dialog meanwhile, and another has
                          // begun.
                          if (subscription->callId == callId) {
                              subscription->cseq += answer.repetitions;
                              handleAnswer(subscription, answer);
                          } else if (subscription->dropped) {
                              forgetDialog(*subscription);
                          } else if (!subscription->callId.empty()) {
                              queue_.push_back(subscription);
                          }
                          beginQueued();
                      }));
}

void RegEventSubscriptions::handleAnswer(const SubscriptionPtr& subscription,
                                         const RequestSender::Response& answer)
{
    if (answer.status / 100 == 2) {
        handleSuccess(subscription, answer);
    } else if (subscription->dropped) {
        forgetDialog(*subscription);
    } else {
        handleFailure(subscription, answer);
    }
}

void RegEventSubscriptions::handleSuccess(const SubscriptionPtr& subscription,
                                          const RequestSender::Response& answer)
{
    // A server may accept and then end it, again and again: only a refresh shows that it works.
    if (std::exchange(subscription->subscribed, true)) {
        subscription->failures = 0;
    } else {
        subscription->subscribedAt = environment_.clock.now();
    }
    if (subscription->remoteTag.empty()) {
        subscription->remoteTag = answer.toTag;
    }
    updateTarget(*subscription, answer.contacts.empty() ? "" : answer.contacts.front());
    if (subscription->routeSet.empty()) {
        subscription->routeSet.assign(answer.recordRoutes.rbegin(), answer.recordRoutes.rend());
    }
    if (subscription->dropped) {
        return unsubscribe(subscription);
    }
    subscription->timer.arm(refreshAfter(answer.expires.value_or(subscription->expires)),
                            callbackGuard_.guard([this, weak = std::weak_ptr{subscription}] {
                                if (const auto still = weak.lock()) {
                                    refresh(still);
                                }
                            }));
}

void RegEventSubscriptions::handleFailure(const SubscriptionPtr& subscription,
                                          const RequestSender::Response& answer)
{
    const bool tooBrief = answer.status == 423 &&
                          answer.minExpires.value_or(subscription->expires) > subscription->expires;
    if (tooBrief) {
        subscription->expires = *answer.minExpires;
        return restart(subscription, Millis{0});
    }
    const auto pause = pauseAfter(answer.status, countFailure(*subscription), answer.retryAfter);
    if (const auto times = logLimiter_.countToLog(); times > 0) {
        log::warning("sip",
                     "{} subscriptions for registrations failed, the last for {}: {}; next try in "
                     "{} s; sip.retry goes on meanwhile",
                     times, subscription->aor, answer.status, pause.count() / 1'000);
    }
    restart(subscription, pause);
}

void RegEventSubscriptions::refresh(const SubscriptionPtr& subscription)
{
    // The messages may have been delivered by another daemon, expired, or been deleted meanwhile.
    environment_.hasMessages(subscription->aor,
                             callbackGuard_.guard([this, subscription](bool hasMessages) {
                                 if (subscription->dropped || subscription->callId.empty()) {
                                     return;
                                 }
                                 if (!hasMessages) {
                                     return drop(subscription);
                                 }
                                 queue_.push_back(subscription);
                                 beginQueued();
                             }));
}

void RegEventSubscriptions::drop(const SubscriptionPtr& subscription)
{
    if (subscription->dropped) {
        return;
    }
    subscription->dropped = true;
    subscription->timer.cancel();
    byAor_.erase(subscription->aor);
    updateGauge();
    if (subscription->sending) {
        return;  // its answer will continue
    }
    subscription->subscribed ? unsubscribe(subscription) : forgetDialog(*subscription);
}

void RegEventSubscriptions::unsubscribe(const SubscriptionPtr& subscription)
{
    if (subscription->expires.count() != 0) {
        subscription->expires = std::chrono::seconds{0};
        ++subscription->cseq;
        environment_.send(*subscription, [](const RequestSender::Response&) {});
    }
    subscription->timer.arm(kDialogLinger,
                            callbackGuard_.guard([this, weak = std::weak_ptr{subscription}] {
                                if (const auto still = weak.lock()) {
                                    forgetDialog(*still);
                                }
                            }));
}

SipAnswer RegEventSubscriptions::handleNotify(const ReceivedRequest& request)
{
    const auto found = byCallId_.find(std::string{request.header("Call-ID").value_or("")});
    const auto subscription = found == byCallId_.end() ? nullptr : found->second;
    const auto theirTag = tagOf(request.header("From").value_or(""));
    const bool ours = subscription &&
                      tagOf(request.header("To").value_or("")) == subscription->localTag &&
                      !theirTag.empty() &&
                      (subscription->remoteTag.empty() || subscription->remoteTag == theirTag);
    if (!ours) {
        return refusal(481, "Subscription Does Not Exist", "this was not subscribed to");
    }
    if (firstWordOf(request.header("Event").value_or("")) != "reg") {
        return {489, "Bad Event", {{"Allow-Events", "reg"}}};
    }
    const auto number = parseCSeq(request.header("CSeq").value_or("")).value_or(CSeq{}).number;
    if (subscription->remoteCseq != 0 && number <= subscription->remoteCseq) {
        return refusal(500, "CSeq Out of Order", "a later NOTIFY has been here");
    }
    std::vector<ReginfoRegistration> registrations;
    std::optional<SipAnswer> bodyRefusal;
    if (!request.body.empty()) {
        auto read = parseReginfo(request.body);
        if (firstWordOf(request.header("Content-Type").value_or("")) != kReginfo) {
            bodyRefusal = {415, "Unsupported Media Type", {{"Accept", std::string{kReginfo}}}};
        } else if (!read) {
            bodyRefusal = refusal(400, "Bad Request", read.error().message);
        } else {
            registrations = std::move(*read);
        }
    }
    subscription->remoteTag = theirTag;
    subscription->remoteCseq = number;
    const auto aor = subscription->aor;
    // When in doubt, try: a useless attempt costs less than a message that waits.
    const bool active = !subscription->dropped && (bodyRefusal || isActive(registrations, aor));
    // The NOTIFY after our refresh may repeat a known state of a device that does not answer.
    const auto bodyHash = active ? std::hash<std::string_view>{}(request.body) : 0;
    const bool isNews = !(std::exchange(subscription->awaitsRefreshNotify, false) &&
                          subscription->lastActiveBodyHash == bodyHash);
    subscription->lastActiveBodyHash = bodyHash;
    handleState(subscription, request);
    if (active && isNews) {
        environment_.onReachable(aor);
    }
    return bodyRefusal.value_or(SipAnswer{200, "OK", {}});
}

void RegEventSubscriptions::handleState(const SubscriptionPtr& subscription,
                                        const ReceivedRequest& request)
{
    updateTarget(*subscription, request.header("Contact").value_or(""));
    const auto state = parseSubscriptionState(request.header("Subscription-State").value_or(""));
    if (!state.ended) {
        return;
    }
    if (subscription->dropped) {
        subscription->timer.cancel();
        return forgetDialog(*subscription);
    }
    restart(subscription, pauseAfter(state, countFailure(*subscription)));
}

/// How many there were in a row, with the one that ends the dialog now.
std::size_t RegEventSubscriptions::countFailure(Subscription& subscription) const
{
    if (subscription.subscribed &&
        environment_.clock.now() - subscription.subscribedAt >= kProvenAfter) {
        subscription.failures = 0;
    }
    return ++subscription.failures;
}

}  // namespace restante::sip
