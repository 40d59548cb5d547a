#pragma once

#include "core/base/network.h"
#include "core/base/result.h"
#include "core/http/server/asio_loop.h"
#include "core/http/server/connection.h"
#include "core/http/server/request_guard.h"
#include "core/http/server/router.h"
#include "core/http/server/transport.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace restante::http {

/// Serves a Router's routes over HTTP/1.1, with TLS when it is given a certificate. *One loop.*
class Server {
public:
    struct Settings {
        SocketAddress listen;
        RequestGuard::Settings guard;
        TlsContext tls;  ///< null = plain
        Connection::Settings connection;
        std::size_t connections = 10'000;  ///< in all; more are turned away
        /// The connections of one address; loopback addresses count only in the total, because
        /// proxies connect from there.
        std::size_t perAddress = 1'000;
    };

    /// Listens from now on; accepts from the loop's next turn on. The error says what to do.
    static Result<std::unique_ptr<Server>>
    open(AsioLoop& loop, const Router& router, Settings settings);
    ~Server();

    /// With the port that was chosen.
    const SocketAddress& address() const noexcept { return settings_.listen; }
    std::size_t connections() const noexcept { return connections_.size(); }

    /// For requests from now on.
    void setTokens(Tokens tokens) { guard_.setTokens(std::move(tokens)); }
    /// For connections from now on.
    void setTls(TlsContext tls) { acceptor_->setTls(std::move(tls)); }

    /// Accepts nothing more, lets what is being handled be answered, and calls `done` when nobody
    /// is connected, at the latest after `timeout`.
    void drain(Millis timeout, std::function<void()> done);

private:
    Server(AsioLoop& loop,
           const Router& router,
           Settings settings,
           std::shared_ptr<Acceptor> acceptor);
    void handleAccepted(Acceptor::Peer peer);
    bool mayAccept(const std::string& address) const;
    void handleEnded(Connection& connection);
    void forEachOpen(const std::function<void(Connection&)>& handle);
    void closeAll();
    void sweep();
    void finishDrain();

    AsioLoop& loop_;
    Settings settings_;
    RequestGuard guard_;
    std::shared_ptr<Acceptor> acceptor_;
    std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
    std::map<std::string, std::size_t> connectionsByAddress_;
    std::function<void()> onDrained_;
    Timer sweepTimer_;
    Timer drainTimer_;
};

}  // namespace restante::http
