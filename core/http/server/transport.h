#pragma once

#include "core/base/result.h"
#include "core/http/server/asio_loop.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace restante::http {

/// Certificate and key of `http.tls.*`: TLS 1.2 and later. *Value*, shared: the connections that
/// began with it keep it while a reload brings another one.
using TlsContext = std::shared_ptr<boost::asio::ssl::context>;
/// The error names the file.
Result<TlsContext> loadTlsContext(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key);

/// The bytes of one accepted connection, with or without TLS. Handlers are called later, on the
/// loop; after close() they are called with `ok` false. *One loop.*
class Transport {
public:
    /// How many bytes came or went; none when the connection has ended.
    using Handler = std::function<void(bool ok, std::size_t bytes)>;

    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    virtual void handshake(Handler handler) = 0;
    /// Into `buffer`, which stays until the handler is called. One at a time.
    virtual void read(char* buffer, std::size_t size, Handler handler) = 0;
    /// All of `bytes`, which stay until the handler is called. One at a time.
    virtual void write(const std::string& bytes, Handler handler) = 0;
    /// Tells the peer that nothing more is sent.
    virtual void finish() noexcept = 0;
    virtual void close() noexcept = 0;
};

/// Hears on one address. *One loop.*
class Acceptor {
public:
    struct Peer {
        std::unique_ptr<Transport> transport;
        std::string address;       ///< numeric
        std::string localAddress;  ///< numeric
        bool secure = false;       ///< over TLS
    };
    using Handler = std::function<void(Peer)>;

    /// The error says who may have the port already.
    static Result<std::shared_ptr<Acceptor>>
    open(AsioLoop& loop, const std::string& host, std::uint16_t port);
    Acceptor() = default;
    Acceptor(const Acceptor&) = delete;
    Acceptor& operator=(const Acceptor&) = delete;
    virtual ~Acceptor() = default;

    virtual std::uint16_t port() const noexcept = 0;
    /// Accepts until stop(), and as long as it is there.
    virtual void start(Handler handler) = 0;
    /// Those accepted from then on speak it.
    virtual void setTls(TlsContext tls) = 0;
    virtual void stop() noexcept = 0;
};

}  // namespace restante::http
