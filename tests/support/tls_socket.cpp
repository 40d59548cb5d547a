#include "tests/support/tls_socket.h"

#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

namespace restante::test {

namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<SSL_CTX> contextOf(const TlsSide& side)
{
    std::shared_ptr<SSL_CTX> context{SSL_CTX_new(TLS_method()), &SSL_CTX_free};
    // Old versions must be refused by the other side, not by us.
    SSL_CTX_set_security_level(context.get(), side.newest == 0 ? 1 : 0);
    SSL_CTX_set_min_proto_version(context.get(), 0);
    SSL_CTX_set_max_proto_version(context.get(), side.newest);
    if (!side.ca.empty()) {
        SSL_CTX_load_verify_locations(context.get(), side.ca.c_str(), nullptr);
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    }
    if (!side.certificate.empty() &&
        (SSL_CTX_use_certificate_chain_file(context.get(), side.certificate.c_str()) != 1 ||
         SSL_CTX_use_PrivateKey_file(context.get(), side.key.c_str(), SSL_FILETYPE_PEM) != 1)) {
        throw std::runtime_error("cannot use " + side.certificate.string());
    }
    return context;
}

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

std::uint16_t portOf(int fd)
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

}  // namespace

std::shared_ptr<const TlsSide> loopbackTls()
{
    static const TempDir directory;
    static const auto side = [] {
        const TestAuthority authority{directory.path(), "authority"};
        const auto own = authority.issue(
            "loopback", {"localhost", {"DNS:localhost", "IP:127.0.0.1", "IP:127.0.0.2", "IP:::1"}});
        return std::make_shared<const TlsSide>(
            TlsSide{authority.file(), own.certificate, own.key, 0});
    }();
    return side;
}

TlsSocket::TlsSocket(std::uint16_t port, const TlsSide& side)
    : context_(contextOf(side)),
      fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      ssl_(SSL_new(context_.get()), &SSL_free)
{
    const auto to = loopback(port);
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
        SSL_set_connect_state(ssl_.get());
        performHandshake();
    }
}

TlsSocket::TlsSocket(FileDescriptor connection, const TlsSide& side, Role role)
    : context_(contextOf(side)),
      fd_(std::move(connection)),
      ssl_(SSL_new(context_.get()), &SSL_free)
{
    role == Role::Client ? SSL_set_connect_state(ssl_.get()) : SSL_set_accept_state(ssl_.get());
    performHandshake();
}

TlsSocket::TlsSocket(TlsSocket&&) noexcept = default;
TlsSocket::~TlsSocket() = default;

bool TlsSocket::wait(int result, Millis left)
{
    const int error = SSL_get_error(ssl_.get(), result);
    if (left.count() <= 0 || (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)) {
        return false;
    }
    pollfd watched{fd_.get(), static_cast<short>(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT),
                   0};
    ::poll(&watched, 1, static_cast<int>(left.count()));
    return true;
}

void TlsSocket::performHandshake()
{
    ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
    SSL_set_fd(ssl_.get(), fd_.get());
    const auto deadline = Clock::now() + kProcessTimeout;
    int done = 0;
    do {
        ERR_clear_error();
        done = SSL_do_handshake(ssl_.get());
    } while (done != 1 && wait(done, std::chrono::ceil<Millis>(deadline - Clock::now())));
    connected_ = done == 1;
    ended_ = !connected_;
}

std::string TlsSocket::address() const
{
    return "127.0.0.1:" + std::to_string(portOf(fd_.get()));
}

std::string TlsSocket::via() const
{
    return "SIP/2.0/TLS " + address() + ";branch=z9hG4bK" + uniqueToken() + ";rport";
}

void TlsSocket::send(std::string_view bytes)
{
    const auto deadline = Clock::now() + kProcessTimeout;
    while (!bytes.empty() && !ended_) {
        ERR_clear_error();
        const int sent = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
        if (sent > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        } else {
            ended_ = !wait(sent, std::chrono::ceil<Millis>(deadline - Clock::now()));
        }
    }
}

/// False when nothing came.
bool TlsSocket::read(Millis timeout)
{
    const auto deadline = Clock::now() + timeout;
    std::array<char, 16'384> chunk;
    while (!ended_) {
        ERR_clear_error();
        const int got = SSL_read(ssl_.get(), chunk.data(), static_cast<int>(chunk.size()));
        if (got > 0) {
            buffer_.append(chunk.data(), static_cast<std::size_t>(got));
            return true;
        }
        const int error = SSL_get_error(ssl_.get(), got);
        ended_ = error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE;
        if (!wait(got, std::chrono::ceil<Millis>(deadline - Clock::now()))) {
            return false;
        }
    }
    return false;
}

std::optional<SipText> TlsSocket::receive(Millis timeout)
{
    for (;;) {
        buffer_.erase(0, std::min(buffer_.find_first_not_of("\r\n"), buffer_.size()));
        if (const auto length = messageLength(buffer_)) {
            auto message = SipText::parse(std::string_view(buffer_).substr(0, *length));
            buffer_.erase(0, *length);
            return message;
        }
        if (!read(timeout)) {
            return std::nullopt;
        }
    }
}

bool TlsSocket::ended(Millis timeout)
{
    while (read(timeout)) {
    }
    return ended_;
}

std::string TlsSocket::peerName() const
{
    const std::unique_ptr<X509, decltype(&X509_free)> shown{SSL_get1_peer_certificate(ssl_.get()),
                                                            &X509_free};
    std::array<char, 256> name{};
    if (shown) {
        X509_NAME_get_text_by_NID(X509_get_subject_name(shown.get()), NID_commonName, name.data(),
                                  static_cast<int>(name.size()));
    }
    return name.data();
}

TlsListener::TlsListener(TlsSide side)
    : side_(std::move(side)),
      socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    const auto any = loopback(0);
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
        ::listen(socket_.get(), SOMAXCONN) != 0) {
        throw std::runtime_error("cannot listen for TLS");
    }
    port_ = portOf(socket_.get());
}

std::optional<TlsSocket> TlsListener::accept(Millis timeout)
{
    pollfd watched{socket_.get(), POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(timeout.count())) != 1) {
        return std::nullopt;
    }
    return TlsSocket{FileDescriptor{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)},
                     side_};
}

}  // namespace restante::test
