#include "tests/support/free_port.h"

#include "core/base/file_descriptor.h"

#include <arpa/inet.h>
#include <cstddef>
#include <fmt/format.h>
#include <mutex>
#include <netinet/in.h>
#include <random>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

namespace restante::test {

namespace {

constexpr int kFirstPort = 12'000;
constexpr int kLastPort = 32'000;  ///< net.ipv4.ip_local_port_range begins at 32,768

/// Tries all addresses, because the programs under test may listen on more than the loopback. The
/// unspecified IPv6 address includes IPv4; a machine without IPv6 has only the latter.
bool canBind(int type, std::uint16_t port)
{
    const FileDescriptor v6{::socket(AF_INET6, type | SOCK_CLOEXEC, 0)};
    if (v6.get() >= 0) {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_port = htons(port);
        return ::bind(v6.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    const FileDescriptor v4{::socket(AF_INET, type | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    return ::bind(v4.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Reserves the port among test processes by a socket in Linux's abstract name space, which only
/// one process can bind and which ends with it. Empty when another has it.
FileDescriptor reserve(std::uint16_t port)
{
    FileDescriptor fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto name = fmt::format("restante-test-port-{}", port);
    name.copy(&address.sun_path[1], sizeof address.sun_path - 1);  // behind a NUL: abstract
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
        return {};
    }
    return fd;
}

}  // namespace

std::uint16_t freePort()
{
    static std::mutex mutex;
    static std::mt19937 random{std::random_device{}()};
    static std::vector<FileDescriptor> reserved;  // while the process lives
    const std::lock_guard lock(mutex);
    std::uniform_int_distribution<int> ports(kFirstPort, kLastPort);
    for (int attempt = 0; attempt < 1'000; ++attempt) {
        const auto port = static_cast<std::uint16_t>(ports(random));
        auto name = reserve(port);
        if (name && canBind(SOCK_STREAM, port) && canBind(SOCK_DGRAM, port)) {
            reserved.push_back(std::move(name));
            return port;
        }
    }
    throw std::runtime_error("no port is free over both TCP and UDP");
}

LoopbackSocket boundOnLoopback(int type)
{
    LoopbackSocket bound{FileDescriptor{::socket(AF_INET, type | SOCK_CLOEXEC, 0)}};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(bound.socket.get(), generic, size) != 0 ||
        ::getsockname(bound.socket.get(), generic, &size) != 0) {
        throw std::runtime_error("cannot bind a socket on the loopback");
    }
    bound.port = ntohs(address.sin_port);
    return bound;
}

}  // namespace restante::test
