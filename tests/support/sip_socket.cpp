#include "tests/support/sip_socket.h"

#include "tests/support/tls_socket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>

namespace restante::test {

namespace {

struct RawAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

RawAddress rawAddress(const std::string& host, std::uint16_t port)
{
    RawAddress result;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
    if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        result.size = sizeof *v4;
    } else if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        result.size = sizeof *v6;
    } else {
        throw std::invalid_argument("not an address: " + host);
    }
    return result;
}

std::uint16_t portOf(const RawAddress& address)
{
    return ntohs(address.storage.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port
                     : reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
}

std::uint16_t portOf(const FileDescriptor& socket)
{
    RawAddress bound;
    bound.size = sizeof bound.storage;
    ::getsockname(socket.get(), bound.get(), &bound.size);
    return portOf(bound);
}

void checkSystemCall(bool worked, const char* what)
{
    if (!worked) {
        throw std::system_error(errno, std::generic_category(), what);
    }
}

bool sendAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto size = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (size < 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

FileDescriptor openSocket(const RawAddress& address, SipTransport transport)
{
    const int type = transport == SipTransport::Udp ? SOCK_DGRAM : SOCK_STREAM;
    FileDescriptor fd{::socket(address.storage.ss_family, type | SOCK_CLOEXEC, 0)};
    checkSystemCall(static_cast<bool>(fd), "socket");
    return fd;
}

}  // namespace

std::string_view name(SipTransport transport)
{
    switch (transport) {
    case SipTransport::Udp: return "udp";
    case SipTransport::Tcp: return "tcp";
    case SipTransport::Tls: break;
    }
    return "tls";
}

std::string SipServer::hostPort() const
{
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string SipServer::uri() const
{
    return "sip:" + hostPort() +
           (transport == SipTransport::Udp ? "" : ";transport=" + std::string(name(transport)));
}

int SipSocket::Connection::descriptor() const
{
    return tls ? tls->descriptor() : fd.get();
}

bool SipSocket::Connection::send(std::string_view bytes) const
{
    if (!tls) {
        return sendAll(fd.get(), bytes);
    }
    tls->send(bytes);
    return !tls->isOver();
}

SipSocket::SipSocket(SipServer server) : server_(std::move(server))
{
    // The same loopback address as the server's, any free port.
    const auto bound = rawAddress(server_.host, 0);
    socket_ = openSocket(bound, server_.transport);
    // A server's burst must not get lost in the kernel.
    const int bytes = 8 << 20;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    checkSystemCall(::bind(socket_.get(), bound.get(), bound.size) == 0, "bind");
    if (server_.transport != SipTransport::Udp) {
        checkSystemCall(::listen(socket_.get(), SOMAXCONN) == 0, "listen");
    }
    localAddress_ = SipServer{server_.transport, server_.host, portOf(socket_)}.hostPort();
}

void SipSocket::moveTo(SipServer server)
{
    server_ = std::move(server);
    std::erase_if(connections_,
                  [this](const auto& each) { return each.descriptor() == outgoing_; });
    outgoing_ = -1;
}

std::string SipSocket::contact(std::string_view user) const
{
    const auto transport = server_.transport == SipTransport::Udp
                               ? ""
                               : ";transport=" + std::string(name(server_.transport));
    return "<sip:" + std::string(user) + "@" + address() + transport + ">";
}

std::string SipSocket::via(std::string_view branch) const
{
    const auto* transport = server_.transport == SipTransport::Udp   ? "UDP "
                            : server_.transport == SipTransport::Tcp ? "TCP "
                                                                     : "TLS ";
    return std::string("SIP/2.0/") + transport + address() + ";branch=" + std::string(branch) +
           ";rport";
}

bool SipSocket::connect()
{
    const auto to = rawAddress(server_.host, server_.port);
    auto fd = openSocket(to, SipTransport::Tcp);
    if (::connect(fd.get(), to.get(), to.size) != 0) {
        return false;
    }
    const int yes = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection made;
    if (server_.transport == SipTransport::Tcp) {
        made.fd = std::move(fd);
    } else {
        made.tls =
            std::make_shared<TlsSocket>(std::move(fd), *server_.tls, TlsSocket::Role::Client);
        if (!made.tls->connected()) {
            return false;
        }
    }
    outgoing_ = made.descriptor();
    connections_.push_back(std::move(made));
    return true;
}

SipSocket::Connection* SipSocket::find(int descriptor)
{
    const auto found = std::ranges::find_if(
        connections_, [&](const auto& each) { return each.descriptor() == descriptor; });
    return found == connections_.end() ? nullptr : &*found;
}

bool SipSocket::send(std::string_view bytes)
{
    if (server_.transport == SipTransport::Udp) {
        const auto to = rawAddress(server_.host, server_.port);
        ::sendto(socket_.get(), bytes.data(), bytes.size(), 0, to.get(), to.size);
        return true;
    }
    return (outgoing_ >= 0 || connect()) && find(outgoing_)->send(bytes);
}

void SipSocket::answer(const Arrival& arrival, std::string_view bytes)
{
    if (arrival.connection >= 0) {
        if (const auto* connection = find(arrival.connection)) {
            connection->send(bytes);
        }
    } else {
        const auto to = rawAddress(server_.host, arrival.from);
        ::sendto(socket_.get(), bytes.data(), bytes.size(), 0, to.get(), to.size);
    }
}

std::optional<SipSocket::Arrival> SipSocket::receive(Millis timeout)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        if (!arrived_.empty()) {
            auto first = std::move(arrived_.front());
            arrived_.pop_front();
            return first;
        }
        const auto left = std::chrono::ceil<Millis>(deadline - std::chrono::steady_clock::now());
        pollOnce(std::max(left, Millis{0}));
        if (arrived_.empty() && left <= Millis{0}) {
            return std::nullopt;
        }
        if (disconnected_ && arrived_.empty()) {
            return std::nullopt;
        }
    }
}

