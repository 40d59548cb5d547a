#pragma once

#include "sipplugin/sofia/agent.h"
#include "sipplugin/sofia/connection_warden.h"
#include "sipplugin/sofia/handles.h"
#include "sipplugin/sofia/late_answers.h"
#include "sipplugin/tls/tls_gateway.h"
#include "sipplugin/trace/message_tracer.h"

#include <deque>
#include <optional>

struct tport_s;

namespace restante::sip {

/// What Agent and IncomingRequest share. Only for the two.
class Agent::Impl : public std::enable_shared_from_this<Agent::Impl> {
public:
    Impl(SuLoop& loopOfHost, Handler requestHandler);

    Result<void> open(const Settings& settings);
    /// The TLS peer behind that message; null when it did not come over TLS.
    const TlsPeer* tlsPeerOf(msg_t* message, const tport_s* transport) const;

    void traceArrival(msg_t* message) const;
    void traceAnswer(msg_t* message, tport_s* transport, const ListenAddress& to) const;
    bool traceRequest(msg_t* message, const tport_s* connection) const;
    /// The warden is told that a whole message has come.
    void noteMessage(msg_t* message) const;

    SuLoop& loop;
    Handler handler;
    std::string tlsHost;  ///< of our Via over TLS
    std::string tlsPort;
    std::unique_ptr<TlsGateway> tls;
    AgentHandle agent;
    std::unique_ptr<MessageTracer> tracer;  ///< null: nobody looks
    std::unique_ptr<ConnectionWarden> warden;
    tport_s* parser = nullptr;  ///< where the tunnels of TLS end; the agent's
    std::vector<ListenAddress> listening;
    std::size_t unanswered = 0;
    LateAnswers late;

private:
    Result<void> bind(const ListenAddress& address);
    Result<void> bindGroup(std::vector<ListenAddress> group);
    void collectSockets();
    void takeStray(const sip_t& response);
    Result<void> openTls(const Settings& settings);
    Result<void> openParser(ListenAddress& inside);
    void presentAsTls();
    bool isStranger(msg_t* message) const;
    void show(msg_t* message, const ListenAddress& from, const ListenAddress& to) const;
    /// The TLS peer whom the parser sees as that, or `peer` itself.
    ListenAddress behindTunnel(ListenAddress peer) const;
    static int onMessage(nta_agent_magic_t* magic, nta_agent_t*, msg_t* msg, sip_t* sip) noexcept;
};

class IncomingRequest::Impl {
public:
    /// Takes over `message`.
    Impl(std::shared_ptr<Agent::Impl> agent, msg_t* message);
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();

    void answer(const SipAnswer& answer);

    ReceivedRequest text;
    std::string malformed;
    std::optional<Fingerprint> transaction;  ///< set once the headers are read

private:
    void readRequestLine(std::string_view line);
    void readHeaders(sip_t* sip);
    void addHeader(msg_header_t* header);
    void readSource();
    void nameRealSource();
    /// One line of what may have been folded over several.
    std::string_view unfolded(std::string_view value);
    void settle() noexcept;

    std::shared_ptr<Agent::Impl> agent_;
    MessageHandle message_;
    tport_s* transport_ = nullptr;      ///< a reference of ours
    std::deque<std::string> unfolded_;  ///< what views of `text` point to
};

}  // namespace restante::sip
