#include "sipplugin/transport/request_sender.h"

#include "core/base/crypto.h"
#include "core/base/network.h"
#include "core/base/text.h"
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
constexpr Millis kLeastPatience{2'000};

/// What is longer changes from UDP to TCP (RFC 3261 section 18.1.1).
constexpr std::size_t kSurelyOneDatagram = 1'300;
/// What a datagram carries, less the Via that is added.
constexpr std::size_t kMostOfADatagram = 65'507 - 256;

std::string newBranch()
{
    return "z9hG4bK" + randomHex(16);
}

std::optional<std::chrono::seconds> secondsOf(std::string_view text)
{
    std::uint32_t seconds = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return error == std::errc{} ? std::optional{std::chrono::seconds{seconds}} : std::nullopt;
}

std::vector<std::string> linesOf(const MessageText& message, std::string_view name)
{
    std::vector<std::string> lines;
    for (const auto& line : message.headers) {
        if (equalIgnoringCase(line.name, name)) {
            lines.emplace_back(line.value);
        }
    }
    return lines;
}

RequestSender::Response ownAnswer(int status, std::string phrase)
{
    RequestSender::Response answer;
    answer.status = status;
    answer.phrase = std::move(phrase);
    answer.ofOurs = true;
    return answer;
}

void readDialog(const MessageText& response, RequestSender::Response& answer)
{
    answer.toTag = tagOf(response.header("To"));
    answer.contacts = response.values("Contact");
    answer.recordRoutes = response.values("Record-Route");
    answer.expires = secondsOf(response.header("Expires"));
    answer.minExpires = secondsOf(response.header("Min-Expires"));
}

RequestSender::Response responseOf(int status, const MessageText& response)
{
    RequestSender::Response answer;
    answer.status = status;
    answer.phrase = statusLineOf(response.startLine).phrase;
    answer.retryAfter = secondsOf(response.header("Retry-After"));
    // A delivery's 2xx, the common case, needs none of them.
    if (status >= 300) {
        answer.wwwAuthenticate = linesOf(response, "WWW-Authenticate");
        answer.proxyAuthenticate = linesOf(response, "Proxy-Authenticate");
        answer.contacts = response.values("Contact");
    }
    const auto cseq = parseCSeq(response.header("CSeq"));
    if (cseq && cseq->method == "SUBSCRIBE") {
        readDialog(response, answer);
    }
    return answer;
}

/// The method when it is a request that has what every request needs, else "".
std::string methodOf(const std::string& text)
{
    const MessageText message{text};
    const auto line = requestLineOf(message.startLine);
    const auto cseq = parseCSeq(message.header("CSeq"));
    const bool whole = line.malformed.empty() && line.version == "SIP/2.0" && cseq &&
                       cseq->method == line.method && !message.header("Call-ID").empty() &&
                       parseNameAddr(message.header("From")) && parseNameAddr(message.header("To"));
    return whole ? std::string{line.method} : std::string{};
}

}  // namespace

/// One request on its way to the first of its destinations that answers.
class RequestSender::Transaction final : public ResponseHandler {
public:
    using Ended = std::function<void(Transaction&)>;
    struct Request {
        std::string text;
        Way way;
        Answered answered;
        Late late;
    };

    Transaction(Agent::Impl& agent, Request request, Ended ended)
        : agent_(agent),
          request_(std::move(request)),
          ended_(std::move(ended)),
          repeat_(agent.loop),
          timeout_(agent.loop),
          deadline_(std::chrono::steady_clock::now() + agent.settings.answerTimeout)
    {
    }
    ~Transaction() override { leave(); }

