#include "sipplugin/mwi/message_summaries.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/job/cpim.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/request_text.h"
#include "sipplugin/message/sip_date.h"
#include "sipplugin/transport/retransmission_cache.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::string_view kSummaryEvent = "message-summary";
constexpr std::string_view kSummaryType = "application/simple-message-summary";
constexpr std::chrono::seconds kShortestExpiry{60};
constexpr std::chrono::seconds kLongestExpiry{3'600};
/// The longest Call-ID or tag: several times what phones use.
constexpr std::size_t kLongestDialogId = 256;
/// The most bytes kept of a SUBSCRIBE: a long contact, and a handful of Record-Routes.
constexpr std::size_t kLargestDialog = 8'192;

bool acceptsSummaries(const ReceivedRequest& request)
{
    const auto isAccepted = [](std::string_view item) {
        const auto type = mediaType(item);
        return equalIgnoringCase(type, kSummaryType) || type == "*/*" ||
               equalIgnoringCase(type, "application/*");
    };
    const auto lines = request.all("Accept");
    return lines.empty() || std::ranges::any_of(lines, [&](std::string_view line) {
               return std::ranges::any_of(split(line, ','), isAccepted);
           });
}

/// Nothing when the header is malformed.
std::optional<std::chrono::seconds> requestedExpiry(const ReceivedRequest& request)
{
    const auto text = request.header("Expires");
    return text ? deltaSeconds(*text) : kLongestExpiry;
}

/// Sets event id and expiry, or returns the answer that refuses them.
std::optional<SipAnswer> readTerms(const ReceivedRequest& request, SummaryRequest& wanted)
{
    const auto params = split(request.header("Event").value_or(""), ';');
    if (!equalIgnoringCase(trimmed(params.front()), kSummaryEvent)) {
        return SipAnswer{489, "Bad Event", {{"Allow-Events", std::string{kSummaryEvent}}}};
    }
    for (const auto param : params) {
        const auto equals = std::min(param.find('='), param.size());
        if (equalIgnoringCase(trimmed(param.substr(0, equals)), "id")) {
            wanted.eventId = trimmed(param.substr(std::min(equals + 1, param.size())));
        }
    }
    if (!acceptsSummaries(request)) {
        return SipAnswer{406, "Not Acceptable", {{"Accept", std::string{kSummaryType}}}};
    }
    const auto expires = requestedExpiry(request);
    if (!expires) {
        return refusal(400, "Bad Request", "Expires is not a number of seconds");
    }
    if (expires->count() > 0 && *expires < kShortestExpiry) {
        return SipAnswer{
            423, "Interval Too Brief", {{"Min-Expires", std::to_string(kShortestExpiry.count())}}};
    }
    wanted.expires = std::min(*expires, kLongestExpiry);
    return {};
}

/// Sets the dialog, or returns the answer that refuses it.
std::optional<SipAnswer> readDialog(const ReceivedRequest& request, SummaryRequest& wanted)
{
    const auto from = parseNameAddr(request.header("From").value_or(""));
    const auto to = parseNameAddr(request.header("To").value_or(""));
    const auto cseq = parseCSeq(request.header("CSeq").value_or(""));
    const auto* tag = from ? from->param("tag") : nullptr;
    if (tag == nullptr || !to || !cseq || !request.header("Call-ID")) {
        return refusal(400, "Bad Request", "From needs a tag, and To, Call-ID and CSeq must stand");
    }
    const auto* toTag = to->param("tag");
    wanted.subscriber = canonicalAor(from->uri).value_or("");
    wanted.callId = *request.header("Call-ID");
    wanted.fromTag = *tag;
    wanted.toTag = toTag != nullptr ? *toTag : "";
    wanted.from = *request.header("From");
    wanted.to = to->formatWithoutTag();
    wanted.cseq = cseq->number;
    return {};
}

std::optional<SipAnswer> readRoute(const ReceivedRequest& request, SummaryRequest& wanted)
{
    const auto contact = parseNameAddr(request.header("Contact").value_or(""));
    Binding device;
    if (contact) {
        device.contact = contact->uri;
    }
    for (const auto hop : request.elements("Record-Route")) {
        device.path.emplace_back(hop);
    }
    device.source = sourceOf(request);
    device.flow = isDirect(request) ? request.flow : "";
    device.behindNat = isBehindNat(request);
    device.transport = name(request.transport);
    auto route = routeToDevice(device);
    if (!route) {
        return refusal(400, "Bad Contact", route.error().message);
    }
    wanted.route = std::move(*route);
    return {};
}

bool isTooLong(const SummaryRequest& wanted)
{
    auto kept = wanted.aor.size() + wanted.from.size() + wanted.to.size() + wanted.eventId.size() +
                wanted.route.requestUri.size() + wanted.route.nextHop.size();
    for (const auto& hop : wanted.route.routeSet) {
        kept += hop.size();
    }
    return wanted.callId.size() > kLongestDialogId || wanted.fromTag.size() > kLongestDialogId ||
           kept > kLargestDialog;
}

/// About 20 MB with usual phones; readSummaryRequest() bounds the size of each.
constexpr std::size_t kMostSubscriptions = 20'000;
/// The most of one user; the one that expires first is dropped, so that crashed phones do no harm.
constexpr std::size_t kMostPerUser = 10;
constexpr int kFullRetrySeconds = 60;
/// A reachable device takes its messages within the first pause, and no NOTIFY is needed.
constexpr Millis kFirstRecountPause{1'000};
constexpr Millis kLongestRecountPause{30'000};

}  // namespace

tl::expected<SummaryRequest, SipAnswer> readSummaryRequest(const ReceivedRequest& request)
{
    SummaryRequest wanted;
    const auto aor = canonicalAor(request.requestUri);
    if (!aor) {
        return tl::unexpected(refusal(404, "Not Found", "the Request-URI names no user"));
    }
    wanted.aor = *aor;
    for (const auto read : {readTerms, readDialog, readRoute}) {
        if (auto refused = read(request, wanted)) {
            return tl::unexpected(std::move(*refused));
        }
    }
    if (isTooLong(wanted)) {
        return tl::unexpected(refusal(400, "Bad Request",
                                      fmt::format("Call-ID or tag has more than {} bytes, or the "
                                                  "dialog more than {}",
                                                  kLongestDialogId, kLargestDialog)));
    }
    for (const auto& text :
         {wanted.from, wanted.to, wanted.callId, wanted.eventId, wanted.route.requestUri}) {
        if (!isOneLine(text)) {
            return tl::unexpected(refusal(400, "Bad Request", "a header holds a line break"));
        }
    }
    return wanted;
}

Result<std::string> formatSummaryNotify(const SummaryRequest& subscription,
                                        const SummaryNotice& notice)
{
    const auto body =
        fmt::format("Messages-Waiting: {}\r\nMessage-Account: {}\r\n"
                    "Text-Message: {}/0\r\n",
                    notice.waiting > 0 ? "yes" : "no", subscription.aor, notice.waiting);
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(notice.remaining).count();
    RequestWriter writer("NOTIFY", subscription.route.requestUri);
    for (const auto& hop : subscription.route.routeSet) {
        writer.addLine("Route", hop);
    }
    writer.addLine("Max-Forwards", "70");
    writer.addLine("From", fmt::format("{};tag={}", subscription.to, notice.tag));
    writer.addLine("To", subscription.from);
    writer.addLine("Call-ID", subscription.callId);
    writer.addLine("CSeq", fmt::format("{} NOTIFY", notice.cseq));
    writer.addLine("Contact", fmt::format("<{}>", notice.contact));
    writer.addLine("Event", subscription.eventId.empty()
                                ? std::string{kSummaryEvent}
                                : fmt::format("{};id={}", kSummaryEvent, subscription.eventId));
    writer.addLine("Subscription-State", notice.remaining > Millis{0}
                                             ? fmt::format("active;expires={}", seconds)
                                             : "terminated;reason=timeout");
    writer.addLine("Content-Type", kSummaryType);
    return std::move(writer).finish(body);
}

void RedisMailboxSizes::count(const std::string& aor, Done<std::uint64_t> done)
{
    const auto key = keys_.key("box", aor);
    connection_.command({"ZCARD", key},
                        [done = std::move(done)](const Result<redis::Reply>& reply) {
                            done(reply.map([](const redis::Reply& count) {
                                const auto* number = count.integer();
                                return static_cast<std::uint64_t>(number != nullptr ? *number : 0);
                            }));
                        });
}

void MessageSummaries::handle(const ReceivedRequest& request, const Respond& done)
{
    auto wanted = readSummaryRequest(request);
    if (!wanted) {
        return done(wanted.error());
    }
    if (!wanted->toTag.empty()) {
        return refresh(std::move(*wanted), done);
    }
    const bool isSomebodyElse =
        !request.authenticatedAor.empty() && request.authenticatedAor != wanted->aor;
    if (wanted->subscriber != wanted->aor || isSomebodyElse) {
        return done(refusal(403, "Forbidden", "only its user may watch a mailbox"));
    }
    subscribe(std::move(*wanted), request, done);
}

void MessageSummaries::subscribe(SummaryRequest wanted,
                                 const ReceivedRequest& request,
                                 const Respond& done)
{
    const auto key = wanted.key();
    forget(key);
    if (subscriptions_.size() >= kMostSubscriptions) {
        return done(tryLater("too many subscriptions", kFullRetrySeconds));
    }
    auto& keys = mailboxes_.try_emplace(wanted.aor, parts_.loop).first->second.keys;
    if (keys.size() >= kMostPerUser) {
        const auto firstToExpire = *std::ranges::min_element(
            keys, {}, [this](const std::string& one) { return subscriptions_.at(one).expiresAt; });
        subscriptions_.erase(firstToExpire);
        keys.erase(firstToExpire);
    }
    keys.insert(key);
    auto& subscription = subscriptions_.try_emplace(key, parts_.loop).first->second;
    // The same tag as the agent writes into the answer.
    subscription.tag = transactionKey(request).hex();
    subscription.contact = contactFor(request, wanted.aor);
    subscription.request = std::move(wanted);
    accept(key, done);
}

void MessageSummaries::refresh(SummaryRequest wanted, const Respond& done)
{
    const auto key = wanted.key();
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end() || found->second.tag != wanted.toTag) {
        return done(refusal(481, "Subscription Does Not Exist", "subscribe anew"));
    }
    auto& known = found->second.request;
    if (wanted.cseq <= known.cseq) {
        return done(refusal(500, "Server Internal Error", "CSeq is not higher than before"));
    }
    wanted.aor = known.aor;
    wanted.to = known.to;
    // The route set never changes (RFC 3261 section 12.2), but the contact may.
    if (!known.route.routeSet.empty()) {
        wanted.route.routeSet = known.route.routeSet;
        wanted.route.nextHop = known.route.nextHop;
        wanted.route.origin = known.route.origin;
    }
    known = std::move(wanted);
    accept(key, done);
}

void MessageSummaries::accept(const std::string& key, const Respond& done)
{
    auto& subscription = subscriptions_.at(key);
    const auto expires = subscription.request.expires;
    subscription.expiresAt = parts_.clock.now() + expires;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(expires).count();
    done({200,
          "OK",
          {{"Expires", std::to_string(seconds)},
           {"Contact", fmt::format("<{}>", subscription.contact)}}});
    if (expires > Millis{0}) {
        scheduleExpiry(key, subscription.expiresAt);
    } else {
        subscription.expiryTimer.cancel();
    }
    notify(key);
}

/// Sends a NOTIFY even when the number is unchanged.
void MessageSummaries::notify(const std::string& key)
{
    const auto aor = subscriptions_.at(key).request.aor;
    parts_.sizes.count(aor, callbackGuard_.guard([this, key, aor](const auto& waiting) {
        if (!waiting) {
            return scheduleRecount(aor, kFirstRecountPause);
        }
        send(key, *waiting);
        if (*waiting > 0) {
            handleMailboxChange(aor);
        }
    }));
}

void MessageSummaries::send(const std::string& key, std::uint64_t waiting)
{
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end()) {
        return;
    }
    auto& subscription = found->second;
    if (subscription.notifying) {
        subscription.notifyAgain = true;
        return;
    }
    subscription.notifying = true;
    subscription.lastNotifiedCount = waiting;
    const auto remaining = std::max(Millis{0}, subscription.expiresAt - parts_.clock.now());
    const auto tag = subscription.tag;
    const auto text = formatSummaryNotify(
        subscription.request, {waiting, remaining, tag, ++subscription.cseq, subscription.contact});
    if (!text) {
        log::warning("sip", "no message-summary for {}: {}", subscription.request.aor,
                     text.error().message);
    }
    const auto& route = subscription.request.route;
    // An empty request is answered 400, like anything that is not SIP.
    sender_.send(text.value_or(""), route,
                 [this, key, tag](const RequestSender::Response& response) {
                     handleAnswer(key, tag, response.status);
                 });
    if (remaining == Millis{0}) {
        forget(key);
    }
}

