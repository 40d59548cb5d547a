#include "sipplugin/transport/request_sender.h"

#include "core/base/crypto.h"
#include "core/base/network.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/transport/agent_impl.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace restante::sip {
namespace {
/// RFC 3261 section 17.1.2: the first repetition over UDP, and the longest time between two.
constexpr Millis kT1{500};
constexpr Millis kT2{4'000};

/// The least that a server of several gets to answer in.
constexpr Millis kLeastTimeout{2'000};

/// What is longer changes from UDP to TCP (RFC 3261 section 18.1.1).
constexpr std::size_t kSurelyOneDatagram = 1'300;
/// What a datagram carries, less the Via that is added.
constexpr std::size_t kMostOfADatagram = 65'507 - 256;

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

/// The values live longer than the message.
std::vector<std::string> kept(const std::vector<std::string_view>& values)
{
    return {values.begin(), values.end()};
}

RequestSender::Response ownAnswer(int status, std::string phrase)
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
    answer.contacts = kept(response.listed("Contact"));
    answer.recordRoutes = kept(response.listed("Record-Route"));
    answer.expires = secondsOf(response.header("Expires").value_or(""));
    answer.minExpires = secondsOf(response.header("Min-Expires").value_or(""));
}

RequestSender::Response responseOf(int status, const MessageText& response)
{
    RequestSender::Response answer;
    answer.status = status;
    answer.phrase = statusLineOf(response.startLine).phrase;
    answer.retryAfter = secondsOf(response.header("Retry-After").value_or(""));
    // A delivery's 2xx, the common case, needs none of them.
    if (status >= 300) {
        answer.wwwAuthenticate = kept(response.all("WWW-Authenticate"));
        answer.proxyAuthenticate = kept(response.all("Proxy-Authenticate"));
        answer.contacts = kept(response.listed("Contact"));
    }
    const auto cseq = parseCSeq(response.header("CSeq").value_or(""));
    if (cseq && cseq->method == "SUBSCRIBE") {
        readDialog(response, answer);
    }
    return answer;
}

/// Whether it is a request that has what every request needs.
bool isRequest(const std::string& text)
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

/// One request on its way to the first of its destinations that answers.
class RequestSender::Transaction final : public ResponseHandler {
public:
    struct Request {
        std::string text;
        Route route;
        Answered answered;
        Late late;
    };

    Transaction(RequestSender& sender, Request request)
        : sender_(sender),
          agent_(*sender.agent_),
          request_(std::move(request)),
          repeat_(agent_.loop),
          timeout_(agent_.loop),
          deadline_(std::chrono::steady_clock::now() + agent_.settings.answerTimeout)
    {
    }
    ~Transaction() override { detach(); }

    void begin()
    {
        if (!isRequest(request_.text)) {
            return endLater(ownAnswer(400, "Not a SIP message"));
        }
        hops_.push_back({request_.route.nextHop, {}});
        for (const auto& other : request_.route.otherHops) {
            hops_.push_back({other, {}});
        }
        for (auto& one : hops_) {
            auto read = nextHopOf(one.uri);
            if (!read) {
                return endLater(ownAnswer(503, "Next hop cannot be used: " + read.error().message));
            }
            one.to = std::move(*read);
        }
        if (auto* stream = livingStream()) {
            return sendOver(*stream);
        }
        if (request_.route.onlyByFlow) {
            return endLater(agent_.isOwnFlow(request_.route.flow)
                                ? ownAnswer(430, "Flow Failed")
                                : ownAnswer(503, "The device's connection is another daemon's"));
        }
        search();
    }

    // ResponseHandler
    void handle(int status, const MessageText& response) override
    {
        if (status < 200) {
            pause_ = kT2;
            // It lives and works on the request: another server would only do the same once more.
            hasSpoken_ = true;
            timeout_.arm(timeLeft(), [this] { timeOut(); });
            return;
        }
        if (status == 503) {
            // RFC 3263 section 4.3; also for the requests that come after this one.
            agent_.resolver.noteFailed(destination_);
            if (hasOthers() || maySearch()) {
                return abandon(responseOf(status, response));
            }
        }
        end(responseOf(status, response));
    }
    void connected(Stream& stream) override
    {
        if (!isSent_) {
            sendOver(stream);
        }
    }
    void disconnected(const std::string& why) override
    {
        stream_ = 0;
        if (isReused_ && std::exchange(mayReconnect_, false)) {
            // It may have ended while the request was on its way: once more over a new one.
            detach();
            return request_.route.onlyByFlow ? end(ownAnswer(430, "Flow Failed")) : search();
        }
        fail(why);
    }
    void unreachable(const std::string& why) override
    {
        if (stream_ == 0) {
            fail(why);
        }
    }
    const ListenAddress& destination() const override { return destination_; }

private:
    const NextHop& hop() const { return hops_[hop_].to; }

    bool hasOthers() const
    {
        return next_ < destinations_.size() || (searched_ && asked_ < hops_.size());
    }
    /// It went by a connection that was there, so that nobody has asked where the others are.
    bool maySearch() const { return !searched_ && hops_.size() > 1 && !request_.route.onlyByFlow; }

    /// One that is there already: that which the device has opened, or one that we have made.
    Stream* livingStream()
    {
        // Not by its address and port: those may be another device's by now.
        const auto transport = hop().transport.value_or(Transport::Tcp);
        if (auto* stream = agent_.streamOf(request_.route.flow);
            stream != nullptr && stream->peer().transport == transport) {
            return stream;
        }
        if (hop().transport != Transport::Udp && !hop().isAddress()) {
            auto* made = agent_.madeFor(hop());
            // Another peer may have named that host, or the operator.
            const bool refused = made != nullptr &&
                                 agent_.settings.hops.refusal(request_.route.origin, hop().host,
                                                              made->peer().host, made->peer().port);
            return refused ? nullptr : made;
        }
        return nullptr;
    }

    /// Each hop is looked up when those before it have failed, and so holds up nothing.
    void search()
    {
        searched_ = true;
        asked_ = 0;
        lookUpError_.clear();
        destinations_.clear();
        next_ = 0;
        noTcpAt_ = 0;
        proceed();
    }

    void lookUpNext()
    {
        const auto hop = asked_++;
        isLookingUp_ = true;
        timeout_.arm(shareOfTime(asked_ < hops_.size()), [this, hop] {
            lastFailure_ = lastFailure_.value_or(ownAnswer(408, "Request Timeout"));
            handleFound(hop, failure(ErrorCode::Unavailable, "Request Timeout"));
        });
        if (hops_[hop].to.transport == Transport::Tls && !agent_.hasTls()) {
            return handleFound(hop, failure(ErrorCode::Unavailable,
                                            "No TLS connection: no TLS here: set sip.tls.ca, the "
                                            "authorities to believe"));
        }
        agent_.resolver.find(
            hops_[hop].to, agent_.hasTls(),
            callbackGuard_.guard([this, hop](const auto& found) { handleFound(hop, found); }));
    }

    void handleFound(std::size_t hop, const Result<std::vector<ListenAddress>>& found)
    {
        if (hop + 1 != asked_ || !std::exchange(isLookingUp_, false)) {
            return;  // it came too late
        }
        const auto usable = found.and_then([&](const auto& all) {
            return agent_.settings.hops.permitted(request_.route.origin, hops_[hop].to.host, all)
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
        proceed();
    }

    /// To the next destination; those that have failed lately come last.
    void proceed()
    {
        detach();
        const auto untried = destinations_.begin() + static_cast<std::ptrdiff_t>(next_);
        const auto aside =
            std::stable_partition(untried, destinations_.end(), [&](const auto& one) {
                return !agent_.resolver.hasFailedLately(one.address);
            });
        if (std::chrono::steady_clock::now() >= deadline_) {
            return endLater(lastFailure_.value_or(ownAnswer(408, "Request Timeout")));
        }
        if (untried == aside && asked_ < hops_.size()) {
            return lookUpNext();
        }
        if (untried == destinations_.end()) {
            return endLater(lastFailure_.value_or(ownAnswer(503, lookUpError_)));
        }
        tryNextDestination();
    }

    void tryNextDestination()
    {
        isSent_ = false;
        hasSpoken_ = false;
        isReused_ = false;
        hop_ = destinations_[next_].hop;
        destination_ = destinations_[next_++].address;
        insteadOfUdp_ = destination_.transport == Transport::Udp && changesToTcp();
        if (insteadOfUdp_) {
            destination_.transport = Transport::Tcp;
        }
        timeout_.arm(shareOfTime(hasOthers() || insteadOfUdp_), [this] { timeOut(); });
        if (destination_.transport == Transport::Udp) {
            return sendOverUdp();
        }
        auto stream = agent_.streamTo(destination_, hop().host);
        if (!stream) {
            return failLater(stream.error().message);
        }
        if ((*stream)->isOpen()) {
            return sendOver(**stream);
        }
        stream_ = (*stream)->id();
        agent_.useStream(stream_, *this);
    }

    bool needsTcp() const { return request_.text.size() > kMostOfADatagram; }
    bool changesToTcp() const
    {
        return !hop().transport && request_.text.size() > kSurelyOneDatagram &&
               !request_.route.neverChangesToTcp && agent_.speaksTcp() && noTcpAt_ != next_;
    }

    /// The request with our Via, of a new transaction.
    std::string withVia(Transport transport, const std::string& sentBy)
    {
        branch_ = newBranch(agent_.branchTag());
        agent_.addTransaction(branch_, *this);
        const auto* protocol = transport == Transport::Udp   ? "UDP"
                               : transport == Transport::Tcp ? "TCP"
                                                             : "TLS";
        const auto& text = request_.text;
        const auto line = text.find("\r\n") + 2;
        return fmt::format("{}Via: SIP/2.0/{} {};branch={}{}\r\n{}",
                           std::string_view{text}.substr(0, line), protocol, sentBy, branch_,
                           transport == Transport::Udp ? ";rport" : "",
                           std::string_view{text}.substr(line));
    }

    void sendOver(Stream& stream)
    {
        isSent_ = true;
        hasSpoken_ = false;
        isReused_ = stream_ != stream.id();
        leaveStream();
        stream_ = stream.id();
        destination_ = stream.peer();
        agent_.useStream(stream_, *this);
        // Not one that was made for the length of this request alone.
        if (stream.isOutgoing() && !hop().isAddress() && !insteadOfUdp_) {
            agent_.rememberTarget(hop(), stream.id());
        }
        if (!timeout_.armed()) {
            timeout_.arm(shareOfTime(maySearch()), [this] { timeOut(); });
        }
        const auto bytes = withVia(stream.peer().transport, agent_.sentBy(stream));
        const auto local = agent_.tracer ? stream.local() : ListenAddress{};
        if (stream.send(bytes)) {
            agent_.trace(bytes, local, destination_);
        } else if (agent_.stream(stream_) != nullptr) {
            failLater("too much waits for that connection already");
        }
    }

    void sendOverUdp()
    {
        const auto socket = agent_.datagramSocketTo(destination_, request_.route.flow);
        if (needsTcp()) {
            // Another server may be spoken to over TCP.
            return later([this] { abandon(ownAnswer(513, "Too large for UDP, and no TCP")); });
        }
        if (!socket) {
            return failLater(fmt::format("sip.listen has no UDP address by which {} is reached",
                                         destination_.host));
        }
        isSent_ = true;
        auto to = nameOf(destination_.host, destination_.port);
        // From the address that the peer knows us by; elsewhere routing may need another.
        if (const auto source = SocketAddress::parse(request_.route.origin.source);
            source && source->host == destination_.host) {
            to.local = agent_.localOf(*socket, request_.route.flow);
        }
        datagram_ = withVia(Transport::Udp, agent_.sentBy(*socket, to));
        pause_ = kT1;
        if (!agent_.sendDatagram(*socket, to, datagram_)) {
            return failLater("it cannot be sent there");
        }
        agent_.trace(datagram_, agent_.datagramAddress(*socket), destination_);
        repeatLater(*socket, to);
    }

    /// Timer E.
    void repeatLater(std::size_t socket, const SocketName& to)
    {
        repeat_.arm(pause_, [this, socket, to] {
            pause_ = std::min(pause_ * 2, kT2);
            agent_.sendDatagram(socket, to, datagram_);
            repeatLater(socket, to);
        });
    }

    Millis timeLeft() const
    {
        const auto rest = deadline_ - std::chrono::steady_clock::now();
        return std::max(Millis{1}, std::chrono::ceil<Millis>(rest));
    }
    /// Of what is left: half of it when somebody else may have to be tried.
    Millis shareOfTime(bool leavesSome) const
    {
        const auto all = timeLeft();
        return leavesSome ? std::min(std::max(kLeastTimeout, all / 2), all) : all;
    }

    /// Timer F, or the end of what one of several servers has.
    void timeOut()
    {
        if (insteadOfUdp_ && !isSent_) {
            return fail("nobody takes TCP there in time");
        }
        if (!destination_.host.empty() && !hasSpoken_) {
            agent_.resolver.noteFailed(destination_);
        }
        abandon(ownAnswer(408, "Request Timeout"));
    }

    void fail(const std::string& why)
    {
        agent_.resolver.noteFailed(destination_);
        if (std::exchange(insteadOfUdp_, false)) {
            // Nobody takes TCP there (RFC 3261 section 18.1.1).
            noTcpAt_ = next_;
            if (needsTcp()) {
                return abandon(ownAnswer(513, "Too large for UDP, and no TCP"));
            }
            --next_;
            detach();
            return tryNextDestination();
        }
        const auto* what = destination_.transport == Transport::Tls   ? "No TLS connection: {}: {}"
                           : destination_.transport == Transport::Tcp ? "No connection: {}: {}"
                                                                      : "Unreachable: {}: {}";
        abandon(ownAnswer(503, fmt::format(fmt::runtime(what), destination_.print(), why)));
    }

    void failLater(const std::string& why)
    {
        later([this, why] { fail(why); });
    }

    /// The next destination, or the end.
    void abandon(Response answer)
    {
        if (std::chrono::steady_clock::now() < deadline_ && (hasOthers() || maySearch())) {
            awaitSuccess();
            lastFailure_ = std::move(answer);
            return hasOthers() ? proceed() : search();
        }
        end(std::move(answer));
    }

    void endLater(Response answer)
    {
        later([this, answer = std::move(answer)] { end(answer); });
    }

    void later(std::function<void()> task)
    {
        agent_.loop.post(callbackGuard_.guard([task = std::move(task)] { task(); }));
    }

    /// It may be taken after all.
    void awaitSuccess()
    {
        if (!request_.late || branch_.empty() || !isSent_) {
            return;
        }
        if (!late_) {
            late_ = std::make_shared<Late>(request_.late);
        }
        agent_.lateAnswers.expect(branch_, LateAnswers::Instant::clock::now(),
                                  [late = late_](int status, const std::string& phrase) {
                                      if (auto told = std::exchange(*late, {})) {
                                          told(status, phrase);
                                      }
                                  });
    }

    void end(Response answer)
    {
        answer.nextHop = hops_.empty() ? "" : hops_[hop_].uri;
        if (answer.status >= 300) {
            awaitSuccess();
        } else if (late_) {
            *late_ = {};
        }
        auto answered = std::move(request_.answered);
        sender_.transactions_.erase(this);  // which destroys this
        answered(std::move(answer));
    }

    void detach()
    {
        repeat_.cancel();
        timeout_.cancel();
        if (!branch_.empty()) {
            agent_.forget(branch_, *this);
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
        NextHop to;
    };
    struct Destination {
        ListenAddress address;
        std::size_t hop = 0;  ///< of hops_
    };
    std::vector<Hop> hops_;                  ///< Route::nextHop and otherHops
    std::size_t hop_ = 0;                    ///< of hops_: that it goes to, or last went to
    std::size_t asked_ = 0;                  ///< of hops_: so many have been looked up
    bool isLookingUp_ = false;               ///< the last of these
    std::string lookUpError_;                ///< nothing was found, so far
    std::optional<Response> lastFailure_;    ///< what became of the last destination
    std::vector<Destination> destinations_;  ///< of the hops that have been looked up
    std::size_t next_ = 0;
    ListenAddress destination_{Transport::Udp, "", 0};
    Stream::Id stream_ = 0;  ///< it goes out by, or waits for
    std::string branch_;
    std::string datagram_;
    bool searched_ = false;
    bool isSent_ = false;
    bool hasSpoken_ = false;  ///< a provisional answer has come
    bool isReused_ = false;   ///< the connection was there before, and may have been broken
    bool mayReconnect_ = true;
    bool insteadOfUdp_ = false;
    std::size_t noTcpAt_ = 0;  ///< next_ of a destination that takes no TCP
    std::shared_ptr<Late> late_;
    Millis pause_{kT1};
    Timer repeat_;
    Timer timeout_;
    std::chrono::steady_clock::time_point deadline_;
    CallbackGuard callbackGuard_;
};

RequestSender::RequestSender(Agent& agent) : RequestSender(agent.impl_) {}

RequestSender::RequestSender(std::shared_ptr<Agent::Impl> agent) : agent_(std::move(agent)) {}

RequestSender::~RequestSender() = default;

void RequestSender::send(const std::string& request,
                         const Route& route,
                         Answered answered,
                         Late late)
{
    if (late) {
        late = callbackGuard_.guard(std::move(late));
    }
    // A connection is used by the thread that has it.
    if (const auto other = agent_->otherAgentOfFlow(route.flow);
        other && agent_->sendBy(*other, request, route, callbackGuard_.guard(answered), late)) {
        return;
    }
    auto transaction = std::make_unique<Transaction>(
        *this, Transaction::Request{request, route, std::move(answered), std::move(late)});
    auto& begun = *transaction;
    transactions_.emplace(&begun, std::move(transaction));
    begun.begin();
}

}  // namespace restante::sip
