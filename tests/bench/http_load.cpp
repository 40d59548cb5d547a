#include "tests/bench/http_load.h"

#include "tests/bench/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>

namespace restante::bench {

namespace {

using SteadyClock = std::chrono::steady_clock;

class Client {
public:
    explicit Client(std::uint16_t port) : socket_(tcpSocket(port)) {}

    int fd() const noexcept { return socket_.get(); }
    void send(std::string_view bytes)
    {
        sentAt_ = SteadyClock::now();
        sendAll(fd(), bytes);
    }
    double msSinceSent() const
    {
        return std::chrono::duration<double, std::milli>(SteadyClock::now() - sentAt_).count();
    }
    /// Reads available bytes; true when an answer is complete.
    bool receive()
    {
        std::array<char, 16'384> bytes{};
        const auto got = recv(fd(), bytes.data(), bytes.size(), 0);
        if (got <= 0) {
            throw std::runtime_error("bench: the HTTP server has closed a connection");
        }
        input_.append(bytes.data(), static_cast<std::size_t>(got));
        const auto end = input_.find("\r\n\r\n");
        if (end == std::string::npos) {
            return false;
        }
        if (!input_.starts_with("HTTP/1.1 200") && !input_.starts_with("HTTP/1.1 201")) {
            throw std::runtime_error("bench: neither 200 nor 201: " + input_.substr(0, 200));
        }
        const auto length = input_.find("Content-Length: ");
        body_ = end + 4;
        size_ = std::strtoul(input_.c_str() + length + 16, nullptr, 10);
        return input_.size() >= body_ + size_;
    }
    std::string take()
    {
        auto body = input_.substr(body_, size_);
        input_.erase(0, body_ + size_);
        return body;
    }

private:
    Socket socket_;
    SteadyClock::time_point sentAt_;
    std::string input_;
    std::size_t body_ = 0;
    std::size_t size_ = 0;
};

/// The connections, and an epoll over them.
class Clients {
public:
    Clients(std::uint16_t port, std::uint32_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC))
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            clients_.push_back(std::make_unique<Client>(port));
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.ptr = clients_.back().get();
            if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, clients_.back()->fd(), &event) != 0) {
                throw std::system_error(errno, std::generic_category(), "bench: epoll_ctl");
            }
        }
    }

    const std::vector<std::unique_ptr<Client>>& all() const noexcept { return clients_; }
    /// Calls `answered` for each complete answer until it says that it is enough.
    void runUntil(const std::function<bool(Client&)>& onAnswer)
    {
        std::array<epoll_event, 256> events{};
        for (;;) {
            const int count = epoll_wait(epoll_.get(), events.data(), events.size(), 30'000);
            if (count <= 0) {
                throw std::runtime_error("bench: no answer within 30 s");
            }
            for (int i = 0; i < count; ++i) {
                auto& client = *static_cast<Client*>(events[static_cast<std::size_t>(i)].data.ptr);
                if (client.receive() && onAnswer(client)) {
                    return;
                }
            }
        }
    }

private:
    Socket epoll_;
    std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace

std::string httpRequest(std::string_view path, std::string_view body)
{
    return fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                       "application/json\r\nContent-Length: {}\r\n\r\n{}",
                       path, body.size(), body);
}

HttpLoadResult timedHttpLoad(const HttpLoad& load)
{
    Clients clients(load.port, load.connections);
    std::vector<double> waits;
    waits.reserve(load.requests);
    std::uint32_t sent = 0;
    const auto sendNext = [&](Client& client, std::string_view lastAnswer) {
        if (sent < load.requests) {
            ++sent;
            client.send(load.next(lastAnswer));
        }
    };
    const auto start = SteadyClock::now();
    for (const auto& client : clients.all()) {
        sendNext(*client, {});
    }
    clients.runUntil([&](Client& client) {
        waits.push_back(client.msSinceSent());
        const auto body = client.take();
        sendNext(client, body);
        return waits.size() == load.requests;
    });
    const std::chrono::duration<double> took = SteadyClock::now() - start;
    std::sort(waits.begin(), waits.end());
    return {static_cast<double>(waits.size()) / took.count(), waits[waits.size() * 99 / 100]};
}

double runHttpLoad(const HttpLoad& load)
{
    return timedHttpLoad(load).perSecond;
}

HttpLoadResult timedHttpPushes(std::uint16_t port, std::uint32_t jobs, std::uint32_t connections)
{
    std::uint64_t number = 0;
    HttpLoad load;
    load.port = port;
    load.connections = connections;
    load.requests = jobs;
    load.next = [&number, body = std::string(256, 'b')](std::string_view) {
        return httpRequest(
            "/push",
            fmt::format(R"({{"topic":"bench","id":"bench-{}","delay":0,"ttr":120,"body":"{}"}})",
                        ++number, body));
    };
    return timedHttpLoad(load);
}

double runHttpPushes(std::uint16_t port, std::uint32_t jobs, std::uint32_t connections)
{
    return timedHttpPushes(port, jobs, connections).perSecond;
}

std::chrono::system_clock::time_point timeOfLastAnswer(std::uint16_t port,
                                                       std::uint32_t connections,
                                                       const std::string& request,
                                                       const std::function<void()>& onAllSent)
{
    Clients clients(port, connections);
    for (const auto& client : clients.all()) {
        client->send(request);
    }
    onAllSent();
    std::uint32_t answers = 0;
    clients.runUntil([&](Client& client) {
        client.take();
        return ++answers == connections;
    });
    return std::chrono::system_clock::now();
}

}  // namespace restante::bench
