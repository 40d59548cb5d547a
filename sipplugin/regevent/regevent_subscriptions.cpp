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
/// The server does not do it, or not for us: somebody has to change its configuration.
constexpr Millis kPermanentFailurePause{3'600'000};
constexpr Millis kMostRetryAfter{std::chrono::hours{24}};
constexpr Millis kAtOnce{1'000};

constexpr auto kPermanentFailures = std::to_array<int>({403, 404, 405, 489, 501});
/// RFC 6665 section 4.1.3: no use in subscribing again.
constexpr auto kFinalReasons = std::to_array<std::string_view>({"rejected", "noresource"});

/// Refreshing early costs nothing, and saves a gap between two subscriptions.
constexpr std::chrono::seconds kMargin{64};  // two transactions that time out
/// However short the server makes it: more often would be a flood.
constexpr std::chrono::seconds kSoonestRefresh{10};

Millis backOff(std::size_t failures)
{
    Millis pause = kFirstPause;
    for (std::size_t i = 1; i < failures && pause < kLongestPause; ++i) {
        pause *= 2;
    }
    return std::min(pause, kLongestPause);
}

/// For the NOTIFY that ends a subscription (timer N of RFC 6665, 64 * T1).
constexpr Millis kLinger{32'000};

constexpr std::string_view kReginfo = "application/reginfo+xml";

/// The word before the parameters, in lower case.
std::string wordOf(std::string_view value)
{
    return lowered(value.substr(0, value.find_first_of("; \t")));
}

/// Whether somebody is there; a server with other spellings tells of one address only.
bool saysActive(const std::vector<ReginfoRegistration>& told, const std::string& aor)
{
    const auto isAbout = [&](const auto& one) { return canonicalAor(one.aor).value_or("") == aor; };
    const bool named = std::ranges::any_of(told, isAbout);
    return std::ranges::any_of(
        told, [&](const auto& one) { return one.isActive() && (!named || isAbout(one)); });
}

/// The server's Contact, as long as it can be asked there.
void noteTarget(SubscribeRequest& dialog, std::string_view contact)
{
    const auto address = parseNameAddr(contact);
    if (address && parseSipUri(address->uri)) {
        dialog.target = address->uri;
    }
}

}  // namespace

Result<std::string> printSubscribe(const SubscribeRequest& request)
{
    RequestWriter writer("SUBSCRIBE", request.target.empty() ? request.aor : request.target);
    for (const auto& hop : request.routeSet) {
        writer.line("Route", hop);
    }
    writer.line("Max-Forwards", "70");
    writer.line("From", fmt::format("<{}>;tag={}", request.watcher, request.localTag));
    writer.line("To", fmt::format("<{}>{}{}", request.aor,
                                  request.remoteTag.empty() ? "" : ";tag=", request.remoteTag));
    writer.line("Call-ID", request.callId);
    writer.line("CSeq", fmt::format("{} SUBSCRIBE", request.cseq));
    writer.line("Contact", fmt::format("<{}>", request.contact));
    writer.line("Event", "reg");
    writer.line("Accept", "application/reginfo+xml");
    writer.line("Expires", std::to_string(request.expires.count()));
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
    const auto early = std::max(expires / 10, kMargin);
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
    return mayRenewAtOnce && !wanted && failures <= 1 ? kAtOnce : pauseAfter(0, failures, wanted);
}

/// The request is the one that was sent last.
struct RegEventSubscriptions::Subscription : SubscribeRequest {
    Subscription(EventLoop& loop, SubscribeRequest first)
        : SubscribeRequest(std::move(first)),
          timer(loop)
    {
    }

    std::size_t lastActiveBody = 0;  ///< hash of the last body, if it said active; else 0
    std::uint32_t remoteCseq = 0;
    std::size_t failures = 0;
    bool sending = false;
    bool subscribed = false;
    bool dropped = false;              ///< nobody waits any more
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
        refused_.add();
        return;
    }
    SubscribeRequest first{aor, settings_.watcher, settings_.contact};
    first.expires = settings_.expires;
    auto one = std::make_shared<Subscription>(callbacks_.loop, std::move(first));
    byAor_.emplace(aor, one);
    count();
    restart(one, Millis{0});
}

