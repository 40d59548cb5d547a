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

namespace restante::sip {

namespace {

constexpr std::string_view kEvent = "message-summary";
constexpr std::string_view kType = "application/simple-message-summary";
constexpr std::chrono::seconds kShortest{60};
constexpr std::chrono::seconds kLongest{3'600};
/// Of a Call-ID or a tag: several times what phones make.
constexpr std::size_t kLongestName = 256;
/// Of all that is kept of a SUBSCRIBE: a long contact, and a handful of servers that record.
constexpr std::size_t kMostKept = 8'192;

bool takesSummaries(const ReceivedRequest& request)
{
    const auto takes = [](std::string_view item) {
        const auto type = mediaType(item);
        return equalIgnoringCase(type, kType) || type == "*/*" ||
               equalIgnoringCase(type, "application/*");
    };
    const auto lines = request.all("Accept");
    return lines.empty() || std::ranges::any_of(lines, [&](std::string_view line) {
               return std::ranges::any_of(split(line, ','), takes);
           });
}

/// Nothing when it cannot be read.
std::optional<std::chrono::seconds> wantedExpiry(const ReceivedRequest& request)
{
    const auto text = request.header("Expires");
    return text ? deltaSeconds(*text) : kLongest;
}

/// Sets event id and expiry, or says why they will not do.
std::optional<SipAnswer> readTerms(const ReceivedRequest& request, SummaryRequest& wanted)
{
    const auto params = split(request.header("Event").value_or(""), ';');
    if (!equalIgnoringCase(trimmed(params.front()), kEvent)) {
        return SipAnswer{489, "Bad Event", {{"Allow-Events", std::string{kEvent}}}};
    }
    for (const auto param : params) {
        const auto equals = std::min(param.find('='), param.size());
        if (equalIgnoringCase(trimmed(param.substr(0, equals)), "id")) {
            wanted.eventId = trimmed(param.substr(std::min(equals + 1, param.size())));
        }
    }
    if (!takesSummaries(request)) {
        return SipAnswer{406, "Not Acceptable", {{"Accept", std::string{kType}}}};
    }
    const auto expires = wantedExpiry(request);
    if (!expires) {
        return refusal(400, "Bad Request", "Expires is not a number of seconds");
    }
    if (expires->count() > 0 && *expires < kShortest) {
        return SipAnswer{
            423, "Interval Too Brief", {{"Min-Expires", std::to_string(kShortest.count())}}};
    }
    wanted.expires = std::min(*expires, kLongest);
    return {};
}

/// Sets the dialog, or says why there can be none.
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
    wanted.to = to->printWithoutTag();
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
    for (const auto hop : request.listed("Record-Route")) {
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
    return wanted.callId.size() > kLongestName || wanted.fromTag.size() > kLongestName ||
           kept > kMostKept;
}

/// Some 20 MB as phones write; readSummaryRequest() bounds what each may hold.
constexpr std::size_t kMost = 20'000;
/// Devices of one user; the oldest subscription of a phone that has crashed gives way.
constexpr std::size_t kMostOfOne = 10;
constexpr int kFullRetrySeconds = 60;
/// A device that is there takes its messages within the first pause, and nobody is told of them.
constexpr Millis kFirstPause{1'000};
constexpr Millis kLongestPause{30'000};

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
                                                  kLongestName, kMostKept)));
    }
    for (const auto& text :
         {wanted.from, wanted.to, wanted.callId, wanted.eventId, wanted.route.requestUri}) {
        if (!isOneLine(text)) {
            return tl::unexpected(refusal(400, "Bad Request", "a header holds a line break"));
        }
    }
    return wanted;
}

Result<std::string> printSummaryNotify(const SummaryRequest& subscription,
                                       const SummaryNotice& notice)
{
    const auto body =
        fmt::format("Messages-Waiting: {}\r\nMessage-Account: {}\r\n"
                    "Text-Message: {}/0\r\n",
                    notice.waiting > 0 ? "yes" : "no", subscription.aor, notice.waiting);
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(notice.remaining).count();
    RequestWriter writer("NOTIFY", subscription.route.requestUri);
    for (const auto& hop : subscription.route.routeSet) {
        writer.line("Route", hop);
    }
    writer.line("Max-Forwards", "70");
    writer.line("From", fmt::format("{};tag={}", subscription.to, notice.tag));
    writer.line("To", subscription.from);
    writer.line("Call-ID", subscription.callId);
    writer.line("CSeq", fmt::format("{} NOTIFY", notice.cseq));
    writer.line("Contact", fmt::format("<{}>", notice.contact));
    writer.line("Event", subscription.eventId.empty()
                             ? std::string{kEvent}
                             : fmt::format("{};id={}", kEvent, subscription.eventId));
    writer.line("Subscription-State", notice.remaining > Millis{0}
                                          ? fmt::format("active;expires={}", seconds)
                                          : "terminated;reason=timeout");
    writer.line("Content-Type", kType);
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
    const bool proven = request.authenticatedAor.empty() || request.authenticatedAor == wanted->aor;
    if (wanted->subscriber != wanted->aor || !proven) {
        return done(refusal(403, "Forbidden", "only its user may watch a mailbox"));
    }
    begin(std::move(*wanted), request, done);
}

