#include "sipplugin/registration/registrar.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/network.h"
#include "sipplugin/message/sip_date.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace restante::sip {
namespace {
/// RFC 3261 section 20.10: a malformed expires counts as this.
constexpr std::chrono::hours kMalformedExpires{1};
/// Section 10.3 step 7: only an expiry below one hour may be refused as too brief.
constexpr std::chrono::hours kNeverTooBrief{1};
/// The most servers that a Path may name: each contact stores them all.
constexpr std::size_t kMostPathHops = 16;
/// The stored length of a User-Agent, which is shown to people and kept for each device.
constexpr std::size_t kLongestAgent = 100;
/// Seconds between keep-alives, less than the pause after which a connection is closed.
constexpr std::string_view kFlowTimerSeconds = "120";

/// The q value, "0.7", in thousandths; a malformed one counts as 1.
std::uint32_t preferenceOf(const std::string* text)
{
    constexpr std::uint32_t kFull = 1'000;
    double q = 1.0;
    if (text != nullptr) {
        const auto* const end = text->data() + text->size();
        const auto [stop, error] = std::from_chars(text->data(), end, q);
        if (error != std::errc{} || stop != end || !(q >= 0.0 && q <= 1.0)) {
            return kFull;
        }
    }
    return static_cast<std::uint32_t>(std::lround(q * kFull));
}

/// `"<urn:uuid:...>"` without quotes and brackets.
std::string instanceOf(const std::string* text)
{
    std::string_view inside = text != nullptr ? std::string_view{*text} : std::string_view{};
    for (const auto& [open, close] : {std::pair{'"', '"'}, std::pair{'<', '>'}}) {
        if (inside.size() > 1 && inside.front() == open && inside.back() == close) {
            inside = inside.substr(1, inside.size() - 2);
        }
    }
    return std::string{inside};
}

/// The Path of the request. Invalid when an element is no SIP address, or there are too many.
Result<std::vector<std::string>> pathOf(const ReceivedRequest& request)
{
    std::vector<std::string> path;
    for (const auto one : request.elements("Path")) {
        const auto server = parseNameAddr(one);
        if (!server || !parseSipUri(server->uri)) {
            return failure(ErrorCode::Invalid, fmt::format("\"{}\" is no SIP address", one));
        }
        if (path.size() == kMostPathHops) {
            return failure(ErrorCode::Invalid,
                           fmt::format("it names more than {} servers", kMostPathHops));
        }
        path.emplace_back(one);
    }
    return path;
}

bool hasOption(const ReceivedRequest& request, std::string_view field, std::string_view option)
{
    return std::ranges::any_of(request.elements(field), [&](std::string_view one) {
        return equalIgnoringCase(one, option);
    });
}

/// Whether a contact with instance and reg-id (RFC 5626) is registered.
bool wantsFlow(const BindingUpdate& update)
{
    return std::ranges::any_of(update.additions, [](const Binding& binding) {
        return !binding.instance.empty() && !binding.regId.empty();
    });
}

/// Whether the phone's first hop supports flows (RFC 5626 section 6): that is us, or an edge proxy
/// with ;ob in its Path element. The first hop is the last element, because each proxy puts itself
/// in front (RFC 3327 section 5.2).
bool firstHopKeepsFlow(const ReceivedRequest& request, const std::vector<std::string>& path)
{
    if (path.empty()) {
        return isDirect(request);
    }
    const auto edge = parseNameAddr(path.back());
    const auto uri = edge ? parseSipUri(edge->uri) : tl::unexpected<Error>(edge.error());
    return !isDirect(request) && uri && uri->param("ob") != nullptr;
}

/// The flow of the device's own connection; "" when the request came by a proxy or over UDP.
std::string connectionOf(const ReceivedRequest& request)
{
    return request.transport != Transport::Udp && isDirect(request) ? request.flow : "";
}

/// The connection is kept until the last of the user's bindings that use it expires.
std::optional<ConnectionLifetime> connectionLifetimeOf(const std::string& connection,
                                                       const std::string& aor,
                                                       const std::vector<Binding>& bindings,
                                                       TimePoint now)
{
    if (connection.empty()) {
        return std::nullopt;
    }
    ConnectionLifetime lifetime{aor};
    for (const auto& binding : bindings) {
        if (binding.flow == connection) {
            lifetime.remaining = std::max(
                lifetime.remaining, std::chrono::ceil<std::chrono::seconds>(binding.expires - now));
        }
    }
    return lifetime;
}

std::string contactLine(const Binding& binding, TimePoint now)
{
    const auto remaining = std::chrono::ceil<std::chrono::seconds>(binding.expires - now);
    auto line = fmt::format("<{}>;expires={}", binding.contact, remaining.count());
    if (binding.q != 1'000) {
        line += fmt::format(";q={:.3f}", binding.q / 1'000.0);
    }
    if (!binding.instance.empty()) {
        line += fmt::format(";+sip.instance=\"<{}>\"", binding.instance);
    }
    if (!binding.regId.empty()) {
        line += fmt::format(";reg-id={}", binding.regId);
    }
    return line;
}

SipAnswer answerToRegister(const Error& error, const std::string& aor, LogRateLimiter& logLimiter)
{
    if (error.code == ErrorCode::Stale) {
        return refusal(500, "CSeq Out of Order", "a later request of this Call-ID has been here");
    }
    if (error.code == ErrorCode::Conflict) {
        return refusal(403, "Too Many Contacts", "it names more contacts than a user may have");
    }
    if (const auto count = logLimiter.countToLog(); count > 0) {
        log::warning("sip", "{} REGISTERs were not stored, the last of {}: {}", count, aor,
                     error.message);
    }
    return answerTo(error);
}

}  // namespace

void Registrar::handle(const ReceivedRequest& request, Respond done)
{
    const auto to = parseNameAddr(request.header("To").value_or(""));
    const auto aor = to ? canonicalAor(to->uri) : tl::unexpected<Error>(to.error());
    if (!aor) {
        return done(refusal(400, "Bad Request", aor.error().message));
    }
    if (!domains_.contains(hostOfAor(*aor))) {
        return done(
            refusal(404, "Not Found", "the domain of the user is not served here (sip.domain)"));
    }
    if (!request.authenticatedAor.empty() && request.authenticatedAor != *aor) {
        return done(refusal(403, "Forbidden", "a user may only register their own address"));
    }
    auto parsed = parse(request, *aor);
    if (parsed.refusal.status != 0) {
        return done(std::move(parsed.refusal));
    }
    // A phone that merely supports outbound is registered without it and reached by its Path or
    // contact.
    if (!registersAreMirrored() && hasOption(request, "Require", "outbound") &&
        wantsFlow(parsed.update) && !firstHopKeepsFlow(request, parsed.path)) {
        return done(refusal(439, "First Hop Lacks Outbound Support",
                            "no believed Path (sip.edges) says with ;ob that a proxy keeps flows"));
    }
    RegisterContext context{*aor, extraHeadersOf(request, parsed), connectionOf(request)};
    const bool mayBeHint = registersAreMirrored() && parsed.reachable;
    if (parsed.exceedsContacts) {
        answerArrival(failure(ErrorCode::Conflict, "it names more contacts than a user may have"),
                      context, done);
        if (mayBeHint) {
            callbacks_.onHint(*aor);
        }
        return;
    }
    if (request.elements("Contact").empty()) {
        return bindings_.lookup(
            *aor, callbackGuard_.guard([this, context = std::move(context), done = std::move(done)](
                                           Result<std::vector<Binding>> bindings) {
                answerArrival(std::move(bindings).map([](std::vector<Binding> found) {
                    return Arrival{std::move(found)};
                }),
                              context, done);
            }));
    }
    parsed.update.storesBindings = storesBindings();
    parsed.update.releasesMailbox = parsed.reachable;
    if (parsed.reachable) {
        parsed.update.claimLimits = callbacks_.prepareArrival(*aor);
    }
    const auto prepared = parsed.update.claimLimits;
    bindings_.update(std::move(parsed.update),
                     callbackGuard_.guard([this, context = std::move(context),
                                           reachable = parsed.reachable, prepared, mayBeHint,
                                           done = std::move(done)](Result<Arrival> arrival) {
                         // First, because a phone may refuse a message before it knows that it is
                         // registered.
                         answerArrival(arrival, context, done);
                         const bool isRefused = !arrival && !isTemporary(arrival.error().code);
                         if (reachable) {
                             callbacks_.onArrival(context.aor, prepared, std::move(arrival));
                         }
                         if (mayBeHint && isRefused) {
                             callbacks_.onHint(context.aor);
                         }
                     }));
}

void Registrar::answerArrival(const Result<Arrival>& arrival,
                              const RegisterContext& context,
                              const Respond& done)
{
    // For a copied REGISTER the server's contacts count, not ours.
    const bool isHint = !arrival && registersAreMirrored() && !isTemporary(arrival.error().code);
    if (!arrival && !isHint) {
        return done(answerToRegister(arrival.error(), context.aor, logLimiter_));
    }
    const auto bindings = arrival ? arrival->bindings : std::vector<Binding>{};
    auto answer = bindingsAnswer(bindings);
    answer.headers.insert(answer.headers.end(), context.extraHeaders.begin(),
                          context.extraHeaders.end());
    if (arrival) {
        answer.keepConnection =
            connectionLifetimeOf(context.connection, context.aor, bindings, clock_.now());
    }
    done(std::move(answer));
}

Registrar::ParsedRegister Registrar::parse(const ReceivedRequest& request, std::string aor) const
{
    ParsedRegister parsed;
    parsed.update.aor = std::move(aor);
    parsed.update.callId = request.header("Call-ID").value_or("");
    parsed.update.cseq = parseCSeq(request.header("CSeq").value_or("")).value_or(CSeq{}).number;
    const auto contacts = request.elements("Contact");
    if (std::ranges::find(contacts, "*") != contacts.end()) {
        parsed.update.removeAll = true;
        if (contacts.size() != 1 || request.header("Expires") != "0") {
            parsed.refusal =
                refusal(400, "Bad Request", "Contact: * goes alone and with Expires: 0");
        }
        return parsed;
    }
    if (!contacts.empty() && mayGivePath(request)) {
        auto path = pathOf(request);
        if (!path) {
            parsed.refusal = refusal(400, "Bad Path", path.error().message);
            return parsed;
        }
        parsed.path = std::move(*path);
    }
    for (const auto contact : contacts) {
        addContact(request, contact, parsed);
        if (parsed.refusal.status != 0) {
            break;
        }
        // Stop here: the sender pays for one datagram, we for each contact that we read.
        if (std::max(parsed.update.additions.size(), parsed.update.removals.size()) >
            settings_.registration.maxContacts) {
            parsed.exceedsContacts = true;
            parsed.reachable = true;  // a contact that is not read may be a new one
            break;
        }
    }
    return parsed;
}

void Registrar::addContact(const ReceivedRequest& request,
                           std::string_view contact,
                           ParsedRegister& parsed) const
{
    const auto address = parseNameAddr(contact);
    const auto uri = address ? parseSipUri(address->uri) : tl::unexpected<Error>(address.error());
    if (!uri) {
        if (registersAreMirrored()) {
            parsed.reachable = true;  // the server has accepted the contact
        } else {
            parsed.refusal = refusal(400, "Bad Contact", uri.error().message);
        }
        return;
    }
    Binding binding;
    binding.contact = address->uri;
    binding.instance = instanceOf(address->param("+sip.instance"));
    binding.regId = address->param("reg-id") != nullptr ? *address->param("reg-id") : "";
    binding.q = preferenceOf(address->param("q"));
    binding.path = parsed.path;
    binding.source = sourceOf(request);
    binding.flow = isDirect(request) ? request.flow : "";
    binding.behindNat = isBehindNat(request);
    binding.transport = name(request.transport);
    binding.agent = request.header("User-Agent").value_or("").substr(0, kLongestAgent);
    binding.callId = parsed.update.callId;
    binding.cseq = parsed.update.cseq;
    binding.updated = clock_.now();

    const auto expiry = expiryOf(request, address->param("expires"));
    if (expiry == Millis{0}) {
        parsed.update.removals.push_back(std::move(binding));
        return;
    }
    if (expiry < settings_.registration.minExpires && expiry < kNeverTooBrief &&
        !registersAreMirrored()) {
        const auto least =
            std::chrono::ceil<std::chrono::seconds>(settings_.registration.minExpires).count();
        parsed.refusal = {423, "Interval Too Brief", {{"Min-Expires", std::to_string(least)}}};
        return;
    }
    binding.expires = binding.updated + std::min(expiry, settings_.registration.maxExpires);
    parsed.update.additions.push_back(std::move(binding));
    parsed.reachable = true;
}

/// A Path is accepted from proxies only, not from a phone.
bool Registrar::mayGivePath(const ReceivedRequest& request) const
{
    return request.authenticatedAor.empty() || anyContains(settings_.edges, request.sourceHost);
}

/// Headers of the answer besides Contact: Path (RFC 3327 section 5.3), outbound (RFC 5626 section
/// 6).
std::vector<std::pair<std::string, std::string>>
Registrar::extraHeadersOf(const ReceivedRequest& request, const ParsedRegister& parsed) const
{
    std::vector<std::pair<std::string, std::string>> extraHeaders;
    if (!parsed.update.additions.empty()) {
        for (const auto& one : parsed.path) {
            extraHeaders.emplace_back("Path", one);
        }
    }
    if (registersAreMirrored() || !wantsFlow(parsed.update) ||
        !firstHopKeepsFlow(request, parsed.path) ||
        (!hasOption(request, "Supported", "outbound") &&
         !hasOption(request, "Require", "outbound"))) {
        return extraHeaders;
    }
    extraHeaders.emplace_back("Require", "outbound");
    // Only for a connection to us. Over UDP a phone defaults to 29 s, which suits NATs, and an edge
    // proxy has its own timer (RFC 5626 section 4.4).
    if (isDirect(request) && request.transport != Transport::Udp) {
        extraHeaders.emplace_back("Flow-Timer", kFlowTimerSeconds);
    }
    return extraHeaders;
}

Millis Registrar::expiryOf(const ReceivedRequest& request, const std::string* parameter) const
{
    if (parameter != nullptr) {
        return deltaSeconds(*parameter).value_or(kMalformedExpires);
    }
    const auto header = request.header("Expires");
    return header ? deltaSeconds(*header).value_or(kMalformedExpires)
                  : settings_.registration.defaultExpires;
}

SipAnswer Registrar::bindingsAnswer(const std::vector<Binding>& bindings) const
{
    const auto now = clock_.now();
    SipAnswer answer{200, "OK", {{"Date", formatSipDate(now)}, {"Supported", "path, outbound"}}};
    for (const auto& binding : bindings) {
        answer.headers.emplace_back("Contact", contactLine(binding, now));
    }
    return answer;
}

}  // namespace restante::sip
