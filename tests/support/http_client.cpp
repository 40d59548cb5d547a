#include "tests/support/http_client.h"

#include "core/base/text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

namespace restante::test {

std::string HttpAnswer::header(std::string_view name) const
{
    for (const auto& [key, value] : headers) {
        if (equalIgnoringCase(key, name)) {
            return value;
        }
    }
    return {};
}

HttpClient::HttpClient(std::uint16_t port, const std::string& host)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error("cannot connect to port " + std::to_string(port) + ": " +
                                 std::strerror(errno));
    }
}

bool HttpClient::send(std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string
HttpClient::request(std::string_view method, std::string_view path, std::string_view body)
{
    std::string text(method);
    text.append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
    if (!body.empty()) {
        text.append("Content-Type: application/json\r\nContent-Length: ")
            .append(std::to_string(body.size()))
            .append("\r\n");
    }
    return text.append("\r\n").append(body);
}

HttpAnswer HttpClient::ask(std::string_view method, std::string_view path, std::string_view body)
{
    if (!send(request(method, path, body))) {
        return {};
    }
    return receive(Millis{30'000}, method == "HEAD").value_or(HttpAnswer{});
}

bool HttpClient::readMore(Millis timeout)
{
    pollfd wanted{socket_.get(), POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(timeout.count())) != 1) {
        return false;
    }
    std::array<char, 65'536> bytes{};
    const auto got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got <= 0) {
        return false;
    }
    buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
}

std::optional<std::string> HttpClient::takeLine(Millis timeout)
{
    for (;;) {
        if (const auto end = buffer_.find("\r\n"); end != std::string::npos) {
            auto line = buffer_.substr(0, end);
            buffer_.erase(0, end + 2);
            return line;
        }
        if (!readMore(timeout)) {
            return {};
        }
    }
}

std::optional<HttpAnswer> HttpClient::receive(Millis timeout, bool toHead)
{
    HttpAnswer answer;
    const auto status = takeLine(timeout);
    if (!status || status->size() < 12 || !status->starts_with("HTTP/1.1 ")) {
        return {};
    }
    answer.status = std::stoi(status->substr(9, 3));
    for (;;) {
        const auto line = takeLine(timeout);
        if (!line) {
            return {};
        }
        if (line->empty()) {
            break;
        }
        const auto colon = std::min(line->find(": "), line->size());
        answer.headers.emplace_back(line->substr(0, colon),
                                    line->substr(std::min(colon + 2, line->size())));
    }
    if (!toHead && !takeBody(answer, timeout)) {
        return {};
    }
    return answer;
}

bool HttpClient::takeBody(HttpAnswer& answer, Millis timeout)
{
    if (answer.header("Transfer-Encoding") == "chunked") {
        for (;;) {
            const auto line = takeLine(timeout);
            if (!line) {
                return false;
            }
            const auto size = std::stoul(*line, nullptr, 16);
            while (buffer_.size() < size + 2) {
                if (!readMore(timeout)) {
                    return false;
                }
            }
            answer.body.append(buffer_, 0, size);
            buffer_.erase(0, size + 2);
            if (size == 0) {
                return true;
            }
        }
    }
    const auto length = answer.header("Content-Length");
    const auto size = length.empty() ? 0 : std::stoul(length);
    while (buffer_.size() < size) {
        if (!readMore(timeout)) {
            return false;
        }
    }
    answer.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return true;
}

std::string HttpClient::receiveUntil(std::string_view text, Millis timeout)
{
    const auto end = [&] {
        const auto found = buffer_.find(text);
        return found == std::string::npos ? found : buffer_.find('\n', found + text.size() - 1);
    };
    while (end() == std::string::npos) {
        if (!readMore(timeout)) {
            return {};
        }
    }
    auto taken = buffer_.substr(0, end() + 1);
    buffer_.erase(0, taken.size());
    return taken;
}

bool HttpClient::closedWithin(Millis timeout)
{
    const auto end = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        const auto left = std::chrono::ceil<Millis>(end - std::chrono::steady_clock::now());
        pollfd wanted{socket_.get(), POLLIN, 0};
        if (left <= Millis{0} || poll(&wanted, 1, static_cast<int>(left.count())) != 1) {
            return false;
        }
        if (!readMore(left)) {
            return true;
        }
    }
}

void HttpClient::finish() noexcept
{
    shutdown(socket_.get(), SHUT_WR);
}

}  // namespace restante::test
