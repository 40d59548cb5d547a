#include "sipplugin/outbound/uac.h"

#include "core/base/log.h"
#include "core/delivery/attempt_line.h"
#include "sipplugin/outbound/late_deliveries.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string_view>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::size_t kLongestUri = 160;
constexpr std::size_t kLongestPhrase = 80;

/// At most `most` bytes of `text`, with '?' for anything but printable ASCII.
std::string printable(std::string_view text, std::size_t most)
{
    std::string out{text.substr(0, most)};
    std::ranges::replace_if(
        out, [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
}

/// "10.0.0.7:5060" of "sip:10.0.0.7:5060;transport=udp".
std::string_view hostAndPortOf(std::string_view uri)
{
    uri.remove_prefix(std::min(uri.find(':') + 1, uri.size()));
    const auto at = uri.find('@');
    uri.remove_prefix(at == std::string_view::npos ? 0 : at + 1);
    return uri.substr(0, uri.find_first_of(";?>"));
}

/// Added to the CSeq for each redirection: more than any attempt number, so that no server takes
/// the request for a merged copy (RFC 3261 section 8.2.2.2).
constexpr std::uint32_t kCSeqStep = 0x10000;

/// A success is best; a refusal is better than a redirection that could not be followed.
bool isBetter(const DeviceAnswer& answer, const DeviceAnswer& before) noexcept
{
    return isSuccess(answer.status) || !isRedirection(answer.status) ||
           isRedirection(before.status);
}

}  // namespace

std::string formatAttempt(const AttemptRecord& record, const DeviceAnswer& answer, Millis elapsed)
{
    const auto host = hostAndPortOf(record.nextHop);
    delivery::AttemptLine line{.attempt = record.attempt, .sent = record.sent};
    line.request = printable(record.target, kLongestUri);
    if (host != hostAndPortOf(record.target)) {
        line.via = printable(host, kLongestUri / 2);
    }
    line.answer = printable(answer.toString(), kLongestPhrase);
    line.answered = record.answered;
    line.elapsed = elapsed;
    return toString(line);
}

/// One message that is being sent, through whatever it is redirected to.
struct Uac::Attempt {
    OutgoingMessage message;
    AnswerHandler onAnswer;
    LateDeliveries::Message stored = {};   ///< what is sent, or the device's copy of it
    std::set<std::string> tried = {};      ///< by targetKey()
    std::deque<std::string> targets = {};  ///< URIs still to be tried, the best first
    std::uint32_t redirectsFollowed = 0;
    AttemptRecord record = {};          ///< of the current request
    DeviceAnswer best = {300, "", {}};  ///< so far; anything is better
    std::string attemptRecords = {};
};

Uac::Uac(Parts parts, Settings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      sender_(parts_.agent,
              parts_.clock,
              {settings_.proxy.empty() ? "" : settings_.proxy.front(), std::move(settings_.login)})
{
    for (const auto& text : settings_.proxy) {
        if (const auto proxy = parseSipUri(text)) {
            proxyHosts_.push_back(proxy->host);
        }
    }
}

void Uac::send(OutgoingMessage message, const DeliveryRoute& route, AnswerHandler onAnswer)
{
    auto attempt = std::make_shared<Attempt>(Attempt{std::move(message), std::move(onAnswer)});
    if (parts_.loopDetector != nullptr && !parts_.loopDetector->storeId().empty()) {
        attempt->message.headers.emplace_back(kStoreHeader, parts_.loopDetector->storeId());
    }
    // To the AoR goes the message itself, not one device's copy.
    const bool isPerDevice = settings_.perDevice && route.requestUri != attempt->message.recipient;
    attempt->stored = {attempt->message.jobId, attempt->message.created,
                       isPerDevice ? route.requestUri : ""};
    if (parts_.lateDeliveries != nullptr && parts_.lateDeliveries->hasEntries() &&
        parts_.lateDeliveries->isTaken(attempt->stored)) {
        attempt->best = {200, "OK (it was taken before)", {}};
        return parts_.agent.loop().post(callbackGuard_.guard([this, attempt] { end(attempt); }));
    }
    sendRequest(attempt, route);
}

void Uac::sendRequest(const AttemptPtr& attempt, const DeliveryRoute& route)
{
    auto& message = attempt->message;
    message.cseq = message.attempt + attempt->redirectsFollowed * kCSeqStep;
    auto request = formatRequest(message, route);
    if (!request) {
        log::warning("sip", "{}", request.error().message);
    }
    attempt->record = {message.attempt, parts_.clock.now(), route.requestUri, route.nextHop};
    // An empty request is answered 400, like anything that is not SIP.
    sender_.send(
        request.value_or(""), route,
        [this, attempt](const RequestSender::Response& response) {
            handleResponse(attempt, response);
        },
        lateSuccessHandlerOf(attempt));
}

/// Captures only what it needs: it may be kept for minutes, and should not keep the body.
RequestSender::LateSuccessHandler Uac::lateSuccessHandlerOf(const AttemptPtr& attempt) const
{
    if (parts_.lateDeliveries == nullptr) {
        return {};
    }
    return [lateDeliveries = parts_.lateDeliveries, clock = &parts_.clock, stored = attempt->stored,
            recipient = attempt->message.recipient,
            record = attempt->record](int status, const std::string& phrase) {
        const auto elapsed = std::chrono::duration_cast<Millis>(clock->now() - record.sent);
        lateDeliveries->handleTaken(
            {stored, recipient, record.attempt,
             formatAttempt(record, {status, phrase + " (late)", {}}, elapsed)});
    };
}

void Uac::handleResponse(const AttemptPtr& attempt, const RequestSender::Response& response)
{
    DeviceAnswer answer{response.status, response.phrase, response.retryAfter};
    auto& record = attempt->record;
    record.answered = !response.locallyGenerated;
    record.nextHop = response.nextHop.empty() ? record.nextHop : response.nextHop;
    attempt->attemptRecords += formatAttempt(
        record, answer, std::chrono::duration_cast<Millis>(parts_.clock.now() - record.sent));
    if (isBetter(answer, attempt->best)) {
        attempt->best = std::move(answer);
    }
    if (isSuccess(response.status)) {
        return end(attempt);
    }
    if (isRedirection(response.status)) {
        queueRedirectTargets(attempt, response);
    }
    tryNext(attempt);
}

/// tryNext() then sends to the first of them.
void Uac::queueRedirectTargets(const AttemptPtr& attempt, const RequestSender::Response& response)
{
    attempt->tried.insert(
        parseSipUri(attempt->record.target).map(targetKey).value_or(attempt->record.target));
    if (attempt->redirectsFollowed == settings_.redirects) {
        return;
    }
    ++attempt->redirectsFollowed;
    const auto redirection =
        redirectionOf(response.status, response.contacts,
                      [this](const SipUri& uri) { return mayBeRedirectedTo(uri); });
    if (redirection.foreign > 0 && isRedirection(attempt->best.status)) {
        attempt->best.phrase += " (not followed out of sip.domain)";
    }
    attempt->targets.insert(attempt->targets.begin(), redirection.targets.begin(),
                            redirection.targets.end());
}

bool Uac::mayBeRedirectedTo(const SipUri& uri) const
{
    return parts_.domains.contains(uri.host) ||
           std::ranges::find(proxyHosts_, uri.host) != proxyHosts_.end();
}

void Uac::tryNext(const AttemptPtr& attempt)
{
    while (!attempt->targets.empty()) {
        const auto target = std::move(attempt->targets.front());
        attempt->targets.pop_front();
        const auto uri = parseSipUri(target);
        if (!uri || !attempt->tried.insert(targetKey(*uri)).second) {
            continue;  // already tried: a loop
        }
        if (settings_.proxy.empty()) {
            return sendToBinding(attempt, target);
        }
        return sendRequest(attempt, routeThroughProxy(target, settings_.proxy));
    }
    end(attempt);
}

/// Without a proxy our registrar knows where our users are: looks the target up there.
void Uac::sendToBinding(const AttemptPtr& attempt, const std::string& target)
{
    parts_.bindings.lookup(canonicalAor(target).value_or(target),
                           callbackGuard_.guard([this, attempt](const auto& found) {
                               const auto route = found && !found->empty()
                                                      ? routeToDevice(found->front())
                                                      : failure(ErrorCode::NotFound, "no device");
                               const auto uri =
                                   route ? parseSipUri(route->requestUri).map(targetKey) : "";
                               if (route && uri && attempt->tried.insert(*uri).second) {
                                   sendRequest(attempt, *route);
                               } else {
                                   tryNext(attempt);
                               }
                           }));
}

void Uac::end(const AttemptPtr& attempt)
{
    auto& answer = attempt->best;
    const auto& message = attempt->message;
    if (parts_.lateDeliveries != nullptr && !isSuccess(answer.status)) {
        if (parts_.lateDeliveries->isTaken(attempt->stored)) {
            answer = {200, "OK (taken by an earlier request)", {}};
        } else {
            parts_.lateDeliveries->recordFailure(attempt->stored, message.attempt);
        }
    }
    answer.attemptRecords = std::move(attempt->attemptRecords);
    attempt->onAnswer(std::move(answer));
}

}  // namespace restante::sip
