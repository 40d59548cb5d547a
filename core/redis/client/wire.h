#pragma once

#include "core/base/file_descriptor.h"
#include "core/redis/client/tls_fault.h"

#include <cstddef>
#include <memory>
#include <string>

namespace restante::redis {

class TlsSession;

/// An open way to a Redis: a socket, or TLS on one. Never blocks. *One loop.*
class Wire {
public:
    enum class Outcome {
        Moved,
        Later,   ///< when the socket is ready for it again
        Ended,   ///< they have closed
        Failed,  ///< failure() says why
    };
    struct Transfer {
        Outcome outcome = Outcome::Later;
        std::size_t size = 0;  ///< what was moved
    };
    /// The least that a buffer for read() has: one record of TLS, so that none is kept back where
    /// the loop cannot see it.
    static constexpr std::size_t kRecord = 16U << 10U;

    /// Implicit, as an open socket is a wire.
    Wire(FileDescriptor socket);
    /// `session` speaks on `socket`, and has greeted.
    Wire(FileDescriptor socket, std::unique_ptr<TlsSession> session);
    Wire(Wire&&) noexcept;
    Wire& operator=(Wire&&) noexcept;
    ~Wire();

    int descriptor() const noexcept { return socket_.get(); }
    Transfer read(char* bytes, std::size_t size);
    Transfer write(const char* bytes, std::size_t size);
    std::string failure() const;
    /// None for a plain socket, and while all is well.
    TlsFault tlsFault() const;

private:
    FileDescriptor socket_;
    std::unique_ptr<TlsSession> session_;  // says goodbye on the socket, so it goes first
    int error_ = 0;
};

}  // namespace restante::redis
