#include "sipplugin/inbound/sip_request_guard.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "sipplugin/message/aor.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

bool cameOver(TrustedPeer::Transport wanted, Transport transport) noexcept
{
    switch (wanted) {
    case TrustedPeer::Transport::Any: return true;
    case TrustedPeer::Transport::Udp: return transport == Transport::Udp;
    case TrustedPeer::Transport::Tcp: return transport != Transport::Udp;
    case TrustedPeer::Transport::Tls: break;
    }
    return transport == Transport::Tls;
}

bool isFrom(const TrustedPeer& peer, const ReceivedRequest& request) noexcept
{
    if (peer.network) {
        return peer.network->contains(request.sourceHost);
    }
    return std::ranges::find(request.certificateNames, peer.name) != request.certificateNames.end();
}

/// The most unanswered UDP requests: bounds their memory and the load on the store, because nothing
/// slows down a sender of datagrams.
constexpr std::size_t kMostUnanswered = 2'000;
constexpr int kRetrySecondsWhenUnavailable = 1;
constexpr unsigned kMostHops = 255;  ///< RFC 3261 section 20.22

std::string allowedMethods(const SipRequestGuard::Parts& parts)
{
    std::string methods = "MESSAGE, OPTIONS";
    methods += parts.registration ? ", REGISTER" : "";
    methods += parts.notification ? ", NOTIFY" : "";
    methods += parts.subscription ? ", SUBSCRIBE" : "";
    return methods;
}

/// The handler for that method; null when there is none.
const SipRequestGuard::Handler* handlerOf(const SipRequestGuard::Parts& parts,
                                          std::string_view method)
{
    const auto* handler = method == "MESSAGE"     ? &parts.message
                          : method == "REGISTER"  ? &parts.registration
                          : method == "SUBSCRIBE" ? &parts.subscription
                          : method == "NOTIFY"    ? &parts.notification
                                                  : nullptr;
    return handler != nullptr && *handler ? handler : nullptr;
}

/// Describes how the headers contradict each other; empty when they do not.
std::string_view contradiction(const ReceivedRequest& request)
{
    if (repeatsSingleHeader(request)) {
        return "a header that may stand only once stands twice";
    }
    const auto cseq = parseCSeq(request.header(HeaderName::CSeq).value_or(""));
    if (!cseq || cseq->method != request.method) {
        return "the method of CSeq is not that of the request";
    }
    return {};
}

/// The Max-Forwards, 70 without one; nothing when it is not a number from 0 to 255.
std::optional<unsigned> hopsLeft(const ReceivedRequest& request)
{
    const auto text = request.header(HeaderName::MaxForwards).value_or("70");
    const auto hops = wholeNumber<unsigned>(text);
    return hops && *hops <= kMostHops ? hops : std::nullopt;
}

/// The required option tags that we do not support, as the value of Unsupported.
std::string unsupported(const ReceivedRequest& request)
{
    std::string missing;
    for (const auto* field : {"Require", "Proxy-Require"}) {
        for (const auto option : request.elements(field)) {
            const bool known =
                request.method == "REGISTER" &&
                (equalIgnoringCase(option, "path") || equalIgnoringCase(option, "outbound"));
            missing += known ? "" : fmt::format("{}{}", missing.empty() ? "" : ", ", option);
        }
    }
    return missing;
}

}  // namespace

bool isFromOneOf(const std::vector<TrustedPeer>& peers, const ReceivedRequest& request) noexcept
{
    return std::ranges::any_of(peers, [&](const TrustedPeer& peer) {
        return cameOver(peer.transport, request.transport) && isFrom(peer, request);
    });
}

void SipRequestGuard::handle(std::unique_ptr<IncomingRequest> request)
{
    const auto& parsed = request->parsed();
    if (parsed.method == "ACK") {
        return;  // for an INVITE that we have refused statelessly
    }
    if (const auto answer = refusalOf(*request)) {
        log::debug("sip", "{} of {} refused: {} {}", parsed.method, parsed.sourceHost,
                   answer->status, answer->phrase);
        return request->answer(*answer);
    }
    if (parsed.method == "OPTIONS") {
        return request->answer(optionsAnswer());
    }
    // Answered without storing anything, so that strangers cannot fill our memory.
    if (const auto answer =
            mustLogIn(parsed) ? parts_.authenticator->screen(parsed) : std::nullopt) {
        return request->answer(*answer);
    }
    dispatch(*handlerOf(parts_, parsed.method), std::move(request));
}

void SipRequestGuard::close(std::function<void()> onIdle)
{
    closed_ = true;
    pending_->onIdle = std::move(onIdle);
    pending_->reportIfIdle();
}

void SipRequestGuard::PendingRequests::reportIfIdle()
{
    if (inProgress == 0 && onIdle) {
        std::exchange(onIdle, {})();
    }
}

/// Load balancers ask by OPTIONS whether to send us messages.
SipAnswer SipRequestGuard::optionsAnswer() const
{
    if (closed_) {
        return tryLater("this server is stopping", kRetrySecondsWhenUnavailable);
    }
    if (parts_.storeServes && !parts_.storeServes()) {
        return tryLater("the store cannot be reached", kRetrySecondsWhenUnavailable);
    }
    return {
        200, "OK", {{"Allow", allowedMethods(parts_)}, {"Accept", "*/*"}, {"Supported", "path"}}};
}

