#include "sipplugin/message/socket_name.h"

#include "core/base/file_descriptor.h"

#include <arpa/inet.h>
#include <array>

namespace restante::sip {

SocketName socketNameOf(const std::string& host, std::uint16_t port)
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

TransportAddress addressOf(const SocketName& name, Transport transport)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (name.family() == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&name.storage);
        inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
        return {transport, text.data(), ntohs(v6->sin6_port)};
    }
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&name.storage);
    inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return {transport, text.data(), ntohs(v4->sin_port)};
}

SocketName withPort(SocketName name, std::uint16_t port)
{
    if (name.family() == AF_INET6) {
        reinterpret_cast<sockaddr_in6*>(&name.storage)->sin6_port = htons(port);
    } else {
        reinterpret_cast<sockaddr_in*>(&name.storage)->sin_port = htons(port);
    }
    return name;
}

std::string canonicalHost(std::string_view host)
{
    std::string text{host};
    const auto name = socketNameOf(text, 0);
    return name.family() == AF_INET6 ? addressOf(name, Transport::Udp).host : text;
}

SocketName localSocketName(int fd)
{
    SocketName name;
    ::getsockname(fd, name.raw(), &name.length);
    return name;
}

std::string localAddressTo(const SocketName& destination)
{
    const FileDescriptor fd{::socket(destination.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    // Connecting a datagram socket sends nothing.
    if (!fd || ::connect(fd.get(), destination.raw(), destination.length) != 0) {
        return {};
    }
    return addressOf(localSocketName(fd.get()), Transport::Udp).host;
}

}  // namespace restante::sip
