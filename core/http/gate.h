#pragma once

#include "core/http/exchange.h"
#include "core/http/router.h"
#include "core/http/tokens.h"

#include <optional>
#include <string>
#include <vector>

namespace restante::http {

/// Decides, before the body is read, whether a request reaches its handler: addressed to us (Host,
/// against DNS rebinding), not sent by a foreign web page, known route, allowed by its token.
/// *One loop.*
class Gate {
public:
    struct Settings {
        std::vector<std::string> hosts;  ///< `http.hosts`
        Tokens tokens;                   ///< empty = whoever can connect may do everything
    };
    /// Who asks, as the connection knows it.
    struct Peer {
        std::string address;       ///< numeric
        std::string localAddress;  ///< the one of ours that was connected to, numeric
    };
    struct Verdict {
        const Router::Route* route = nullptr;
        std::vector<std::pair<std::string, std::string>> values;
        std::string actor;
        std::optional<Response> refusal;  ///< when set: this, instead of the handler
    };

    Gate(const Router& router, Settings settings);

    Verdict judge(const Request& request, const std::string& authority, const Peer& peer) const;
    /// How an error looks to whoever asked for this path.
    Dialect dialectOf(const Request& request) const;
    void use(Tokens tokens) { settings_.tokens = std::move(tokens); }

private:
    bool isOurs(const std::string& authority, const Peer& peer) const;
    std::optional<Response> refusedByOrigin(const Request& request, const Peer& peer) const;
    std::optional<Response> refusedByToken(const Request& request, Verdict& verdict) const;

    const Router& router_;
    Settings settings_;
};

}  // namespace restante::http
