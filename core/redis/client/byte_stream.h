#pragma once

#include "core/base/file_descriptor.h"
#include "core/redis/client/tls_error.h"

#include <cstddef>
#include <memory>
#include <string>

namespace restante::redis {

class TlsSession;

/// A connected socket, plain or with TLS. Never blocks. *One loop.*
class ByteStream {
public:
    enum class Outcome {
        Moved,
        Later,   ///< when the socket is ready for it again
        Ended,   ///< the peer has closed
        Failed,  ///< failure() says why
    };
    struct Transfer {
        Outcome outcome = Outcome::Later;
        std::size_t size = 0;  ///< what was moved
    };
    /// The least that a buffer for read() has: one record of TLS, so that none is kept back where
    /// the loop cannot see it.
    static constexpr std::size_t kRecord = 16U << 10U;

    /// Implicit: an open socket is a plain stream.
    ByteStream(FileDescriptor socket);
    /// `session` is on `socket`, and its handshake is done.
    ByteStream(FileDescriptor socket, std::unique_ptr<TlsSession> session);
    ByteStream(ByteStream&&) noexcept;
    ByteStream& operator=(ByteStream&&) noexcept;
    ~ByteStream();

    int descriptor() const noexcept { return socket_.get(); }
    Transfer read(char* bytes, std::size_t size);
    Transfer write(const char* bytes, std::size_t size);
    std::string failure() const;
    /// None for a plain socket, and while all is well.
    TlsError tlsError() const;

private:
    FileDescriptor socket_;
    std::unique_ptr<TlsSession>
        session_;  // sends close_notify on the socket, so it is destroyed first
    int error_ = 0;
};

}  // namespace restante::redis
