#include "tests/support/delaying_proxy.h"

#include "core/base/file_descriptor.h"
#include "tests/support/free_port.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace restante::test {

namespace {

using SteadyClock = std::chrono::steady_clock;

sockaddr_in loopbackAddress(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

FileDescriptor tcpSocket()
{
    FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const int one = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return socket;
}

/// One direction of a connection: the bytes that were read, and when to send them on.
struct Direction {
    struct Piece {
        SteadyClock::time_point dueTime;
        std::string bytes;
    };
    std::deque<Piece> pieces;
    SteadyClock::time_point lastDueTime{};

    void add(std::string bytes, Millis delay)
    {
        lastDueTime =
            std::max(lastDueTime, SteadyClock::now() + delay);  // in order, whatever the jitter
        pieces.push_back({lastDueTime, std::move(bytes)});
    }
    /// Sends what is due; false when the peer has closed.
    bool forward(int to)
    {
        const auto now = SteadyClock::now();
        while (!pieces.empty() && pieces.front().dueTime <= now) {
            auto& bytes = pieces.front().bytes;
            const auto sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0) {
                return errno == EAGAIN;
            }
            bytes.erase(0, static_cast<std::size_t>(sent));
            if (!bytes.empty()) {
                return true;
            }
            pieces.pop_front();
        }
        return true;
    }
};

struct Pair {
    FileDescriptor client;
    FileDescriptor server;
    Direction requests;
    Direction answers;
    bool ended = false;
};

}  // namespace

class DelayingProxy::Impl {
public:
    Impl(std::uint16_t server, Delay delay)
        : server_(server),
          delay_(delay),
          port_(freePort()),
          listener_(tcpSocket()),
          wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
        const auto loopback = loopbackAddress(port_);
        const auto* address = reinterpret_cast<const sockaddr*>(&loopback);
        if (::bind(listener_.get(), address, sizeof loopback) != 0 ||
            ::listen(listener_.get(), SOMAXCONN) != 0) {
            throw std::runtime_error("the delaying proxy cannot listen");
        }
        thread_ = std::thread([this] { run(); });
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl()
    {
        isStopping_ = true;
        wakeThread();
        thread_.join();
    }

    std::uint16_t port() const noexcept { return port_; }
    void set(Delay delay) noexcept
    {
        const std::lock_guard lock(mutex_);
        delay_ = delay;
    }
    void cut() noexcept
    {
        isCut_ = true;
        wakeThread();
    }

private:
    void wakeThread() const noexcept
    {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    }

    void run()
    {
        while (!isStopping_) {
            std::vector<pollfd> watched{{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
            for (const auto& pair : pairs_) {
                watched.push_back({pair.client.get(), POLLIN, 0});
                watched.push_back({pair.server.get(), POLLIN, 0});
            }
            const auto wait = untilNext();
            const timespec timeout{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
            ::ppoll(watched.data(), watched.size(), wait.count() < 0 ? nullptr : &timeout, nullptr);
            std::uint64_t rung = 0;
            [[maybe_unused]] const auto got = ::read(wake_.get(), &rung, sizeof rung);
            if (isCut_.exchange(false)) {
                pairs_.clear();
                continue;
            }
            std::size_t index = 2;
            for (auto& pair : pairs_) {
                serve(pair, watched[index].revents != 0, watched[index + 1].revents != 0);
                index += 2;
            }
            pairs_.remove_if([](const Pair& pair) { return pair.ended; });
            if (watched[1].revents != 0) {
                accept();
            }
        }
    }

    /// The time until the next piece is due; negative = there is none.
    std::chrono::nanoseconds untilNext() const
    {
        auto next = SteadyClock::time_point::max();
        for (const auto& pair : pairs_) {
            for (const auto* direction : {&pair.requests, &pair.answers}) {
                next = direction->pieces.empty()
                           ? next
                           : std::min(next, direction->pieces.front().dueTime);
            }
        }
        if (next == SteadyClock::time_point::max()) {
            return std::chrono::nanoseconds{-1};
        }
        return std::max(next - SteadyClock::now(), SteadyClock::duration{0});
    }

    Millis randomDelay(Millis Delay::*way)
    {
        const std::lock_guard lock(mutex_);
        const auto most = delay_.jitter.count();
        return delay_.*way + Millis{std::uniform_int_distribution<std::int64_t>{0, most}(engine_)};
    }

    void serve(Pair& pair, bool clientIsReadable, bool serverIsReadable)
    {
        const auto take = [&](int from, Direction& direction, Millis Delay::*which) {
            std::array<char, 65'536> buffer{};
            const auto got = ::recv(from, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (got > 0) {
                direction.add({buffer.data(), static_cast<std::size_t>(got)}, randomDelay(which));
            } else if (got == 0 || errno != EAGAIN) {
                pair.ended = true;
            }
        };
        if (clientIsReadable) {
            take(pair.client.get(), pair.requests, &Delay::requests);
        }
        if (serverIsReadable) {
            take(pair.server.get(), pair.answers, &Delay::answers);
        }
        pair.ended = !pair.requests.forward(pair.server.get()) ||
                     !pair.answers.forward(pair.client.get()) || pair.ended;
    }

    void accept()
    {
        Pair pair;
        pair.client = FileDescriptor{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        const int one = 1;
        ::setsockopt(pair.client.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        pair.server = tcpSocket();
        const auto address = loopbackAddress(server_);
        if (::connect(pair.server.get(), reinterpret_cast<const sockaddr*>(&address),
                      sizeof address) == 0) {
            pairs_.push_back(std::move(pair));
        }
    }

    std::uint16_t server_;
    std::mutex mutex_;
    Delay delay_;
    std::uint16_t port_;
    FileDescriptor listener_;
    FileDescriptor wake_;
    std::atomic<bool> isStopping_{false};
    std::atomic<bool> isCut_{false};
    std::mt19937 engine_{42};
    std::list<Pair> pairs_;
    std::thread thread_;
};

DelayingProxy::DelayingProxy(std::uint16_t server, Delay delay)
    : impl_(std::make_unique<Impl>(server, delay))
{
}

DelayingProxy::~DelayingProxy() = default;

std::uint16_t DelayingProxy::port() const noexcept
{
    return impl_->port();
}

void DelayingProxy::set(Delay delay) noexcept
{
    impl_->set(delay);
}

void DelayingProxy::cut() noexcept
{
    impl_->cut();
}

}  // namespace restante::test
