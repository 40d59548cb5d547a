#include "sipplugin/transport/request_sender.h"

#include "core/base/crypto.h"
#include "core/base/network.h"
#include "core/base/timeout_timer.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/transport/agent_impl.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace restante::sip {
namespace {
/// RFC 3261 section 17.1.2: the first interval of repetitions over UDP, and the longest.
constexpr Millis kT1{500};
constexpr Millis kT2{4'000};

/// The shortest time that each of several servers gets to answer.
constexpr Millis kShortestTimeout{2'000};

/// A longer request changes from UDP to TCP (RFC 3261 section 18.1.1).
constexpr std::size_t kLargestSafeDatagram = 1'300;
/// The largest payload of a datagram, less the Via that is added.
constexpr std::size_t kLargestUdpRequest = 65'507 - 256;

std::string newBranch(const std::string& tag)
{
    return "z9hG4bK" + tag + randomHex(16);
}

std::optional<std::chrono::seconds> secondsOf(std::string_view text)
{
    std::uint32_t seconds = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return error == std::errc{} ? std::optional{std::chrono::seconds{seconds}} : std::nullopt;
}

/// Copies the values, which outlive the message.
std::vector<std::string> toStrings(const std::vector<std::string_view>& values)
{
    return {values.begin(), values.end()};
}

RequestSender::Response localAnswer(int status, std::string phrase)
{
    RequestSender::Response answer;
    answer.status = status;
    answer.phrase = std::move(phrase);
    answer.locallyGenerated = true;
    return answer;
}

void readDialog(const MessageText& response, RequestSender::Response& answer)
{
    answer.toTag = tagOf(response.header("To").value_or(""));
    answer.contacts = toStrings(response.elements("Contact"));
    answer.recordRoutes = toStrings(response.elements("Record-Route"));
    answer.expires = secondsOf(response.header("Expires").value_or(""));
    answer.minExpires = secondsOf(response.header("Min-Expires").value_or(""));
}

RequestSender::Response responseOf(int status, const MessageText& response)
{
    RequestSender::Response answer;
    answer.status = status;
    answer.phrase = statusLineOf(response.startLine).phrase;
    answer.retryAfter = secondsOf(response.header("Retry-After").value_or(""));
    // The common case, a delivery's 2xx, needs none of these.
    if (status >= 300) {
        answer.wwwAuthenticate = toStrings(response.all("WWW-Authenticate"));
        answer.proxyAuthenticate = toStrings(response.all("Proxy-Authenticate"));
        answer.contacts = toStrings(response.elements("Contact"));
    }
    const auto cseq = parseCSeq(response.header("CSeq").value_or(""));
    if (cseq && cseq->method == "SUBSCRIBE") {
        readDialog(response, answer);
    }
    return answer;
}

/// Whether it is a request with all mandatory headers but Via, which is added, and Max-Forwards.
bool isCompleteRequest(const std::string& text)
{
    const MessageText message{text};
    const auto line = requestLineOf(message.startLine);
    const auto valueOf = [&](std::string_view name) { return message.header(name).value_or(""); };
    const auto cseq = parseCSeq(valueOf("CSeq"));
    return !line.method.empty() && line.malformed.empty() && line.version == "SIP/2.0" && cseq &&
           cseq->method == line.method && !valueOf("Call-ID").empty() &&
           parseNameAddr(valueOf("From")) && parseNameAddr(valueOf("To"));
}

}  // namespace

/// One request, sent to one destination after the other until one answers.
class RequestSender::Transaction final : public ResponseHandler {
public:
    struct Request {
        std::string text;
        Route route;
        AnswerHandler onAnswer;
        LateSuccessHandler onLateSuccess;
    };

    Transaction(RequestSender& sender, Request request)
        : sender_(sender),
          agent_(*sender.agent_),
          request_(std::move(request)),
          repeatTimer_(agent_.loop),
          timeoutTimer_(agent_.loop),
          deadline_(std::chrono::steady_clock::now() + agent_.settings.answerTimeout)
    {
    }
    ~Transaction() override { detach(); }

    void begin()
    {
        if (!isCompleteRequest(request_.text)) {
            return endLater(localAnswer(400, "Not a SIP message"));
        }
        hops_.push_back({request_.route.nextHop, {}});
        for (const auto& other : request_.route.otherHops) {
            hops_.push_back({other, {}});
        }
        for (auto& hop : hops_) {
            auto nextHop = nextHopOf(hop.uri);
            if (!nextHop) {
                return endLater(
                    localAnswer(503, "Next hop cannot be used: " + nextHop.error().message));
            }
            hop.nextHop = std::move(*nextHop);
        }
        if (auto* stream = existingStream()) {
            return sendOver(*stream);
        }
        if (request_.route.onlyByFlow) {
            return endLater(agent_.isOwnFlow(request_.route.flow)
                                ? localAnswer(430, "Flow Failed")
                                : localAnswer(503, "The device's connection is another daemon's"));
        }
        lookUpHops();
    }

    // ResponseHandler
    void onResponse(int status, const MessageText& response) override
    {
        if (status < 200) {
            repeatInterval_ = kT2;
            // The server works on the request: another one would only repeat that.
            hasProvisional_ = true;
            armTimeout(timeLeft());
            return;
        }
        if (status == 503) {
            // RFC 3263 section 4.3; also for the requests that come after this one.
            agent_.resolver.recordFailure(destination_);
            if (hasMoreDestinations() || mayLookUp()) {
                return abandonDestination(responseOf(status, response));
            }
        }
        end(responseOf(status, response));
    }
    void onConnected(Stream& stream) override
    {
        if (!isSent_) {
            sendOver(stream);
        }
    }
    void onDisconnected(const std::string& why) override
    {
        stream_ = 0;
        if (isReusedStream_ && std::exchange(mayReconnect_, false)) {
            // It may have ended while the request was sent: try once more over a new one.
            detach();
            return request_.route.onlyByFlow ? end(localAnswer(430, "Flow Failed")) : lookUpHops();
        }
        failDestination(why);
    }
    void onUnreachable(const std::string& why) override
    {
        if (stream_ == 0) {
            failDestination(why);
        }
    }
    const TransportAddress& destination() const override { return destination_; }

private:
    const NextHop& currentHop() const { return hops_[currentHop_].nextHop; }

    bool hasMoreDestinations() const
    {
        return nextDestination_ < destinations_.size() ||
               (hasLookedUp_ && lookedUpHops_ < hops_.size());
    }
    /// Whether other hops remain that were not looked up, because an existing connection was used.
    bool mayLookUp() const
    {
        return !hasLookedUp_ && hops_.size() > 1 && !request_.route.onlyByFlow;
    }

    /// An existing connection: the one that the device has opened, or one that we have made.
    Stream* existingStream()
    {
        // Not found by address and port: those may be another device's by now.
        const auto transport = currentHop().transport.value_or(Transport::Tcp);
        if (auto* stream = agent_.streamOf(request_.route.flow);
            stream != nullptr && stream->peer().transport == transport) {
            return stream;
        }
        if (currentHop().transport != Transport::Udp && !currentHop().isAddress()) {
            auto* outgoing = agent_.outgoingStreamTo(currentHop());
            // Another peer may have named that host, or the operator.
            const bool refused =
                outgoing != nullptr &&
                agent_.settings.hops.refusal(request_.route.origin, currentHop().host,
                                             outgoing->peer().host, outgoing->peer().port);
            return refused ? nullptr : outgoing;
        }
        return nullptr;
    }

    /// Starts with the first hop. Each is looked up only when those before it have failed.
    void lookUpHops()
    {
        hasLookedUp_ = true;
        lookedUpHops_ = 0;
        lookUpError_.clear();
        destinations_.clear();
        nextDestination_ = 0;
        destinationWithoutTcp_ = 0;
        advanceToNextDestination();
    }

    void lookUpNext()
    {
        const auto hop = lookedUpHops_++;
        isLookingUp_ = true;
        timeoutTimer_.arm(shareOfTime(lookedUpHops_ < hops_.size()), [this, hop](auto, auto late) {
            deadline_ += late;
            lastFailure_ = lastFailure_.value_or(localAnswer(408, "Request Timeout"));
            handleAddresses(hop, failure(ErrorCode::Unavailable, "Request Timeout"));
        });
        if (hops_[hop].nextHop.transport == Transport::Tls && !agent_.hasTls()) {
            return handleAddresses(hop,
                                   failure(ErrorCode::Unavailable,
                                           "No TLS connection: no TLS here: set sip.tls.ca, the "
                                           "authorities to believe"));
        }
        agent_.resolver.find(hops_[hop].nextHop, agent_.hasTls(),
                             callbackGuard_.guard([this, hop](const auto& addresses) {
                                 handleAddresses(hop, addresses);
                             }));
    }

    void handleAddresses(std::size_t hop, const Result<std::vector<TransportAddress>>& addresses)
    {
        if (hop + 1 != lookedUpHops_ || !std::exchange(isLookingUp_, false)) {
            return;  // too late: timed out
        }
        const auto usable = addresses.and_then([&](const auto& resolved) {
            return agent_.settings.hops
                .permitted(request_.route.origin, hops_[hop].nextHop.host, resolved)
                .map_error([](Error error) {
                    error.message = "Next hop cannot be used: " + error.message;
                    return error;
                });
        });
        if (usable) {
            for (const auto& address : *usable) {
                destinations_.push_back({address, hop});
            }
        } else if (lookUpError_.empty()) {
            lookUpError_ = usable.error().message;
        }
        advanceToNextDestination();
    }

    /// Tries the next destination; those that have failed lately come last.
    void advanceToNextDestination()
    {
        detach();
        const auto firstUntried =
            destinations_.begin() + static_cast<std::ptrdiff_t>(nextDestination_);
        const auto firstFailedLately =
            std::stable_partition(firstUntried, destinations_.end(), [&](const auto& one) {
                return !agent_.resolver.hasFailedLately(one.address);
            });
        if (std::chrono::steady_clock::now() >= deadline_) {
            return endLater(lastFailure_.value_or(localAnswer(408, "Request Timeout")));
        }
        if (firstUntried == firstFailedLately && lookedUpHops_ < hops_.size()) {
            return lookUpNext();
        }
        if (firstUntried == destinations_.end()) {
            return endLater(lastFailure_.value_or(localAnswer(503, lookUpError_)));
        }
        tryNextDestination();
    }

    void tryNextDestination()
    {
        isSent_ = false;
        hasProvisional_ = false;
        isReusedStream_ = false;
        currentHop_ = destinations_[nextDestination_].hop;
        destination_ = destinations_[nextDestination_++].address;
        tcpInsteadOfUdp_ = destination_.transport == Transport::Udp && changesToTcp();
        if (tcpInsteadOfUdp_) {
            destination_.transport = Transport::Tcp;
        }
        armTimeout(shareOfTime(hasMoreDestinations() || tcpInsteadOfUdp_));
        if (destination_.transport == Transport::Udp) {
            return sendOverUdp();
        }
        auto stream = agent_.streamTo(destination_, currentHop().host);
        if (!stream) {
            return failDestinationLater(stream.error().message);
        }
        if ((*stream)->isOpen()) {
            return sendOver(**stream);
        }
        stream_ = (*stream)->id();
        agent_.useStream(stream_, *this);
    }

    bool needsTcp() const { return request_.text.size() > kLargestUdpRequest; }
    bool changesToTcp() const
    {
        return !currentHop().transport && request_.text.size() > kLargestSafeDatagram &&
               !request_.route.neverChangesToTcp && agent_.listensOnTcp() &&
               destinationWithoutTcp_ != nextDestination_;
    }

    /// The request with a Via of ours, which begins a new transaction.
    std::string withVia(Transport transport, const std::string& sentBy)
    {
        branch_ = newBranch(agent_.branchTag());
        agent_.addTransaction(branch_, *this);
        const auto* protocol = transport == Transport::Udp   ? "UDP"
                               : transport == Transport::Tcp ? "TCP"
                                                             : "TLS";
        const auto& text = request_.text;
        const auto headersBegin = text.find("\r\n") + 2;
        return fmt::format("{}Via: SIP/2.0/{} {};branch={}{}\r\n{}",
                           std::string_view{text}.substr(0, headersBegin), protocol, sentBy,
                           branch_, transport == Transport::Udp ? ";rport" : "",
                           std::string_view{text}.substr(headersBegin));
    }

    void sendOver(Stream& stream)
    {
        isSent_ = true;
        hasProvisional_ = false;
        isReusedStream_ = stream_ != stream.id();
        leaveStream();
        stream_ = stream.id();
        destination_ = stream.peer();
        agent_.useStream(stream_, *this);
        // Not a connection that was made only because this request is long.
        if (stream.isOutgoing() && !currentHop().isAddress() && !tcpInsteadOfUdp_) {
            agent_.rememberTarget(currentHop(), stream.id());
        }
        if (!timeoutTimer_.armed()) {
            armTimeout(shareOfTime(mayLookUp()));
        }
        const auto bytes = withVia(stream.peer().transport, agent_.sentBy(stream));
        const auto local = agent_.tracer ? stream.localAddress() : TransportAddress{};
        if (stream.send(bytes)) {
            agent_.trace(bytes, local, destination_);
        } else if (agent_.stream(stream_) != nullptr) {
            failDestinationLater("too much waits for that connection already");
        }
    }

    void sendOverUdp()
    {
        const auto socket = agent_.datagramSocketTo(destination_, request_.route.flow);
        if (needsTcp()) {
            // Another server may be reachable over TCP.
            return post(
                [this] { abandonDestination(localAnswer(513, "Too large for UDP, and no TCP")); });
        }
        if (!socket) {
            return failDestinationLater(fmt::format(
                "sip.listen has no UDP address by which {} is reached", destination_.host));
        }
        isSent_ = true;
        auto to = socketNameOf(destination_.host, destination_.port);
        // Sent from the local address that the peer knows; for other hosts routing decides.
        if (const auto source = SocketAddress::parse(request_.route.origin.source);
            source && source->host == destination_.host) {
            to.localAddress = agent_.localAddressOf(*socket, request_.route.flow);
        }
        datagram_ = withVia(Transport::Udp, agent_.sentBy(*socket, to));
        repeatInterval_ = kT1;
        if (!agent_.sendDatagram(*socket, to, datagram_)) {
            return failDestinationLater("it cannot be sent there");
        }
        agent_.trace(datagram_, agent_.datagramAddress(*socket), destination_);
        repeatLater(*socket, to);
    }

    /// Timer E.
    void repeatLater(std::size_t socket, const SocketName& to)
    {
        repeatTimer_.arm(repeatInterval_, [this, socket, to] {
            repeatInterval_ = std::min(repeatInterval_ * 2, kT2);
            agent_.sendDatagram(socket, to, datagram_);
            repeatLater(socket, to);
        });
    }

    Millis timeLeft() const
    {
        const auto rest = deadline_ - std::chrono::steady_clock::now();
        return std::max(Millis{1}, std::chrono::ceil<Millis>(rest));
    }
    /// The time for one destination: half of what is left when others may have to be tried.
    Millis shareOfTime(bool othersRemain) const
    {
        const auto left = timeLeft();
        return othersRemain ? std::min(std::max(kShortestTimeout, left / 2), left) : left;
    }

    void armTimeout(Millis after)
    {
        timeoutTimer_.arm(after, [this](auto, auto late) {
            deadline_ += late;
            timeOut();
        });
    }

    /// Timer F, or the end of the time of one of several servers.
    void timeOut()
    {
        if (tcpInsteadOfUdp_ && !isSent_) {
            return failDestination("nobody takes TCP there in time");
        }
        if (!destination_.host.empty() && !hasProvisional_) {
            agent_.resolver.recordFailure(destination_);
        }
        abandonDestination(localAnswer(408, "Request Timeout"));
    }

    /// The destination has failed: back from TCP to UDP, to the next one, or the end.
    void failDestination(const std::string& why)
    {
        agent_.resolver.recordFailure(destination_);
        if (std::exchange(tcpInsteadOfUdp_, false)) {
            // TCP was not accepted: back to UDP (RFC 3261 section 18.1.1).
            destinationWithoutTcp_ = nextDestination_;
            if (needsTcp()) {
                return abandonDestination(localAnswer(513, "Too large for UDP, and no TCP"));
            }
            --nextDestination_;
            detach();
            return tryNextDestination();
        }
        const auto* format = destination_.transport == Transport::Tls ? "No TLS connection: {}: {}"
                             : destination_.transport == Transport::Tcp ? "No connection: {}: {}"
                                                                        : "Unreachable: {}: {}";
        abandonDestination(
            localAnswer(503, fmt::format(fmt::runtime(format), destination_.toString(), why)));
    }

    void failDestinationLater(const std::string& why)
    {
        post([this, why] { failDestination(why); });
    }

    /// Goes on to the next destination, or ends with `answer`.
    void abandonDestination(Response answer)
    {
        if (std::chrono::steady_clock::now() < deadline_ &&
            (hasMoreDestinations() || mayLookUp())) {
            awaitLateSuccess();
            lastFailure_ = std::move(answer);
            return hasMoreDestinations() ? advanceToNextDestination() : lookUpHops();
        }
        end(std::move(answer));
    }

    void endLater(Response answer)
    {
        post([this, answer = std::move(answer)] { end(answer); });
    }

    void post(std::function<void()> task)
    {
        agent_.loop.post(callbackGuard_.guard([task = std::move(task)] { task(); }));
    }

    /// A success may still come for the request that was sent.
    void awaitLateSuccess()
    {
        if (!request_.onLateSuccess || branch_.empty() || !isSent_) {
            return;
        }
        if (!onLateSuccess_) {
            onLateSuccess_ = std::make_shared<LateSuccessHandler>(request_.onLateSuccess);
        }
        agent_.lateAnswers.expect(
            branch_, LateAnswers::Instant::clock::now(),
            [sharedHandler = onLateSuccess_](int status, const std::string& phrase) {
                if (auto handler = std::exchange(*sharedHandler, {})) {
                    handler(status, phrase);
                }
            });
    }

    void end(Response answer)
    {
        answer.nextHop = hops_.empty() ? "" : hops_[currentHop_].uri;
        if (answer.status >= 300) {
            awaitLateSuccess();
        } else if (onLateSuccess_) {
            *onLateSuccess_ = {};
        }
        auto onAnswer = std::move(request_.onAnswer);
        sender_.transactions_.erase(this);  // which destroys this
        onAnswer(std::move(answer));
    }

    void detach()
    {
        repeatTimer_.cancel();
        timeoutTimer_.cancel();
        if (!branch_.empty()) {
            agent_.removeTransaction(branch_, *this);
        }
        leaveStream();
    }

    void leaveStream()
    {
        if (const auto id = std::exchange(stream_, 0)) {
            agent_.leaveStream(id, *this);
        }
    }

    RequestSender& sender_;
    Agent::Impl& agent_;
    Request request_;
    struct Hop {
        std::string uri;
        NextHop nextHop;
    };
    struct Destination {
        TransportAddress address;
        std::size_t hop = 0;  ///< of hops_
    };
    std::vector<Hop> hops_;                  ///< Route::nextHop and otherHops
    std::size_t currentHop_ = 0;             ///< index in hops_: of the current or last destination
    std::size_t lookedUpHops_ = 0;           ///< of hops_: how many have been looked up
    bool isLookingUp_ = false;               ///< whether the last of these is being looked up
    std::string lookUpError_;                ///< the first error of a look-up
    std::optional<Response> lastFailure_;    ///< the result of the last destination
    std::vector<Destination> destinations_;  ///< of the hops that have been looked up
    std::size_t nextDestination_ = 0;
    TransportAddress destination_{Transport::Udp, "", 0};
    Stream::Id stream_ = 0;  ///< that it was sent by, or waits for
    std::string branch_;
    std::string datagram_;
    bool hasLookedUp_ = false;
    bool isSent_ = false;
    bool hasProvisional_ = false;  ///< a provisional response has come
    bool isReusedStream_ = false;  ///< the connection existed before, and may have been broken
    bool mayReconnect_ = true;
    bool tcpInsteadOfUdp_ = false;
    /// The value of nextDestination_ for a destination that takes no TCP; 0 = none.
    std::size_t destinationWithoutTcp_ = 0;
    std::shared_ptr<LateSuccessHandler> onLateSuccess_;
    Millis repeatInterval_{kT1};
    Timer repeatTimer_;
    TimeoutTimer timeoutTimer_;
    std::chrono::steady_clock::time_point deadline_;
    CallbackGuard callbackGuard_;
};

RequestSender::RequestSender(Agent& agent) : RequestSender(agent.impl_) {}

RequestSender::RequestSender(std::shared_ptr<Agent::Impl> agent) : agent_(std::move(agent)) {}

RequestSender::~RequestSender() = default;

void RequestSender::send(const std::string& request,
                         const Route& route,
                         AnswerHandler onAnswer,
                         LateSuccessHandler onLateSuccess)
{
    if (onLateSuccess) {
        onLateSuccess = callbackGuard_.guard(std::move(onLateSuccess));
    }
    // A connection is used by the thread that has it.
    if (const auto other = agent_->otherAgentOfFlow(route.flow);
        other &&
        agent_->forwardTo(*other, request, route, callbackGuard_.guard(onAnswer), onLateSuccess)) {
        return;
    }
    auto transaction = std::make_unique<Transaction>(
        *this, Transaction::Request{request, route, std::move(onAnswer), std::move(onLateSuccess)});
    auto& begun = *transaction;
    transactions_.emplace(&begun, std::move(transaction));
    begun.begin();
}

}  // namespace restante::sip
