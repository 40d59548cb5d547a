#include "core/http/server/connection_call.h"

#include "core/base/log.h"

#include <algorithm>
#include <utility>

namespace restante::http {

ConnectionCall::ConnectionCall(std::shared_ptr<Connection> connection,
                               Request request,
                               Values values)
    : connection_(std::move(connection)),
      request_(std::move(request)),
      values_(std::move(values))
{
}

ConnectionCall::~ConnectionCall()
{
    if (!answered_) {
        if (!closed_) {
            log::error("http", "{} {} was not answered", request_.method, request_.path);
        }
        connection_->respond(*this, problem(500, "Internal error", "the request was not answered"),
                             {});
    }
    connection_->endStream(*this);
}

std::string_view ConnectionCall::pathValue(std::string_view name) const noexcept
{
    const auto found = std::find_if(values_.begin(), values_.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    return found == values_.end() ? std::string_view{} : std::string_view(found->second);
}

void ConnectionCall::respond(Response response, std::function<void()> lost)
{
    if (std::exchange(answered_, true)) {
        log::error("http", "{} {} was answered twice", request_.method, request_.path);
        return;
    }
    whenClosed_ = nullptr;
    connection_->respond(*this, std::move(response), std::move(lost));
}

bool ConnectionCall::beginStream(std::string contentType)
{
    answered_ = true;
    return connection_->beginStream(*this, std::move(contentType));
}

void ConnectionCall::send(std::string piece)
{
    connection_->send(*this, piece);
}

std::size_t ConnectionCall::backlog() const noexcept
{
    return connection_->backlog();
}

void ConnectionCall::endStream()
{
    whenClosed_ = nullptr;
    connection_->endStream(*this);
}

void ConnectionCall::onClosed(std::function<void()> handler)
{
    if (closed_) {
        connection_->loop_.post(std::move(handler));
    } else {
        whenClosed_ = std::move(handler);
    }
}

void ConnectionCall::close(EventLoop& loop)
{
    if (!std::exchange(closed_, true)) {
        if (auto tell = std::exchange(whenClosed_, nullptr)) {
            loop.post(std::move(tell));
        }
    }
}

}  // namespace restante::http
