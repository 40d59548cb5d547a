#include "tests/support/http_receiver.h"

#include "core/base/epoll_loop.h"
#include "core/base/file_descriptor.h"
#include "core/base/text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <system_error>
#include <thread>

namespace restante::test {

namespace {

constexpr Millis kDripInterval{20};

/// Removes the first complete request from `input`; nothing while it is incomplete.
std::optional<ReceivedHttp> requestIn(std::string& input)
{
    const auto end = input.find("\r\n\r\n");
    if (end == std::string::npos) {
        return {};
    }
    ReceivedHttp request;
    auto line = input.find("\r\n");
    const auto first = input.find(' ');
    const auto second = input.find(' ', first + 1);
    request.method = input.substr(0, first);
    request.target = input.substr(first + 1, second - first - 1);
    while (line < end) {
        const auto next = input.find("\r\n", line + 2);
        const auto header = input.substr(line + 2, next - line - 2);
        const auto colon = header.find(':');
        const auto value = header.find_first_not_of(' ', colon + 1);
        request.headers[lowered(header.substr(0, colon))] =
            value == std::string::npos ? "" : header.substr(value);
        line = next;
    }
    const auto length = request.header("content-length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    if (input.size() < end + 4 + size) {
        return {};
    }
    request.body = input.substr(end + 4, size);
    input.erase(0, end + 4 + size);
    return request;
}

std::string textOf(const HttpReply& reply, std::size_t promised)
{
    std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Status\r\n";
    for (const auto& [name, value] : reply.headers) {
        text += name + ": " + value + "\r\n";
    }
    return text + "Content-Length: " + std::to_string(promised) + "\r\n\r\n" + reply.body;
}

}  // namespace

std::string ReceivedHttp::header(const std::string& name) const
{
    const auto found = headers.find(lowered(name));
    return found == headers.end() ? std::string{} : found->second;
}

/// Runs on its own thread; tests call only the public members, under the mutex.
class HttpReceiver::Server {
public:
    explicit Server(Script script) : script_(std::move(script))
    {
        listen();
        acceptor_ =
            Watch(loop_, listener_.get(), Readiness::Readable, [this](Readiness) { accept(); });
        thread_ = std::thread([this] { loop_.run(); });
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server()
    {
        loop_.stop();
        thread_.join();
    }

    template <class Action>
    auto locked(Action action) const
    {
        const std::lock_guard lock(mutex_);
        return action();
    }

    std::uint16_t port_ = 0;
    std::vector<ReceivedHttp> requests_;  // by mutex_
    std::size_t accepted_ = 0;            // by mutex_
    std::size_t waiting_ = 0;             // by mutex_
    std::size_t mostAtOnce_ = 0;          // by mutex_

private:
    struct Connection {
        explicit Connection(EventLoop& loop) : timer(loop) {}
        int number = 0;
        FileDescriptor socket;
        Watch watch;
        Timer timer;
        std::string input;
        std::string output;
        std::string endless;             ///< again and again, whenever there is room
        bool closesAfterOutput = false;  ///< once the output is out
    };

    void listen()
    {
        listener_ =
            FileDescriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* raw = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_.get(), raw, size) != 0 || ::listen(listener_.get(), 128) != 0 ||
            ::getsockname(listener_.get(), raw, &size) != 0) {
            throw std::system_error(errno, std::generic_category(), "HttpReceiver");
        }
        port_ = ntohs(address.sin_port);
    }

