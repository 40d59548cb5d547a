// A device that is reached by the connection it has made (RFC 5626).

#include "core/base/file_descriptor.h"
#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

/// A phone as a NAT shows it: always from the same port.
class PortPhone {
public:
    PortPhone(const SipServer& server, std::uint16_t own)
        : own_(own),
          fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        const int on = 1;
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        const auto from = loopback(own);
        EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from), 0);
        const auto to = loopback(server.port);
        EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    }
    /// Answers the status.
    int registerAs(const std::string& user)
    {
        send(fmt::format("REGISTER sip:localhost SIP/2.0\r\n"
                         "Via: SIP/2.0/TCP 127.0.0.1:{0};branch=z9hG4bK{1}{2}\r\n"
                         "From: <sip:{1}@localhost>;tag=1\r\nTo: <sip:{1}@localhost>\r\n"
                         "Call-ID: {1}\r\nCSeq: {2} REGISTER\r\n"
                         "Contact: <sip:{1}@127.0.0.1:{0};transport=tcp>;expires=60\r\n"
                         "Content-Length: 0\r\n\r\n",
                         own_, user, ++cseq_));
        const bool answered = hears("\r\n\r\n");
        return answered && heard_.starts_with("SIP/2.0 ") ? std::stoi(heard_.substr(8, 3)) : 0;
    }
    /// Whether that has come, or comes in time; a message may come right behind an answer.
    bool hears(std::string_view text, Millis patience = 5s)
    {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (heard_.find(text) == std::string::npos) {
            const auto left =
                std::chrono::ceil<Millis>(end - std::chrono::steady_clock::now()).count();
            pollfd wait{fd_.get(), POLLIN, 0};
            if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) {
                return false;
            }
            std::array<char, 8'192> bytes{};
            const auto got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
            if (got <= 0) {
                return false;
            }
            heard_.append(bytes.data(), static_cast<std::size_t>(got));
        }
        return true;
    }
    /// Without a FIN's wait, so that the port is free at once.
    void reset()
    {
        const linger now{1, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        fd_.close();
    }

private:
    static sockaddr_in loopback(std::uint16_t port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return address;
    }
    void send(const std::string& bytes)
    {
        ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }

    std::uint16_t own_;
    FileDescriptor fd_;
    int cseq_ = 0;
    std::string heard_;
};

class Flow : public ::testing::Test {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = "0s,1h";
        settings.sip.answerTimeout = Millis{2'000};
        return settings;
    }
    std::string heldError()
    {
        std::string error;
        host_.onThread([&](auto&, auto& inspector, auto done) {
            JobQuery query;
            query.state = JobState::Held;
            inspector.list(query, [&error, done](const Result<JobPage>& page) {
                error = page.value().jobs.empty() ? "" : page.value().jobs.front().lastError;
                done();
            });
        });
        return error;
    }

    PluginHost host_{settings()};
    SipServer tcp_ = host_.server(SipTransport::Tcp);
    std::uint16_t port_ = freePort();
    SipPhone alice_{{"alice", "localhost", host_.server()}};
};

TEST_F(Flow, isTheWayToADevice)
{
    PortPhone bob{tcp_, port_};
    ASSERT_EQ(bob.registerAs("bob"), 200);
    ASSERT_EQ(alice_.say("sip:bob@localhost", "hello"), 202);
    EXPECT_TRUE(bob.hears("MESSAGE sip:bob@"));
}

TEST_F(Flow, ofOneDeviceIsNotThatOfAnotherWithItsPort)
{
    PortPhone bob{tcp_, port_};
    ASSERT_EQ(bob.registerAs("bob"), 200);
    bob.reset();
    PortPhone carol{tcp_, port_};
    ASSERT_EQ(carol.registerAs("carol"), 200);
    ASSERT_EQ(alice_.say("sip:bob@localhost", "for bob's eyes"), 202);
    EXPECT_TRUE(eventually([&] { return heldError().starts_with("430"); }, 10s)) << heldError();
    EXPECT_FALSE(carol.hears("MESSAGE", 200ms));
    // He registers again, and has it.
    PortPhone again{tcp_, freePort()};
    ASSERT_EQ(again.registerAs("bob"), 200);
    EXPECT_TRUE(again.hears("for bob's eyes"));
}

}  // namespace
}  // namespace restante::test
