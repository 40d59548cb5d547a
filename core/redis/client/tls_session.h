#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/redis/client/byte_stream.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_error.h"

#include <tl/expected.hpp>

#include <functional>
#include <memory>
#include <string>

namespace restante::redis {

/// The TLS version and the certificate of the peer. *Value.*
struct TlsPeer {
    std::string version;  ///< "TLSv1.3"
    std::string issuer;   ///< common name of the issuer of the certificate
    TimePoint expires;
};

/// The client's side of TLS on a connected, non-blocking socket, which it does not own. Speaks TLS
/// 1.2 and newer. Unless `verify` is off, the server's certificate must come from a
/// trusted authority, be valid now, and have the expected name. *One loop.*
class TlsSession {
public:
    enum class HandshakeStatus { Done, NeedsReadable, NeedsWritable, Failed };

    virtual ~TlsSession() = default;

    /// Continues the handshake. NeedsReadable and NeedsWritable: call it again when the socket is
    /// readable or writable.
    virtual HandshakeStatus handshake() = 0;
    /// Valid once handshake() has returned Done.
    virtual TlsPeer peer() const = 0;
    virtual ByteStream::Transfer read(char* bytes, std::size_t size) = 0;
    virtual ByteStream::Transfer write(const char* bytes, std::size_t size) = 0;
    /// TlsError::isNone() as long as nothing has failed.
    virtual const TlsError& error() const noexcept = 0;
};

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
    using Handler = std::function<void(Outcome)>;

    /// Reads the files of `tls`, and fails with the first error in them. `host` is the name that
    /// the certificate must have, unless `tls` has another one.
    TlsHandshake(EventLoop& loop,
                 FileDescriptor socket,
                 const RedisUrl::Tls& tls,
                 const std::string& host,
                 Handler done);
    TlsHandshake(const TlsHandshake&) = delete;
    TlsHandshake& operator=(const TlsHandshake&) = delete;

private:
    void step();
    void answer(Outcome outcome);

    Handler done_;
    FileDescriptor socket_;
    std::unique_ptr<TlsSession> session_;  // destroyed before the socket that it uses
    Watch watch_;
};

}  // namespace restante::redis