void SipSocket::pollOnce(Millis timeout)
{
    std::vector<pollfd> watched{{socket_.get(), POLLIN, 0}};
    for (const auto& connection : connections_) {
        watched.push_back({connection.descriptor(), POLLIN, 0});
    }
    ::poll(watched.data(), watched.size(), static_cast<int>(timeout.count()));
    for (std::size_t i = 1; i < watched.size(); ++i) {
        if (watched[i].revents != 0) {
            takeBytes(connections_[i - 1]);
        }
    }
    std::erase_if(connections_, [](const auto& each) { return each.hasEnded; });
    if (watched[0].revents == 0) {
        return;
    }
    if (server_.transport == SipTransport::Udp) {
        takeDatagram();
    } else {
        accept();
    }
}

void SipSocket::accept()
{
    FileDescriptor accepted{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!accepted) {
        return;
    }
    Connection made;
    if (server_.transport == SipTransport::Tcp) {
        made.fd = std::move(accepted);
    } else {
        made.tls = std::make_shared<TlsSocket>(std::move(accepted), *server_.tls);
        made.hasEnded = !made.tls->connected();
    }
    if (!made.hasEnded) {
        connections_.push_back(std::move(made));
    }
}

void SipSocket::takeDatagram()
{
    static thread_local std::array<char, 65'536> buffer;
    RawAddress from;
    from.size = sizeof from.storage;
    const auto size =
        ::recvfrom(socket_.get(), buffer.data(), buffer.size(), 0, from.get(), &from.size);
    if (size <= 0) {
        return;
    }
    if (auto message = SipText::parse({buffer.data(), static_cast<std::size_t>(size)})) {
        arrived_.push_back({std::move(*message), -1, portOf(from)});
    }
}

void SipSocket::takeBytes(Connection& connection)
{
    connection.hasEnded = !(connection.tls ? takeEncrypted(connection) : takePlain(connection));
    if (connection.hasEnded && connection.descriptor() == outgoing_) {
        outgoing_ = -1;
        disconnected_ = true;
    }
}

/// False when the peer has ended the connection.
bool SipSocket::takeEncrypted(Connection& connection)
{
    while (auto message = connection.tls->receive(Millis{0})) {
        arrived_.push_back({std::move(*message), connection.descriptor()});
    }
    return !connection.tls->isOver();
}

bool SipSocket::takePlain(Connection& connection)
{
    std::array<char, 16'384> chunk;
    const auto size = ::recv(connection.fd.get(), chunk.data(), chunk.size(), 0);
    if (size <= 0) {
        return false;
    }
    connection.buffer.append(chunk.data(), static_cast<std::size_t>(size));
    takeMessages(connection);
    return true;
}

void SipSocket::takeMessages(Connection& connection)
{
    auto& buffer = connection.buffer;
    // Line ends between messages are keep-alives (RFC 5626).
    buffer.erase(0, std::min(buffer.find_first_not_of("\r\n"), buffer.size()));
    while (const auto length = messageLength(buffer)) {
        if (auto message = SipText::parse(std::string_view(buffer).substr(0, *length))) {
            arrived_.push_back({std::move(*message), connection.fd.get()});
        }
        buffer.erase(0, *length);
    }
}

}  // namespace restante::test