void MessageSummaries::begin(SummaryRequest wanted,
                             const ReceivedRequest& request,
                             const Respond& done)
{
    const auto key = wanted.key();
    forget(key);
    if (subscriptions_.size() >= kMost) {
        return done(tryLater("too many subscriptions", kFullRetrySeconds));
    }
    auto& keys = mailboxes_.try_emplace(wanted.aor, parts_.loop).first->second.keys;
    if (keys.size() >= kMostOfOne) {
        const auto oldest = *std::ranges::min_element(
            keys, {}, [this](const std::string& one) { return subscriptions_.at(one).ends; });
        subscriptions_.erase(oldest);
        keys.erase(oldest);
    }
    keys.insert(key);
    auto& subscription = subscriptions_.try_emplace(key, parts_.loop).first->second;
    // As the agent writes it into the answer.
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
        return done(refusal(500, "Server Internal Error", "CSeq is lower than before"));
    }
    wanted.aor = known.aor;
    wanted.to = known.to;
    // A route set is made once (RFC 3261 section 12.2); the contact may have moved.
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
    subscription.ends = parts_.clock.now() + expires;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(expires).count();
    done({200,
          "OK",
          {{"Expires", std::to_string(seconds)},
           {"Contact", fmt::format("<{}>", subscription.contact)}}});
    if (expires > Millis{0}) {
        endAt(key, subscription.ends);
    } else {
        subscription.expiryTimer.cancel();
    }
    notify(key);
}

/// Whatever was told before.
void MessageSummaries::notify(const std::string& key)
{
    const auto aor = subscriptions_.at(key).request.aor;
    parts_.sizes.count(aor, callbackGuard_.guard([this, key, aor](const auto& waiting) {
        if (!waiting) {
            return watch(aor, kFirstPause);
        }
        send(key, *waiting);
        if (*waiting > 0) {
            changed(aor);
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
    subscription.lastNotified = waiting;
    const auto remaining = std::max(Millis{0}, subscription.ends - parts_.clock.now());
    const auto tag = subscription.tag;
    const auto text = printSummaryNotify(
        subscription.request, {waiting, remaining, tag, ++subscription.cseq, subscription.contact});
    if (!text) {
        log::warning("sip", "no message-summary for {}: {}", subscription.request.aor,
                     text.error().message);
    }
    const auto& route = subscription.request.route;
    // The empty request is answered 400 like any other that is no SIP.
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
    // RFC 6665 section 4.2.2: who does not take a NOTIFY is not subscribed any more.
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

void MessageSummaries::changed(const std::string& aor)
{
    const auto found = mailboxes_.find(aor);
    if (found != mailboxes_.end() && found->second.pause != kFirstPause) {
        watch(aor, kFirstPause);
    }
}

void MessageSummaries::watch(const std::string& aor, Millis pause)
{
    const auto found = mailboxes_.find(aor);
    if (found == mailboxes_.end()) {
        return;
    }
    found->second.pause = pause;
    found->second.recountTimer.arm(pause, [this, aor] { count(aor); });
}

void MessageSummaries::count(const std::string& aor)
{
    parts_.sizes.count(aor, callbackGuard_.guard([this, aor](const auto& waiting) {
        const auto box = mailboxes_.find(aor);
        if (box == mailboxes_.end()) {
            return;
        }
        const auto pause = std::min(2 * box->second.pause, kLongestPause);
        box->second.pause = Millis{0};
        if (!waiting || *waiting > 0) {
            watch(aor, pause);
        }
        if (waiting) {
            tell(aor, *waiting);
        }
    }));
}

void MessageSummaries::tell(const std::string& aor, std::uint64_t waiting)
{
    const auto keys = mailboxes_.at(aor).keys;  // send() may end some
    for (const auto& key : keys) {
        const auto& subscription = subscriptions_.at(key);
        if (subscription.lastNotified != waiting || subscription.ends <= parts_.clock.now()) {
            send(key, waiting);
        }
    }
}

void MessageSummaries::endAt(const std::string& key, TimePoint when)
{
    const auto wait = std::max(Millis{1}, when - parts_.clock.now());
    subscriptions_.at(key).expiryTimer.arm(wait, [this, key, when] {
        // The clock may be behind the timer. The NOTIFY is the last one.
        parts_.clock.now() < when ? endAt(key, when) : notify(key);
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

/// Where the device has reached us; of a wildcard by the name it used.
std::string MessageSummaries::contactFor(const ReceivedRequest& request,
                                         const std::string& aor) const
{
    const auto& all = parts_.agent.listening();
    const auto& socket = *std::ranges::find_if(all, [&](const ListenAddress& one) {
        return one.transport == request.transport || &one == &all.back();
    });
    const auto host =
        isEverywhere(socket.host) ? std::string{hostOfAor(aor)} : bracketed(socket.host);
    const auto user = aor.substr(0, aor.rfind('@'));
    return fmt::format("{}@{}:{};transport={}", user, host, socket.port, name(socket.transport));
}

}  // namespace restante::sip
