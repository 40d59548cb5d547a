#pragma once

#include "core/http/server/connection.h"

namespace restante::http {

/// A connection's request while its handler works on it. *One loop.*
class ConnectionCall final : public HttpCall {
public:
    using Values = std::vector<std::pair<std::string, std::string>>;

    ConnectionCall(std::shared_ptr<Connection> connection, Request request, Values values);
    ~ConnectionCall() override;

    const Request& request() const noexcept override { return request_; }
    std::string_view pathValue(std::string_view name) const noexcept override;
    void respond(Response response, std::function<void()> lost) override;
    bool beginStream(std::string contentType) override;
    void send(std::string piece) override;
    std::size_t backlog() const noexcept override;
    void endStream() override;
    void onClosed(std::function<void()> handler) override;
    bool closed() const noexcept override { return closed_; }

    /// The client has gone: told once, later.
    void close(EventLoop& loop);
    bool isAnswered() const noexcept { return answered_; }

private:
    std::shared_ptr<Connection> connection_;
    Request request_;
    Values values_;
    std::function<void()> whenClosed_;
    bool answered_ = false;
    bool closed_ = false;
};

}  // namespace restante::http