    void accept()
    {
        FileDescriptor socket{
            ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (!socket) {
            return;
        }
        const auto fd = socket.get();
        auto connection = std::make_unique<Connection>(loop_);
        connection->number = static_cast<int>(locked([this] { return ++accepted_; }));
        connection->socket = std::move(socket);
        connection->watch = Watch(loop_, fd, Readiness::Readable,
                                  [this, fd](Readiness ready) { handleReadiness(fd, ready); });
        connections_[fd] = std::move(connection);
    }

    void handleReadiness(int fd, Readiness ready)
    {
        auto& connection = *connections_.at(fd);
        if (has(ready, Readiness::Readable) && !read(connection)) {
            connections_.erase(fd);
            return;
        }
        handleRequests(connection);
    }

    /// False when the peer has gone.
    static bool read(Connection& connection)
    {
        char part[16'384];
        const auto got = ::recv(connection.socket.get(), part, sizeof part, 0);
        if (got > 0) {
            connection.input.append(part, static_cast<std::size_t>(got));
        }
        return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    }

    void handleRequests(Connection& connection)
    {
        while (auto request = requestIn(connection.input)) {
            request->connection = connection.number;
            locked([&] {
                requests_.push_back(*request);
                mostAtOnce_ = std::max(mostAtOnce_, ++waiting_);
            });
            const auto reply = script_ ? script_(*request) : HttpReply{};
            if (reply.delay == Millis{0}) {
                answer(connection, reply);
                continue;
            }
            connection.timer.arm(reply.delay, [this, fd = connection.socket.get(), reply] {
                answer(*connections_.at(fd), reply);
                write(*connections_.at(fd));
            });
        }
        write(connection);
    }

    void answer(Connection& connection, const HttpReply& reply)
    {
        locked([this] { --waiting_; });
        using Behaviour = HttpReply::Behaviour;
        constexpr std::size_t kMore = 1'000'000;
        switch (reply.behaviour) {
        case Behaviour::Proper: connection.output += textOf(reply, reply.body.size()); return;
        case Behaviour::Hang: return;
        case Behaviour::HangUp: connection.closesAfterOutput = true; return;
        case Behaviour::CutShort:
            connection.output += textOf(reply, reply.body.size() + kMore);
            connection.closesAfterOutput = true;
            return;
        case Behaviour::NoHttp:
            connection.output += "220 mail.example.org ready\r\n";
            connection.closesAfterOutput = true;
            return;
        case Behaviour::Endless:
            connection.output += "HTTP/1.1 " + std::to_string(reply.status) + " Status\r\n\r\n";
            connection.endless = std::string(65'536, 'x');
            return;
        case Behaviour::DripBody:
            connection.output += textOf(reply, kMore);
            drip(connection);
            return;
        case Behaviour::HugeHeader:
            connection.output += "HTTP/1.1 200 OK\r\n";
            connection.endless = "X-Padding: " + std::string(1'000, 'x') + "\r\n";
            return;
        }
    }

    void drip(Connection& connection)
    {
        connection.timer.arm(kDripInterval, [this, fd = connection.socket.get()] {
            auto& still = *connections_.at(fd);
            still.output += 'x';
            write(still);
            drip(still);
        });
    }

    void write(Connection& connection)
    {
        while (!connection.output.empty() || !connection.endless.empty()) {
            if (connection.output.empty()) {
                connection.output = connection.endless;
            }
            const auto sent = ::send(connection.socket.get(), connection.output.data(),
                                     connection.output.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                connection.watch.change(Readiness::Readable | Readiness::Writable);
                return;
            }
            connection.output.erase(0, static_cast<std::size_t>(sent));
        }
        connection.watch.change(Readiness::Readable);
        if (connection.closesAfterOutput) {
            ::shutdown(connection.socket.get(), SHUT_RDWR);  // the end is read in the next turn
        }
    }

    Script script_;
    mutable std::mutex mutex_;
    EpollLoop loop_;
    FileDescriptor listener_;
    Watch acceptor_;
    std::map<int, std::unique_ptr<Connection>> connections_;
    std::thread thread_;
};

HttpReceiver::HttpReceiver(Script script) : server_(std::make_unique<Server>(std::move(script))) {}
HttpReceiver::~HttpReceiver() = default;

std::uint16_t HttpReceiver::port() const noexcept
{
    return server_->port_;
}

std::string HttpReceiver::url(const std::string& target, const std::string& host) const
{
    return "http://" + host + ":" + std::to_string(port()) + target;
}

std::string HttpReceiver::hostPort() const
{
    return "127.0.0.1:" + std::to_string(port());
}

std::vector<ReceivedHttp> HttpReceiver::requests() const
{
    return server_->locked([this] { return server_->requests_; });
}

std::size_t HttpReceiver::count() const
{
    return server_->locked([this] { return server_->requests_.size(); });
}

std::size_t HttpReceiver::connections() const
{
    return server_->locked([this] { return server_->accepted_; });
}

std::size_t HttpReceiver::mostAtOnce() const
{
    return server_->locked([this] { return server_->mostAtOnce_; });
}

}  // namespace restante::test
