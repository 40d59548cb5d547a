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
        bool neverChangesToTcp = false;  ///< even if it is too long for a datagram
        HopOrigin origin = {};           ///< who has named nextHop, for HopPolicy
        /// Further servers (RFC 3263), each looked up when those before it have failed.
        std::vector<std::string> otherHops = {};
    };
    /// A final response; 408 also when nobody answered in time, 503 also when no connection could
    /// be made (RFC 3261 section 8.1.3.1), 513 also when it is too long for a datagram and nobody
    /// takes TCP. *Value.*
    struct Response {
        int status = 408;
        std::string phrase;
        std::optional<Millis> retryAfter;
        std::string nextHop;            ///< the hop of Route that answered or failed
        bool locallyGenerated = false;  ///< made here, because no peer has answered
        std::uint32_t repetitions = 0;  ///< made by AuthenticatingSender before this one
        // Header values of a peer's answer, in their order.
        std::vector<std::string> wwwAuthenticate;
        std::vector<std::string> proxyAuthenticate;
        std::vector<std::string> contacts;  ///< also of the answer to a SUBSCRIBE
        // Only of the answer to a SUBSCRIBE, which makes a dialog.
        std::string toTag;
        std::vector<std::string> recordRoutes;
        std::optional<std::chrono::seconds> expires;
        std::optional<std::chrono::seconds> minExpires;
    };
    using AnswerHandler = std::function<void(Response)>;
    /// Gets the status and phrase of a 2xx that came after another final answer.
    using LateSuccessHandler = std::function<void(int status, const std::string& phrase)>;

    explicit RequestSender(Agent& agent);
    /// Drops pending requests: `onAnswer` is not called any more.
    ~RequestSender();

    /// Sends `request`, which is complete except for the Via. `onAnswer` is called exactly once,
    /// never from inside the call, at the agent's answerTimeout at the latest. A next hop that
    /// Agent::Settings::hops refuses gives 503, a request that cannot be parsed as SIP 400.
    /// `onLateSuccess` is called at most once, when a 2xx comes after another final answer within
    /// LateAnswers::kKeptFor. Further answers are dropped.
    void send(const std::string& request,
              const Route& route,
              AnswerHandler onAnswer,
              LateSuccessHandler onLateSuccess = {});
    std::size_t inProgress() const noexcept { return transactions_.size(); }

private:
    friend class Agent;
    class Transaction;

    explicit RequestSender(std::shared_ptr<Agent::Impl> agent);

    std::shared_ptr<Agent::Impl> agent_;
    std::unordered_map<Transaction*, std::unique_ptr<Transaction>> transactions_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
