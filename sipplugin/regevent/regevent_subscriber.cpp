#include "sipplugin/regevent/regevent_subscriber.h"

#include "core/base/crypto.h"
#include "core/base/log.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/socket_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace restante::sip {
namespace {
constexpr std::uint32_t kMessagesPerRead = 100;

/// The own address that routing picks for `host`, an address; "" without a route.
std::string localAddressTowards(const std::string& host)
{
    return localAddressTo(socketNameOf(host, 5'060));
}

/// The same for the first of `servers` of the address family of the wildcard `socket`.
std::string localAddressTowards(const std::vector<TransportAddress>& servers,
                                const TransportAddress& socket)
{
    for (const auto& server : servers) {
        const bool isIpv6 = server.host.find(':') != std::string::npos;
        const bool isOfSocketsFamily = isIpv6 == (socket.host.find(':') != std::string::npos);
        if (auto host = isOfSocketsFamily ? localAddressTowards(server.host) : std::string();
            !host.empty()) {
            return host;
        }
    }
    return {};
}

bool isSameServer(const std::string& one, const std::string& other)
{
    const auto left = parseSipUri(one);
    const auto right = parseSipUri(other);
    const auto portOf = [](const SipUri& uri) { return uri.port == 0 ? 5'060 : uri.port; };
    return left && right && left->host == right->host && portOf(*left) == portOf(*right);
}

ProxyCredentials credentialsFor(const RegEventSubscriber::Settings& settings)
{
    const bool isProxy = std::ranges::any_of(
        settings.proxy, [&](const auto& proxy) { return isSameServer(settings.server, proxy); });
    return isProxy ? settings.login : ProxyCredentials{};
}

/// Our socket of the transport by which `server` sends its NOTIFYs.
Result<TransportAddress> socketFor(const SipUri& server,
                                   const std::vector<TransportAddress>& listening)
{
    const auto* wanted = server.param("transport");
    const auto transport = wanted != nullptr && parseTransport(*wanted) == Transport::Tcp
                               ? Transport::Tcp
                               : Transport::Udp;
    const auto ours = std::ranges::find(listening, transport, &TransportAddress::transport);
    if (ours == listening.end()) {
        return failure(ErrorCode::Invalid,
                       fmt::format("sip.regevent: NOTIFYs come over {}, and sip.listen has no such "
                                   "address; add one",
                                   name(transport)));
    }
    return *ours;
}

std::string formatContact(const std::string& host, const TransportAddress& socket)
{
    return fmt::format("sip:restante@{}:{}{}", bracketed(host), socket.port,
                       socket.transport == Transport::Tcp ? ";transport=tcp" : "");
}

}  // namespace

Result<std::string> contactFor(const std::string& server,
                               const std::vector<TransportAddress>& listening)
{
    const auto uri = parseSipUri(server);
    if (!uri) {
        return failure(ErrorCode::Invalid, "sip.regevent: " + uri.error().message);
    }
    const auto socket = socketFor(*uri, listening);
    if (!socket) {
        return tl::unexpected(socket.error());
    }
    if (!isWildcardAddress(socket->host)) {
        return formatContact(socket->host, *socket);
    }
    const std::string bare{withoutBrackets(uri->host)};
    if (!isAddressLiteral(bare)) {
        return std::string();
    }
    const auto host = localAddressTowards(bare);
    if (host.empty()) {
        return failure(ErrorCode::Invalid,
                       fmt::format("sip.regevent: there is no way to {}; name the address that it "
                                   "reaches us at in sip.listen",
                                   uri->host));
    }
    return formatContact(host, *socket);
}

RegEventSubscriber::RegEventSubscriber(Agent& agent,
                                       JobInspector& inspector,
                                       const Clock& clock,
                                       Settings settings,
                                       std::function<void(const std::string&)> onReachable)
    : agent_(agent),
      inspector_(inspector),
      settings_(std::move(settings)),
      contact_(contactFor(settings_.server, agent.listening()).value_or(settings_.ownAddress)),
      resolver_(agent.loop()),
      sender_(agent, clock, {settings_.server, credentialsFor(settings_), 1}),
      subscriptions_(environment(clock, std::move(onReachable)),
                     {settings_.ownAddress, contact_.empty() ? settings_.ownAddress : contact_,
                      std::chrono::hours{1}, settings_.maxSubscriptions})
{
}

RegEventSubscriptions::Environment
RegEventSubscriber::environment(const Clock& clock,
                                std::function<void(const std::string&)> onReachable)
{
    return {agent_.loop(),
            clock,
            [this](const auto& request, auto onAnswer) {
                findContactThenSend(request, std::move(onAnswer));
            },
            [this](const auto& aor, auto done) { findWhetherAnyWaits(aor, std::move(done)); },
            std::move(onReachable),
            [] { return randomHex(16); }};
}

/// In a dialog its first route, else the server. The server always by its configured name, because
/// only that gets credentials.
std::string RegEventSubscriber::nextHopUriOf(const SubscribeRequest& request) const
{
    const auto first = request.routeSet.empty() ? failure(ErrorCode::NotFound, "no route")
                                                : parseNameAddr(request.routeSet.front());
    if (!first) {
        return settings_.server;
    }
    return isSameServer(first->uri, settings_.server) ? settings_.server : first->uri;
}

void RegEventSubscriber::findContactThenSend(const SubscribeRequest& request,
                                             RequestSender::AnswerHandler onAnswer)
{
    const auto hop = sip::nextHopOf(nextHopUriOf(request));
    const auto server = parseSipUri(settings_.server);
    if (!contact_.empty() || !hop || !server) {
        return send(request, std::move(onAnswer));
    }
    resolver_.find(*hop, false,
                   [this, request = request, onAnswer = std::move(onAnswer),
                    socket = socketFor(*server, agent_.listening())](const auto& servers) mutable {
                       const auto host = servers && socket ? localAddressTowards(*servers, *socket)
                                                           : std::string();
                       if (!host.empty()) {
                           request.contact = formatContact(host, *socket);
                       }
                       send(request, std::move(onAnswer));
                   });
}

void RegEventSubscriber::send(const SubscribeRequest& request,
                              RequestSender::AnswerHandler onAnswer)
{
    const auto text = formatSubscribe(request);
    if (!text) {
        log::warning("sip", "no subscription for {}: {}", request.aor, text.error().message);
    }
    // An empty request is answered 400, like anything that is not SIP.
    sender_.send(text.value_or(""), {nextHopUriOf(request), "", false, false, {true}},
                 std::move(onAnswer));
}

void RegEventSubscriber::findWhetherAnyWaits(const std::string& aor, std::function<void(bool)> done)
{
    inspector_.list(
        {.state = JobState::Held, .channel = Channel::Sip, .recipient = aor, .limit = 1},
        [done = std::move(done)](const Result<JobPage>& page) {
            done(!page || !page->jobs.empty());
        });
}

void RegEventSubscriber::handleRunEnd(const std::string& aor, bool isPostponed)
{
    isPostponed ? subscriptions_.watch(aor) : subscriptions_.unsubscribeIfEmpty(aor);
}

void RegEventSubscriber::resumeFrom(std::string cursor)
{
    inspector_.list({.state = JobState::Held,
                     .channel = Channel::Sip,
                     .cursor = std::move(cursor),
                     .limit = kMessagesPerRead},
                    callbackGuard_.guard([this](const Result<JobPage>& page) {
                        if (!page) {
                            return log::warning("sip",
                                                "not everybody who waits is subscribed to: {}",
                                                page.error().message);
                        }
                        std::set<std::string> recipients;
                        for (const auto& view : page->jobs) {
                            recipients.insert(view.job.recipient);
                        }
                        for (const auto& one : recipients) {
                            subscriptions_.watch(one);
                        }
                        if (!page->cursor.empty() && !subscriptions_.isFull()) {
                            resumeFrom(page->cursor);
                        }
                    }));
}

}  // namespace restante::sip
