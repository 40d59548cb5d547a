#pragma once

#include "core/base/clock.h"
#include "core/http/server/http_call.h"
#include "core/http/server/router.h"
#include "core/http/server/tokens.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace restante::http {

/// Rate-limits attempts to guess a token: the answers to unknown ones leave an address ten a
/// second, after a few at once, however many connections ask. Known tokens never wait. Also says
/// which refusals are logged, so that a guesser cannot fill the log. *One loop.*
class FailureDelay {
public:
    using Moment = std::chrono::steady_clock::time_point;

    static constexpr int kAtOnce = 5;
    static constexpr Millis kBetween{100};
    static constexpr Millis kLongest{10'000};

    /// How long the refusal that is made now has to wait.
    Millis delay(const std::string& address, Moment now);
    /// How many refusals the line to be logged stands for; 0 = log none now.
    std::uint64_t toLog(Moment now);

private:
    void forget(Moment now);

    std::unordered_map<std::string, Moment> free_;  ///< when an address has paid for its refusals
    Moment nextLine_{};
    std::uint64_t unlogged_ = 0;
};

/// Decides, before the body is read, whether a request reaches its handler: addressed to us (Host,
/// against DNS rebinding), not brought from elsewhere by a proxy where no token is asked for, not
/// sent by a foreign web page, known route, allowed by its token.
/// *One loop.*
class RequestGuard {
public:
    struct Settings {
        std::vector<std::string> hosts;  ///< `http.hosts`
        Tokens tokens;                   ///< empty = whoever can connect may do everything
    };
    /// Who asks, as the connection knows it.
    struct Peer {
        std::string address;       ///< numeric
        std::string localAddress;  ///< the one of ours that was connected to, numeric
        bool secure = false;       ///< connected over TLS
    };
    struct Verdict {
        const Router::Route* route = nullptr;
        std::vector<std::pair<std::string, std::string>> values;
        std::string actor;
        bool admin = true;  ///< as Request::admin
        std::shared_ptr<const TokenGrant> grant;
        Millis delay{0};                  ///< the refusal leaves after it
        std::optional<Response> refusal;  ///< when set: this, instead of the handler
    };

    RequestGuard(const Router& router, Settings settings)
        : router_(router),
          settings_(std::move(settings))
    {
    }

    Verdict judge(const Request& request, const std::string& authority, const Peer& peer);
    /// How an error looks to whoever asked for this path.
    Dialect dialectOf(const Request& request) const;
    void setTokens(Tokens tokens) { settings_.tokens = std::move(tokens); }

private:
    bool isOurs(const std::string& authority, const Peer& peer) const;
    std::optional<Response> refusedAsProxied(const Request& request) const;
    std::optional<Response>
    refusedByOrigin(const Request& request, const std::string& authority, const Peer& peer) const;
    std::optional<Response>
    refusedByToken(const Request& request, const Peer& peer, Verdict& verdict);

    const Router& router_;
    Settings settings_;
    FailureDelay failureDelay_;
};

}  // namespace restante::http
