#include "core/http/server/request_guard.h"

#include "core/base/log.h"
#include "core/base/network.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace restante::http {

namespace {

/// The most addresses that are remembered; further ones, which can only be many machines, share one
/// entry.
constexpr std::size_t kMostAddresses = 10'000;

/// "example.org:80" -> "example.org", "[::1]:80" -> "::1"; none when it is neither.
std::optional<std::string> hostOf(std::string_view authority)
{
    std::string_view host = authority;
    std::string_view port;
    if (host.starts_with('[')) {
        const auto end = host.find(']');
        if (end == std::string_view::npos) {
            return {};
        }
        port = host.substr(end + 1);
        host = host.substr(1, end - 1);
    } else {
        const auto colon = std::min(host.find(':'), host.size());
        port = host.substr(colon);
        host = host.substr(0, colon);
    }
    const bool isPortNumeric = std::all_of(port.begin() + (port.empty() ? 0 : 1), port.end(),
                                           [](char c) { return c >= '0' && c <= '9'; });
    if (host.empty() || port.size() > 6 || (!port.empty() && port.front() != ':') ||
        !isPortNumeric) {
        return {};
    }
    return std::string(host);
}

bool isSameHost(const std::string& a, const std::string& b)
{
    const auto network = Network::parse(a);
    return network ? network->contains(b) : equalIgnoringCase(a, b);
}

bool isLoopback(const std::string& address)
{
    return SocketAddress{address, 0}.isLoopback();
}

/// Whether proxies add a header of that name: RFC 7239, RFC 9110 section 7.6.3, and older customs.
bool isProxyHeader(std::string_view name)
{
    constexpr std::string_view kPrefix = "X-Forwarded-";
    return equalIgnoringCase(name, "Forwarded") || equalIgnoringCase(name, "Via") ||
           equalIgnoringCase(name, "X-Real-IP") || startsWithIgnoringCase(name, kPrefix);
}

/// The authority with the port that `scheme` implies where it has none; RFC 6454 section 4.
std::string withPort(std::string_view authority, std::string_view scheme)
{
    const auto bracket = authority.rfind(']');
    const auto colon = authority.rfind(':');
    const bool hasPort =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    if (hasPort && colon + 1 < authority.size()) {
        return std::string(authority);
    }
    return fmt::format("{}:{}", authority.substr(0, hasPort ? colon : authority.size()),
                       equalIgnoringCase(scheme, "https") ? 443 : 80);
}

/// Whether `origin` has the scheme, host and port of the request; a page from another port is
/// foreign.
bool isSameOrigin(std::string_view origin, std::string_view scheme, std::string_view authority)
{
    const auto slashes = origin.find("://");
    if (slashes == std::string_view::npos ||
        !equalIgnoringCase(origin.substr(0, slashes), scheme)) {
        return false;
    }
    const auto page = origin.substr(slashes + 3);
    return hostOf(page) && hostOf(authority) &&
           equalIgnoringCase(withPort(page, scheme), withPort(authority, scheme));
}

/// The bytes after "Bearer"; RFC 6750 section 2.1, its name in any case.
std::optional<std::string_view> bearerToken(const Request& request)
{
    constexpr std::string_view kScheme = "Bearer ";
    const auto header = request.header("Authorization");
    if (!header || header->size() <= kScheme.size() || !startsWithIgnoringCase(*header, kScheme)) {
        return {};
    }
    const auto start = header->find_first_not_of(' ', kScheme.size());
    return start == std::string_view::npos ? std::nullopt : std::optional(header->substr(start));
}

std::string_view scopeName(Scope scope)
{
    switch (scope) {
    case Scope::Push: return "push";
    case Scope::Pop: return "pop";
    case Scope::Admin: return "admin";
    }
    return "admin";
}

}  // namespace

