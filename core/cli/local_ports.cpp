#include "core/cli/local_ports.h"

#include "core/base/await_descriptor.h"
#include "core/base/file_descriptor.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/socket.h>

namespace restante::cli {

namespace {

namespace fs = std::filesystem;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, std::uint16_t port, Transport transport, int flags)
{
    addrinfo hints{};
    hints.ai_flags = flags | AI_NUMERICSERV;
    hints.ai_socktype = transport == Transport::Udp ? SOCK_DGRAM : SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
        found = nullptr;
    }
    return {found, freeaddrinfo};
}

using AddressBytes = std::array<std::uint8_t, 16>;  // as of addressBytes()

/// The address of "0100007F:13C4" in proc(5), /proc/net/tcp: words of 32 bits, each in the byte
/// order of this machine.
std::optional<AddressBytes> localAddressIn(std::string_view field)
{
    constexpr std::size_t kWordDigits = 8;
    const auto digits = field.substr(0, field.find(':'));
    auto bytes = addressBytes("0.0.0.0");
    if (!bytes || (digits.size() != kWordDigits && digits.size() != 2 * bytes->size())) {
        return {};
    }
    auto* next = bytes->data() + bytes->size() - digits.size() / 2;
    for (std::size_t at = 0; at < digits.size(); at += kWordDigits) {
        const auto word = wholeNumber<std::uint32_t>(digits.substr(at, kWordDigits), 16);
        if (!word) {
            return {};
        }
        std::memcpy(next, &*word, sizeof(*word));
        next += sizeof(*word);
    }
    return bytes;
}

/// Whether what is bound to `any` hears what is sent to `other`, too.
bool isAnyOf(const AddressBytes& any, const AddressBytes& other)
{
    constexpr std::ptrdiff_t kIpv4Prefix = 12;  // bytes
    const auto ipv4 = addressBytes("0.0.0.0").value_or(AddressBytes{});
    const bool isIpv4 = std::equal(ipv4.begin(), ipv4.begin() + kIpv4Prefix, other.begin());
    return any == AddressBytes{} || (any == ipv4 && isIpv4);
}

/// Whether two sockets with these addresses cannot have the same port.
bool collide(const AddressBytes& one, const AddressBytes& other)
{
    return one == other || isAnyOf(one, other) || isAnyOf(other, one);
}

/// The inodes of the sockets that listen at an address, or over UDP are bound to it: proc(5),
/// /proc/net/tcp.
std::set<std::string> socketsOn(const SocketAddress& address, Transport transport)
{
    const bool isTcp = transport == Transport::Tcp;
    const auto suffix = fmt::format(":{:04X}", address.port);
    const auto wanted = addressBytes(address.host).value_or(AddressBytes{});
    std::set<std::string> inodes;
    for (const char* version : {"", "6"}) {
        std::ifstream table(fmt::format("/proc/net/{}{}", isTcp ? "tcp" : "udp", version));
        for (std::string line; std::getline(table, line);) {
            const auto fields = splitWords(line, " ");
            constexpr std::size_t kLocal = 1;
            constexpr std::size_t kState = 3;
            constexpr std::size_t kInode = 9;
            constexpr auto kListening = "0A";
            if (fields.size() <= kInode || !fields[kLocal].ends_with(suffix) ||
                (isTcp && fields[kState] != kListening)) {
                continue;
            }
            if (const auto bound = localAddressIn(fields[kLocal]);
                bound && collide(*bound, wanted)) {
                inodes.emplace(fields[kInode]);
            }
        }
    }
    return inodes;
}

bool ownsOneOf(const fs::path& process, const std::set<std::string>& inodes)
{
    std::error_code error;
    for (fs::directory_iterator it(process / "fd", error), end; !error && it != end;
         it.increment(error)) {
        std::error_code unreadable;
        const auto target = fs::read_symlink(it->path(), unreadable).string();
        constexpr std::string_view kSocket = "socket:[";
        if (target.starts_with(kSocket) &&
            inodes.contains(target.substr(kSocket.size(), target.size() - kSocket.size() - 1))) {
            return true;
        }
    }
    return false;
}

bool canConnect(const addrinfo& address, Millis timeout)
{
    const FileDescriptor fd{
        ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!fd) {
        return false;
    }
    if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) == 0) {
        return true;
    }
    const bool isUnderWay = errno == EINPROGRESS;
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    int problem = 0;
    socklen_t size = sizeof(problem);
    return isUnderWay && awaitDescriptor(fd.get(), POLLOUT, deadline) &&
           ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &problem, &size) == 0 && problem == 0;
}

}  // namespace

int whyNotBindable(const SocketAddress& address, Transport transport)
{
    const auto resolved =
        resolve(address.host, address.port, transport, AI_NUMERICHOST | AI_PASSIVE);
    if (!resolved) {
        return EADDRNOTAVAIL;
    }
    const FileDescriptor fd{
        ::socket(resolved->ai_family, resolved->ai_socktype | SOCK_CLOEXEC, resolved->ai_protocol)};
    if (!fd) {
        return errno;
    }
    if (transport == Transport::Tcp) {
        // As a server does: what still lingers of old connections is no hindrance.
        const int on = 1;
        ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    }
    return ::bind(fd.get(), resolved->ai_addr, resolved->ai_addrlen) == 0 ? 0 : errno;
}

int processOn(const SocketAddress& address, Transport transport)
{
    const auto inodes = socketsOn(address, transport);
    if (inodes.empty()) {
        return 0;
    }
    std::error_code error;
    for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
        const auto pid = it->path().filename().string();
        if (isDigits(pid) && ownsOneOf(it->path(), inodes)) {
            return wholeNumber<int>(pid).value_or(-1);
        }
    }
    return -1;
}

std::string holderOf(const SocketAddress& address, Transport transport)
{
    const auto process = processOn(address, transport);
    if (process <= 0) {
        return process == 0 ? "" : "another user's process";
    }
    std::ifstream comm(fmt::format("/proc/{}/comm", process));
    std::string name;
    std::getline(comm, name);
    return fmt::format("{} (process {})", name, process);
}

bool acceptsConnections(const std::string& host, std::uint16_t port, Millis timeout)
{
    const auto resolved = resolve(host, port, Transport::Tcp, 0);
    for (const auto* one = resolved.get(); one != nullptr; one = one->ai_next) {
        if (canConnect(*one, timeout)) {
            return true;
        }
    }
    return false;
}

}  // namespace restante::cli
