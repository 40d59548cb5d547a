#include "core/redis/client/stream_dialer.h"

namespace restante::redis {

StreamDialer::StreamDialer(EventLoop& loop, const RedisUrl& url, Done<ByteStream> done)
    : loop_(loop),
      url_(url),
      done_(std::move(done)),
      dialer_(std::make_unique<Dialer>(
          loop, url, [this](Result<FileDescriptor> socket) { dialled(std::move(socket)); }))
{
}

void StreamDialer::dialled(Result<FileDescriptor> socket)
{
    const auto dialer = std::move(dialer_);  // it is telling this
    if (!socket) {
        return answer(tl::unexpected<Error>(std::move(socket.error())));
    }
    if (!url_.tls) {
        return answer(ByteStream(std::move(*socket)));
    }
    handshake_ = std::make_unique<TlsHandshake>(
        loop_, std::move(*socket), *url_.tls, url_.host, [this](TlsHandshake::Outcome secured) {
            const auto handshake = std::move(handshake_);  // it is telling this
            if (secured) {
                answer(std::move(secured->stream));
            } else {
                answer(failure(ErrorCode::Unavailable, secured.error().print()));
            }
        });
}

void StreamDialer::answer(Result<ByteStream> outcome)
{
    const auto done = std::move(done_);  // it destroys this
    done(std::move(outcome));
}

}  // namespace restante::redis