std::optional<SipAnswer> SipRequestGuard::refusalOf(const IncomingRequest& request) const
{
    const auto& parsed = request.parsed();
    if (parsed.method == "CANCEL") {
        return refusal(481, "Call/Transaction Does Not Exist", "nothing here can be cancelled");
    }
    if (const auto refused = untrustedRefusal(parsed)) {
        return refused;
    }
    if (!equalIgnoringCase(parsed.version, "SIP/2.0")) {
        return refusal(505, "Version Not Supported", "only SIP/2.0 is spoken here");
    }
    if (!request.syntaxError().empty()) {
        return refusal(400, "Bad Request", request.syntaxError());
    }
    if (const auto why = contradiction(parsed); !why.empty()) {
        return refusal(400, "Bad Request", why);
    }
    if (parsed.method != "OPTIONS" && handlerOf(parts_, parsed.method) == nullptr) {
        return SipAnswer{405, "Method Not Allowed", {{"Allow", allowedMethods(parts_)}}};
    }
    if (auto wrong = addressRefusal(parsed)) {
        return wrong;
    }
    const auto hops = hopsLeft(parsed);
    if (!hops) {
        return refusal(400, "Bad Request", "Max-Forwards is not a number from 0 to 255");
    }
    if (*hops == 0 && parsed.method == "MESSAGE") {
        return refusal(483, "Too Many Hops", "Max-Forwards is used up");
    }
    if (auto missing = unsupported(parsed); !missing.empty()) {
        return SipAnswer{420, "Bad Extension", {{"Unsupported", std::move(missing)}}};
    }
    return std::nullopt;
}

std::optional<SipAnswer> SipRequestGuard::untrustedRefusal(const ReceivedRequest& request) const
{
    // A login is possible only for requests in a user's name.
    const bool canLogIn = parts_.authenticator != nullptr && request.method != "OPTIONS" &&
                          request.method != "NOTIFY" &&
                          handlerOf(parts_, request.method) != nullptr;
    if (canLogIn || isFromOneOf(parts_.trusted, request)) {
        return std::nullopt;
    }
    return refusal(403, "Forbidden", "this address is not trusted (sip.trusted)");
}

bool SipRequestGuard::mustLogIn(const ReceivedRequest& request) const
{
    return parts_.authenticator != nullptr && !isFromOneOf(parts_.trusted, request);
}

std::optional<SipAnswer> SipRequestGuard::addressRefusal(const ReceivedRequest& request) const
{
    const auto scheme = request.requestUri.substr(0, request.requestUri.find(':'));
    const bool isSipScheme = equalIgnoringCase(scheme, "sip") || equalIgnoringCase(scheme, "sips");
    if (!isSipScheme) {
        return refusal(416, "Unsupported URI Scheme", "only sip: and sips: are served here");
    }
    const auto& uri = request.target();
    if (!uri) {
        return refusal(400, "Bad Request-URI", uri.error().message);
    }
    if (!parts_.domains.contains(uri->host)) {
        return refusal(404, "Not Found", "this domain is not served here (sip.domain)");
    }
    if (request.method == "MESSAGE" && uri->user.empty()) {
        return refusal(404, "Not Found", "the Request-URI names no user");
    }
    return std::nullopt;
}

void SipRequestGuard::dispatch(const Handler& handler, std::unique_ptr<IncomingRequest> request)
{
    const bool overUdp = request->parsed().transport == Transport::Udp;
    if (closed_) {
        return request->answer(tryLater("this server is stopping", kRetrySecondsWhenUnavailable));
    }
    // TCP never repeats a request, so only UDP needs the retransmission cache.
    if (overUdp && !admitOverUdp(*request)) {
        return;
    }
    ++pending_->inProgress;
    pending_->inProgressOverUdp += overUdp ? 1 : 0;
    // Shared, because std::function requires copyable captures.
    const std::shared_ptr<IncomingRequest> shared = std::move(request);
    const auto respond = [pending = pending_, shared, overUdp](const SipAnswer& answer) {
        --pending->inProgress;
        if (overUdp) {
            --pending->inProgressOverUdp;
            pending->retransmissions.recordAnswer(shared->transaction(), answer);
        }
        shared->answer(answer);
        pending->reportIfIdle();
    };
    if (mustLogIn(shared->parsed())) {
        authenticate(handler, shared->parsed(), respond);
    } else {
        handler(shared->parsed(), respond);
    }
}

bool SipRequestGuard::admitOverUdp(IncomingRequest& request)
{
    const auto key = request.transaction();
    auto entry = pending_->retransmissions.findOrAdd(key);
    if (entry.state == RetransmissionCache::State::Answered) {
        request.answer(entry.answer);
    }
    if (entry.state != RetransmissionCache::State::New) {
        return false;
    }
    if (pending_->inProgressOverUdp >= kMostUnanswered) {
        const auto busy = tryLater("too many requests are under way", kRetrySecondsWhenUnavailable);
        pending_->retransmissions.recordAnswer(key, busy);
        request.answer(busy);
        return false;
    }
    return true;
}

void SipRequestGuard::authenticate(const Handler& handler,
                                   const ReceivedRequest& request,
                                   const Respond& respond)
{
    // `respond` keeps the request alive.
    parts_.authenticator->authenticate(
        request, [&handler, &request, respond](Authenticator::AuthenticationResult result) {
            if (!result) {
                return respond(std::move(result.error()));
            }
            auto proven = request;
            proven.authenticatedAor = std::move(*result);
            handler(proven, respond);
        });
}

}  // namespace restante::sip
