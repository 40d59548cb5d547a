#include "tests/bench/sip_load.h"

#include "tests/bench/socket.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace restante::bench {

namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::string_view kBranch = "z9hG4bK-bench-";

class LoadRun {
public:
    explicit LoadRun(const SipLoad& load)
        : load_(load),
          socket_(load.transport == Transport::Udp ? udpSocket(load.port) : tcpSocket(load.port)),
          localPort_(localPort(socket_.get()))
    {
    }

    SipLoadResult run()
    {
        const auto start = SteadyClock::now();
        while (answered() < load_.messages) {
            sendUpToWindow();
            receive();
        }
        result_.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
        result_.p99Ms = p99();
        return result_;
    }

private:
    std::uint32_t answered() const { return result_.accepted + result_.refused; }

    double p99()
    {
        if (tookMs_.empty()) {
            return 0;
        }
        const auto percentile =
            tookMs_.begin() + static_cast<std::ptrdiff_t>(tookMs_.size() * 99 / 100);
        std::nth_element(tookMs_.begin(), percentile, tookMs_.end());
        return *percentile;
    }

    void sendUpToWindow()
    {
        while (sent_ < load_.messages && waiting_.size() < load_.inFlight) {
            waiting_[sent_] = SteadyClock::now();
            firstSent_.push_back(waiting_[sent_]);
            sendMessage(sent_++);
        }
    }

    void sendMessage(std::uint32_t number)
    {
        const auto* via = load_.transport == Transport::Udp ? "UDP" : "TCP";
        sendAll(socket_.get(), messageText(load_, number, via, localPort_));
    }

    void receive()
    {
        pollfd ready{socket_.get(), POLLIN, 0};
        const int events = ::poll(&ready, 1, 500);
        if (events == 0) {
            resendSilent();
            return;
        }
        char buffer[65'536];
        const auto got = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
        if (got <= 0) {
            throw std::runtime_error("the peer closed the connection under load");
        }
        quietSince_ = SteadyClock::now();
        stream_.append(buffer, static_cast<std::size_t>(got));
        readAnswers();
    }

    /// Answers have no body; a datagram holds one, a stream any number of them.
    void readAnswers()
    {
        std::size_t from = 0;
        for (auto end = stream_.find("\r\n\r\n"); end != std::string::npos;
             end = stream_.find("\r\n\r\n", from)) {
            readAnswer(std::string_view(stream_).substr(from, end - from));
            from = end + 4;
        }
        stream_.erase(0, from);
    }

    void readAnswer(std::string_view answer)
    {
        const auto branch = answer.find(kBranch);
        if (branch == std::string_view::npos || answer.size() < 12) {
            return;
        }
        std::uint32_t number = 0;
        const char* digits = answer.data() + branch + kBranch.size();
        std::from_chars(digits, answer.data() + answer.size(), number);
        const std::string_view status = answer.substr(8, 3);
        if (status[0] == '1' || waiting_.erase(number) == 0) {
            return;
        }
        tookMs_.push_back(
            std::chrono::duration<double, std::milli>(SteadyClock::now() - firstSent_[number])
                .count());
        ++(status == "202" ? result_.accepted : result_.refused);
    }

    void resendSilent()
    {
        if (SteadyClock::now() - quietSince_ > std::chrono::seconds{20}) {
            throw std::runtime_error("the peer has been silent for 20 s");
        }
        if (load_.transport == Transport::Tcp) {
            return;
        }
        for (auto& [number, since] : waiting_) {
            if (SteadyClock::now() - since >= std::chrono::milliseconds{500}) {
                since = SteadyClock::now();
                ++result_.resent;
                sendMessage(number);
            }
        }
    }

    const SipLoad& load_;
    Socket socket_;
    std::uint16_t localPort_;
    std::string stream_;
    std::unordered_map<std::uint32_t, SteadyClock::time_point> waiting_;  ///< last sending
    std::vector<SteadyClock::time_point> firstSent_;                      ///< by number
    std::vector<double> tookMs_;
    SteadyClock::time_point quietSince_ = SteadyClock::now();
    std::uint32_t sent_ = 0;
    SipLoadResult result_;
};

}  // namespace

std::string
messageText(const SipLoad& load, std::uint32_t number, const char* via, std::uint16_t localPort)
{
    // The number leads, so that the receiver of the stored message sees the order.
    const std::string body =
        fmt::format("{} {}", number, std::string(load.bodyBytes, 'x')).substr(0, load.bodyBytes);
    return fmt::format("MESSAGE sip:u{0}@{1} SIP/2.0\r\n"
                       "Via: SIP/2.0/{2} 127.0.0.1:{3};branch={4}{5};rport\r\n"
                       "Max-Forwards: 70\r\n"
                       "From: <sip:alice@{1}>;tag=b{5}\r\n"
                       "To: <sip:u{0}@{1}>\r\n"
                       "Call-ID: bench-{3}-{5}\r\n"
                       "CSeq: 1 MESSAGE\r\n"
                       "Content-Type: text/plain\r\n"
                       "Content-Length: {6}\r\n\r\n{7}",
                       number % load.recipients, load.domain, via, localPort, kBranch, number,
                       body.size(), body);
}

SipLoadResult runSipLoad(const SipLoad& load)
{
    return LoadRun(load).run();
}

}  // namespace restante::bench
