#include "sipplugin/transport/agent.h"

#include "core/base/address_policy.h"
#include "core/base/crypto.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/transport/agent_impl.h"
#include "sipplugin/transport/datagram_steering.h"
#include "sipplugin/transport/sockets.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <linux/errqueue.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace restante::sip {

namespace {

using std::chrono::steady_clock;

/// Limits per turn, so that other work of the loop is not delayed.
constexpr int kDatagramsPerTurn = 64;
constexpr int kAcceptsPerTurn = 64;
/// The same for requests that are expensive to handle.
constexpr Millis kTimePerTurn{20};

/// Wait until a descriptor may be free again.
constexpr Millis kAcceptPause{100};

/// The resolution of connections' time-outs.
constexpr Millis kSweepInterval{500};

/// Descriptors for Redis, HTTP and files.
constexpr std::uint32_t kReservedDescriptors = 512;

constexpr std::size_t kLargestDatagram = 65'536;

/// A connection's number is counted in these, the lowest bits; those above them tell which agent of
/// a group has it.
constexpr unsigned kBitsOfCount = 56;

std::string flowPrefixOf(const Agent::Settings& settings)
{
    return settings.group ? settings.group->flowPrefix() : randomHex(8);
}

/// Whether an ICMP error is no failure by RFC 3261 section 18.4: the packet was too long, and the
/// next one will be fragmented, or its time to live was exceeded.
bool isIgnorable(const sock_extended_err& error)
{
    return error.ee_errno == EMSGSIZE ||
           (error.ee_origin == SO_EE_ORIGIN_ICMP && error.ee_type == ICMP_TIME_EXCEEDED) ||
           (error.ee_origin == SO_EE_ORIGIN_ICMP6 && error.ee_type == ICMP6_TIME_EXCEEDED);
}

ConnectionLedger::Limits withinDescriptors(ConnectionLedger::Limits limits)
{
    rlimit descriptorLimit{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptorLimit) == 0 &&
        descriptorLimit.rlim_cur < rlim_t{limits.total} + kReservedDescriptors) {
        const auto allowed = static_cast<std::size_t>(descriptorLimit.rlim_cur);
        limits.total =
            allowed > 2 * kReservedDescriptors ? allowed - kReservedDescriptors : allowed / 2;
        log::info("sip", "{} descriptors are allowed (ulimit -n): at most {} connections", allowed,
                  limits.total);
    }
    return limits;
}

/// A key of streamByTarget_ made of a hop as named, before any look-up.
std::string targetOf(const NextHop& hop)
{
    return fmt::format("{} {} {}", hop.transport ? name(*hop.transport) : "any", hop.host,
                       hop.port);
}

bool isSipVersion(std::string_view version)
{
    return version.size() > 4 && startsWithIgnoringCase(version, "SIP/");
}

bool isLoopback(const std::string& host)
{
    return host.starts_with("127.") || host == "::1";
}

/// In a flow, precedes the local address that the peer sends to, when the socket has several.
constexpr char kLocalAddressMark = '#';

/// The flow of a UDP socket: its address; for a wildcard also the host name, which makes it unique.
std::string flowOf(const TransportAddress& socket)
{
    auto flow = socket.toString();
    if (isWildcardAddress(socket.host)) {
        std::array<char, HOST_NAME_MAX + 1> machine{};
        ::gethostname(machine.data(), machine.size() - 1);
        flow.append("@").append(machine.data());
    }
    return flow;
}

}  // namespace

Agent::Impl::Impl(EventLoop& eventLoop, Settings initialSettings, Handler requestHandler)
    : loop(eventLoop),
      settings(std::move(initialSettings)),
      handler(std::move(requestHandler)),
      resolver(loop, settings.nameServers),
      flowPrefix(flowPrefixOf(settings)),
      acceptPauseTimer_(loop),
      sweepTimer_(loop),
      lastStream_(Stream::Id{settings.number} << kBitsOfCount),
      branchTag_(settings.group ? sip::branchTag(settings.number) : ""),
      datagramBuffer_(kLargestDatagram, '\0')
{
}

Agent::Impl::~Impl()
{
    // First, so that no handler is called when the streams end.
    transactionsByStream_.clear();
    for (auto& [id, stream] : std::exchange(streams_, {})) {
        stream->end("the agent ends");
    }
}

