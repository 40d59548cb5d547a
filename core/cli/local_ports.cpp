#include "core/cli/local_ports.h"

#include "core/base/await_descriptor.h"
#include "core/base/file_descriptor.h"
#include "core/base/text.h"

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <netdb.h>
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

/// The inodes of the sockets that listen on a port, or over UDP are bound to it: proc(5),
/// /proc/net/tcp.
std::set<std::string> socketsOn(std::uint16_t port, Transport transport)
{
    const bool isTcp = transport == Transport::Tcp;
    const auto suffix = fmt::format(":{:04X}", port);
    std::set<std::string> inodes;
    for (const char* version : {"", "6"}) {
        std::ifstream table(fmt::format("/proc/net/{}{}", isTcp ? "tcp" : "udp", version));
        for (std::string line; std::getline(table, line);) {
            const auto fields = splitWords(line, " ");
            constexpr std::size_t kLocal = 1;
            constexpr std::size_t kState = 3;
            constexpr std::size_t kInode = 9;
            constexpr auto kListening = "0A";
            if (fields.size() > kInode && fields[kLocal].ends_with(suffix) &&
                (!isTcp || fields[kState] == kListening)) {
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

int processOn(std::uint16_t port, Transport transport)
{
    const auto inodes = socketsOn(port, transport);
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

std::string holderOf(std::uint16_t port, Transport transport)
{
    const auto process = processOn(port, transport);
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
