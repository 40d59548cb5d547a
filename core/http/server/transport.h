#pragma once

#include "core/base/interface.h"
#include "core/base/network.h"
#include "core/base/result.h"
#include "core/http/server/asio_loop.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio::ssl {
class context;
}

namespace restante::http {

/// Certificate and key of `http.tls.*`: TLS 1.2 and later. *Value*, shared: open connections keep
/// theirs when a reload brings another one.
using TlsContext = std::shared_ptr<boost::asio::ssl::context>;
/// The error names the file.
Result<TlsContext> loadTlsContext(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key);

/// The bytes of one accepted connection, with or without TLS. Handlers are called later, on the
/// loop; after close() they are called with `ok` false. *One loop.*
class Transport : public Interface {
public:
    /// `bytes` were read or written; 0 when the connection has ended.
    using Handler = std::function<void(bool ok, std::size_t bytes)>;

    virtual void handshake(Handler handler) = 0;
    /// Into `buffer`, which stays until the handler is called. One at a time.
    virtual void read(char* buffer, std::size_t size, Handler handler) = 0;
    /// Writes what the system takes at once, while no write() is pending; returns how many bytes.
    /// None when it takes none, when there is an error, and over TLS: write() the rest.
    virtual std::size_t writeNow(std::string_view bytes) noexcept = 0;
    /// All of `bytes`, which stay until the handler is called. One at a time.
    virtual void write(std::string_view bytes, Handler handler) = 0;
    /// Tells the peer that nothing more is sent.
    virtual void finish() noexcept = 0;
    virtual void close() noexcept = 0;
};

/// Listens on one address. *One loop.*
class Acceptor : public Interface {
public:
    struct AcceptedConnection {
        std::unique_ptr<Transport> transport;
        std::string address;       ///< of the client, numeric
        std::string localAddress;  ///< ours, numeric
        bool secure = false;       ///< over TLS
    };
    using Handler = std::function<void(AcceptedConnection)>;

    /// The error says who may have the port already.
    static Result<std::shared_ptr<Acceptor>>
    open(AsioLoop& loop, const SocketAddress& address, PortSharing sharing = PortSharing::Alone);

    virtual std::uint16_t port() const noexcept = 0;
    /// Accepts connections until stop() or its end.
    virtual void start(Handler handler) = 0;
    /// Sets the TLS context of connections accepted from now on.
    virtual void setTls(TlsContext tls) = 0;
    virtual void stop() noexcept = 0;
};

}  // namespace restante::http
