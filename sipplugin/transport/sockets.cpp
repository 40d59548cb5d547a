#include "sipplugin/transport/sockets.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <netinet/in.h>
#include <utility>

namespace restante::sip {

namespace {

/// How often another free port is tried when somebody has the chosen one for another transport.
constexpr int kPortTries = 20;

/// Bytes of unread datagrams; the kernel doubles it, and gives no more than net.core.rmem_max. When
/// everybody returns at once, the answers of a thousand devices and the next REGISTERs come within
/// one turn of the loop, and the kernel counts 1.3 KB for a short one. What does not fit is lost: a
/// delivery is repeated, a REGISTER comes when the phone thinks so.
constexpr int kDatagramBuffer = 1024 * 1024;

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

void prepare(int fd, int family, bool datagrams)
{
    const int on = 1;
    if (family == AF_INET6) {
        ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    if (!datagrams) {
        // Connections of a former life in TIME_WAIT are no obstacle.
        ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        return;
    }
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kDatagramBuffer, sizeof kDatagramBuffer);
    if (family == AF_INET6) {
        ::setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on);
    } else {
        ::setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
    }
}

/// With errno when there is no socket.
Listener bound(const ListenAddress& address)
{
    auto name = nameOf(address.host, address.port);
    const bool datagrams = address.transport == Transport::Udp;
    const int type = datagrams ? SOCK_DGRAM : SOCK_STREAM;
    Listener one{FileDescriptor{::socket(name.family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)},
                 address};
    if (!one.socket) {
        return one;
    }
    const int fd = one.socket.get();
    prepare(fd, name.family(), datagrams);
    if (::bind(fd, name.raw(), name.length) != 0 || (!datagrams && ::listen(fd, SOMAXCONN) != 0)) {
        const int reason = errno;
        one.socket.close();
        errno = reason;
        return one;
    }
    one.address.port = addressOf(ownNameOf(fd), address.transport).port;
    return one;
}

Result<std::vector<Listener>> boundTogether(const std::vector<ListenAddress>& group)
{
    for (int tries = 0;; ++tries) {
        std::vector<Listener> all;
        for (auto address : group) {
            address.port = all.empty() ? address.port : all.front().address.port;
            all.push_back(bound(address));
            if (!all.back().socket) {
                break;
            }
        }
        if (all.back().socket) {
            return all;
        }
        const bool another = group.front().port == 0 && all.size() > 1 && tries < kPortTries;
        if (!another) {
            return cannotListen(all.back().address, errno);
        }
    }
}

}  // namespace

Result<std::vector<Listener>> listenOn(std::vector<ListenAddress> addresses)
{
    std::vector<Listener> all;
    while (!addresses.empty()) {
        const auto first = addresses.front();
        const auto others =
            std::stable_partition(addresses.begin(), addresses.end(), [&](const auto& one) {
                return one.host == first.host && one.port == first.port;
            });
        auto some = boundTogether({addresses.begin(), others});
        if (!some) {
            return some;
        }
        std::ranges::move(*some, std::back_inserter(all));
        addresses.erase(addresses.begin(), others);
    }
    return all;
}

}  // namespace restante::sip
