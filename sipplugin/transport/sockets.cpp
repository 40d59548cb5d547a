#include "sipplugin/transport/sockets.h"

#include "core/base/try.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <netinet/in.h>

namespace restante::sip {

namespace {

/// How often another free port is tried when the chosen one is taken for another transport.
constexpr int kPortTries = 20;

/// Bytes of unread datagrams; the kernel takes at most net.core.rmem_max of it, and doubles that.
/// When all users return at once, the answers of a thousand devices and the next REGISTERs arrive
/// within one turn of the loop, 1.3 KB each for the kernel. Datagrams that do not fit are lost, and
/// repeated.
constexpr int kDatagramBuffer = 1024 * 1024;

tl::unexpected<Error> cannotListen(const TransportAddress& address, int reason)
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
    return failure(ErrorCode::Unavailable, "cannot listen for SIP on {}: {}; {}",
                   address.toString(), std::strerror(reason), hint);
}

void enableOption(int fd, int level, int option)
{
    const int on = 1;
    ::setsockopt(fd, level, option, &on, sizeof on);
}

void prepareSocket(int fd, int family, const TransportAddress& address)
{
    const bool v6 = family == AF_INET6;
    if (v6) {
        enableOption(fd, IPPROTO_IPV6, IPV6_V6ONLY);
    }
    if (address.transport != Transport::Udp) {
        // Connections of an earlier process may still be in TIME_WAIT.
        return enableOption(fd, SOL_SOCKET, SO_REUSEADDR);
    }
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kDatagramBuffer, sizeof kDatagramBuffer);
    v6 ? enableOption(fd, IPPROTO_IPV6, IPV6_RECVERR) : enableOption(fd, IPPROTO_IP, IP_RECVERR);
    if (isWildcardAddress(address.host)) {
        // RFC 3581 section 4: an answer leaves from the address that its request came to.
        v6 ? enableOption(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO)
           : enableOption(fd, IPPROTO_IP, IP_PKTINFO);
    }
}

/// Room for one control message of either family.
struct ControlBuffer {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(in6_pktinfo))> bytes{};
};

std::string localAddressIn(const in_pktinfo& info)
{
    // For a broadcast this is the interface's own address.
    std::array<char, INET_ADDRSTRLEN> text{};
    const bool known = info.ipi_spec_dst.s_addr != INADDR_ANY;
    return known ? inet_ntop(AF_INET, &info.ipi_spec_dst, text.data(), text.size()) : "";
}

std::string localAddressIn(const in6_pktinfo& info)
{
    // A link-local address is useless without its interface, which routing finds.
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool usable =
        !IN6_IS_ADDR_MULTICAST(&info.ipi6_addr) && !IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr);
    return usable ? inet_ntop(AF_INET6, &info.ipi6_addr, text.data(), text.size()) : "";
}

std::string localAddressIn(msghdr& header)
{
    for (auto* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
        if (one->cmsg_level == IPPROTO_IP && one->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(one), sizeof info);
            return localAddressIn(info);
        }
        if (one->cmsg_level == IPPROTO_IPV6 && one->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(one), sizeof info);
            return localAddressIn(info);
        }
    }
    return {};
}

template <class Info>
void addControl(msghdr& header, ControlBuffer& control, int level, int type, const Info& info)
{
    header.msg_control = control.bytes.data();
    header.msg_controllen = CMSG_SPACE(sizeof info);
    auto* one = CMSG_FIRSTHDR(&header);
    one->cmsg_level = level;
    one->cmsg_type = type;
    one->cmsg_len = CMSG_LEN(sizeof info);
    std::memcpy(CMSG_DATA(one), &info, sizeof info);
}

/// Without a socket on failure; errno says why.
Listener bindListener(const TransportAddress& address, PortSharing sharing)
{
    auto name = socketNameOf(address.host, address.port);
    const bool isDatagram = address.transport == Transport::Udp;
    const int type = isDatagram ? SOCK_DGRAM : SOCK_STREAM;
    Listener listener{
        FileDescriptor{::socket(name.family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)}, address};
    if (!listener.socket) {
        return listener;
    }
    const int fd = listener.socket.get();
    prepareSocket(fd, name.family(), address);
    if (sharing == PortSharing::Further) {
        enableOption(fd, SOL_SOCKET, SO_REUSEPORT);
    }
    bool bound = ::bind(fd, name.raw(), name.length) == 0;
    if (bound && sharing == PortSharing::First) {
        // Not before: it would let us in beside a stranger of the same user who shares his port.
        enableOption(fd, SOL_SOCKET, SO_REUSEPORT);
    }
    bound = bound && (isDatagram || ::listen(fd, SOMAXCONN) == 0);
    if (!bound) {
        const int reason = errno;
        listener.socket.close();
        errno = reason;
        return listener;
    }
    listener.address.port = addressOf(localSocketName(fd), address.transport).port;
    return listener;
}

