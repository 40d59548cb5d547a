#pragma once

#include "core/base/result.h"
#include "sipplugin/connection_ledger.h"
#include "sipplugin/fingerprint.h"
#include "sipplugin/received_request.h"
#include "sipplugin/sofia/su_loop.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct msg_s;
struct nta_agent_s;
struct tport_s;

namespace restante::sip {

class LateAnswers;
class MessageTracer;
class TlsGateway;

/// A request that waits for its answer. Owns sofia's message and keeps the agent alive; gone
/// unanswered, nothing is sent. *One loop.*
class IncomingRequest {
public:
    class Impl;
    explicit IncomingRequest(std::unique_ptr<Impl> impl);
    IncomingRequest(const IncomingRequest&) = delete;
    IncomingRequest& operator=(const IncomingRequest&) = delete;
    ~IncomingRequest();

    /// Empty once answered.
    const ReceivedRequest& text() const noexcept;
    /// What tells this request from others, and what its repetitions have in common.
    const Fingerprint& transaction() const noexcept;
    /// Why the message cannot be understood, "" when it can.
    const std::string& malformed() const noexcept;
    /// Sends the answer, statelessly, to where the request came from. Once. The To-tag follows
    /// from the request, so that a repeated request gets the same one.
    void answer(const SipAnswer& answer);

private:
    std::unique_ptr<Impl> impl_;
};

/// Our sockets and SIP parser: sofia's nta agent with safe settings. Requests come out as
/// IncomingRequest, never as transactions; requests that we send use handle() with
/// nta_outgoing_*. *One loop.*
class Agent {
public:
    struct Settings {
        std::vector<ListenAddress> listen;
        std::size_t maxMessage = 65'536 + 32'768;  ///< bytes: the largest body and its headers
        Millis answerTimeout{32'000};              ///< timer F of what we send: NTATAG_SIP_T1X64
        std::optional<ConnectionLedger::Limits> connections{};  ///< nothing: as many as may be
        std::optional<TlsSettings> tls{};  ///< nothing: neither heard nor spoken
    };
    using Handler = std::function<void(std::unique_ptr<IncomingRequest>)>;
    class Impl;

    /// The error names the address, the port and what to do.
    static Result<std::unique_ptr<Agent>> open(SuLoop& loop, Settings settings, Handler handler);
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;
    ~Agent();

    /// The sockets as they are bound: a port 0 has become a real one.
    const std::vector<ListenAddress>& listening() const noexcept;
    SuLoop& loop() const noexcept;
    nta_agent_s* handle() const noexcept;
    /// Told of every answer that belongs to no transaction.
    LateAnswers& lateAnswers() const noexcept;
    /// UDP requests that are not answered yet. Each costs sofia a walk over all of them.
    std::size_t unanswered() const noexcept;
    /// A whole message has come, other than by the handler.
    void noteMessage(msg_s* message) const;
    /// From now on every message is shown to it; null = to nobody.
    void traceTo(std::unique_ptr<MessageTracer> tracer);
    /// The same for a request that has been sent by handle(); `connection` when one was named.
    bool noteRequest(msg_s* message, const tport_s* connection) const;
    /// Null without Settings::tls.
    TlsGateway* tls() const noexcept;
    /// The parser's end of a connection of tls(), by the port that the gateway knows it by. Null
    /// until sofia has accepted it, and once it is closed.
    tport_s* tunnel(std::uint16_t inside) const noexcept;
    /// The TCP connection that was made to us from that "address:port", while it lives.
    tport_s* connectionFrom(const std::string& peer) const noexcept;
    /// Whether sofia may make connections over TCP: it listens there.
    bool speaksTcp() const noexcept;

private:
    explicit Agent(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;  ///< shared with the requests that wait for their answer
};

}  // namespace restante::sip
