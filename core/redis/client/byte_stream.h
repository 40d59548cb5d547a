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
        Later,   ///< nothing moved; retry when the socket is ready
        Ended,   ///< the peer has closed
        Failed,  ///< failure() says why
    };
    struct Transfer {
        Outcome outcome = Outcome::Later;
        std::size_t size = 0;  ///< bytes moved
    };
    /// Least size of a buffer for read(): one TLS record, so that no bytes stay in OpenSSL, where
    /// the loop cannot see them.
    static constexpr std::size_t kTlsRecordSize = 16U << 10U;

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