void RegEventSubscriptions::unsubscribeIfEmpty(const std::string& aor)
{
    const auto found = byAor_.find(aor);
    if (found == byAor_.end()) {
        return;
    }
    callbacks_.hasMessages(
        aor, callbackGuard_.guard([this, one = std::weak_ptr{found->second}](bool hasMessages) {
            if (const auto still = one.lock(); still && !hasMessages) {
                drop(still);
            }
        }));
}

/// A dialog of its own, so that nothing of the one before is mistaken for this one's.
void RegEventSubscriptions::restart(const Shared& one, Millis pause)
{
    forgetDialog(*one);
    auto begin = callbackGuard_.guard([this, weak = std::weak_ptr{one}] {
        if (const auto still = weak.lock(); still && !still->dropped) {
            still->callId = callbacks_.token();
            still->localTag = callbacks_.token();
            byCallId_[still->callId] = still;
            queue_.push_back(still);
            beginNext();
        }
    });
    pause == Millis{0} ? begin() : one->timer.arm(pause, begin);
}

void RegEventSubscriptions::forgetDialog(Subscription& one)
{
    byCallId_.erase(one.callId);
    one.callId.clear();
    one.remoteTag.clear();
    one.target.clear();
    one.routeSet.clear();
    one.cseq = one.remoteCseq = 0;
    one.subscribed = one.awaitsRefreshNotify = false;
}

void RegEventSubscriptions::beginNext()
{
    while (inProgress_ < settings_.maxConcurrent && !queue_.empty()) {
        const auto next = queue_.front().lock();
        queue_.pop_front();
        if (next && !next->dropped && !next->sending) {
            subscribe(next);
        }
    }
}

void RegEventSubscriptions::subscribe(const Shared& one)
{
    ++inProgress_;
    one->sending = true;
    one->awaitsRefreshNotify = one->subscribed;
    ++one->cseq;
    callbacks_.send(*one, callbackGuard_.guard([this, one, callId = one->callId](
                                                   const RequestSender::Response& answer) {
        --inProgress_;
        one->sending = false;
        // Otherwise the server has ended it meanwhile, and another has begun.
        if (one->callId == callId) {
            one->cseq += answer.repetitions;
            handleAnswer(one, answer);
        } else if (!one->dropped && !one->callId.empty()) {
            queue_.push_back(one);
        }
        beginNext();
    }));
}

void RegEventSubscriptions::handleAnswer(const Shared& one, const RequestSender::Response& answer)
{
    if (answer.status / 100 == 2) {
        handleSuccess(one, answer);
    } else if (one->dropped) {
        forgetDialog(*one);
    } else {
        handleFailure(one, answer);
    }
}

void RegEventSubscriptions::handleSuccess(const Shared& one, const RequestSender::Response& answer)
{
    one->failures = 0;
    one->subscribed = true;
    if (one->remoteTag.empty()) {
        one->remoteTag = answer.toTag;
    }
    noteTarget(*one, answer.contacts.empty() ? "" : answer.contacts.front());
    if (one->routeSet.empty()) {
        one->routeSet.assign(answer.recordRoutes.rbegin(), answer.recordRoutes.rend());
    }
    if (one->dropped) {
        return unsubscribe(one);
    }
    one->timer.arm(refreshAfter(answer.expires.value_or(one->expires)),
                   callbackGuard_.guard([this, weak = std::weak_ptr{one}] {
                       if (const auto still = weak.lock()) {
                           refresh(still);
                       }
                   }));
}

