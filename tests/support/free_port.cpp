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

constexpr int kFirst = 12'000;
constexpr int kLast = 32'000;  ///< net.ipv4.ip_local_port_range begins at 32,768

bool canBind(int type, std::uint16_t port)
{
    const FileDescriptor fd{::socket(AF_INET, type | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Holds a name for the port that no two processes can have, and that ends with this one: a socket
/// in Linux's abstract name space. None when another has it.
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
    std::uniform_int_distribution<int> ports(kFirst, kLast);
    for (int attempt = 0; attempt < 1'000; ++attempt) {
        const auto port = static_cast<std::uint16_t>(ports(random));
        auto name = reserve(port);
        if (name && canBind(SOCK_STREAM, port) && canBind(SOCK_DGRAM, port)) {
            reserved.push_back(std::move(name));
            return port;
        }
    }
    throw std::runtime_error("no port of 127.0.0.1 is free over both TCP and UDP");
}

}  // namespace restante::test
