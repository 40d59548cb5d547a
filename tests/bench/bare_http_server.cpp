#include "tests/bench/bare_http_server.h"

#include <utility>
// Boost 1.74's asio uses std::exchange without including it.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace restante::bench {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using beast::error_code;

class BareSession : public std::enable_shared_from_this<BareSession> {
public:
    explicit BareSession(tcp::socket socket) : socket_(std::move(socket)) {}

    void read()
    {
        request_ = {};
        beast::http::async_read(socket_, buffer_, request_,
                                [self = shared_from_this()](const error_code& error, std::size_t) {
                                    if (!error) {
                                        self->answer();
                                    }
                                });
    }

private:
    void answer()
    {
        const auto document = nlohmann::json::parse(request_.body());
        if (request_.target().starts_with("/v1/")) {
            return send(request_.target().ends_with("/pop") ? batchOf(document.at("max"))
                                                            : finishAnswers(document));
        }
        nlohmann::json data;
        if (request_.target() == "/push") {
            data = document.at("id");
        } else if (request_.target() == "/pop") {
            data = {{"id", "bench-" + std::to_string(++lastJobNumber_)},
                    {"body", std::string(256, 'b')}};
        }
        send({{"code", 0}, {"message", "ok"}, {"data", data}});
    }

    /// As many jobs as were asked for, with the fields that Restante's have.
    nlohmann::json batchOf(std::uint64_t count)
    {
        nlohmann::json jobs = nlohmann::json::array();
        for (std::uint64_t i = 0; i < count; ++i) {
            jobs.push_back({{"attempt", 1},
                            {"body", std::string(256, 'b')},
                            {"due", "2026-01-01T00:00:00.000Z"},
                            {"id", "bench-" + std::to_string(++lastJobNumber_)},
                            {"lease_ends", "2026-01-01T00:02:00.000Z"},
                            {"topic", "bench"}});
        }
        return {{"jobs", std::move(jobs)}};
    }

    static nlohmann::json finishAnswers(const nlohmann::json& attempts)
    {
        nlohmann::json answers = nlohmann::json::array();
        for (const auto& item : attempts) {
            answers.push_back({{"id", item.at("id")}, {"state", "done"}, {"status", 200}});
        }
        return answers;
    }

    void send(const nlohmann::json& document)
    {
        response_ = {beast::http::status::ok, 11};
        response_.set(beast::http::field::content_type, "application/json");
        response_.body() = document.dump();
        response_.prepare_payload();
        beast::http::async_write(socket_, response_,
                                 [self = shared_from_this()](const error_code& error, std::size_t) {
                                     if (!error) {
                                         self->read();
                                     }
                                 });
    }

    tcp::socket socket_;
    beast::flat_buffer buffer_;
    beast::http::request<beast::http::string_body> request_;
    beast::http::response<beast::http::string_body> response_;
    std::uint64_t lastJobNumber_ = 0;
};

void accept(tcp::acceptor& acceptor)
{
    acceptor.async_accept([&acceptor](const error_code& error, tcp::socket socket) {
        if (!error) {
            socket.set_option(tcp::no_delay(true));
            std::make_shared<BareSession>(std::move(socket))->read();
        }
        accept(acceptor);
    });
}

}  // namespace

int runBareHttpServer()
{
    asio::io_context context(1);
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    accept(acceptor);
    std::printf("ready %u\n", static_cast<unsigned>(acceptor.local_endpoint().port()));
    std::fflush(stdout);
    context.run();
    return 0;
}

}  // namespace restante::bench
