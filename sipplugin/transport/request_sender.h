#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "sipplugin/transport/agent.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace restante::sip {

/// Client transactions. *One loop*, that of the agent, which must outlive it.
class RequestSender {
public:
    /// Where a request goes. *Value.*
    struct Route {
        std::string nextHop;  ///< a SIP URI; over TLS if sips: or ;transport=tls
        /// Empty, or ReceivedRequest::flow of the device (RFC 5626): the connection, or our UDP
        /// socket, by which it registered. Used while it is open and fits nextHop's transport.
        std::string flow = {};
        /// The only way: 430 when its connection has ended, 503 when it is another daemon's.
        bool onlyByFlow = false;
        bool neverChangesToTcp = false;  ///< although it may be too long for a datagram
        HopOrigin origin = {};           ///< who has named nextHop: HopPolicy decides by it
        /// Further servers (RFC 3263), each looked up when those before it have failed.
        std::vector<std::string> otherHops = {};
    };
    /// A final response; 408 also when nobody answered in time, 503 also when no connection could
    /// be made (RFC 3261 section 8.1.3.1). *Value.*
    struct Response {
        int status = 408;
        std::string phrase;
        std::optional<Millis> retryAfter;
        std::string nextHop;            ///< of Route's: the one that it is about
        bool locallyGenerated = false;  ///< no answer of a peer: made here, because none came
        std::uint32_t repetitions = 0;  ///< by AuthenticatingSender, before that
        // What a peer's answer carries besides, as header values in their order.
        std::vector<std::string> wwwAuthenticate;
        std::vector<std::string> proxyAuthenticate;
        std::vector<std::string> contacts;  ///< also of the answer to a SUBSCRIBE
        // Of the answer to a SUBSCRIBE, the only request here that makes a dialog.
        std::string toTag;
        std::vector<std::string> recordRoutes;
        std::optional<std::chrono::seconds> expires;
        std::optional<std::chrono::seconds> minExpires;
    };
    using Answered = std::function<void(Response)>;
    /// The status and phrase of a 2xx that came after all.
    using Late = std::function<void(int status, const std::string& phrase)>;

    explicit RequestSender(Agent& agent);
    /// What is under way is forgotten: `answered` is not called any more.
    ~RequestSender();

    /// `request` is complete but for the Via, and leaves as it is. `answered` is called exactly
    /// once, never from inside the call, at the agent's answerTimeout at the latest. What
    /// Agent::Settings::hops refuses is answered 503 here, a request that cannot be parsed as SIP
    /// 400. `late` is called at most once, when a 2xx comes after another final answer; LateAnswers
    /// says how long. Further answers are dropped.
    void send(const std::string& request, const Route& route, Answered answered, Late late = {});
    std::size_t underWay() const noexcept { return transactions_.size(); }

private:
    friend class Agent;
    class Transaction;

    explicit RequestSender(std::shared_ptr<Agent::Impl> agent);

    std::shared_ptr<Agent::Impl> agent_;
    std::unordered_map<Transaction*, std::unique_ptr<Transaction>> transactions_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