void RegEventSubscriptions::handleFailure(const Shared& one, const RequestSender::Response& answer)
{
    const bool tooBrief =
        answer.status == 423 && answer.minExpires.value_or(one->expires) > one->expires;
    if (tooBrief) {
        one->expires = *answer.minExpires;
        return restart(one, Millis{0});
    }
    const auto pause = pauseAfter(answer.status, ++one->failures, answer.retryAfter);
    if (const auto times = logLimiter_.countToLog(); times > 0) {
        log::warning("sip",
                     "{} subscriptions for registrations failed, the last for {}: {}; next try in "
                     "{} s; sip.retry goes on meanwhile",
                     times, one->aor, answer.status, pause.count() / 1'000);
    }
    restart(one, pause);
}

void RegEventSubscriptions::refresh(const Shared& one)
{
    // Delivered by somebody else, expired, or deleted by an operator meanwhile?
    callbacks_.hasMessages(one->aor, callbackGuard_.guard([this, one](bool hasMessages) {
        if (one->dropped || one->callId.empty()) {
            return;
        }
        if (!hasMessages) {
            return drop(one);
        }
        queue_.push_back(one);
        beginNext();
    }));
}

void RegEventSubscriptions::drop(const Shared& one)
{
    if (one->dropped) {
        return;
    }
    one->dropped = true;
    one->timer.cancel();
    byAor_.erase(one->aor);
    count();
    if (one->sending) {
        return;  // its answer leads here again
    }
    one->subscribed ? unsubscribe(one) : forgetDialog(*one);
}

void RegEventSubscriptions::unsubscribe(const Shared& one)
{
    if (one->expires.count() != 0) {
        one->expires = std::chrono::seconds{0};
        ++one->cseq;
        callbacks_.send(*one, [](const RequestSender::Response&) {});
    }
    one->timer.arm(kLinger, callbackGuard_.guard([this, weak = std::weak_ptr{one}] {
        if (const auto still = weak.lock()) {
            forgetDialog(*still);
        }
    }));
}

SipAnswer RegEventSubscriptions::handleNotify(const ReceivedRequest& request)
{
    const auto found = byCallId_.find(std::string{request.header("Call-ID").value_or("")});
    const auto one = found == byCallId_.end() ? nullptr : found->second;
    const auto theirTag = tagOf(request.header("From").value_or(""));
    const bool ours = one && tagOf(request.header("To").value_or("")) == one->localTag &&
                      !theirTag.empty() && (one->remoteTag.empty() || one->remoteTag == theirTag);
    if (!ours) {
        return refusal(481, "Subscription Does Not Exist", "this was not subscribed to");
    }
    if (wordOf(request.header("Event").value_or("")) != "reg") {
        return {489, "Bad Event", {{"Allow-Events", "reg"}}};
    }
    const auto number = parseCSeq(request.header("CSeq").value_or("")).value_or(CSeq{}).number;
    if (one->remoteCseq != 0 && number <= one->remoteCseq) {
        return refusal(500, "CSeq Out of Order", "a later NOTIFY has been here");
    }
    std::vector<ReginfoRegistration> told;
    std::optional<SipAnswer> unreadable;
    if (!request.body.empty()) {
        auto read = parseReginfo(request.body);
        if (wordOf(request.header("Content-Type").value_or("")) != kReginfo) {
            unreadable = {415, "Unsupported Media Type", {{"Accept", std::string{kReginfo}}}};
        } else if (!read) {
            unreadable = refusal(400, "Bad Request", read.error().message);
        } else {
            told = std::move(*read);
        }
    }
    one->remoteTag = theirTag;
    one->remoteCseq = number;
    const auto aor = one->aor;
    // An attempt in vain costs less than a message that waits.
    const bool active = !one->dropped && (unreadable || saysActive(told, aor));
    // The answer to our refresh tells what we know; the device may be registered and not answer.
    const auto heard = active ? std::hash<std::string_view>{}(request.body) : 0;
    const bool news =
        !(std::exchange(one->awaitsRefreshNotify, false) && one->lastActiveBody == heard);
    one->lastActiveBody = heard;
    handleState(one, request);
    if (active && news) {
        callbacks_.reachable(aor);
    }
    return unreadable.value_or(SipAnswer{200, "OK", {}});
}

void RegEventSubscriptions::handleState(const Shared& one, const ReceivedRequest& request)
{
    noteTarget(*one, request.header("Contact").value_or(""));
    const auto state = parseSubscriptionState(request.header("Subscription-State").value_or(""));
    if (!state.ended) {
        return;
    }
    if (one->dropped) {
        one->timer.cancel();
        return forgetDialog(*one);
    }
    restart(one, pauseAfter(state, ++one->failures));
}

}  // namespace restante::sip
