#include "core/redis/client/dialer.h"

#include "core/base/handle_deleter.h"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace restante::redis {

namespace {

struct Address {
    sockaddr_storage bytes{};
    socklen_t size = 0;
};
using Addresses = std::vector<Address>;

Result<Addresses> unixAddress(const std::string& path)
{
    sockaddr_un name{};
    if (path.size() >= sizeof name.sun_path) {
        return failure(ErrorCode::Unavailable,
                       "the path is longer than the 107 bytes that a unix socket may have");
    }
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
    Address address;
    std::memcpy(&address.bytes, &name, sizeof name);
    address.size = sizeof name;
    return Addresses{address};
}

Result<Addresses> resolve(const std::string& host, std::uint16_t port, int flags)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    const std::unique_ptr<addrinfo, HandleDeleter<freeaddrinfo>> owner{list};
    if (error != 0) {
        return failure(ErrorCode::Unavailable,
                       "cannot resolve \"" + host + "\": " + gai_strerror(error));
    }
    Addresses found;
    for (const auto* info = list; info != nullptr; info = info->ai_next) {
        auto& address = found.emplace_back();
        std::memcpy(&address.bytes, info->ai_addr, info->ai_addrlen);
        address.size = info->ai_addrlen;
    }
    return found;
}

/// One look-up on a thread of its own. Shared with that thread, which may outlive the dialer:
/// getaddrinfo() cannot be interrupted.
struct LookUp {
    FileDescriptor finished{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    Result<Addresses> outcome;  // belongs to the thread until `finished` is readable
};

std::shared_ptr<LookUp> startLookUp(const RedisUrl& url)
{
    auto lookUp = std::make_shared<LookUp>();
    std::thread([lookUp, host = url.host, port = url.port] {
        lookUp->outcome = resolve(host, port, 0);
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(lookUp->finished.get(), &one, sizeof one);
    }).detach();
    return lookUp;
}

/// TCP_NODELAY, because commands are small and must not wait for each other; keep-alive, so that a
/// peer that has vanished is noticed within half a minute while nothing is in flight.
void tuneSocket(int fd) noexcept
{
    const int on = 1;
    const int idleSeconds = 15;
    const int secondsBetweenProbes = 5;
    const int probes = 3;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idleSeconds, sizeof idleSeconds);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &secondsBetweenProbes, sizeof secondsBetweenProbes);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

class SocketDialer final : public Dialer {
public:
    SocketDialer(EventLoop& loop, const RedisUrl& url, Done<FileDescriptor> done)
        : loop_(loop),
          answerTimer_(loop),
          done_(std::move(done))
    {
        if (!url.socketPath.empty()) {
            tryAll(unixAddress(url.socketPath));
        } else if (auto numeric = resolve(url.host, url.port, AI_NUMERICHOST)) {
            tryAll(std::move(numeric));
        } else {
            resolveOnThread(url);
        }
    }

private:
    void resolveOnThread(const RedisUrl& url)
    {
        try {
            lookUp_ = startLookUp(url);
            watch_ = Watch(loop_, lookUp_->finished.get(), Readiness::Readable, [this](Readiness) {
                watch_.remove();
                tryAll(std::move(lookUp_->outcome));
            });
        } catch (const std::system_error& error) {
            answer(failure(ErrorCode::Unavailable, std::string("resolver: ") + error.what()));
        }
    }

    void tryAll(Result<Addresses> addresses)
    {
        if (!addresses) {
            return answer(tl::unexpected<Error>(std::move(addresses.error())));
        }
        addresses_ = std::move(*addresses);
        tryNext(ENOENT);
    }

    /// `why` (an errno) is the failure of the address before, reported when none is left.
    void tryNext(int why)
    {
        while (nextAddress_ < addresses_.size()) {
            const auto& address = addresses_[nextAddress_++];
            const auto& name = reinterpret_cast<const sockaddr&>(address.bytes);
            socket_ = FileDescriptor{
                ::socket(name.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
            if (!socket_) {
                why = errno;
                continue;
            }
            if (name.sa_family != AF_UNIX) {
                tuneSocket(socket_.get());
            }
            if (::connect(socket_.get(), &name, address.size) == 0) {
                return answer(std::move(socket_));
            }
            if (errno == EINPROGRESS) {
                return awaitConnection();
            }
            why = errno;
        }
        answer(failure(ErrorCode::Unavailable, formatSystemError(why)));
    }

    void awaitConnection()
    {
        watch_ = Watch(loop_, socket_.get(), Readiness::Writable, [this](Readiness) {
            watch_.remove();
            int error = 0;
            socklen_t size = sizeof error;
            getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
            if (error == 0) {
                answer(std::move(socket_));
            } else {
                tryNext(error);
            }
        });
    }

    void answer(Result<FileDescriptor> outcome)
    {
        outcome_ = std::move(outcome);
        // From a turn of its own, as promised; the callee destroys this, so nothing comes after.
        answerTimer_.arm(Millis{0}, [this] {
            auto answered = std::move(outcome_);
            std::exchange(done_, {})(std::move(answered));
        });
    }

    EventLoop& loop_;
    Timer answerTimer_;
    Done<FileDescriptor> done_;
    Result<FileDescriptor> outcome_;
    std::shared_ptr<LookUp> lookUp_;
    Addresses addresses_;
    std::size_t nextAddress_ = 0;
    FileDescriptor socket_;
    Watch watch_;  // after what it watches, so that it goes first
};

}  // namespace

std::unique_ptr<Dialer>
Dialer::make(EventLoop& loop, const RedisUrl& url, Done<FileDescriptor> done)
{
    return std::make_unique<SocketDialer>(loop, url, std::move(done));
}

StreamDialer::StreamDialer(EventLoop& loop, const RedisUrl& url, Done<ByteStream> done)
    : loop_(loop),
      url_(url),
      done_(std::move(done)),
      dialer_(Dialer::make(
          loop, url, [this](Result<FileDescriptor> socket) { onDialled(std::move(socket)); }))
{
}

void StreamDialer::onDialled(Result<FileDescriptor> socket)
{
    const auto dialer = std::move(dialer_);  // it is calling this
    if (!socket) {
        return answer(tl::unexpected<Error>(std::move(socket.error())));
    }
    if (!url_.tls) {
        return answer(ByteStream(std::move(*socket)));
    }
    handshake_ = std::make_unique<TlsHandshake>(
        loop_, std::move(*socket), *url_.tls, url_.host, [this](TlsHandshake::Outcome outcome) {
            const auto handshake = std::move(handshake_);  // it is calling this
            if (outcome) {
                answer(std::move(outcome->stream));
            } else {
                answer(failure(ErrorCode::Unavailable, outcome.error().toString()));
            }
        });
}

void StreamDialer::answer(Result<ByteStream> outcome)
{
    std::exchange(done_, {})(std::move(outcome));  // it destroys this
}

}  // namespace restante::redis
