#include "tests/bench/sip_receiver.h"

#include <arpa/inet.h>
#include <charconv>
#include <chrono>
#include <deque>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unordered_map>
#include <unordered_set>

namespace restante::bench {

namespace {

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void sendTo(int fd, const sockaddr_in& address, std::string_view text)
{
    ::sendto(fd, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&address),
             sizeof address);
}

/// T1 of RFC 3261 17.1.1.1, in seconds.
constexpr double kRetransmitAfter = 0.5;

/// The user of an answer to sendRegister(), which is in its Call-ID; empty when it has none.
std::string registeredUser(std::string_view answer)
{
    constexpr std::string_view kCallId = "Call-ID: reg-";
    const auto found = answer.find(kCallId);
    if (found == std::string_view::npos) {
        return {};
    }
    const auto from = found + kCallId.size();
    return std::string(answer.substr(from, answer.find('-', from) - from));
}

/// 200 with the header lines that RFC 3261 8.2.6.2 wants copied; all Vias, in order.
std::string answerTo(std::string_view request)
{
    std::string answer = "SIP/2.0 200 OK\r\n";
    for (std::size_t from = request.find("\r\n") + 2; from < request.size();) {
        const auto end = request.find("\r\n", from);
        if (end == std::string_view::npos || end == from) {
            break;
        }
        const std::string_view line = request.substr(from, end - from);
        for (std::string_view wanted :
             {"Via:", "From:", "To:", "Call-ID:", "CSeq:", "v:", "f:", "t:", "i:"}) {
            if (line.substr(0, wanted.size()) == wanted) {
                answer += line;
                answer += wanted == "To:" ? ";tag=device\r\n" : "\r\n";
            }
        }
        from = end + 2;
    }
    return answer + "Content-Length: 0\r\n\r\n";
}

}  // namespace

SipReceiver::SipReceiver() : socket_(udpSocket(0)) {}

std::uint16_t SipReceiver::port() const
{
    return localPort(socket_.get());
}

void SipReceiver::registerAt(std::uint16_t serverPort, const std::string& user)
{
    startedAt_ = now();
    sendRegister(serverPort, user);
}

void SipReceiver::sendRegister(std::uint16_t serverPort, const std::string& user)
{
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port = htons(serverPort);
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sendTo(socket_.get(), server,
           fmt::format("REGISTER sip:127.0.0.1 SIP/2.0\r\n"
                       "Via: SIP/2.0/UDP 127.0.0.1:{0};branch=z9hG4bKreg{1};rport\r\n"
                       "Max-Forwards: 70\r\n"
                       "From: <sip:{1}@127.0.0.1>;tag=r\r\n"
                       "To: <sip:{1}@127.0.0.1>\r\n"
                       "Call-ID: reg-{1}-{0}\r\n"
                       "CSeq: 1 REGISTER\r\n"
                       "Contact: <sip:{1}@127.0.0.1:{0}>\r\n"
                       "Expires: 600\r\n"
                       "Content-Length: 0\r\n\r\n",
                       port(), user));
}

std::string SipReceiver::take()
{
    pollfd ready{socket_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 500) <= 0) {
        return {};
    }
    char buffer[65'536];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const auto got = ::recvfrom(socket_.get(), buffer, sizeof buffer, 0,
                                reinterpret_cast<sockaddr*>(&from), &size);
    std::string text(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
    if (text.starts_with("MESSAGE ")) {
        sendTo(socket_.get(), from, answerTo(text));
    }
    return text;
}

Delivery
SipReceiver::returnAll(std::uint16_t serverPort, std::uint32_t users, std::uint32_t unanswered)
{
    startedAt_ = now();
    Delivery delivery;
    std::unordered_set<std::string> seen;
    std::uint32_t next = 0;
    std::unordered_map<std::string, double> sentAt;  // the unanswered ones, by user
    std::deque<std::string> order;                   // of sending; also some that are answered
    const auto send = [&](const std::string& user) {
        sendRegister(serverPort, user);
        sentAt[user] = now();
        order.push_back(user);
    };
    while (delivery.received < users && now() < startedAt_ + 60) {
        while (next < users && sentAt.size() < unanswered) {
            send(fmt::format("u{}", next++));
        }
        const std::string text = take();
        if (text.starts_with("SIP/2.0 200")) {
            sentAt.erase(registeredUser(text));
        }
        while (!order.empty() && (!sentAt.contains(order.front()) ||
                                  now() - sentAt[order.front()] >= kRetransmitAfter)) {
            const std::string user = order.front();
            order.pop_front();
            if (sentAt.contains(user)) {
                send(user);
            }
        }
        if (!text.starts_with("MESSAGE ")) {
            continue;
        }
        const auto user = text.substr(8, text.find(' ', 8) - 8);
        if (seen.insert(user).second) {
            ++delivery.received;
            delivery.seconds = now() - startedAt_;
        } else {
            ++delivery.repeated;
        }
    }
    return delivery;
}

Delivery SipReceiver::receive(std::uint32_t count)
{
    Delivery delivery;
    std::unordered_set<std::uint32_t> seen;
    std::uint32_t previous = 0;
    const double deadline = now() + 30;
    while (delivery.received < count && now() < deadline) {
        const std::string text = take();
        if (text.substr(0, 8) != "MESSAGE ") {
            continue;
        }
        std::uint32_t number = 0;
        const auto body = text.find("\r\n\r\n") + 4;
        std::from_chars(text.data() + body, text.data() + text.size(), number);
        if (!seen.insert(number).second) {
            ++delivery.repeated;
            continue;
        }
        delivery.inversions += number < previous ? 1 : 0;
        previous = number;
        ++delivery.received;
        delivery.seconds = now() - startedAt_;
    }
    return delivery;
}

}  // namespace restante::bench