Result<void> Agent::Impl::open()
{
    const bool namesTls = std::ranges::any_of(
        settings.listen, [](const auto& one) { return one.transport == Transport::Tls; });
    if (namesTls && !settings.tls) {
        return invalid("sip.listen names a tls: address, which needs "
                       "sip.tls.certificate (and sip.tls.key)");
    }
    if (settings.tls) {
        contexts_.emplace();
        TRY(reloadTls(*settings.tls));
    }
    auto* const group = settings.group.get();
    const bool isFirst = settings.number == 0;
    if (group != nullptr && !isFirst) {
        settings.listen = group->listening();
    }
    auto sockets = TRY(listenOn(settings.listen, group == nullptr ? PortSharing::Alone
                                                 : isFirst        ? PortSharing::First
                                                                  : PortSharing::Further));
    if (settings.connections && group != nullptr) {
        ledger_ = group->ledger(withinDescriptors(*settings.connections));
    } else if (settings.connections) {
        ledger_ = std::make_shared<ConnectionLedger>(withinDescriptors(*settings.connections));
    }
    for (auto& boundSocket : sockets) {
        listening.push_back(boundSocket.address);
        const int fd = boundSocket.socket.get();
        if (boundSocket.address.transport == Transport::Udp) {
            const auto index = udpSockets_.size();
            udpSockets_.push_back({std::move(boundSocket.socket), boundSocket.address,
                                   flowOf(boundSocket.address),
                                   Watch(loop, fd, Readiness::Readable,
                                         [this, index](Readiness) { readDatagrams(index); })});
            continue;
        }
        auto& acceptor = acceptors_.emplace_back();
        acceptor.socket = std::move(boundSocket.socket);
        acceptor.address = boundSocket.address;
        acceptor.watch = Watch(loop, fd, Readiness::Readable,
                               [this, &acceptor](Readiness) { accept(acceptor); });
    }
    if (group != nullptr) {
        joinGroup();
    }
    return {};
}

void Agent::Impl::joinGroup()
{
    auto& group = *settings.group;
    if (settings.number == 0) {
        group.setListening(listening);
    }
    if (settings.number + 1 == group.size()) {
        for (const auto& one : udpSockets_) {
            if (const auto steered = steerDatagrams(one.socket.get(), group.size()); !steered) {
                log::warning("sip",
                             "the kernel does not share out datagrams by recipient ({}): those of "
                             "one proxy to {} all go to one thread",
                             steered.error().message, one.address.toString());
            }
        }
    }
    // Not make_unique: the constructor is private. It holds us until leaveGroup().
    senderForOthers_.reset(new RequestSender(shared_from_this()));
    group.agents().join(settings.number, loop, *this);
}

void Agent::Impl::leaveGroup()
{
    if (settings.group) {
        settings.group->agents().leave(settings.number);
        senderForOthers_.reset();
        forwardedRequests_.clear();
    }
}

Result<void> Agent::Impl::reloadTls(const TlsSettings& tls)
{
    if (!contexts_) {
        return {};
    }
    return TlsContexts::read(tls).map(
        [this](TlsContexts contexts) { contexts_ = std::move(contexts); });
}

void Agent::Impl::readDatagrams(std::size_t socket)
{
    // A handler may end the agent.
    const auto keep = shared_from_this();
    auto& udpSocket = udpSockets_[socket];
    const auto end = steady_clock::now() + kTimePerTurn;
    for (int i = 0; i < kDatagramsPerTurn && steady_clock::now() < end; ++i) {
        SocketName from;
        const auto bytesRead = receiveFrom(udpSocket.socket.get(), datagramBuffer_, from);
        if (bytesRead < 0) {
            if (errno != EAGAIN || i == 0) {
                handleErrors(udpSocket);
            }
            if (errno == EAGAIN) {
                return;
            }
            continue;
        }
        handleDatagram(
            socket,
            std::string_view{datagramBuffer_}.substr(0, static_cast<std::size_t>(bytesRead)), from);
    }
}

