#include "core/http/server/server.h"

#include "core/base/log.h"
#include "core/base/metrics.h"

#include <algorithm>
#include <utility>

namespace restante::http {

namespace {

/// How late a connection may be closed that takes too long: a quarter of what it may take.
Millis sweepEvery(const Connection::Settings& settings)
{
    return std::clamp(std::min(settings.request, settings.idle) / 4, Millis{10}, Millis{500});
}

metrics::Gauge& connectionGauge()
{
    static auto& gauge = metrics::gauge("restante_http_connections");
    return gauge;
}

}  // namespace

Server::Server(AsioLoop& loop,
               const Router& router,
               Settings settings,
               std::shared_ptr<Acceptor> acceptor)
    : loop_(loop),
      settings_(std::move(settings)),
      guard_(router, std::move(settings_.guard)),
      acceptor_(std::move(acceptor)),
      sweep_(loop),
      timeout_(loop)
{
    settings_.listen.port = acceptor_->port();
    acceptor_->setTls(settings_.tls);
    acceptor_->start([this](Acceptor::Peer peer) { accepted(std::move(peer)); });
}

Server::~Server()
{
    acceptor_->stop();
    closeAll();
}

Result<std::unique_ptr<Server>>
Server::open(AsioLoop& loop, const Router& router, Settings settings)
{
    auto acceptor = Acceptor::open(loop, settings.listen.host, settings.listen.port);
    if (!acceptor) {
        return tl::unexpected(acceptor.error());
    }
    // Not make_unique: the constructor is private.
    return std::unique_ptr<Server>(
        new Server(loop, router, std::move(settings), std::move(*acceptor)));
}

void Server::accepted(Acceptor::Peer peer)
{
    if (!hasRoomFor(peer.address)) {
        return;  // closed with the peer
    }
    ++byAddress_[peer.address];
    auto connection =
        std::make_shared<Connection>(loop_, guard_, settings_.connection, std::move(peer),
                                     [this](Connection& one) { ended(one); });
    open_.emplace(connection.get(), connection);
    connectionGauge().add(1);
    connection->start();
    if (!sweep_.armed()) {
        sweep();
    }
}

bool Server::hasRoomFor(const std::string& address) const
{
    if (open_.size() >= settings_.connections) {
        log::debug("http", "{} turned away: {} connections are open", address, open_.size());
        return false;
    }
    const auto found = byAddress_.find(address);
    return found == byAddress_.end() || found->second < settings_.perAddress ||
           SocketAddress{address, 0}.isLoopback();
}

void Server::ended(Connection& connection)
{
    const auto counted = byAddress_.find(connection.address());
    if (--counted->second == 0) {
        byAddress_.erase(counted);
    }
    open_.erase(&connection);
    connectionGauge().add(-1);
    if (open_.empty() && whenDrained_) {
        drained();
    }
}

/// A copy: it may close, and leave open_.
void Server::forEachOpen(const std::function<void(Connection&)>& act)
{
    const auto all = open_;
    for (const auto& [raw, connection] : all) {
        act(*connection);
    }
}

void Server::closeAll()
{
    while (!open_.empty()) {
        const auto connection = open_.begin()->second;
        connection->close();
    }
}

void Server::sweep()
{
    const auto now = std::chrono::steady_clock::now();
    forEachOpen([now](Connection& connection) { connection.checkDeadline(now); });
    if (!open_.empty()) {
        sweep_.arm(sweepEvery(settings_.connection), [this] { sweep(); });
    }
}

void Server::drain(Millis timeout, std::function<void()> done)
{
    acceptor_->stop();
    whenDrained_ = std::move(done);
    forEachOpen([](Connection& connection) { connection.drain(); });
    if (open_.empty()) {
        return drained();
    }
    timeout_.arm(timeout, [this] {
        log::warning("http", "{} connections are closed unanswered", open_.size());
        closeAll();
    });
}

void Server::drained()
{
    timeout_.cancel();
    if (auto done = std::exchange(whenDrained_, nullptr)) {
        loop_.post(std::move(done));
    }
}

}  // namespace restante::http