void MessageSummaries::handleAnswer(const std::string& key, const std::string& tag, int status)
{
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end() || found->second.tag != tag) {
        return;
    }
    // RFC 6665 section 4.2.2: a refused NOTIFY ends the subscription.
    if (status >= 300) {
        log::debug("sip", "the message-summary of {} is not wanted any more: {}",
                   found->second.request.aor, status);
        return forget(key);
    }
    found->second.notifying = false;
    if (std::exchange(found->second.notifyAgain, false)) {
        notify(key);
    }
}

void MessageSummaries::handleMailboxChange(const std::string& aor)
{
    const auto found = mailboxes_.find(aor);
    if (found != mailboxes_.end() && found->second.recountPause != kFirstRecountPause) {
        scheduleRecount(aor, kFirstRecountPause);
    }
}

void MessageSummaries::scheduleRecount(const std::string& aor, Millis pause)
{
    const auto found = mailboxes_.find(aor);
    if (found == mailboxes_.end()) {
        return;
    }
    found->second.recountPause = pause;
    found->second.recountTimer.arm(pause, [this, aor] { recount(aor); });
}

void MessageSummaries::recount(const std::string& aor)
{
    // From here on a change needs a count of its own: this one may miss it.
    const auto pause = std::exchange(mailboxes_.at(aor).recountPause, Millis{0});
    parts_.sizes.count(aor, callbackGuard_.guard([this, aor, pause](const auto& waiting) {
        const auto box = mailboxes_.find(aor);
        if (box == mailboxes_.end()) {
            return;
        }
        if (box->second.recountPause == Millis{0} && (!waiting || *waiting > 0)) {
            scheduleRecount(aor, std::min(2 * pause, kLongestRecountPause));
        }
        if (waiting) {
            notifyChanged(aor, *waiting);
        }
    }));
}

