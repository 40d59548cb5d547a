#include "core/http/server/server.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/try.h"

#include <algorithm>
#include <utility>

namespace restante::http {

namespace {

/// The interval of checking deadlines: connections close at most a quarter of their timeout too
/// late, twice that after a time in which the server was busy or suspended.
Millis sweepInterval(const Connection::Settings& settings)
{
    return std::clamp(std::min(settings.request, settings.idle) / 4, Millis{10}, Millis{500});
}

metrics::Gauge& connectionGauge()
{
    static auto& gauge = metrics::gauge("restante_http_connections");
    return gauge;
}

}  // namespace

Server::Server(EventLoop& loop,
               const Router& router,
               Settings settings,
               std::unique_ptr<Acceptor> acceptor)
    : loop_(loop),
      settings_(std::move(settings)),
      guard_(router, std::move(settings_.guard)),
      acceptor_(std::move(acceptor)),
      sweepTimer_(loop),
      drainTimer_(loop)
{
    settings_.listen.port = acceptor_->port();
    acceptor_->setTls(settings_.tls);
    acceptor_->start(
        [this](Acceptor::AcceptedConnection accepted) { handleAccepted(std::move(accepted)); });
}

Server::~Server()
{
    acceptor_->stop();
    closeAll();
}

Result<std::unique_ptr<Server>>
Server::open(EventLoop& loop, const Router& router, Settings settings)
{
    auto acceptor = TRY(Acceptor::open(loop, settings.listen, settings.sharing));
    // Not make_unique: the constructor is private.
    return std::unique_ptr<Server>(
        new Server(loop, router, std::move(settings), std::move(acceptor)));
}

void Server::handleAccepted(Acceptor::AcceptedConnection accepted)
{
    if (const auto refusal = settings_.ledger->admit(accepted.address)) {
        log::debug("http", "{} turned away: {} connections are open", accepted.address,
                   settings_.ledger->size());
        return;  // closed with `accepted`
    }
    auto connection =
        std::make_shared<Connection>(loop_, guard_, settings_.connection, std::move(accepted),
                                     [this](Connection& one) { handleEnded(one); });
    connections_.emplace(connection.get(), connection);
    connectionGauge().add(1);
    connection->start();
    scheduleSweep();
}

void Server::handleEnded(Connection& connection)
{
    settings_.ledger->release(connection.address());
    connections_.erase(&connection);
    connectionGauge().add(-1);
    if (connections_.empty() && onDrained_) {
        finishDrain();
    }
}

/// Iterates over a copy, because a connection may close and leave connections_.
void Server::forEachOpen(const std::function<void(Connection&)>& handle)
{
    const auto copy = connections_;
    for (const auto& [raw, connection] : copy) {
        handle(*connection);
    }
}

void Server::closeAll()
{
    while (!connections_.empty()) {
        const auto connection = connections_.begin()->second;
        connection->close();
    }
}

void Server::scheduleSweep()
{
    if (sweepTimer_.armed() || connections_.empty()) {
        return;
    }
    sweepTimer_.arm(sweepInterval(settings_.connection), [this](auto now, auto late) {
        forEachOpen([now, late](Connection& connection) { connection.checkDeadline(now, late); });
        scheduleSweep();
    });
}

void Server::drain(Millis timeout, std::function<void()> done)
{
    acceptor_->stop();
    onDrained_ = std::move(done);
    forEachOpen([](Connection& connection) { connection.drain(); });
    if (connections_.empty()) {
        return finishDrain();
    }
    drainTimer_.arm(timeout, [this] {
        log::warning("http", "{} connections are closed unanswered", connections_.size());
        closeAll();
    });
}

void Server::finishDrain()
{
    drainTimer_.cancel();
    if (auto done = std::exchange(onDrained_, nullptr)) {
        loop_.post(std::move(done));
    }
}

}  // namespace restante::http
