#pragma once

#include "core/base/event_loop.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "core/redis/client/byte_stream.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_session.h"

#include <memory>

namespace restante::redis {

/// Opens one socket to a Redis without ever blocking the loop: a host name is resolved on a thread,
/// its addresses are tried in turn. Calls `done` once, later, unless it is destroyed before. It has
/// no time-out: the caller destroys it. *One loop.*
class Dialer {
public:
    static std::unique_ptr<Dialer>
    make(EventLoop& loop, const RedisUrl& url, Done<FileDescriptor> done);
    virtual ~Dialer() = default;
};

/// Opens a stream to the host or the socket of a URL: connects, and does the TLS handshake if the
/// URL wants TLS. Calls `done` once, later, unless it is destroyed before. It has no time-out: the
/// caller destroys it, and isInHandshake() says what it was waiting for. *One loop.*
class StreamDialer {
public:
    StreamDialer(EventLoop& loop, const RedisUrl& url, Done<ByteStream> done);
    StreamDialer(const StreamDialer&) = delete;
    StreamDialer& operator=(const StreamDialer&) = delete;

    /// Whether it is connected and waits for the TLS handshake.
    bool isInHandshake() const noexcept { return handshake_ != nullptr; }

private:
    void onDialled(Result<FileDescriptor> socket);
    void answer(Result<ByteStream> outcome);

    EventLoop& loop_;
    RedisUrl url_;
    Done<ByteStream> done_;
    std::unique_ptr<TlsHandshake> handshake_;
    std::unique_ptr<Dialer> dialer_;
};

}  // namespace restante::redis