void MessageSummaries::notifyChanged(const std::string& aor, std::uint64_t waiting)
{
    const auto keys = mailboxes_.at(aor).keys;  // send() may end some
    for (const auto& key : keys) {
        const auto& subscription = subscriptions_.at(key);
        if (subscription.lastNotifiedCount != waiting ||
            subscription.expiresAt <= parts_.clock.now()) {
            send(key, waiting);
        }
    }
}

void MessageSummaries::scheduleExpiry(const std::string& key, TimePoint when)
{
    const auto wait = std::max(Millis{1}, when - parts_.clock.now());
    subscriptions_.at(key).expiryTimer.arm(wait, [this, key, when] {
        // The clock may be behind the timer. This is the last NOTIFY.
        parts_.clock.now() < when ? scheduleExpiry(key, when) : notify(key);
    });
}

void MessageSummaries::forget(const std::string& key)
{
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end()) {
        return;
    }
    const auto box = mailboxes_.find(found->second.request.aor);
    box->second.keys.erase(key);
    if (box->second.keys.empty()) {
        mailboxes_.erase(box);
    }
    subscriptions_.erase(found);
}

/// Our Contact: the first socket of the transport by which the device has reached us, or the last
/// one of all; for a wildcard with the domain it used.
std::string MessageSummaries::contactFor(const ReceivedRequest& request,
                                         const std::string& aor) const
{
    const auto& sockets = parts_.agent.listening();
    const auto& socket = *std::ranges::find_if(sockets, [&](const TransportAddress& one) {
        return one.transport == request.transport || &one == &sockets.back();
    });
    const auto host =
        isWildcardAddress(socket.host) ? std::string{hostOfAor(aor)} : bracketed(socket.host);
    const auto user = aor.substr(0, aor.rfind('@'));
    return fmt::format("{}@{}:{};transport={}", user, host, socket.port, name(socket.transport));
}

}  // namespace restante::sip
