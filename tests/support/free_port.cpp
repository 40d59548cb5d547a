#include "tests/support/free_port.h"

#include "core/base/file_descriptor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>

namespace restante::test {

namespace {

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

bool bindTo(const FileDescriptor& fd, std::uint16_t port)
{
    const auto address = loopback(port);
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::uint16_t freePort()
{
    for (int attempt = 0; attempt < 100; ++attempt) {
        const FileDescriptor tcp{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        const FileDescriptor udp{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
        sockaddr_in chosen{};
        socklen_t size = sizeof chosen;
        if (bindTo(tcp, 0) &&
            ::getsockname(tcp.get(), reinterpret_cast<sockaddr*>(&chosen), &size) == 0 &&
            bindTo(udp, ntohs(chosen.sin_port))) {
            return ntohs(chosen.sin_port);
        }
    }
    throw std::runtime_error("no port of 127.0.0.1 is free over both TCP and UDP");
}

}  // namespace restante::test
