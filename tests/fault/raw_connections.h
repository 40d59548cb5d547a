#pragma once

#include "core/base/file_descriptor.h"
#include "tests/support/sip_socket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace restante::test {

/// A TCP connection to a server of IPv4 from any address of this machine; none when it is refused.
inline FileDescriptor connectFrom(const std::string& source, const SipServer& server)
{
    FileDescriptor fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, source.c_str(), &address.sin_addr);
    ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    inet_pton(AF_INET, server.host.c_str(), &address.sin_addr);
    address.sin_port = htons(server.port);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fd.close();
    }
    return fd;
}

/// The server has ended that connection.
inline bool isCut(const FileDescriptor& fd)
{
    char byte = 0;
    const auto got = ::recv(fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

inline std::size_t living(const std::vector<FileDescriptor>& connections)
{
    return static_cast<std::size_t>(std::count_if(connections.begin(), connections.end(),
                                                  [](const auto& fd) { return !isCut(fd); }));
}

}  // namespace restante::test
