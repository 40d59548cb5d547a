#pragma once

#include "core/base/event_loop.h"
#include "core/redis/client/byte_stream.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_session.h"

#include <tl/expected.hpp>

#include <functional>
#include <memory>
#include <string>

namespace restante::redis {

/// A stream with TLS, and the peer's certificate. *Value.*
struct TlsStream {
    ByteStream stream;
    TlsPeer peer;
};

/// The TLS handshake on a connected socket, without ever blocking the loop. Calls `done` once,
/// later, unless it is destroyed before. It has no time-out: the caller destroys it. *One loop.*
class TlsHandshake {
public:
    using Outcome = tl::expected<TlsStream, TlsError>;
    using Told = std::function<void(Outcome)>;

    /// `host` is whom the certificate must name, unless `tls` names somebody else.
    TlsHandshake(EventLoop& loop,
                 FileDescriptor socket,
                 const RedisUrl::Tls& tls,
                 const std::string& host,
                 Told done);
    TlsHandshake(const TlsHandshake&) = delete;
    TlsHandshake& operator=(const TlsHandshake&) = delete;

private:
    void step();
    void answer(Outcome outcome);

    Told done_;
    FileDescriptor socket_;
    std::unique_ptr<TlsSession> session_;  // goes before the socket
    Watch watch_;
};

}  // namespace restante::redis
