#pragma once

#include "core/base/clock.h"
#include "core/http/server/http_call.h"
#include "core/http/server/router.h"
#include "core/http/server/tokens.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace restante::http {

/// Rate-limits attempts to guess a token: after a few immediate ones, an address gets ten refusals
/// of unknown tokens a second, or with more than a hundred connections one a connection every ten
/// seconds. Known tokens never wait. Also limits the log lines about refusals, so that a guesser
/// cannot fill the log. Guards of several threads share one. *Any thread.*
class FailureDelay {
public:
    using Moment = std::chrono::steady_clock::time_point;

    static constexpr int kUndelayedFailures = 5;
    static constexpr Millis kDelayPerFailure{100};
    static constexpr Millis kLongestDelay{10'000};

    /// Books the refusal of an unknown token; returns how long it has to be delayed.
    Millis bookRefusal(const std::string& address, Moment now);
    /// Counts a refusal. Returns how many the line to be logged stands for; 0 = log nothing now.
    std::uint64_t countRefusalForLog(Moment now);

private:
    void dropExpired(Moment now);  ///< with the lock

    std::mutex mutex_;  ///< guards the rest
    /// Until when delays are booked, for each customerNetworkOf() an address.
    std::unordered_map<std::string, Moment> bookedUntil_;
    Moment nextLogTime_{};
    std::uint64_t unloggedCount_ = 0;
};

/// Decides, before the body is read, whether a request reaches its handler: addressed to us (Host,
/// against DNS rebinding), not forwarded by a proxy where no token is needed, not sent by a foreign
/// web page, known route, allowed by its token. *One loop.*
class RequestGuard {
public:
    struct Settings {
        std::vector<std::string> hosts;  ///< `http.hosts`
        Tokens tokens;                   ///< empty = whoever can connect may do everything
        std::shared_ptr<FailureDelay> failures = std::make_shared<FailureDelay>();
    };
    /// The client, as the connection knows it.
    struct Peer {
        std::string address;       ///< numeric
        std::string localAddress;  ///< our address of the connection, numeric
        bool secure = false;       ///< connected over TLS
        /// The last authority that judge() has found to be ours: a client seldom names another.
        std::string servedAuthority = {};
    };
    struct Verdict {
        const Router::Route* route = nullptr;
        std::vector<std::pair<std::string, std::string>> pathValues;  ///< HttpCall::pathValue()
        std::string actor;
        bool admin = true;  ///< as Request::admin
        std::shared_ptr<const TokenGrant> grant;
        Millis delay{0};                  ///< how long the refusal is delayed
        std::optional<Response> refusal;  ///< if set, sent instead of calling the handler
    };

    RequestGuard(const Router& router, Settings settings)
        : router_(router),
          settings_(std::move(settings))
    {
    }

    Verdict judge(const Request& request, const std::string& authority, Peer& peer);
    /// The form of errors for this path.
    Dialect dialectOf(const Request& request) const;
    void setTokens(Tokens tokens) { settings_.tokens = std::move(tokens); }

private:
    bool isServedAuthority(const std::string& authority, Peer& peer) const;
    bool isServedHost(const std::string& authority, const Peer& peer) const;
    std::optional<Response> proxyRefusal(const Request& request) const;
    std::optional<Response>
    originRefusal(const Request& request, const std::string& authority, const Peer& peer) const;
    /// The refusal if the token does not suffice; notes in `verdict` who calls, and what he may.
    std::optional<Response> checkToken(const Request& request, const Peer& peer, Verdict& verdict);

    const Router& router_;
    Settings settings_;
};

}  // namespace restante::http