Millis FailureDelay::bookRefusal(const std::string& address, Moment now)
{
    const std::lock_guard lock(mutex_);
    const auto network = customerNetworkOf(address);
    if (bookedUntil_.size() >= kMostAddresses && !bookedUntil_.contains(network)) {
        dropExpired(now);
    }
    const bool hasEntryOrRoom =
        bookedUntil_.contains(network) || bookedUntil_.size() < kMostAddresses;
    auto& bookedUntil = bookedUntil_[hasEntryOrRoom ? network : std::string{}];
    bookedUntil = std::max(bookedUntil, now) + kDelayPerFailure;
    const auto wait = std::chrono::duration_cast<Millis>(bookedUntil - now -
                                                         kDelayPerFailure * kUndelayedFailures);
    if (wait > kLongestDelay) {
        bookedUntil = now + kLongestDelay + kDelayPerFailure * kUndelayedFailures;
    }
    return std::clamp(wait, Millis{0}, kLongestDelay);
}

std::uint64_t FailureDelay::countRefusalForLog(Moment now)
{
    const std::lock_guard lock(mutex_);
    ++unloggedCount_;
    if (now < nextLogTime_) {
        return 0;
    }
    nextLogTime_ = now + std::chrono::seconds{1};
    return std::exchange(unloggedCount_, 0);
}

void FailureDelay::dropExpired(Moment now)
{
    for (auto entry = bookedUntil_.begin(); entry != bookedUntil_.end();) {
        entry = entry->second <= now ? bookedUntil_.erase(entry) : std::next(entry);
    }
}

Dialect RequestGuard::dialectOf(const Request& request) const
{
    for (const auto* method : {request.method.c_str(), "GET", "POST"}) {
        if (const auto* route = router_.match(method, request.path).route) {
            return route->dialect;
        }
    }
    return Dialect::V1;
}

RequestGuard::Verdict
RequestGuard::judge(const Request& request, const std::string& authority, Peer& peer)
{
    auto match = router_.match(request.method, request.path);
    Verdict verdict{match.route, std::move(match.values), peer.address, true, {}, Millis{0}, {}};
    const auto dialect = match.route != nullptr ? match.route->dialect : dialectOf(request);
    if (!isServedAuthority(authority, peer)) {
        verdict.refusal = refusal(
            dialect, 421, "Misdirected request",
            fmt::format(
                "the Host \"{}\" is not served here; use the address that the server listens "
                "on, or name it in http.hosts",
                authority));
        return verdict;
    }
    if (auto proxied = proxyRefusal(request)) {
        verdict.refusal = std::move(proxied);
        return verdict;
    }
    if (match.route == nullptr && match.allowed.empty()) {
        verdict.refusal = refusal(dialect, 404, "Not found",
                                  fmt::format("nothing is served at {}", request.path));
        return verdict;
    }
    if (match.route == nullptr) {
        const auto allowed = fmt::format("{}", fmt::join(match.allowed, ", "));
        verdict.refusal =
            refusal(dialect, 405, "Method not allowed",
                    fmt::format("{} is not allowed here; use {}", request.method, allowed));
        verdict.refusal->headers.push_back({"Allow", allowed});
        return verdict;
    }
    verdict.refusal = originRefusal(request, authority, peer);
    if (!verdict.refusal) {
        verdict.refusal = checkToken(request, peer, verdict);
    }
    return verdict;
}

bool RequestGuard::isServedAuthority(const std::string& authority, Peer& peer) const
{
    if (authority.empty()) {
        return true;  // HTTP/1.0; a browser, which could be misled, always says it
    }
    if (authority == peer.servedAuthority) {
        return true;
    }
    const bool isOurs = isServedHost(authority, peer);
    if (isOurs) {
        peer.servedAuthority = authority;
    }
    return isOurs;
}

bool RequestGuard::isServedHost(const std::string& authority, const Peer& peer) const
{
    const auto host = hostOf(authority);
    if (!host) {
        return false;
    }
    const bool namesLoopback = equalIgnoringCase(*host, "localhost") || isLoopback(*host);
    return (namesLoopback && isLoopback(peer.localAddress)) ||
           isSameHost(*host, peer.localAddress) ||
           std::any_of(settings_.hosts.begin(), settings_.hosts.end(),
                       [&](const std::string& name) { return equalIgnoringCase(name, *host); });
}

