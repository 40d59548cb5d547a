#include "sipplugin/sofia/listening_sockets.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <sys/socket.h>
#include <system_error>

namespace restante::sip {

namespace {

/// The kernel doubles it, and goes beyond that by one segment of up to 64 KiB.
constexpr int kReceiveBuffer = 64 * 1024;

bool listensAt(int fd, const SocketName& wanted)
{
    int listens = 0;
    socklen_t size = sizeof listens;
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
        return false;
    }
    SocketName bound;
    bound.length = sizeof bound.storage;
    return ::getsockname(fd, bound.raw(), &bound.length) == 0 && bound.length == wanted.length &&
           std::memcmp(&bound.storage, &wanted.storage, bound.length) == 0;
}

}  // namespace

int listeningSocket(const ListenAddress& address)
{
    const auto wanted = nameOf(address.host, address.port);
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
        const auto number = entry.path().filename().string();
        int fd = -1;
        std::from_chars(number.data(), number.data() + number.size(), fd);
        if (listensAt(fd, wanted)) {
            return fd;
        }
    }
    return -1;
}

namespace {

std::uint16_t portOf(const SocketName& name)
{
    return ntohs(name.storage.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6*>(name.raw())->sin6_port
                     : reinterpret_cast<const sockaddr_in*>(name.raw())->sin_port);
}

/// The bound port, or 0 with errno.
std::uint16_t bindTo(int fd, SocketName wanted, int type)
{
    const int on = 1;
    if (type == SOCK_STREAM) {
        // As sofia does: connections of a former life in TIME_WAIT are no obstacle.
        ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (wanted.storage.ss_family == AF_INET6) {
        ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    if (::bind(fd, wanted.raw(), wanted.length) != 0 ||
        ::getsockname(fd, wanted.raw(), &wanted.length) != 0) {
        return 0;
    }
    return portOf(wanted);
}

}  // namespace

SocketName nameOf(const std::string& host, std::uint16_t port)
{
    SocketName out;
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.storage);
    if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        out.length = sizeof *v6;
        return out;
    }
    auto* v4 = reinterpret_cast<sockaddr_in*>(&out.storage);
    inet_pton(AF_INET, host.c_str(), &v4->sin_addr);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    out.length = sizeof *v4;
    return out;
}

tl::unexpected<Error> cannotListen(const ListenAddress& address, int reason)
{
    const char* hint = "check sip.listen";
    if (reason == EADDRINUSE) {
        hint = "another program has this port: stop it, or choose another port in sip.listen "
               "(0 = any free one)";
    } else if (reason == EADDRNOTAVAIL) {
        hint = "this machine has no such address: choose one of its own in sip.listen";
    } else if (reason == EACCES) {
        hint = "ports below 1024 need a privilege: choose a higher one in sip.listen";
    }
    return failure(ErrorCode::Unavailable,
                   fmt::format("cannot listen for SIP on {}: {}; {}", address.print(),
                               std::strerror(reason), hint));
}

Result<Listener> listenOn(const ListenAddress& address)
{
    const auto wanted = nameOf(address.host, address.port);
    Listener listener;
    listener.socket = FileDescriptor{
        ::socket(wanted.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!listener.socket) {
        return cannotListen(address, errno);
    }
    listener.port = bindTo(listener.socket.get(), wanted, SOCK_STREAM);
    if (listener.port == 0 || ::listen(listener.socket.get(), SOMAXCONN) != 0) {
        return cannotListen(address, errno);
    }
    return listener;
}

std::uint16_t probe(const ListenAddress& address)
{
    const auto wanted = nameOf(address.host, address.port);
    const int type = address.transport == Transport::Udp ? SOCK_DGRAM : SOCK_STREAM;
    const FileDescriptor fd{::socket(wanted.storage.ss_family, type | SOCK_CLOEXEC, 0)};
    return fd ? bindTo(fd.get(), wanted, type) : 0;
}

bool limitUnread(const ListenAddress& address)
{
    const int fd = listeningSocket(address);
    // Connections inherit it from the socket that accepts them.
    return fd >= 0 &&
           ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer) == 0;
}

}  // namespace restante::sip
