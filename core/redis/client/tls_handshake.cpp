#include "core/redis/client/tls_handshake.h"

namespace restante::redis {

TlsHandshake::TlsHandshake(EventLoop& loop,
                           FileDescriptor socket,
                           const RedisUrl::Tls& tls,
                           const std::string& host,
                           Told done)
    : done_(std::move(done)),
      socket_(std::move(socket)),
      session_(std::make_unique<TlsSession>(socket_.get(), tls, host)),
      // It is connected, so it takes our ClientHello at once.
      watch_(loop, socket_.get(), Readiness::Writable, [this](Readiness) { step(); })
{
}

void TlsHandshake::step()
{
    switch (session_->handshake()) {
    case TlsSession::Step::Readable: return watch_.change(Readiness::Readable);
    case TlsSession::Step::Writable: return watch_.change(Readiness::Writable);
    case TlsSession::Step::Failed: return answer(tl::unexpected(session_->error()));
    case TlsSession::Step::Done: break;
    }
    const auto peer = session_->peer();
    watch_.remove();
    answer(TlsStream{ByteStream(std::move(socket_), std::move(session_)), peer});
}

void TlsHandshake::answer(Outcome outcome)
{
    watch_.remove();
    const auto done = std::move(done_);  // it destroys this
    done(std::move(outcome));
}

}  // namespace restante::redis
