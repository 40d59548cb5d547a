#include "tests/bench/socket.h"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace restante::bench {

namespace {

[[noreturn]] void fail(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

const sockaddr* generic(const sockaddr_in& address)
{
    return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

Socket::~Socket()
{
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

Socket udpSocket(std::uint16_t port)
{
    Socket socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int size = 4 << 20;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    const auto here = loopback(0);
    if (::bind(socket.get(), generic(here), sizeof here) != 0) {
        fail("bind udp");
    }
    const auto there = loopback(port);
    if (port != 0 && ::connect(socket.get(), generic(there), sizeof there) != 0) {
        fail("connect udp");
    }
    return socket;
}

Socket tcpSocket(std::uint16_t port)
{
    Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto there = loopback(port);
    if (::connect(socket.get(), generic(there), sizeof there) != 0) {
        fail("connect tcp");
    }
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return socket;
}

std::uint16_t localPort(int fd)
{
    sockaddr_in here{};
    socklen_t size = sizeof here;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
        fail("getsockname");
    }
    return ntohs(here.sin_port);
}

void sendAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            fail("send");
        }
        bytes.remove_prefix(sent > 0 ? static_cast<std::size_t>(sent) : 0);
    }
}

}  // namespace restante::bench
