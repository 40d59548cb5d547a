#include "sipplugin/phone/local_address.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace restante::phone {

namespace {

tl::unexpected<Error> noWay(const std::string& host, const char* why)
{
    return failure(ErrorCode::Unavailable, "no way to the server " + host + ": " + why);
}

}  // namespace

Result<std::string> localAddressTowards(const std::string& host)
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), "5060", &wanted, &found); error != 0) {
        return noWay(host, gai_strerror(error));
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
    const int probe = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) {
        return noWay(host, std::strerror(errno));
    }
    // Connecting a datagram socket sends nothing; it only chooses the route.
    sockaddr_storage local{};
    auto* address = reinterpret_cast<sockaddr*>(&local);
    socklen_t length = sizeof(local);
    const bool chosen = connect(probe, found->ai_addr, found->ai_addrlen) == 0 &&
                        getsockname(probe, address, &length) == 0;
    const int why = errno;
    close(probe);
    char text[NI_MAXHOST] = {};
    if (!chosen ||
        getnameinfo(address, length, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) != 0) {
        return noWay(host, std::strerror(why));
    }
    return std::string{text};
}

}  // namespace restante::phone
