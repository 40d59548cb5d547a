#include "sipplugin/sofia/connection_warden.h"

#include "core/base/log.h"
#include "sipplugin/sofia/listening_sockets.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>

namespace restante::sip {

namespace {

/// After somebody has connected: soon enough that a flood finds few descriptors, late enough that
/// one look serves many.
constexpr Millis kSoon{50};

/// A look must not take more than a twentieth of the loop's time.
constexpr int kShare = 20;

/// For Redis, HTTP, files, and what comes between two looks.
constexpr std::uint32_t kReserve = 512;

PeerAddress addressOf(const sockaddr& raw)
{
    PeerAddress peer;
    if (raw.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(raw);
        std::memcpy(peer.host.data(), &v6.sin6_addr, peer.host.size());
        peer.port = ntohs(v6.sin6_port);
    } else {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(raw);
        peer.host[10] = peer.host[11] = 0xff;
        std::memcpy(peer.host.data() + 12, &v4.sin_addr, sizeof v4.sin_addr);
        peer.port = ntohs(v4.sin_port);
    }
    return peer;
}

std::string print(const PeerAddress& peer)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool v4 = std::all_of(peer.host.begin(), peer.host.begin() + 10,
                                [](auto byte) { return byte == 0; }) &&
                    peer.host[10] == 0xff;
    inet_ntop(v4 ? AF_INET : AF_INET6, peer.host.data() + (v4 ? 12 : 0), text.data(), text.size());
    return ListenAddress{Transport::Tcp, text.data(), peer.port}.hostPort();
}

/// No descriptor of this process is as high: what the kernel has room for at the moment.
int descriptorsEnd()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("FDSize:")) {
            return std::stoi(line.substr(line.find_first_of("0123456789")));
        }
    }
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<int>(limit.rlim_cur);
}

std::uint64_t receivedOn(int fd)
{
    tcp_info info{};
    socklen_t size = sizeof info;
    return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received
                                                                      : 0;
}

/// A connection is a descriptor; one over TLS has a tunnel to the parser behind it, which has two
/// more.
ConnectionLedger::Limits withinDescriptors(ConnectionLedger::Limits limits,
                                           const std::vector<ListenAddress>& listening)
{
    const bool tls = std::any_of(listening.begin(), listening.end(), [](const auto& address) {
        return address.transport == Transport::Tls;
    });
    const std::uint32_t each = tls ? 3 : 1;
    rlimit own{};
    if (::getrlimit(RLIMIT_NOFILE, &own) == 0 &&
        own.rlim_cur < rlim_t{limits.inAll} * each + kReserve) {
        const auto room = static_cast<std::uint32_t>(own.rlim_cur);
        limits.inAll = (room > 2 * kReserve ? room - kReserve : room / 2) / each;
        log::info("sip", "{} descriptors are allowed (ulimit -n): at most {} connections", room,
                  limits.inAll);
    }
    return limits;
}

const char* describe(ConnectionLedger::Reason reason)
{
    switch (reason) {
    case ConnectionLedger::Reason::TooManyInAll: return "sip.limits.connections is reached";
    case ConnectionLedger::Reason::TooManyOfItsAddress:
        return "its address has sip.limits.connections_per_address";
    case ConnectionLedger::Reason::TooSlow: return "its message took over sip.limits.message_time";
    }
    return "";
}

}  // namespace

ConnectionWarden::ConnectionWarden(SuLoop& loop,
                                   const std::vector<ListenAddress>& listening,
                                   ConnectionLedger::Limits limits)
    : loop_(loop),
      ledger_(withinDescriptors(limits, listening)),
      soon_(loop),
      window_(loop),
      pause_(kSoon)
{
    for (const auto& address : listening) {
        if (address.transport != Transport::Udp) {
            ports_.insert(address.port);
            watchAccepts(address);
        }
    }
}

/// A second descriptor of the same socket is ready whenever the first one is.
void ConnectionWarden::watchAccepts(const ListenAddress& address)
{
    FileDescriptor second{::fcntl(listeningSocket(address), F_DUPFD_CLOEXEC, 0)};
    if (!second) {
        log::warning("sip", "the connections of {} cannot be limited (is /proc mounted?)",
                     address.print());
        return;
    }
    accepts_.emplace_back(loop_, second.get(), Readiness::Readable,
                          [this](Readiness) { lookSoon(); });
    listeners_.push_back(std::move(second));
}

void ConnectionWarden::completed(const sockaddr& peer)
{
    ledger_.completed(addressOf(peer), std::chrono::steady_clock::now());
}

void ConnectionWarden::lookSoon()
{
    if (!soon_.armed()) {
        soon_.arm(pause_, [this] { look(); });
    }
}

void ConnectionWarden::look()
{
    const auto begin = std::chrono::steady_clock::now();
    cut(ledger_.admit(connections()));
    const auto took = std::chrono::steady_clock::now() - begin;
    pause_ = std::max(kSoon, std::chrono::ceil<Millis>(took * kShare));
    if (hasConnections() && !window_.armed()) {
        window_.arm(ConnectionLedger::kWindow, [this] { lookAtFlow(); });
    }
}

void ConnectionWarden::lookAtFlow()
{
    auto seen = connections();
    cut(ledger_.admit(seen));
    for (auto& one : seen) {
        one.bytes = receivedOn(one.fd);
    }
    cut(ledger_.judge(seen, std::chrono::steady_clock::now()));
    if (hasConnections()) {
        window_.arm(ConnectionLedger::kWindow, [this] { lookAtFlow(); });
    }
}

std::vector<ConnectionLedger::Sighting> ConnectionWarden::connections() const
{
    std::vector<ConnectionLedger::Sighting> seen;
    const int end = descriptorsEnd();
    for (int fd = 0; fd < end; ++fd) {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
            (address.ss_family != AF_INET && address.ss_family != AF_INET6)) {
            continue;
        }
        const auto& raw = reinterpret_cast<const sockaddr&>(address);
        const auto peer = addressOf(raw);
        size = sizeof address;
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
        if (ports_.contains(addressOf(raw).port)) {
            seen.push_back({fd, peer, 0});
        }
    }
    return seen;
}

void ConnectionWarden::cut(const std::vector<ConnectionLedger::Verdict>& verdicts)
{
    if (verdicts.empty()) {
        return;
    }
    for (const auto& verdict : verdicts) {
        ::shutdown(verdict.fd, SHUT_RDWR);
    }
    silent_ += verdicts.size();
    const auto now = std::chrono::steady_clock::now();
    if (now < nextLine_) {
        return;  // whoever can connect could fill the log
    }
    nextLine_ = now + std::chrono::seconds{1};
    const auto& first = verdicts.front();
    log::warning("sip", "{} connections closed, one from {}: {}", silent_, print(first.peer),
                 describe(first.reason));
    silent_ = 0;
}

}  // namespace restante::sip
