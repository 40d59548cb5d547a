#include "sipplugin/sofia/agent.h"

#include "core/base/log.h"
#include "sipplugin/sofia/agent_impl.h"
#include "sipplugin/sofia/listening_sockets.h"
#include "sipplugin/sofia/message_class.h"

#include <sofia-sip/msg_addr.h>
#include <sofia-sip/nta_tport.h>
#include <sofia-sip/sip.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/su_log.h>
#include <sofia-sip/tport.h>
#include <sofia-sip/tport_tag.h>
#include <sofia-sip/url.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <exception>
#include <fmt/format.h>
#include <iterator>

// sofia declares its logs in private headers only.
extern "C" su_log_t nta_log[];
extern "C" su_log_t tport_log[];

namespace restante::sip {

namespace {

/// How often another free port is tried when somebody takes the chosen one in between.
constexpr int kPortTries = 20;

/// Bytes of unread datagrams; the kernel doubles it, and gives no more than net.core.rmem_max. When
/// everybody returns at once, the answers of a thousand devices and the next REGISTERs come within
/// one turn of the loop, and the kernel counts 1.3 KB for a short one. What does not fit is lost: a
/// delivery is repeated, a REGISTER comes when the phone thinks so.
constexpr unsigned kDatagramBuffer = 1024 * 1024;

/// A living connection of the socket `primary` with that peer; IPv6 in brackets.
tport_t* secondaryOf(tport_t* primary, const std::string& host, const std::string& port) noexcept
{
    tp_name_t name{};
    name.tpn_proto = "tcp";
    name.tpn_canon = host.c_str();
    name.tpn_host = host.c_str();
    name.tpn_port = port.c_str();
    auto* transport = tport_by_name(primary, &name);
    return transport != nullptr && tport_is_secondary(transport) != 0 ? transport : nullptr;
}

}  // namespace

Agent::Impl::Impl(SuLoop& loopOfHost, Handler requestHandler)
    : loop(loopOfHost),
      handler(std::move(requestHandler))
{
}

Result<void> Agent::Impl::open(const Settings& settings)
{
    // Whoever can send a datagram could fill the log; "soft" leaves TPORT_DEBUG and NTA_DEBUG
    // alone.
    su_log_soft_set_level(nta_log, 0);
    su_log_soft_set_level(tport_log, 0);
    // The defaults of sofia are unsafe, see also bind(). Raw header text is kept (EXTRACT_COPY),
    // because what we store must travel on unchanged.
    // sofia reads whatever a TCP connection holds into the buffer of one message, and what is over
    // MAXSIZE then is too long, however many messages it is: so there must be room for it all.
    const Tags tags{{NTATAG_MCLASS(tolerantMessageClass())},
                    {NTATAG_MAXSIZE(settings.maxMessage + kUnreadOfTcp)},
                    {NTATAG_MAX_PROCEEDING(5'000)},
                    {NTATAG_SIPFLAGS(MSG_DO_EXTRACT_COPY | MSG_DO_CANONIC)},
                    {NTATAG_UA(0)},
                    {NTATAG_SIP_T1X64(static_cast<unsigned>(settings.answerTimeout.count()))},
                    {NTATAG_SIP_T4(5'000)}};  // below 1,000 its queues collapse
    // NONE: no transport yet.
    const auto* none = reinterpret_cast<const url_string_t*>(-1);
    agent.reset(nta_agent_create(loop.root(), none, &onMessage, this, TAG_NEXT(tags.list())));
    if (agent == nullptr) {
        return failure(ErrorCode::Internal, "sofia cannot make a SIP agent: out of memory?");
    }
    auto rest = settings.listen;
    std::erase_if(rest, [](const auto& one) { return one.transport == Transport::Tls; });
    while (!rest.empty()) {
        // Sockets of one address and port stand together, so that a free port is free for all.
        const auto first = rest.front();
        const auto others = std::stable_partition(rest.begin(), rest.end(), [&](const auto& one) {
            return one.host == first.host && one.port == first.port;
        });
        if (auto bound = bindGroup({rest.begin(), others}); !bound) {
            return bound;
        }
        rest.erase(rest.begin(), others);
    }
    collectSockets();
    if (auto opened = openTls(settings); !opened) {
        return opened;
    }
    if (settings.connections) {
        warden = std::make_unique<ConnectionWarden>(loop, listening, *settings.connections);
    }
    return {};
}

void Agent::Impl::noteMessage(msg_t* message) const
{
    if (!warden || !warden->hasConnections() || msg_addrinfo(message)->ai_socktype != SOCK_STREAM) {
        return;
    }
    const auto& address = *msg_addr(message);
    // The parser's end of a tunnel is on 127.0.0.1.
    const bool maybeTunnel = tls && address.su_family == AF_INET &&
                             address.su_sin.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
    const auto* tunnelled = maybeTunnel ? tls->peerAt(ntohs(address.su_port)) : nullptr;
    if (tunnelled == nullptr) {
        warden->completed(address.su_sa);
    } else {
        warden->completed(*nameOf(tunnelled->host, tunnelled->port).raw());
    }
}

Result<void> Agent::Impl::openTls(const Settings& settings)
{
    TlsGateway::Settings gateway;
    std::ranges::copy_if(settings.listen, std::back_inserter(gateway.listen),
                         [](const auto& one) { return one.transport == Transport::Tls; });
    if (!settings.tls) {
        if (!gateway.listen.empty()) {
            return failure(ErrorCode::Invalid, "sip.listen names a tls: address, which needs "
                                               "sip.tls.certificate (and sip.tls.key)");
        }
        return {};
    }
    // Not in collectSockets(): nobody but our own tunnels is served there.
    ListenAddress inside{Transport::Tcp, "127.0.0.1", 0};
    if (auto opened = openParser(inside); !opened) {
        return opened;
    }
    gateway.tls = *settings.tls;
    gateway.parserPort = inside.port;
    auto opened = TlsGateway::open(loop, std::move(gateway));
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    tls = std::move(*opened);
    presentAsTls();
    listening.insert(listening.end(), tls->listening().begin(), tls->listening().end());
    return {};
}

Result<void> Agent::Impl::openParser(ListenAddress& inside)
{
    inside.port = probe(inside);
    if (inside.port == 0) {
        return cannotListen(inside, errno);
    }
    if (auto bound = bind(inside); !bound) {
        return bound;
    }
    // The last one: sofia takes the first that fits for connections of its own.
    for (auto* one = tport_primaries(nta_agent_tports(agent.get())); one != nullptr;
         one = tport_next(one)) {
        parser = one;
    }
    limitUnread(inside);
    return {};
}

/// sofia compares the Via of requests with the one it has for their transport, and writes it into
/// those it sends: there it has to be TLS, and our outer address.
void Agent::Impl::presentAsTls()
{
    auto* own = reinterpret_cast<sip_via_t*>(tport_magic(parser));
    const auto* first = reinterpret_cast<const sip_via_t*>(
        tport_magic(tport_primaries(nta_agent_tports(agent.get()))));
    tlsHost = first->v_host;
    if (!tls->listening().empty()) {
        const auto& address = tls->listening().front();
        const bool everywhere = address.host == "0.0.0.0" || address.host == "::";
        const bool v6 = address.host.find(':') != std::string::npos;
        if (!everywhere) {
            tlsHost = v6 ? "[" + address.host + "]" : address.host;
        }
        tlsPort = std::to_string(address.port);
    }
    own->v_protocol = sip_transport_tls;
    own->v_host = tlsHost.c_str();
    own->v_port = tlsPort.empty() ? nullptr : tlsPort.c_str();
}

const TlsPeer* Agent::Impl::tlsPeerOf(msg_t* message, const tport_s* transport) const
{
    if (parser == nullptr || tport_parent(transport) != parser) {
        return nullptr;
    }
    return tls->peerAt(ntohs(msg_addr(message)->su_port));
}

/// Some other program of this machine has found the parser's port.
bool Agent::Impl::isStranger(msg_t* message) const
{
    if (parser == nullptr) {
        return false;
    }
    auto* transport = tport_delivered_by(nta_agent_tports(agent.get()), message);
    if (tport_parent(transport) != parser || tlsPeerOf(message, transport) != nullptr) {
        return false;
    }
    tport_shutdown(transport, 2);
    return true;
}

Result<void> Agent::Impl::bindGroup(std::vector<ListenAddress> group)
{
    const bool anyPort = group.front().port == 0;
    for (int tries = 0;; ++tries) {
        const auto port = probe(group.front());
        if (port == 0) {
            return cannotListen(group.front(), errno);
        }
        const auto taken = std::ranges::find_if(group, [&](auto& one) {
            one.port = port;
            return probe(one) == 0;
        });
        if (taken == group.end()) {
            break;
        }
        if (!anyPort || tries == kPortTries) {
            return cannotListen(*taken, errno);
        }
        group.front().port = 0;
    }
    for (const auto& address : group) {
        if (auto bound = bind(address); !bound) {
            return bound;
        }
    }
    return {};
}

Result<void> Agent::Impl::bind(const ListenAddress& address)
{
    const bool v6 = address.host.find(':') != std::string::npos;
    const auto url = fmt::format("sip:{}{}{}:{};transport={}", v6 ? "[" : "", address.host,
                                 v6 ? "]" : "", address.port, name(address.transport));
    // The tags of transports belong here: nta_agent_create() forgets them when it makes none.
    // The defaults would wait for the rest of a message for ever and serve STUN.
    const Tags tags{{TPTAG_SERVER(1)},      {TPTAG_TIMEOUT(5'000)},
                    {TPTAG_IDLE(180'000)},  // more than the 120 s between keep-alives of RFC 5626
                    {TPTAG_PONG2PING(1)},   {TPTAG_QUEUESIZE(1'024)},
                    {TPTAG_STUN_SERVER(0)}, {TPTAG_UDP_RMEM(kDatagramBuffer)}};
    if (nta_agent_add_tport(agent.get(), URL_STRING_MAKE(url.c_str()), TAG_NEXT(tags.list())) < 0) {
        return cannotListen(address, su_errno());
    }
    return {};
}

void Agent::Impl::collectSockets()
{
    for (auto* one = tport_primaries(nta_agent_tports(agent.get())); one != nullptr;
         one = tport_next(one)) {
        const auto* named = tport_name(one);
        ListenAddress address;
        address.transport = tport_is_udp(one) ? Transport::Udp : Transport::Tcp;
        address.host = named->tpn_host;
        if (address.host.starts_with('[')) {
            address.host = address.host.substr(1, address.host.size() - 2);
        }
        const std::string_view port = named->tpn_port;
        std::from_chars(port.data(), port.data() + port.size(), address.port);
        if (address.transport == Transport::Tcp && !limitUnread(address)) {
            log::warning("sip",
                         "the receive buffer of {} cannot be limited (is /proc mounted?): a peer "
                         "that writes {} bytes at once may be cut off",
                         address.print(), kUnreadOfTcp);
        }
        listening.push_back(std::move(address));
    }
}

/// An answer to nothing that is under way. Our own Via is the only one left.
void Agent::Impl::takeStray(const sip_t& response)
{
    const auto* via = response.sip_via;
    if (response.sip_status != nullptr && via != nullptr && via->v_branch != nullptr) {
        const auto* phrase = response.sip_status->st_phrase;
        late.answered(via->v_branch, response.sip_status->st_status,
                      phrase == nullptr ? "" : phrase, LateAnswers::Instant::clock::now());
    }
}

int Agent::Impl::onMessage(nta_agent_magic_t* magic, nta_agent_t*, msg_t* msg, sip_t* sip) noexcept
{
    MessageHandle message{msg};
    auto& self = *static_cast<Impl*>(magic);
    try {
        self.noteMessage(msg);
        self.traceArrival(msg);
        if (self.isStranger(msg) || !self.handler) {
            return 0;
        }
        if (sip->sip_request == nullptr) {
            self.takeStray(*sip);
            return 0;
        }
        auto request =
            std::make_unique<IncomingRequest::Impl>(self.shared_from_this(), message.release());
        self.handler(std::make_unique<IncomingRequest>(std::move(request)));
    } catch (const std::exception& thrown) {
        log::error("sip", "a message was dropped: {}", thrown.what());
    }
    return 0;
}

Result<std::unique_ptr<Agent>> Agent::open(SuLoop& loop, Settings settings, Handler handler)
{
    auto impl = std::make_shared<Impl>(loop, std::move(handler));
    if (auto opened = impl->open(settings); !opened) {
        return tl::unexpected<Error>(opened.error());
    }
    return std::unique_ptr<Agent>{new Agent{std::move(impl)}};
}

Agent::Agent(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
/// Requests that still wait for their answer keep the sockets open; what comes there belongs to
/// nobody any more, and is sent again.
Agent::~Agent()
{
    impl_->handler = nullptr;
}

const std::vector<ListenAddress>& Agent::listening() const noexcept
{
    return impl_->listening;
}
SuLoop& Agent::loop() const noexcept
{
    return impl_->loop;
}
nta_agent_s* Agent::handle() const noexcept
{
    return impl_->agent.get();
}
LateAnswers& Agent::lateAnswers() const noexcept
{
    return impl_->late;
}
std::size_t Agent::unanswered() const noexcept
{
    return impl_->unanswered;
}
void Agent::noteMessage(msg_s* message) const
{
    impl_->noteMessage(message);
    impl_->traceArrival(message);
}
bool Agent::noteRequest(msg_s* message, const tport_s* connection) const
{
    return impl_->traceRequest(message, connection);
}
void Agent::traceTo(std::unique_ptr<MessageTracer> tracer)
{
    impl_->tracer = std::move(tracer);
}
TlsGateway* Agent::tls() const noexcept
{
    return impl_->tls.get();
}

tport_s* Agent::tunnel(std::uint16_t inside) const noexcept
{
    return impl_->parser == nullptr
               ? nullptr
               : secondaryOf(impl_->parser, "127.0.0.1", std::to_string(inside));
}

tport_s* Agent::connectionFrom(const std::string& peer) const noexcept
{
    const auto colon = peer.rfind(':');
    if (colon == std::string::npos) {
        return nullptr;
    }
    for (auto* one = tport_primaries(nta_agent_tports(impl_->agent.get())); one != nullptr;
         one = tport_next(one)) {
        if (tport_is_udp(one) == 0 && one != impl_->parser) {
            if (auto* found = secondaryOf(one, peer.substr(0, colon), peer.substr(colon + 1))) {
                return found;
            }
        }
    }
    return nullptr;
}

bool Agent::speaksTcp() const noexcept
{
    return impl_->parser == nullptr ||
           std::ranges::any_of(impl_->listening, [](const auto& address) {
               return address.transport == Transport::Tcp;
           });
}

}  // namespace restante::sip