/// Reads the ICMP errors for datagrams that we have sent.
void Agent::Impl::handleErrors(const UdpSocket& udpSocket)
{
    std::array<char, 256> control{};
    SocketName to;
    msghdr header{};
    header.msg_name = to.raw();
    header.msg_namelen = to.length;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    for (int i = 0; i < kDatagramsPerTurn &&
                    ::recvmsg(udpSocket.socket.get(), &header, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0;
         ++i) {
        for (auto* cmsg = CMSG_FIRSTHDR(&header); cmsg != nullptr;
             cmsg = CMSG_NXTHDR(&header, cmsg)) {
            const bool isError =
                (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_RECVERR) ||
                (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_RECVERR);
            if (!isError || header.msg_namelen == 0) {
                continue;
            }
            sock_extended_err error{};
            std::memcpy(&error, CMSG_DATA(cmsg), sizeof error);
            if (isIgnorable(error)) {
                continue;
            }
            const auto destination = addressOf(to, Transport::Udp);
            const std::string why = std::strerror(static_cast<int>(error.ee_errno));
            handleUnreachable(destination, why);
            if (settings.group) {
                // The kernel tells one of the sockets of an address, not that which has sent it.
                settings.group->agents().postToOthers(
                    settings.number,
                    [destination, why](Impl& other) { other.handleUnreachable(destination, why); });
            }
        }
        header.msg_namelen = sizeof to.storage;
        header.msg_controllen = control.size();
    }
}

void Agent::Impl::handleUnreachable(const TransportAddress& destination, const std::string& why)
{
    const auto keep = shared_from_this();
    std::vector<ResponseHandler*> concernedHandlers;
    for (const auto& [branch, responseHandler] : responseHandlers_) {
        if (responseHandler->destination() == destination) {
            concernedHandlers.push_back(responseHandler);
        }
    }
    for (auto* responseHandler : concernedHandlers) {
        responseHandler->onUnreachable(why);
    }
}

void Agent::Impl::handleDatagram(std::size_t socket, std::string_view bytes, const SocketName& from)
{
    if (const auto answer = stunAnswer(bytes, from)) {
        sendDatagram(socket, from, *answer);
        return;
    }
    const auto begin = bytes.find_first_not_of("\r\n");
    if (begin == std::string_view::npos) {
        return;  // a keep-alive
    }
    bytes.remove_prefix(begin);
    if (const auto other = settings.group ? otherAgentFor(bytes) : std::nullopt) {
        settings.group->agents().post(*other,
                                      [socket, text = std::string{bytes}, from](Impl& agent) {
                                          agent.handleSip(socket, text, from);
                                      });
        return;
    }
    handleSip(socket, bytes, from);
}

/// The agent of the group whom a datagram concerns: who has sent what it answers, or has the dialog
/// that it belongs to. Nothing: this one takes it.
std::optional<std::size_t> Agent::Impl::otherAgentFor(std::string_view bytes) const
{
    std::optional<std::size_t> concernedAgent;
    if (isResponse(bytes)) {
        const MessageText response{bytes};
        const auto via = parseVia(response.header("Via").value_or(""));
        concernedAgent = via ? agentOfBranch(via->branch) : std::nullopt;
    } else if (bytes.starts_with("NOTIFY ")) {
        concernedAgent = 0;  // who subscribes to registrations
    } else if (bytes.starts_with("SUBSCRIBE ")) {
        const MessageText request{bytes};
        const auto callId = request.header("Call-ID").value_or("");
        concernedAgent = std::hash<std::string_view>{}(callId) % settings.group->size();
    }
    const bool isOther = concernedAgent && *concernedAgent != settings.number &&
                         *concernedAgent < settings.group->size();
    return isOther ? concernedAgent : std::nullopt;
}

void Agent::Impl::handleSip(std::size_t socket, std::string_view bytes, const SocketName& from)
{
    const auto keep = shared_from_this();
    const auto peer = addressOf(from, Transport::Udp);
    trace(bytes, peer, udpSockets_[socket].address);
    try {
        if (isResponse(bytes)) {
            return handleResponse(MessageText{bytes});
        }
        const bool tooLong =
            bytes.size() - std::min(endOfHead(bytes), bytes.size()) + 1 > settings.maxMessage;
        auto request = std::make_unique<IncomingRequest>(shared_from_this(), std::string{bytes},
                                                         RequestSource{socket, 0, from, peer});
        tooLong ? refuseTooLong(*request) : handle(std::move(request));
    } catch (const std::exception& thrown) {
        log::error("sip", "a message was dropped: {}", thrown.what());
    }
}

/// Answers 413 by the request's head alone, as over a connection; no handler gets it.
void Agent::Impl::refuseTooLong(IncomingRequest& request)
{
    const auto& parsed = request.parsed();
    if (request.canBeAnswered() && isSipVersion(parsed.version) && parsed.method != "ACK") {
        request.answer({413, "", {}});
    }
}

void Agent::Impl::handle(std::unique_ptr<IncomingRequest> request)
{
    const auto& parsed = request->parsed();
    if (!handler || !request->canBeAnswered() || !isSipVersion(parsed.version)) {
        return;
    }
    handler(std::move(request));
}

void Agent::Impl::handleResponse(const MessageText& response)
{
    const auto [status, phrase] = statusLineOf(response.startLine);
    const auto via = parseVia(response.header("Via").value_or(""));
    if (status < 100 || status > 699 || !via) {
        return;
    }
    if (const auto found = responseHandlers_.find(via->branch); found != responseHandlers_.end()) {
        return found->second->onResponse(status, response);
    }
    lateAnswers.handleAnswer(via->branch, status, phrase, LateAnswers::Instant::clock::now());
}

bool Agent::Impl::sendDatagram(std::size_t socket,
                               const SocketName& to,
                               std::string_view bytes) const
{
    const int fd = udpSockets_[socket].socket.get();
    // The first try may fail with a pending error of an earlier datagram.
    for (int tries = 0; tries < 2; ++tries) {
        if (sendTo(fd, to, bytes) >= 0) {
            return true;
        }
        if (errno == EAGAIN || errno == ENOBUFS) {
            return true;  // counts as a lost datagram, which is repeated
        }
    }
    return false;
}

Stream* Agent::Impl::stream(Stream::Id id) const noexcept
{
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
}

const TransportAddress& Agent::Impl::datagramAddress(std::size_t socket) const
{
    return udpSockets_[socket].address;
}

void Agent::Impl::accept(Acceptor& acceptor)
{
    const auto keep = shared_from_this();
    for (int i = 0; i < kAcceptsPerTurn; ++i) {
        SocketName from;
        FileDescriptor fd{::accept4(acceptor.socket.get(), from.raw(), &from.length,
                                    SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (!fd) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                pauseAccepting();
            }
            return;
        }
        Stream::Parts parts;
        parts.peer = addressOf(from, acceptor.address.transport);
        if (!tryAdmit(parts.peer.host)) {
            continue;
        }
        if (acceptor.address.transport == Transport::Tls) {
            parts.ssl = contexts_->makeServerHandle(fd.get());
            if (!parts.ssl) {  // no memory; without TLS it would be a connection in the clear
                if (ledger_) {
                    ledger_->release(parts.peer.host);
                }
                continue;
            }
        }
        parts.socket = std::move(fd);
        addStream(std::move(parts));
    }
}

bool Agent::Impl::tryAdmit(const std::string& address)
{
    const auto refusal = ledger_ ? ledger_->admit(address) : std::nullopt;
    if (!refusal) {
        return true;
    }
    ++refusedConnections_;
    const auto now = steady_clock::now();
    if (now >= nextWarningTime_) {  // whoever can connect could fill the log
        nextWarningTime_ = now + std::chrono::seconds{1};
        log::warning("sip", "{} connections closed, the last because {}",
                     std::exchange(refusedConnections_, 0),
                     *refusal == ConnectionLedger::Refusal::TooManyInTotal
                         ? "sip.limits.connections is reached"
                         : "its address has sip.limits.connections_per_address");
    }
    return false;
}

/// A pending connection that cannot be accepted would wake the loop again and again.
void Agent::Impl::pauseAccepting()
{
    for (auto& acceptor : acceptors_) {
        acceptor.watch.change(Readiness::None);
    }
    acceptPauseTimer_.arm(kAcceptPause, [this] {
        for (auto& acceptor : acceptors_) {
            acceptor.watch.change(Readiness::Readable);
        }
    });
}

Stream& Agent::Impl::addStream(Stream::Parts parts)
{
    parts.id = ++lastStream_;
    Stream::Limits limits{.maxMessage = settings.maxMessage, .idleTimeout = settings.idleTimeout};
    if (!parts.outgoing) {
        limits.messageTime = settings.messageTime;
    }
    const auto stream = std::make_shared<Stream>(loop, *this, std::move(parts), limits);
    streams_.emplace(stream->id(), stream);
    scheduleSweep();  // before stream->begin(), which may throw
    stream->begin();
    return *stream;
}

void Agent::Impl::scheduleSweep()
{
    if (sweepTimer_.armed() || streams_.empty()) {
        return;
    }
    sweepTimer_.arm(kSweepInterval, [this](auto now, auto late) {
        const auto keep = shared_from_this();
        // A copy, because one that is over leaves streams_.
        std::vector<std::shared_ptr<Stream>> streamsToCheck;
        streamsToCheck.reserve(streams_.size());
        for (const auto& [id, one] : streams_) {
            streamsToCheck.push_back(one);
        }
        for (const auto& one : streamsToCheck) {
            one->checkTimeouts(now, late);
        }
        scheduleSweep();
    });
}

void Agent::Impl::onOpened(Stream& stream)
{
    const auto found = transactionsByStream_.find(stream.id());
    if (found == transactionsByStream_.end()) {
        return;
    }
    const std::vector<ResponseHandler*> waitingHandlers(found->second.begin(), found->second.end());
    for (auto* responseHandler : waitingHandlers) {
        if (transactionsByStream_.contains(stream.id()) &&
            transactionsByStream_.at(stream.id()).contains(responseHandler)) {
            responseHandler->onConnected(stream);
        }
    }
}

void Agent::Impl::onMessage(Stream& stream, std::string message)
{
    const auto keep = shared_from_this();
    if (tracer) {
        trace(message, stream.peer(), stream.localAddress());
    }
    try {
        if (isResponse(message)) {
            return handleResponse(MessageText{message});
        }
        auto request =
            std::make_unique<IncomingRequest>(shared_from_this(), std::move(message),
                                              RequestSource{0, stream.id(), {}, stream.peer()});
        if (!request->canBeAnswered()) {
            return stream.end("a request without Via");
        }
        if (!isSipVersion(request->parsed().version)) {
            return stream.end("a request of another protocol");
        }
        handle(std::move(request));
    } catch (const std::exception& thrown) {
        log::error("sip", "a message was dropped: {}", thrown.what());
    }
}

void Agent::Impl::onRejected(Stream& stream, int status, std::string head)
{
    if (isResponse(head)) {
        return;
    }
    IncomingRequest request{
        shared_from_this(), std::move(head), {0, stream.id(), {}, stream.peer()}};
    if (request.canBeAnswered()) {
        request.answer({status, status == 400 ? "Content-Length Is Wrong Or Missing" : "", {}});
    }
}

void Agent::Impl::onClosed(Stream& stream, const std::string& why)
{
    const auto id = stream.id();
    if (streams_.erase(id) == 0) {
        return;
    }
    log::debug("sip", "{} is closed: {}", stream.peer().toString(), why);
    if (!stream.isOutgoing() && ledger_) {
        ledger_->release(stream.peer().host);
    }
    std::erase_if(streamByTarget_, [&](const auto& one) { return one.second == id; });
    if (!transactionsByStream_.contains(id)) {
        return;
    }
    // In a later turn, because the stream may have ended while one of them was sending.
    loop.post([weak = weak_from_this(), id, why] {
        const auto self = weak.lock();
        if (!self) {
            return;
        }
        // A handler may remove others: so look the set up again each time.
        for (auto transactions = self->transactionsByStream_.find(id);
             transactions != self->transactionsByStream_.end();
             transactions = self->transactionsByStream_.find(id)) {
            auto* responseHandler = *transactions->second.begin();
            self->leaveStream(id, *responseHandler);
            responseHandler->onDisconnected(why);
        }
    });
}

bool Agent::Impl::isOwnFlow(std::string_view flow) const
{
    const auto slash = flow.find('/');
    return slash != std::string_view::npos && flow.substr(0, slash) == flowPrefix;
}

std::optional<std::size_t> Agent::Impl::otherAgentOfFlow(std::string_view flow) const
{
    if (!settings.group || !isOwnFlow(flow)) {
        return std::nullopt;
    }
    const auto id = leadingNumber<Stream::Id>(flow.substr(flow.find('/') + 1));
    const auto agent = static_cast<std::size_t>(id >> kBitsOfCount);
    const bool isOther = agent != settings.number && agent < settings.group->size();
    return isOther ? std::optional{agent} : std::nullopt;
}

bool Agent::Impl::forwardTo(std::size_t agent,
                            const std::string& request,
                            const RequestSender::Route& route,
                            RequestSender::AnswerHandler onAnswer,
                            RequestSender::LateSuccessHandler onLateSuccess)
{
    const auto ticket = ++lastTicket_;
    const bool posted = settings.group->agents().post(
        agent, [ownNumber = settings.number, ticket, request, route,
                wantsLateSuccess = onLateSuccess != nullptr](Impl& other) {
            other.sendForOther(ownNumber, ticket, request, route, wantsLateSuccess);
        });
    if (posted) {
        forwardedRequests_.emplace(ticket,
                                   ForwardedRequest{std::move(onAnswer), std::move(onLateSuccess)});
    }
    return posted;
}

/// What the agent waits for stays with it: only the ticket comes here and goes back.
void Agent::Impl::sendForOther(std::size_t agent,
                               std::uint64_t ticket,
                               const std::string& request,
                               const RequestSender::Route& route,
                               bool wantsLateSuccess)
{
    RequestSender::LateSuccessHandler onLateSuccess;
    if (wantsLateSuccess) {
        onLateSuccess = [this, agent, ticket](int status, const std::string& phrase) {
            settings.group->agents().post(agent, [ticket, status, phrase](Impl& other) {
                other.handleForwardedLateSuccess(ticket, status, phrase);
            });
        };
    }
    senderForOthers_->send(
        request, route,
        [this, agent, ticket](RequestSender::Response response) {
            settings.group->agents().post(agent,
                                          [ticket, response = std::move(response)](Impl& other) {
                                              other.handleForwardedResponse(ticket, response);
                                          });
        },
        std::move(onLateSuccess));
}

void Agent::Impl::handleForwardedResponse(std::uint64_t ticket, RequestSender::Response response)
{
    const auto now = LateAnswers::Instant::clock::now();
    while (!lateDeadlines_.empty() && (lateDeadlines_.front().first <= now ||
                                       lateDeadlines_.size() > LateAnswers::kMostEntries)) {
        forwardedRequests_.erase(lateDeadlines_.front().second);
        lateDeadlines_.pop_front();
    }
    const auto found = forwardedRequests_.find(ticket);
    if (found == forwardedRequests_.end()) {
        return;
    }
    const auto onAnswer = std::move(found->second.onAnswer);
    if (found->second.onLateSuccess && response.status >= 300) {
        lateDeadlines_.emplace_back(now + LateAnswers::kKeptFor, ticket);
    } else {
        forwardedRequests_.erase(found);
    }
    onAnswer(std::move(response));
}

void Agent::Impl::handleForwardedLateSuccess(std::uint64_t ticket,
                                             int status,
                                             const std::string& phrase)
{
    const auto forwarded = forwardedRequests_.extract(ticket);
    if (!forwarded.empty() && forwarded.mapped().onLateSuccess) {
        forwarded.mapped().onLateSuccess(status, phrase);
    }
}

std::vector<std::string> Agent::Impl::flowOwners() const
{
    std::vector<std::string> owners{flowPrefix};
    for (const auto& one : udpSockets_) {
        owners.push_back(one.flow);
    }
    return owners;
}

Stream* Agent::Impl::streamOf(std::string_view flow) const
{
    if (!isOwnFlow(flow)) {
        return nullptr;
    }
    const auto slash = flow.find('/');
    auto* one = stream(leadingNumber<Stream::Id>(flow.substr(slash + 1)));
    return one != nullptr && one->isOpen() ? one : nullptr;
}

/// Binds to an address that we listen on, because peers may trust that one.
void Agent::Impl::bindToOwnAddress(int fd, const SocketName& destination) const
{
    const bool toLoopback = isLoopback(addressOf(destination, Transport::Tcp).host);
    const auto ownAddress = std::ranges::find_if(listening, [&](const auto& one) {
        return !isWildcardAddress(one.host) &&
               socketNameOf(one.host, 0).family() == destination.family() &&
               isLoopback(one.host) == toLoopback;
    });
    const bool hasWildcard = std::ranges::any_of(listening, [&](const auto& one) {
        return isWildcardAddress(one.host) &&
               socketNameOf(one.host, 0).family() == destination.family();
    });
    if (ownAddress != listening.end() && !hasWildcard) {
        const int on = 1;
        ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
        const auto name = socketNameOf(ownAddress->host, 0);
        ::bind(fd, name.raw(), name.length);
    }
}

Result<Stream*> Agent::Impl::streamTo(const TransportAddress& to, const std::string& expectedHost)
{
    const bool tls = to.transport == Transport::Tls;
    if (tls && !contexts_) {
        return failure(ErrorCode::Unavailable,
                       "no TLS here: set sip.tls.ca, the authorities to believe");
    }
    const auto key = fmt::format("{} {}", tls ? expectedHost : "", to.toString());
    if (auto* one = streamByKey(key); one != nullptr && one->isLiving()) {
        return one;
    }
    const auto destination = socketNameOf(to.host, to.port);
    Stream::Parts parts;
    parts.socket = FileDescriptor{
        ::socket(destination.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (parts.socket) {
        bindToOwnAddress(parts.socket.get(), destination);
    }
    if (!parts.socket ||
        (::connect(parts.socket.get(), destination.raw(), destination.length) != 0 &&
         errno != EINPROGRESS)) {
        return failure(ErrorCode::Unavailable, "cannot connect: {}", std::strerror(errno));
    }
    if (tls) {
        parts.ssl = contexts_->makeClientHandle(parts.socket.get(), expectedHost);
        parts.expectedHost = expectedHost;
        if (!parts.ssl) {
            return failure(ErrorCode::Unavailable, "no memory for a TLS connection");
        }
    }
    parts.peer = to;
    parts.outgoing = true;
    auto& newStream = addStream(std::move(parts));
    streamByTarget_.insert_or_assign(key, newStream.id());
    return &newStream;
}

Stream* Agent::Impl::streamByKey(const std::string& key) const
{
    const auto found = streamByTarget_.find(key);
    return found == streamByTarget_.end() ? nullptr : stream(found->second);
}

Stream* Agent::Impl::outgoingStreamTo(const NextHop& hop) const
{
    auto* one = streamByKey(targetOf(hop));
    return one != nullptr && one->isOpen() && !resolver.hasFailedLately(one->peer()) ? one
                                                                                     : nullptr;
}

void Agent::Impl::rememberTarget(const NextHop& hop, Stream::Id id)
{
    streamByTarget_.insert_or_assign(targetOf(hop), id);
}

std::optional<std::size_t> Agent::Impl::datagramSocketTo(const TransportAddress& to,
                                                         std::string_view flow) const
{
    const auto destination = socketNameOf(to.host, to.port);
    const auto fits = [&](std::size_t index) {
        const auto& ownAddress = udpSockets_[index].address;
        return socketNameOf(ownAddress.host, ownAddress.port).family() == destination.family();
    };
    // Of several sockets only the one that the device's NAT knows reaches it.
    const auto flowSocket = std::ranges::find(
        udpSockets_, flow.substr(0, flow.find(kLocalAddressMark)), &UdpSocket::flow);
    if (flowSocket != udpSockets_.end()) {
        const auto index = static_cast<std::size_t>(flowSocket - udpSockets_.begin());
        if (fits(index)) {
            return index;
        }
    }
    std::vector<std::size_t> fittingSockets;
    for (std::size_t i = 0; i < udpSockets_.size(); ++i) {
        if (fits(i)) {
            fittingSockets.push_back(i);
        }
    }
    if (fittingSockets.size() < 2) {
        return fittingSockets.empty() ? std::nullopt : std::optional{fittingSockets.front()};
    }
    const auto local = localAddressTo(destination);
    const auto preferred = std::ranges::find_if(fittingSockets, [&](std::size_t index) {
        const auto& ownHost = udpSockets_[index].address.host;
        return ownHost == local || isWildcardAddress(ownHost) ||
               (isLoopback(ownHost) && isLoopback(to.host));
    });
    return preferred == fittingSockets.end() ? fittingSockets.front() : *preferred;
}

std::string Agent::Impl::sentBy(std::size_t socket, const SocketName& to) const
{
    const auto& ownAddress = udpSockets_[socket].address;
    const auto host = !isWildcardAddress(ownAddress.host) ? ownAddress.host
                      : to.localAddress.empty()           ? localAddressTo(to)
                                                          : to.localAddress;
    return fmt::format("{}:{}", bracketed(host.empty() ? ownAddress.host : host), ownAddress.port);
}

std::string Agent::Impl::datagramFlow(std::size_t socket, const std::string& localAddress) const
{
    const auto& flow = udpSockets_[socket].flow;
    return localAddress.empty() ? flow
                                : fmt::format("{}{}{}", flow, kLocalAddressMark, localAddress);
}

std::string Agent::Impl::localAddressOf(std::size_t socket, std::string_view flow) const
{
    const auto mark = flow.find(kLocalAddressMark);
    if (mark == std::string_view::npos || flow.substr(0, mark) != udpSockets_[socket].flow) {
        return {};
    }
    std::string local{flow.substr(mark + 1)};
    return OwnAddresses::ofMachine()->contains(local) ? local : std::string();
}

/// An address of the same transport that we listen on; else that of the connection itself.
std::string Agent::Impl::sentBy(const Stream& stream) const
{
    const auto local = stream.localAddress();
    const auto addressOfSameHost = std::ranges::find_if(listening, [&](const auto& one) {
        return one.transport == local.transport &&
               (one.host == local.host || isWildcardAddress(one.host));
    });
    const auto addressOfSameTransport =
        std::ranges::find(listening, local.transport, &TransportAddress::transport);
    if (addressOfSameHost == listening.end() && addressOfSameTransport != listening.end()) {
        return addressOfSameTransport->hostPort();
    }
    return fmt::format("{}:{}", bracketed(local.host),
                       addressOfSameHost == listening.end() ? local.port : addressOfSameHost->port);
}

void Agent::Impl::addTransaction(const std::string& branch, ResponseHandler& responseHandler)
{
    responseHandlers_.insert_or_assign(branch, &responseHandler);
}

void Agent::Impl::removeTransaction(const std::string& branch, ResponseHandler& responseHandler)
{
    if (const auto found = responseHandlers_.find(branch);
        found != responseHandlers_.end() && found->second == &responseHandler) {
        responseHandlers_.erase(found);
    }
}

void Agent::Impl::useStream(Stream::Id id, ResponseHandler& responseHandler)
{
    transactionsByStream_[id].insert(&responseHandler);
}

void Agent::Impl::leaveStream(Stream::Id id, ResponseHandler& responseHandler)
{
    if (const auto found = transactionsByStream_.find(id); found != transactionsByStream_.end()) {
        found->second.erase(&responseHandler);
        if (found->second.empty()) {
            transactionsByStream_.erase(found);
        }
    }
}

void Agent::Impl::trace(std::string_view bytes,
                        const TransportAddress& from,
                        const TransportAddress& to) const
{
    if (!tracer) {
        return;
    }
    const MessageText text{bytes};
    const auto uriOf = [&](std::string_view header) {
        const auto address = parseNameAddr(text.header(header).value_or(""));
        return address ? address->uri : std::string{};
    };
    if (tracer->wants(uriOf("From"), uriOf("To"))) {
        tracer->trace({std::chrono::system_clock::now(), from, to, bytes,
                       text.header("Call-ID").value_or("")});
    }
}

Result<std::unique_ptr<Agent>> Agent::open(EventLoop& loop, Settings settings, Handler handler)
{
    auto impl = std::make_shared<Impl>(loop, std::move(settings), std::move(handler));
    TRY(impl->open());
    return std::unique_ptr<Agent>{new Agent{std::move(impl)}};
}

/// Requests that wait for their answer keep the sockets open; new requests there are ignored.
Agent::~Agent()
{
    impl_->handler = nullptr;
    impl_->leaveGroup();
}

const std::vector<TransportAddress>& Agent::listening() const noexcept
{
    return impl_->listening;
}
EventLoop& Agent::loop() const noexcept
{
    return impl_->loop;
}
std::vector<std::string> Agent::flowOwners() const
{
    return impl_->flowOwners();
}
void Agent::traceTo(std::shared_ptr<MessageTracer> tracer)
{
    impl_->tracer = std::move(tracer);
}
Result<void> Agent::reloadTls(const TlsSettings& settings)
{
    return impl_->reloadTls(settings);
}
std::size_t Agent::connections() const noexcept
{
    return impl_->streamCount();
}

}  // namespace restante::sip
