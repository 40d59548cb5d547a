// Servers of several threads at one address.

#include "core/base/epoll_loop.h"
#include "core/http/server/server.h"
#include "tests/support/http_client.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace restante::test {
namespace {

constexpr std::size_t kServers = 3;
constexpr std::size_t kClients = 96;

/// A server on a loop and a thread of its own; GET /ok answers its number.
class NumberedServer {
public:
    NumberedServer(http::Server::Settings settings, std::size_t number)
    {
        router_.add({.method = "GET",
                     .pattern = "/ok",
                     .scope = http::Scope::Push,
                     .dialect = http::Dialect::V1,
                     .handler = [number](const http::HttpCallPtr& call) {
                         call->respond({200, "text/plain", std::to_string(number), {}});
                     }});
        server_ = http::Server::open(loop_, router_, std::move(settings)).value();
        thread_ = std::thread([this] { loop_.run(); });
    }
    NumberedServer(const NumberedServer&) = delete;
    NumberedServer& operator=(const NumberedServer&) = delete;
    ~NumberedServer()
    {
        loop_.stop();
        thread_.join();
    }

    const SocketAddress& address() const { return server_->address(); }

private:
    EpollLoop loop_;
    http::Router router_;
    std::unique_ptr<http::Server> server_;
    std::thread thread_;
};

class SharedPort : public ::testing::Test {
protected:
    SharedPort()
    {
        settings_.listen = {"127.0.0.1", 0};
        for (std::size_t number = 0; number < kServers; ++number) {
            settings_.sharing = number == 0 ? PortSharing::First : PortSharing::Further;
            servers_.push_back(std::make_unique<NumberedServer>(settings_, number));
            settings_.listen = servers_.front()->address();
        }
    }
    HttpClient connect() const { return HttpClient(settings_.listen.port); }

    http::Server::Settings settings_;
    std::vector<std::unique_ptr<NumberedServer>> servers_;
};

TEST_F(SharedPort, givesEachServerSomeOfTheConnections)
{
    std::map<std::string, std::size_t> connectionsByServer;
    std::vector<HttpClient> open;
    for (std::size_t i = 0; i < kClients; ++i) {
        open.push_back(connect());
        ++connectionsByServer[open.back().ask("GET", "/ok").body];
    }
    // That one of three gets none of 96 has a probability of 10 to the minus 16.
    EXPECT_EQ(connectionsByServer.size(), kServers);
}

TEST_F(SharedPort, isNoWayInForAServerThatIsAlone)
{
    EpollLoop loop;
    const http::Router router;
    settings_.sharing = PortSharing::Alone;
    EXPECT_FALSE(http::Server::open(loop, router, settings_));
    settings_.sharing = PortSharing::First;
    EXPECT_FALSE(http::Server::open(loop, router, settings_));
}

}  // namespace
}  // namespace restante::test