Result<std::vector<Listener>> bindGroup(const std::vector<TransportAddress>& group,
                                        PortSharing sharing)
{
    for (int tries = 0;; ++tries) {
        std::vector<Listener> listeners;
        for (auto address : group) {
            address.port = listeners.empty() ? address.port : listeners.front().address.port;
            listeners.push_back(bindListener(address, sharing));
            if (!listeners.back().socket) {
                break;
            }
        }
        if (listeners.back().socket) {
            return listeners;
        }
        const bool triesAgain =
            group.front().port == 0 && listeners.size() > 1 && tries < kPortTries;
        if (!triesAgain) {
            return cannotListen(listeners.back().address, errno);
        }
    }
}

constexpr std::size_t kStunHeaderSize = 20;
constexpr std::string_view kBindingRequest{"\x00\x01", 2};
constexpr std::string_view kBindingSuccess{"\x01\x01", 2};
constexpr std::string_view kStunCookie{"\x21\x12\xa4\x42", 4};
constexpr std::string_view kXorMappedAddress{"\x00\x20", 2};

std::string bigEndian16(std::size_t value)
{
    return {static_cast<char>(value >> 8U), static_cast<char>(value & 0xffU)};
}

std::string xorBytes(std::string_view bytes, std::string_view key)
{
    std::string out{bytes};
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<char>(out[i] ^ key[i]);
    }
    return out;
}

}  // namespace

Result<std::vector<Listener>> listenOn(std::vector<TransportAddress> addresses, PortSharing sharing)
{
    std::vector<Listener> listeners;
    while (!addresses.empty()) {
        const auto first = addresses.front();
        const auto groupEnd =
            std::stable_partition(addresses.begin(), addresses.end(), [&](const auto& one) {
                return one.host == first.host && one.port == first.port;
            });
        auto group = TRY(bindGroup({addresses.begin(), groupEnd}, sharing));
        std::ranges::move(group, std::back_inserter(listeners));
        addresses.erase(addresses.begin(), groupEnd);
    }
    return listeners;
}

ssize_t receiveFrom(int fd, std::string& buffer, SocketName& from)
{
    ControlBuffer control;
    iovec part{buffer.data(), buffer.size()};
    msghdr header{};
    header.msg_name = from.raw();
    header.msg_namelen = from.length;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.bytes.data();
    header.msg_controllen = control.bytes.size();
    const auto bytesRead = ::recvmsg(fd, &header, 0);
    if (bytesRead >= 0) {
        from.length = header.msg_namelen;
        from.localAddress = localAddressIn(header);
    }
    return bytesRead;
}

ssize_t sendTo(int fd, const SocketName& to, std::string_view bytes)
{
    if (to.localAddress.empty()) {
        return ::sendto(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL, to.raw(), to.length);
    }
    ControlBuffer control;
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr header{};
    header.msg_name = const_cast<sockaddr*>(to.raw());
    header.msg_namelen = to.length;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (to.family() == AF_INET6) {
        in6_pktinfo info{};
        inet_pton(AF_INET6, to.localAddress.c_str(), &info.ipi6_addr);
        addControl(header, control, IPPROTO_IPV6, IPV6_PKTINFO, info);
    } else {
        in_pktinfo info{};
        inet_pton(AF_INET, to.localAddress.c_str(), &info.ipi_spec_dst);
        addControl(header, control, IPPROTO_IP, IP_PKTINFO, info);
    }
    return ::sendmsg(fd, &header, MSG_NOSIGNAL);
}

std::optional<std::string> stunAnswer(std::string_view datagram, const SocketName& source)
{
    if (datagram.size() < kStunHeaderSize || !datagram.starts_with(kBindingRequest) ||
        datagram.substr(4, 4) != kStunCookie) {
        return std::nullopt;
    }
    const bool v6 = source.family() == AF_INET6;
    const auto* six = reinterpret_cast<const sockaddr_in6*>(&source.storage);
    const auto* four = reinterpret_cast<const sockaddr_in*>(&source.storage);
    const auto port = ntohs(v6 ? six->sin6_port : four->sin_port);
    const std::string_view address =
        v6 ? std::string_view{reinterpret_cast<const char*>(&six->sin6_addr), 16}
           : std::string_view{reinterpret_cast<const char*>(&four->sin_addr), 4};
    const auto key = datagram.substr(4, 16);  // the cookie and the transaction
    const auto value = std::string{'\0', v6 ? '\x02' : '\x01'} + xorBytes(bigEndian16(port), key) +
                       xorBytes(address, key);
    return std::string{kBindingSuccess} + bigEndian16(value.size() + 4) + std::string{key} +
           std::string{kXorMappedAddress} + bigEndian16(value.size()) + value;
}

}  // namespace restante::sip
