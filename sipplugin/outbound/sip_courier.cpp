#include "sipplugin/outbound/sip_courier.h"

#include "core/base/log.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/outbound/late_deliveries.h"
#include "sipplugin/outbound/sip_ladder.h"
#include "sipplugin/outbound/sip_redirect.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace restante::sip {

namespace {

/// The CSeq of a request that follows a redirection: another one than that of any attempt, so that
/// no server takes it for a copy that came by two ways (RFC 3261 section 8.2.2.2).
constexpr std::uint32_t kCSeqStep = 0x10000;

bool isSuccess(int status) noexcept
{
    return status >= 200 && status < 300;
}

bool isRedirection(int status) noexcept
{
    return status >= 300 && status < 400;
}

/// Whether `answer` tells more about the message than `before`: a success most, a refusal by
/// somebody more than a redirection that led nowhere.
bool isBetter(const DeviceAnswer& answer, const DeviceAnswer& before) noexcept
{
    return isSuccess(answer.status) || !isRedirection(answer.status) ||
           isRedirection(before.status);
}

}  // namespace

/// One message on its way through whatever it is redirected to.
struct SipCourier::Journey {
    WireMessage message;
    Answered answered;
    std::string copy = {};                 ///< LateDeliveries::Delivery::copy
    std::set<std::string> tried = {};      ///< places: placeOf()
    std::deque<std::string> targets = {};  ///< URIs that are still to be tried, the best first
    std::uint32_t redirected = 0;
    LadderStep step = {};               ///< the request that is under way
    DeviceAnswer best = {300, "", {}};  ///< so far; anything is better
    std::string ladder = {};
};

SipCourier::SipCourier(Parts parts, Settings settings)
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

SipCourier::~SipCourier() = default;

void SipCourier::send(WireMessage message, const DeliveryRoute& route, Answered answered)
{
    auto journey = std::make_shared<Journey>(Journey{std::move(message), std::move(answered)});
    const auto& id = journey->message.jobId;
    if (parts_.mark != nullptr && !parts_.mark->store().empty()) {
        journey->message.headers.emplace_back(kStoreMark, parts_.mark->store());
    }
    // What goes to whomever the proxy knows is the message itself.
    const bool isCopy = settings_.copies && route.requestUri != journey->message.recipient;
    journey->copy = isCopy ? route.requestUri : "";
    if (parts_.late != nullptr && parts_.late->any() && parts_.late->isTaken(id, journey->copy)) {
        journey->best = {200, "OK (it was taken before)", {}};
        parts_.agent.loop().post([this, journey, alive = std::weak_ptr<int>{alive_}] {
            if (!alive.expired()) {
                end(journey);
            }
        });
        return;
    }
    depart(journey, route);
}

void SipCourier::depart(const JourneyPtr& journey, const DeliveryRoute& route)
{
    auto& message = journey->message;
    message.cseq = message.attempt + journey->redirected * kCSeqStep;
    auto request = printRequest(message, route);
    if (!request) {
        log::warning("sip", "{}", request.error().message);
    }
    journey->step = {message.attempt, parts_.clock.now(), route.requestUri, route.nextHop};
    // The empty request is answered 400 like any other that is no SIP.
    sender_.send(
        request.value_or(""),
        {route.nextHop, route.flow, route.onlyByFlow, route.behindNat, route.origin,
         route.otherHops},
        [this, journey](const RequestSender::Response& response) { arrive(journey, response); },
        lateOf(journey));
}

/// Only what it needs: it may be kept for minutes, and the body need not.
RequestSender::Late SipCourier::lateOf(const JourneyPtr& journey) const
{
    if (parts_.late == nullptr) {
        return {};
    }
    return [late = parts_.late, clock = &parts_.clock, id = journey->message.jobId,
            recipient = journey->message.recipient, copy = journey->copy,
            step = journey->step](int status, const std::string& phrase) {
        const auto took = std::chrono::duration_cast<Millis>(clock->now() - step.sent);
        late->taken({id, recipient, step.attempt,
                     printStep(step, {status, phrase + " (late)", {}}, took), copy});
    };
}

void SipCourier::arrive(const JourneyPtr& journey, const RequestSender::Response& response)
{
    DeviceAnswer answer{response.status, response.phrase, response.retryAfter};
    auto& step = journey->step;
    step.answered = !response.ofOurs;
    step.nextHop = response.nextHop.empty() ? step.nextHop : response.nextHop;
    journey->ladder +=
        printStep(step, answer, std::chrono::duration_cast<Millis>(parts_.clock.now() - step.sent));
    if (isBetter(answer, journey->best)) {
        journey->best = std::move(answer);
    }
    if (isSuccess(response.status)) {
        return end(journey);
    }
    if (isRedirection(response.status)) {
        follow(journey, response);
    }
    tryNext(journey);
}

void SipCourier::follow(const JourneyPtr& journey, const RequestSender::Response& response)
{
    journey->tried.insert(
        parseSipUri(journey->step.target).map(placeOf).value_or(journey->step.target));
    if (journey->redirected == settings_.redirects) {
        return;
    }
    ++journey->redirected;
    const auto led = redirectionOf(response.status, response.contacts,
                                   [this](const SipUri& uri) { return isOurs(uri); });
    if (led.foreign > 0 && isRedirection(journey->best.status)) {
        journey->best.phrase += " (not followed out of sip.domain)";
    }
    journey->targets.insert(journey->targets.begin(), led.targets.begin(), led.targets.end());
}

bool SipCourier::isOurs(const SipUri& uri) const
{
    return parts_.domains.own(uri.host) ||
           std::ranges::find(proxyHosts_, uri.host) != proxyHosts_.end();
}

void SipCourier::tryNext(const JourneyPtr& journey)
{
    while (!journey->targets.empty()) {
        const auto target = std::move(journey->targets.front());
        journey->targets.pop_front();
        const auto uri = parseSipUri(target);
        if (!uri || !journey->tried.insert(placeOf(*uri)).second) {
            continue;  // it has been there: a loop
        }
        if (settings_.proxy.empty()) {
            return lookUp(journey, target);
        }
        return depart(journey, routeThroughProxy(target, settings_.proxy));
    }
    end(journey);
}

/// Without a proxy it is our registrar that knows where our users are.
void SipCourier::lookUp(const JourneyPtr& journey, const std::string& target)
{
    parts_.bindings.lookup(canonicalAor(target).value_or(target),
                           [this, journey, alive = std::weak_ptr<int>{alive_}](const auto& found) {
                               if (alive.expired()) {
                                   return;
                               }
                               const auto route = found && !found->empty()
                                                      ? routeToDevice(found->front())
                                                      : failure(ErrorCode::NotFound, "no device");
                               const auto uri =
                                   route ? parseSipUri(route->requestUri).map(placeOf) : "";
                               if (route && uri && journey->tried.insert(*uri).second) {
                                   depart(journey, *route);
                               } else {
                                   tryNext(journey);
                               }
                           });
}

void SipCourier::end(const JourneyPtr& journey)
{
    auto& answer = journey->best;
    const auto& message = journey->message;
    if (parts_.late != nullptr && !isSuccess(answer.status)) {
        if (parts_.late->isTaken(message.jobId, journey->copy)) {
            answer = {200, "OK (taken by an earlier request)", {}};
        } else {
            parts_.late->failed(message.jobId, journey->copy, message.attempt);
        }
    }
    answer.ladder = std::move(journey->ladder);
    journey->answered(std::move(answer));
}

}  // namespace restante::sip
