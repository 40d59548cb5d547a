#pragma once

#include "core/base/connection_ledger.h"
#include "core/base/event_loop.h"
#include "core/base/network.h"
#include "core/base/result.h"
#include "core/base/timeout_timer.h"
#include "core/http/server/acceptor.h"
#include "core/http/server/connection.h"
#include "core/http/server/request_guard.h"
#include "core/http/server/router.h"
#include "core/http/server/tls_context.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>

namespace restante::http {

/// Serves a Router's routes over HTTP/1.1, with TLS when it is given a certificate. *One loop.*
class Server {
public:
    struct Settings {
        SocketAddress listen;
        PortSharing sharing = PortSharing::Alone;
        RequestGuard::Settings guard;
        TlsContext tls;  ///< null = plain
        Connection::Settings connection;
        /// Those beyond its limits are turned away. Servers that have the same one share them.
        std::shared_ptr<ConnectionLedger> ledger =
            std::make_shared<ConnectionLedger>(ConnectionLedger::Limits{10'000, 1'000});
    };

    /// Listens from now on; accepts from the loop's next turn on. The error says what to do.
    static Result<std::unique_ptr<Server>>
    open(EventLoop& loop, const Router& router, Settings settings);
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
    Server(EventLoop& loop,
           const Router& router,
           Settings settings,
           std::unique_ptr<Acceptor> acceptor);
    void handleAccepted(Acceptor::AcceptedConnection accepted);
    void handleEnded(Connection& connection);
    void forEachOpen(const std::function<void(Connection&)>& handle);
    void closeAll();
    void scheduleSweep();
    void finishDrain();

    EventLoop& loop_;
    Settings settings_;
    RequestGuard guard_;
    std::unique_ptr<Acceptor> acceptor_;
    std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
    std::function<void()> onDrained_;
    TimeoutTimer sweepTimer_;
    Timer drainTimer_;
};

}  // namespace restante::http
