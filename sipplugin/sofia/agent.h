#pragma once

#include "core/base/result.h"
#include "sipplugin/received_request.h"
#include "sipplugin/sofia/su_loop.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

struct nta_agent_s;

namespace restante::sip {

/// A request that waits for its answer. Owns sofia's message; gone unanswered, nothing is sent.
/// Must not outlive its Agent. *One loop.*
class IncomingRequest {
public:
    class Impl;
    explicit IncomingRequest(std::unique_ptr<Impl> impl);
    ~IncomingRequest();

    const ReceivedRequest& text() const noexcept;
    /// Why the message cannot be understood, "" when it can.
    std::string malformed() const;
    /// Sends the answer, statelessly, to where the request came from. Once.
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
    };
    using Handler = std::function<void(std::unique_ptr<IncomingRequest>)>;

    /// The error names the address, the port and what to do.
    static Result<std::unique_ptr<Agent>> open(SuLoop& loop, Settings settings, Handler handler);
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;
    ~Agent();

    /// The sockets as they are bound: a port 0 has become a real one.
    const std::vector<ListenAddress>& listening() const noexcept;
    SuLoop& loop() const noexcept;
    nta_agent_s* handle() const noexcept;

private:
    class Impl;
    explicit Agent(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::sip
