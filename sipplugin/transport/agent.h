#pragma once

#include "core/base/connection_ledger.h"
#include "core/base/event_loop.h"
#include "sipplugin/message/fingerprint.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/message/socket_name.h"
#include "sipplugin/transport/hop_policy.h"
#include "sipplugin/transport/message_text.h"
#include "sipplugin/transport/tls/tls_contexts.h"

namespace restante::sip {

class AgentGroup;
class IncomingRequest;
class MessageTracer;

/// The SIP sockets. Requests arrive as IncomingRequest; RequestSender sends. *One loop.*
class Agent {
public:
    struct Settings {
        std::vector<TransportAddress> listen;
        std::size_t maxMessage = 65'536 + 32'768;  ///< bytes: the largest body and its headers
        Millis answerTimeout{32'000};              ///< timer F of our requests
        std::optional<ConnectionLedger::Limits> connections{};  ///< nothing: no limit
        Millis messageTime{30'000};        ///< Stream::Limits::messageTime of incoming connections
        std::optional<TlsSettings> tls{};  ///< nothing: no TLS
        std::vector<std::string> nameServers{};  ///< "address:port"; empty: those of the machine
        HopPolicy hops{};                        ///< where requests may be sent
        Millis idleTimeout{180'000};             ///< Stream::Limits::idleTimeout
        /// The agents of the same addresses on other threads, and which of them this one is: of
        /// `listen` the first one's addresses count, and `connections` holds for all together.
        std::shared_ptr<AgentGroup> group{};  ///< null: it is alone
        std::size_t number = 0;
    };
    using Handler = std::function<void(std::unique_ptr<IncomingRequest>)>;
    class Impl;

    /// Binds the sockets. The error names the address, the port and what to do.
    static Result<std::unique_ptr<Agent>> open(EventLoop& loop, Settings settings, Handler handler);
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;
    ~Agent();

    /// The sockets as they are bound: a port 0 has become a real one.
    const std::vector<TransportAddress>& listening() const noexcept;
    EventLoop& loop() const noexcept;
    /// The flowOwnerOf() of our flows: this run of the daemon, and each UDP socket. The same for
    /// all agents of a group.
    std::vector<std::string> flowOwners() const;
    /// From now on `tracer` gets every message, of several agents if each is given it; null = none
    /// does.
    void traceTo(std::shared_ptr<MessageTracer> tracer);
    /// Reads the files again for new connections; living ones continue. After a failure nothing has
    /// changed. Without Settings::tls it does nothing.
    Result<void> reloadTls(const TlsSettings& settings);
    /// The number of connections.
    std::size_t connections() const noexcept;

private:
    friend class IncomingRequest;
    friend class RequestSender;
    explicit Agent(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<Impl> impl_;  ///< shared with the requests that wait for their answer
};

/// Where a request came from. *Value.*
struct RequestSource {
    std::size_t socket = 0;    ///< of a datagram
    std::uint64_t stream = 0;  ///< 0 = a datagram
    SocketName from;
    TransportAddress peer;
};

/// A received request that waits for its answer; keeps its text and the sockets alive. *One loop.*
class IncomingRequest {
public:
    IncomingRequest(std::shared_ptr<Agent::Impl> agent, std::string bytes, RequestSource source);
    ~IncomingRequest() { releaseStream(); }

    /// The parsed request; once answered only its transport is left.
    const ReceivedRequest& parsed() const noexcept { return parsed_; }
    /// The same for all repetitions of this request, and different for others.
    const Fingerprint& transaction() const noexcept { return *transaction_; }
    /// Why the message cannot be understood, "" when it can.
    const std::string& syntaxError() const noexcept { return syntaxError_; }
    /// Whether there is a valid Via to answer by.
    bool canBeAnswered() const noexcept { return via_.has_value(); }
    /// Sends the answer, statelessly, to where the request came from: over TCP and TLS by the same
    /// connection or not at all, over UDP by the same socket to the same address, at the port of
    /// its Via if that names this address without rport (RFC 3581). Once. The To-tag
    /// follows from the request, so that a repeated request gets the same one.
    void answer(const SipAnswer& answer);

private:
    void checkSyntax();
    std::string formatAnswer(const SipAnswer& answer) const;
    void releaseStream();

    std::shared_ptr<Agent::Impl> agent_;
    std::string bytes_;
    RequestSource source_;
    MessageText message_;
    ReceivedRequest parsed_;
    std::string syntaxError_;
    std::optional<Fingerprint> transaction_;
    std::optional<Via> via_;
    std::string topVia_;  ///< withReceived()
    bool awaitsAnswer_ = true;
};

}  // namespace restante::sip