    void begin()
    {
        if (methodOf(request_.text).empty()) {
            return endLater(ownAnswer(400, "Not a SIP message"));
        }
        if (const auto read = readHops(); !read) {
            return endLater(ownAnswer(503, "Next hop cannot be used: " + read.error().message));
        }
        hop_ = 0;
        if (auto* stream = livingStream()) {
            return over(*stream);
        }
        if (request_.way.onlyByFlow) {
            return endLater(agent_.isOwnFlow(request_.way.flow)
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
            timeout_.arm(left(), [this] { timeOut(); });
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
            over(stream);
        }
    }
    void disconnected(const std::string& why) override
    {
        stream_ = 0;
        if (wasLiving_ && std::exchange(mayReconnect_, false)) {
            // It may have ended while the request was on its way: once more over a new one.
            leave();
            return request_.way.onlyByFlow ? end(ownAnswer(430, "Flow Failed")) : search();
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
    const NextHop& hop() const { return hops_[hop_]; }
    const std::string& hopText() const
    {
        return hop_ == 0 ? request_.way.nextHop : request_.way.otherHops[hop_ - 1];
    }
    Result<void> readHops()
    {
        for (std::size_t i = 0; i <= request_.way.otherHops.size(); ++i) {
            auto hop = nextHopOf(i == 0 ? request_.way.nextHop : request_.way.otherHops[i - 1]);
            if (!hop) {
                return tl::unexpected(hop.error());
            }
            hops_.push_back(std::move(*hop));
        }
        return {};
    }

    bool hasOthers() const
    {
        return next_ < destinations_.size() || (searched_ && asked_ < hops_.size());
    }
    /// It went by a connection that was there, so that nobody has asked where the others are.
    bool maySearch() const { return !searched_ && hops_.size() > 1 && !request_.way.onlyByFlow; }

    /// One that is there already: that which the device has opened, or one that we have made.
    Stream* livingStream()
    {
        // Not by its address and port: those may be another device's by now.
        const auto transport = hop().transport.value_or(Transport::Tcp);
        if (auto* stream = agent_.streamOf(request_.way.flow);
            stream != nullptr && stream->peer().transport == transport) {
            return stream;
        }
        if (hop().transport && *hop().transport != Transport::Udp && !hop().isAddress()) {
            auto* made = agent_.madeFor(*hop().transport, hop().host, hop().port);
            // Another peer may have named that host, or the operator.
            const bool refused = made != nullptr &&
                                 agent_.settings.hops.refusal(request_.way.origin, hop().host,
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
        why_.clear();
        destinations_.clear();
        next_ = 0;
        noTcpAt_ = 0;
        goOn();
    }

    void lookUpNext()
    {
        const auto hop = asked_++;
        isLookingUp_ = true;
        const auto share = asked_ == hops_.size() ? left() : std::max(kLeastPatience, left() / 2);
        timeout_.arm(std::min(share, left()), [this, hop] {
            abandoned_ = abandoned_.value_or(ownAnswer(408, "Request Timeout"));
            handleFound(hop, failure(ErrorCode::Unavailable, "Request Timeout"));
        });
        if (hops_[hop].transport == Transport::Tls && !agent_.hasTls()) {
            return handleFound(hop, failure(ErrorCode::Unavailable,
                                            "No TLS connection: no TLS here: set sip.tls.ca, the "
                                            "authorities to believe"));
        }
        agent_.resolver.find(
            hops_[hop], agent_.hasTls(),
            lifetime_.guard([this, hop](const auto& found) { handleFound(hop, found); }));
    }

    void handleFound(std::size_t hop, const Result<std::vector<ListenAddress>>& found)
    {
        if (hop + 1 != asked_ || !std::exchange(isLookingUp_, false)) {
            return;  // it came too late
        }
        const auto usable = found.and_then([&](const auto& all) { return usableOf(hop, all); });
        if (usable) {
            for (const auto& address : *usable) {
                destinations_.push_back({address, hop});
            }
        } else if (why_.empty()) {
            why_ = usable.error().message;
        }
        goOn();
    }

    /// Those of them that a request may be sent to.
    Result<std::vector<ListenAddress>> usableOf(std::size_t hop,
                                                const std::vector<ListenAddress>& found) const
    {
        return agent_.settings.hops.permitted(request_.way.origin, hops_[hop].host, found)
            .map_error([](Error error) {
                error.message = "Next hop cannot be used: " + error.message;
                return error;
            });
    }

    /// To the next destination; those that have failed lately come last.
    void goOn()
    {
        leave();
        const auto untried = destinations_.begin() + static_cast<std::ptrdiff_t>(next_);
        const auto aside =
            std::stable_partition(untried, destinations_.end(), [&](const auto& one) {
                return !agent_.resolver.isAside(one.address);
            });
        if (std::chrono::steady_clock::now() >= deadline_) {
            return endLater(abandoned_.value_or(ownAnswer(408, "Request Timeout")));
        }
        if (untried == aside && asked_ < hops_.size()) {
            return lookUpNext();
        }
        if (untried == destinations_.end()) {
            return endLater(abandoned_.value_or(ownAnswer(503, why_)));
        }
        tryNext();
    }

    void tryNext()
    {
        isSent_ = false;
        hasSpoken_ = false;
        wasLiving_ = false;
        hop_ = destinations_[next_].hop;
        destination_ = destinations_[next_++].address;
        insteadOfUdp_ = destination_.transport == Transport::Udp && changesToTcp();
        if (insteadOfUdp_) {
            destination_.transport = Transport::Tcp;
        }
        const bool last = !hasOthers() && !insteadOfUdp_;
        const auto share = last ? left() : std::max(kLeastPatience, left() / 2);
        timeout_.arm(std::min(share, left()), [this] { timeOut(); });
        if (destination_.transport == Transport::Udp) {
            return overUdp();
        }
        auto stream = agent_.streamTo(destination_, hop().host);
        if (!stream) {
            return failLater(stream.error().message);
        }
        if ((*stream)->isOpen()) {
            return over(**stream);
        }
        stream_ = (*stream)->id();
        agent_.useStream(stream_, *this);
    }

    bool needsTcp() const { return request_.text.size() > kMostOfADatagram; }
    bool changesToTcp() const
    {
        return !hop().transport && request_.text.size() > kSurelyOneDatagram &&
               !request_.way.neverChangesToTcp && agent_.speaksTcp() && noTcpAt_ != next_;
    }

    /// The request with our Via, of a new transaction.
    std::string withVia(Transport transport, const std::string& sentBy)
    {
        branch_ = newBranch();
        agent_.await(branch_, *this);
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

    void over(Stream& stream)
    {
        isSent_ = true;
        hasSpoken_ = false;
        wasLiving_ = stream_ != stream.id();
        leaveStream();
        stream_ = stream.id();
        destination_ = stream.peer();
        agent_.useStream(stream_, *this);
        if (stream.isOurs() && !hop().isAddress() && hop().transport) {
            agent_.noteMadeFor(stream.peer().transport, hop().host, hop().port, stream.id());
        }
        if (!timeout_.armed()) {
            const auto share = maySearch() ? std::max(kLeastPatience, left() / 2) : left();
            timeout_.arm(std::min(share, left()), [this] { timeOut(); });
        }
        const auto bytes = withVia(stream.peer().transport, agent_.sentBy(stream));
        const auto local = agent_.tracer ? stream.local() : ListenAddress{};
        if (stream.send(bytes)) {
            agent_.trace(bytes, local, destination_);
        } else if (agent_.stream(stream_) != nullptr) {
            failLater("too much waits for that connection already");
        }
    }

    void overUdp()
    {
        const auto socket = agent_.datagramSocketTo(destination_, request_.way.flow);
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
        if (const auto source = SocketAddress::parse(request_.way.origin.source);
            source && source->host == destination_.host) {
            to.local = agent_.localOf(*socket, request_.way.flow);
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

    Millis left() const
    {
        const auto rest = deadline_ - std::chrono::steady_clock::now();
        return std::max(Millis{1}, std::chrono::ceil<Millis>(rest));
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
            leave();
            return tryNext();
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
            abandoned_ = std::move(answer);
            return hasOthers() ? goOn() : search();
        }
        end(std::move(answer));
    }

    void endLater(Response answer)
    {
        later([this, answer = std::move(answer)] { end(answer); });
    }

    void later(std::function<void()> task)
    {
        agent_.loop.post(lifetime_.guard([task = std::move(task)] { task(); }));
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
        agent_.late.await(branch_, LateAnswers::Instant::clock::now(),
                          [late = late_](int status, const std::string& phrase) {
                              if (auto told = std::exchange(*late, {})) {
                                  told(status, phrase);
                              }
                          });
    }

    void end(Response answer)
    {
        answer.nextHop = hops_.empty() ? "" : hopText();
        if (answer.status >= 300) {
            awaitSuccess();
        } else if (late_) {
            *late_ = {};
        }
        auto answered = std::move(request_.answered);
        ended_(*this);  // which destroys this
        answered(std::move(answer));
    }

    void leave()
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

    Agent::Impl& agent_;
    Request request_;
    Ended ended_;
    struct Destination {
        ListenAddress address;
        std::size_t hop = 0;  ///< of hops_
    };
    std::vector<NextHop> hops_;              ///< Way::nextHop and otherHops
    std::size_t hop_ = 0;                    ///< of hops_: that it goes to, or last went to
    std::size_t asked_ = 0;                  ///< of hops_: so many have been looked up
    bool isLookingUp_ = false;               ///< the last of these
    std::string why_;                        ///< nothing was found, so far
    std::optional<Response> abandoned_;      ///< what became of the last destination
    std::vector<Destination> destinations_;  ///< of the hops that have been looked up
    std::size_t next_ = 0;
    ListenAddress destination_{Transport::Udp, "", 0};
    Stream::Id stream_ = 0;  ///< it goes out by, or waits for
    std::string branch_;
    std::string datagram_;
    bool searched_ = false;
    bool isSent_ = false;
    bool hasSpoken_ = false;  ///< a provisional answer has come
    bool wasLiving_ = false;  ///< the connection was there before, and may have been broken
    bool mayReconnect_ = true;
    bool insteadOfUdp_ = false;
    std::size_t noTcpAt_ = 0;  ///< next_ of a destination that takes no TCP
    std::shared_ptr<Late> late_;
    Millis pause_{kT1};
    Timer repeat_;
    Timer timeout_;
    std::chrono::steady_clock::time_point deadline_;
    Lifetime lifetime_;
};

RequestSender::RequestSender(Agent& agent) : agent_(agent.impl_) {}

RequestSender::~RequestSender() = default;

void RequestSender::send(const std::string& request, const Way& way, Answered answered, Late late)
{
    if (late) {
        late = lifetime_.guard(std::move(late));
    }
    auto transaction = std::make_unique<Transaction>(
        *agent_, Transaction::Request{request, way, std::move(answered), std::move(late)},
        [this](Transaction& ended) { transactions_.erase(&ended); });
    auto& begun = *transaction;
    transactions_.emplace(&begun, std::move(transaction));
    begun.begin();
}

}  // namespace restante::sip
