#include "core/redis/client/wire_dialer.h"

namespace restante::redis {

WireDialer::WireDialer(EventLoop& loop, const RedisUrl& url, Done<Wire> done)
    : loop_(loop),
      url_(url),
      done_(std::move(done)),
      dialer_(std::make_unique<Dialer>(
          loop, url, [this](Result<FileDescriptor> socket) { dialled(std::move(socket)); }))
{
}

void WireDialer::dialled(Result<FileDescriptor> socket)
{
    const auto dialer = std::move(dialer_);  // it is telling this
    if (!socket) {
        return answer(tl::unexpected<Error>(std::move(socket.error())));
    }
    if (!url_.tls) {
        return answer(Wire(std::move(*socket)));
    }
    greeting_ = std::make_unique<TlsGreeting>(
        loop_, std::move(*socket), *url_.tls, url_.host, [this](TlsGreeting::Outcome greeted) {
            const auto greeting = std::move(greeting_);  // it is telling this
            if (greeted) {
                answer(std::move(greeted->wire));
            } else {
                answer(failure(ErrorCode::Unavailable, greeted.error().print()));
            }
        });
}

void WireDialer::answer(Result<Wire> outcome)
{
    const auto done = std::move(done_);  // it destroys this
    done(std::move(outcome));
}

}  // namespace restante::redis
