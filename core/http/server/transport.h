#pragma once

#include "core/base/event_loop.h"
#include "core/base/file_descriptor.h"
#include "core/base/interface.h"
#include "core/http/server/tls_context.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace restante::http {

/// The bytes of one accepted connection, with or without TLS. Handlers are called later, on the
/// loop; those that pend at close() are called with `ok` false. A pending one keeps its owner
/// alive, who owns the transport. The program ignores SIGPIPE. *One loop.*
class Transport : public Interface {
public:
    /// `bytes` were read or written; 0 when the connection has ended.
    using Handler = std::function<void(bool ok, std::size_t bytes)>;

    /// On a connected socket that does not block; `tls` may be null = plain. Throws
    /// std::system_error when the kernel has no room for it.
    static std::unique_ptr<Transport> make(EventLoop& loop, FileDescriptor socket, TlsContext tls);

    virtual void handshake(Handler handler) = 0;
    /// Into `buffer`, which stays until the handler is called. One at a time.
    virtual void read(char* buffer, std::size_t size, Handler handler) = 0;
    /// Writes what the system takes at once, while no write() is pending; returns how many bytes.
    /// write() the rest next, or as much as was given here: an error is found again, and OpenSSL
    /// wants bytes that it could not write again, and no fewer.
    virtual std::size_t writeNow(std::string_view bytes) noexcept = 0;
    /// All of `bytes`, which stay until the handler is called. One at a time.
    virtual void write(std::string_view bytes, Handler handler) = 0;
    /// Tells the peer that nothing more is sent.
    virtual void finish() noexcept = 0;
    virtual void close() noexcept = 0;
};

}  // namespace restante::http
