#include "core/http/server/acceptor.h"

#include "core/base/handle_deleter.h"
#include "core/base/log.h"
#include "core/base/try.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace restante::http {

namespace {

/// How long accepting pauses after an error, as when the system has no descriptors left.
constexpr Millis kAcceptPause{100};
/// Limited, so that other work of the loop is not delayed.
constexpr int kAcceptsPerTurn = 64;

/// IPv4 as such, also where it came to a socket of IPv6.
std::string formatAddress(const sockaddr_storage& address)
{
    const auto text = addressText(reinterpret_cast<const sockaddr&>(address)).value_or("");
    constexpr std::string_view kMapped = "::ffff:";
    const bool isMapped = text.starts_with(kMapped) && text.find('.') != std::string::npos;
    return isMapped ? text.substr(kMapped.size()) : text;
}

/// Errors of accept() that are of one connection alone, which has gone already (accept(2)).
bool isOfTheConnection(int error) noexcept
{
    constexpr std::array kErrors{EINTR,     ECONNABORTED, ENETDOWN,     EPROTO,     ENOPROTOOPT,
                                 EHOSTDOWN, ENONET,       EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH};
    return std::find(kErrors.begin(), kErrors.end(), error) != kErrors.end();
}

class SocketAcceptor final : public Acceptor {
public:
    explicit SocketAcceptor(EventLoop& loop) : loop_(loop), pauseTimer_(loop) {}

    Result<void> open(const SocketAddress& address, PortSharing sharing)
    {
        if (const int error = listen(address, sharing); error != 0) {
            return invalid("cannot listen on http.listen {}: {}; another program has "
                           "it, or it is not an address of this machine",
                           address.toString(), std::strerror(error));
        }
        return {};
    }

    std::uint16_t port() const noexcept override
    {
        const auto name = localNameOf(socket_.get());
        // At the same place in both families.
        return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
    }
    void start(Handler handler) override
    {
        handler_ = std::move(handler);
        watch_ = Watch(loop_, socket_.get(), Readiness::Readable, [this](Readiness) { accept(); });
    }
    void setTls(TlsContext tls) override { tls_ = std::move(tls); }
    void stop() noexcept override
    {
        watch_.remove();
        pauseTimer_.cancel();
        socket_.close();
    }

private:
    /// All zero when there is none.
    static sockaddr_storage localNameOf(int socket) noexcept
    {
        sockaddr_storage name{};
        socklen_t size = sizeof name;
        if (::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
            name = {};
        }
        return name;
    }

    /// The errno of what failed; 0 = it listens.
    int listen(const SocketAddress& address, PortSharing sharing)
    {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
        addrinfo* list = nullptr;
        if (::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints,
                          &list) != 0) {
            return EADDRNOTAVAIL;
        }
        const std::unique_ptr<addrinfo, HandleDeleter<::freeaddrinfo>> owner{list};
        socket_ = FileDescriptor(
            ::socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        const auto share = [&](PortSharing one) {
            return sharing != one || switchOn(SOL_SOCKET, SO_REUSEPORT);
        };
        // The first one shares when it has the port: before, that would let us in beside a stranger
        // of the same user who shares his.
        const bool listens = socket_ && switchOn(SOL_SOCKET, SO_REUSEADDR) &&
                             share(PortSharing::Further) &&
                             ::bind(socket_.get(), list->ai_addr, list->ai_addrlen) == 0 &&
                             share(PortSharing::First) && ::listen(socket_.get(), SOMAXCONN) == 0;
        return listens ? 0 : errno;
    }
    bool switchOn(int level, int option) const noexcept { return switchOn(socket_, level, option); }
    static bool switchOn(const FileDescriptor& socket, int level, int option) noexcept
    {
        const int on = 1;
        return ::setsockopt(socket.get(), level, option, &on, sizeof on) == 0;
    }

    void accept()
    {
        for (int i = 0; i < kAcceptsPerTurn && socket_; ++i) {
            sockaddr_storage remote{};
            socklen_t size = sizeof remote;
            FileDescriptor socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&remote),
                                            &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (socket) {
                if (!handleAccepted(std::move(socket), remote)) {
                    return;
                }
            } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
                return;
            } else if (!isOfTheConnection(errno)) {
                return pause(std::strerror(errno));
            }
        }
    }

    void pause(const char* why)
    {
        log::warning("http", "cannot accept a connection: {}", why);
        watch_.change(Readiness::None);
        endPauseLater();
    }
    void endPauseLater()
    {
        pauseTimer_.arm(kAcceptPause, [this] {
            try {
                watch_.change(Readiness::Readable);
            } catch (const std::system_error&) {  // the kernel has no room for the watch
                endPauseLater();
            }
        });
    }

    /// False = it accepts no more for now.
    bool handleAccepted(FileDescriptor socket, const sockaddr_storage& remote)
    {
        switchOn(socket, IPPROTO_TCP, TCP_NODELAY);
        AcceptedConnection accepted{nullptr, formatAddress(remote),
                                    formatAddress(localNameOf(socket.get())), tls_ != nullptr};
        try {
            accepted.transport = Transport::make(loop_, std::move(socket), tls_);
        } catch (const std::system_error& error) {
            pause(error.what());
            return false;
        }
        handler_(std::move(accepted));
        return true;
    }

    EventLoop& loop_;
    FileDescriptor socket_;
    Timer pauseTimer_;
    Watch watch_;
    TlsContext tls_;
    Handler handler_;
};

}  // namespace

Result<std::unique_ptr<Acceptor>>
Acceptor::open(EventLoop& loop, const SocketAddress& address, PortSharing sharing)
{
    auto acceptor = std::make_unique<SocketAcceptor>(loop);
    TRY(acceptor->open(address, sharing));
    return acceptor;
}

}  // namespace restante::http
