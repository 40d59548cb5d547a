#include "sipplugin/sofia/listening_sockets.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace restante::sip {

namespace {

/// The kernel doubles it, and goes beyond that by one segment of up to 64 KiB.
constexpr int kReceiveBuffer = 64 * 1024;

struct Name {
    sockaddr_storage storage{};
    socklen_t length = 0;

    sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

Name nameOf(const std::string& host, std::uint16_t port)
{
    Name out;
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

bool listensAt(int fd, const Name& wanted)
{
    int listens = 0;
    socklen_t size = sizeof listens;
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
        return false;
    }
    Name bound;
    bound.length = sizeof bound.storage;
    return ::getsockname(fd, bound.raw(), &bound.length) == 0 && bound.length == wanted.length &&
           std::memcmp(&bound.storage, &wanted.storage, bound.length) == 0;
}

/// sofia shows its sockets to nobody.
int listeningSocket(const Name& wanted)
{
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

}  // namespace

std::uint16_t probe(const ListenAddress& address)
{
    auto wanted = nameOf(address.host, address.port);
    const int type = address.transport == Transport::Udp ? SOCK_DGRAM : SOCK_STREAM;
    const int fd = ::socket(wanted.storage.ss_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return 0;
    }
    const int on = 1;
    if (type == SOCK_STREAM) {
        // As sofia does: connections of a former life in TIME_WAIT are no obstacle.
        ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (wanted.storage.ss_family == AF_INET6) {
        ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    std::uint16_t port = 0;
    if (::bind(fd, wanted.raw(), wanted.length) == 0 &&
        ::getsockname(fd, wanted.raw(), &wanted.length) == 0) {
        port = ntohs(wanted.storage.ss_family == AF_INET6
                         ? reinterpret_cast<sockaddr_in6*>(wanted.raw())->sin6_port
                         : reinterpret_cast<sockaddr_in*>(wanted.raw())->sin_port);
    }
    const int kept = errno;
    ::close(fd);
    errno = kept;
    return port;
}

bool limitUnread(const ListenAddress& address)
{
    const int fd = listeningSocket(nameOf(address.host, address.port));
    // Connections inherit it from the socket that accepts them.
    return fd >= 0 &&
           ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer) == 0;
}

}  // namespace restante::sip
