#include "tests/integration/http/http_server_fixture.h"

#include <future>

namespace restante::test {

using http::Dialect;
using http::HttpCallPtr;
using http::Response;
using http::Scope;

HttpServerFixture::HttpServerFixture()
{
    addRoutes();
}

HttpServerFixture::~HttpServerFixture()
{
    if (thread_.joinable()) {
        loop_.stop();
        thread_.join();
    }
    parked_.clear();
}

void HttpServerFixture::addRoutes()
{
    const auto add = [this](std::string method, std::string pattern, Dialect dialect,
                            http::Handler handler) {
        router_.add({.method = std::move(method),
                     .pattern = std::move(pattern),
                     .scope = Scope::Push,
                     .dialect = dialect,
                     .handler = std::move(handler),
                     .bodyLimit = http::Router::kAnyBody});
    };
    const auto ok = [](const HttpCallPtr& call) { call->respond({200, "text/plain", "ok", {}}); };
    add("POST", "/echo", Dialect::V1, [](const HttpCallPtr& call) {
        call->respond({200, "text/plain", call->request().body, {}});
    });
    add("GET", "/ok", Dialect::V1, ok);
    add("POST", "/ok", Dialect::V1, ok);
    add("GET", "/jobs/{id}", Dialect::V1, [](const HttpCallPtr& call) {
        call->respond({200, "text/plain", std::string(call->pathValue("id")), {}});
    });
    add("GET", "/throws", Dialect::V1,
        [](const HttpCallPtr&) { throw std::runtime_error("oops"); });
    add("GET", "/forgets", Dialect::V1, [](const HttpCallPtr&) {});
    add("POST", "/classic", Dialect::Classic, ok);
    add("GET", "/stream", Dialect::V1, [](const HttpCallPtr& call) {
        if (call->beginStream("text/event-stream")) {
            call->send("one");
            call->send("two");
            call->endStream();
        }
    });
    add("POST", "/parked", Dialect::V1, [this](const HttpCallPtr& call) {
        parked_.push_back(call);
        call->onClosed([this] { ++closed_; });
    });
    router_.add({"GET", "/changes", Scope::Pop, Dialect::Classic, ok, false, false});
    router_.add({"GET", "/v1/admin", Scope::Admin, Dialect::V1, ok});
    router_.add({"GET", "/open", Scope::Admin, Dialect::Plain, ok, true});
}

void HttpServerFixture::serve(const std::function<void(http::Server::Settings&)>& change)
{
    http::Server::Settings settings;
    settings.listen = {"127.0.0.1", 0};
    settings.connection.limits.body = 1'000'000;
    if (change) {
        change(settings);
    }
    auto opened = http::Server::open(loop_, router_, std::move(settings));
    ASSERT_TRUE(opened) << opened.error().message;
    server_ = std::move(*opened);
    port_ = server_->address().port;
    thread_ = std::thread([this] { loop_.run(); });
}

HttpAnswer HttpServerFixture::answerTo(std::string_view bytes) const
{
    HttpClient client(port_);
    client.send(bytes);
    return client.receive().value_or(HttpAnswer{});
}

void HttpServerFixture::onLoop(const std::function<void()>& task)
{
    std::promise<void> done;
    loop_.post([&] {
        task();
        done.set_value();
    });
    done.get_future().wait();
}

}  // namespace restante::test
