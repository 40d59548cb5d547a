#pragma once

#include "core/base/epoll_loop.h"
#include "core/http/server/server.h"
#include "tests/support/http_client.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

namespace restante::test {

/// A server on a free port of 127.0.0.1, on a thread of its own, with the routes of the test:
/// POST /echo (answers the body), GET /ok, GET /changes (a GET that is not safe), GET /stream,
/// GET /jobs/{id} (answers the id), POST /parked (answered by the test), /v1/admin, /classic.
class HttpServerFixture : public ::testing::Test {
protected:
    HttpServerFixture();
    ~HttpServerFixture() override;

    /// Before the first request.
    void serve(const std::function<void(http::Server::Settings&)>& change = {});
    std::uint16_t port() const { return port_; }
    HttpClient connect() const { return HttpClient(port_); }
    /// The answer to these bytes, and whether the server closes behind it.
    HttpAnswer answerTo(std::string_view bytes) const;
    /// Runs `task` on the server's loop and waits for it.
    void onLoop(const std::function<void()>& task);
    http::Server& server() { return *server_; }

    EpollLoop loop_;
    http::Router router_;
    /// What came to POST /parked, and is to be answered. Only on the loop.
    std::vector<http::HttpCallPtr> parked_;
    int closed_ = 0;  ///< of the parked, clients that have gone
    int lost_ = 0;    ///< answers that did not arrive

private:
    void addRoutes();

    std::unique_ptr<http::Server> server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace restante::test
