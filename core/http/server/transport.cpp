#include "core/http/server/transport.h"

#include "core/base/log.h"
#include "core/base/secret_file.h"
#include "core/base/try.h"

#include <type_traits>
#include <utility>
// Boost 1.74's asio uses std::exchange without including it.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace restante::http {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// How long accepting pauses after an error, as when the system has no descriptors left.
constexpr Millis kAcceptPause{100};

auto asioHandler(Transport::Handler handler)
{
    return [handler = std::move(handler)](const error_code& error, std::size_t bytes) {
        handler(!error, bytes);
    };
}

/// Over the plain socket, or over a TLS stream on it.
template <class Stream>
class StreamTransport final : public Transport {
public:
    explicit StreamTransport(tcp::socket socket) : stream_(std::move(socket)) {}
    StreamTransport(tcp::socket socket, TlsContext context)
        : context_(std::move(context)),
          stream_(std::move(socket), *context_)
    {
    }

    void handshake(Handler handler) override
    {
        if constexpr (std::is_same_v<Stream, tcp::socket>) {
            asio::post(stream_.get_executor(),
                       [handler = std::move(handler)] { handler(true, 0); });
        } else {
            stream_.async_handshake(
                asio::ssl::stream_base::server,
                [handler = std::move(handler)](const error_code& error) { handler(!error, 0); });
        }
    }
    void read(char* buffer, std::size_t size, Handler handler) override
    {
        stream_.async_read_some(asio::buffer(buffer, size), asioHandler(std::move(handler)));
    }
    std::size_t writeNow(std::string_view bytes) noexcept override
    {
        if constexpr (std::is_same_v<Stream, tcp::socket>) {
            error_code ignored;  // the next write() finds it again
            return stream_.write_some(asio::buffer(bytes.data(), bytes.size()), ignored);
        } else {
            return 0;
        }
    }
    void write(std::string_view bytes, Handler handler) override
    {
        asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()),
                          asioHandler(std::move(handler)));
    }
    void finish() noexcept override
    {
        // Over TLS without a close_notify: an answer says its length or is chunked, but for a
        // stream to a client of HTTP/1.0.
        error_code ignored;
        stream_.lowest_layer().shutdown(tcp::socket::shutdown_send, ignored);
    }
    void close() noexcept override
    {
        error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

private:
    TlsContext context_;  // outlives the stream; null without TLS
    Stream stream_;
};

std::string formatAddress(const asio::ip::address& address)
{
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    }
    return address.to_string();
}

Error tlsError(const std::string& key, const std::filesystem::path& file, const error_code& error)
{
    return {ErrorCode::Invalid,
            fmt::format("cannot use {} {}: {}", key, file.string(), error.message())};
}

}  // namespace

Result<TlsContext> loadTlsContext(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key)
{
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
    // An idle connection gives its buffers back: 10,000 of them would hold 340 MB.
    SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
    error_code error;
    context->use_certificate_chain_file(certificate.string(), error);
    if (error) {
        return tl::unexpected(tlsError("http.tls.certificate", certificate, error));
    }
    const auto secret = TRY(readSecretFile("http.tls.key", key));
    context->use_private_key(asio::buffer(secret), asio::ssl::context::pem, error);
    if (error) {
        return tl::unexpected(tlsError("http.tls.key", key, error));
    }
    if (SSL_CTX_check_private_key(context->native_handle()) != 1) {
        return invalid("http.tls.key {} is not the key of http.tls.certificate {}", key.string(),
                       certificate.string());
    }
    return context;
}

namespace {

class SocketAcceptor final : public Acceptor, public std::enable_shared_from_this<SocketAcceptor> {
public:
    explicit SocketAcceptor(AsioLoop& loop) : acceptor_(loop.context()), pauseTimer_(loop) {}

    Result<void> open(const SocketAddress& address, PortSharing sharing)
    {
        using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
        error_code error;
        const tcp::endpoint endpoint(asio::ip::make_address(address.host, error), address.port);
        if (!error) {
            acceptor_.open(endpoint.protocol(), error);
        }
        if (!error) {
            acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
        }
        if (!error && sharing == PortSharing::Further) {
            acceptor_.set_option(ReusePort(true), error);
        }
        if (!error) {
            acceptor_.bind(endpoint, error);
        }
        if (!error && sharing == PortSharing::First) {
            // Not before: it would let us in beside a stranger of the same user who shares his
            // port.
            acceptor_.set_option(ReusePort(true), error);
        }
        if (!error) {
            acceptor_.listen(asio::socket_base::max_listen_connections, error);
        }
        if (error) {
            return invalid("cannot listen on http.listen {}: {}; another program has "
                           "it, or it is not an address of this machine",
                           address.toString(), error.message());
        }
        return {};
    }

    std::uint16_t port() const noexcept override
    {
        error_code ignored;
        return acceptor_.local_endpoint(ignored).port();
    }
    void start(Handler handler) override
    {
        handler_ = std::move(handler);
        accept();
    }
    void setTls(TlsContext tls) override { tls_ = std::move(tls); }
    void stop() noexcept override
    {
        error_code ignored;
        acceptor_.close(ignored);
        pauseTimer_.cancel();
        handler_ = nullptr;
    }

private:
    void accept()
    {
        acceptor_.async_accept([weak = weak_from_this()](const error_code& error,
                                                         tcp::socket socket) {
            const auto self = weak.lock();
            if (!self || !self->acceptor_.is_open()) {
                return;
            }
            if (error && error != asio::error::connection_aborted) {
                log::warning("http", "cannot accept a connection: {}", error.message());
                return self->pauseTimer_.arm(kAcceptPause, [raw = self.get()] { raw->accept(); });
            }
            if (!error) {
                self->handleAccepted(std::move(socket));
            }
            self->accept();
        });
    }

    void handleAccepted(tcp::socket socket)
    {
        error_code error;
        const auto remote = socket.remote_endpoint(error);
        if (error) {
            return;
        }
        const auto local = socket.local_endpoint(error);
        socket.set_option(tcp::no_delay(true), error);
        socket.non_blocking(true, error);
        if (error) {
            return;  // it has gone again
        }
        AcceptedConnection accepted{nullptr, formatAddress(remote.address()),
                                    formatAddress(local.address()), tls_ != nullptr};
        if (tls_) {
            accepted.transport = std::make_unique<StreamTransport<asio::ssl::stream<tcp::socket>>>(
                std::move(socket), tls_);
        } else {
            accepted.transport = std::make_unique<StreamTransport<tcp::socket>>(std::move(socket));
        }
        handler_(std::move(accepted));
    }

    tcp::acceptor acceptor_;
    Timer pauseTimer_;
    TlsContext tls_;
    Handler handler_;
};

}  // namespace

Result<std::shared_ptr<Acceptor>>
Acceptor::open(AsioLoop& loop, const SocketAddress& address, PortSharing sharing)
{
    auto acceptor = std::make_shared<SocketAcceptor>(loop);
    return acceptor->open(address, sharing).map([&] {
        return std::shared_ptr<Acceptor>(std::move(acceptor));
    });
}

}  // namespace restante::http