/// Without tokens whoever reaches the loopback address may do everything, and a proxy there would
/// let strangers in.
std::optional<Response> RequestGuard::proxyRefusal(const Request& request) const
{
    if (!settings_.tokens.empty()) {
        return {};
    }
    const auto proxyHeader =
        std::find_if(request.headers.begin(), request.headers.end(),
                     [](const Header& header) { return isProxyHeader(header.name); });
    if (proxyHeader == request.headers.end()) {
        return {};
    }
    return refusal(dialectOf(request), 403, "Forbidden",
                   fmt::format("the header {} says that a proxy brought the request, and no token "
                               "is asked for here; name an http.token_file first",
                               proxyHeader->name));
}

/// Foreign web pages can make a browser send simple requests to us; the browser reports their
/// origin.
std::optional<Response> RequestGuard::originRefusal(const Request& request,
                                                    const std::string& authority,
                                                    const Peer& peer) const
{
    const auto site = request.header("Sec-Fetch-Site");
    bool isForeign = site && (*site == "cross-site" || *site == "same-site");
    for (const auto& header : request.headers) {
        if (equalIgnoringCase(header.name, "Origin")) {
            // A proxy's headers reach this check only if there are tokens, and a web page cannot
            // add this header without a preflight.
            const auto forwarded = request.header("X-Forwarded-Proto");
            const auto scheme = forwarded.value_or(peer.secure ? "https" : "http");
            isForeign = isForeign || !isSameOrigin(header.value, scheme, authority);
        }
    }
    if (!isForeign) {
        return {};
    }
    return refusal(dialectOf(request), 403, "Forbidden",
                   "the request comes from a web page of another site");
}

std::optional<Response>
RequestGuard::checkToken(const Request& request, const Peer& peer, Verdict& verdict)
{
    const auto& route = *verdict.route;
    if (settings_.tokens.empty() || route.open) {
        return {};
    }
    const auto secret = bearerToken(request);
    const auto* token = secret ? settings_.tokens.find(*secret) : nullptr;
    const auto now = std::chrono::steady_clock::now();
    if (secret && token == nullptr) {
        verdict.delay = settings_.failures->bookRefusal(peer.address, now);
        if (const auto count = settings_.failures->countRefusalForLog(now); count > 0) {
            log::warning("http",
                         "{} refused tokens, the last from {}: it is not in http.token_file", count,
                         peer.address);
        }
    }
    if (token == nullptr) {
        auto refused = refusal(route.dialect, 401, "Unauthorized",
                               secret ? "the bearer token is not known"
                                      : "send a token: Authorization: Bearer SECRET");
        refused.headers.push_back(
            {"WWW-Authenticate", secret ? R"(Bearer realm="restante", error="invalid_token")"
                                        : R"(Bearer realm="restante")"});
        return refused;
    }
    verdict.actor = token->name;
    verdict.admin = token->allows(Scope::Admin);
    verdict.grant = token->grant;
    if (!token->allows(route.scope)) {
        if (const auto count = settings_.failures->countRefusalForLog(now); count > 0) {
            log::warning("http",
                         "{} refused tokens, the last \"{}\" from {}: it lacks the scope {}", count,
                         token->name, peer.address, scopeName(route.scope));
        }
        auto refused = refusal(route.dialect, 403, "Forbidden",
                               fmt::format("the token \"{}\" lacks the scope {}", token->name,
                                           scopeName(route.scope)));
        refused.headers.push_back(
            {"WWW-Authenticate",
             fmt::format(R"(Bearer realm="restante", error="insufficient_scope", scope="{}")",
                         scopeName(route.scope))});
        return refused;
    }
    return {};
}

}  // namespace restante::http
