// Datagrams that nobody can understand, whose Via names somebody else: an agent that answered by
// the Via would send to a stranger, after looking up a name that the sender chose.

#include "sipplugin/transport/request_sender.h"
#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <chrono>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

namespace restante::sip::test {
namespace {

/// A name that is in no file of this machine.
constexpr auto kVictim = "victim.example.com";

/// Somebody who has nothing to do with it, or a name server that says nothing: a UDP socket of
/// 127.0.0.77.
class Stranger {
public:
    Stranger() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        inet_pton(AF_INET, "127.0.0.77", &address.sin_addr);
        ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
        socklen_t size = sizeof address;
        ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
    }
    std::string hostPort() const { return fmt::format("127.0.0.77:{}", port_); }
    bool hasMail() const
    {
        pollfd watched{fd_.get(), POLLIN, 0};
        return ::poll(&watched, 1, 0) == 1;
    }

private:
    FileDescriptor fd_;
    std::uint16_t port_ = 0;
};

struct Bait {
    const char* title;
    const char* startLine;
    std::size_t body;
};

class Reflection : public ::testing::TestWithParam<Bait> {
protected:
    std::string datagram(const std::string& sentBy, const std::string& more = "") const
    {
        return fmt::format("{}\r\n"
                           "Via: SIP/2.0/UDP {};branch=z9hG4bK{}{}\r\n"
                           "From: <sip:a@example.com>;tag=1\r\nTo: <sip:b@example.com>\r\n"
                           "Call-ID: {}\r\nCSeq: 1 MESSAGE\r\nMax-Forwards: 70\r\n"
                           "Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}",
                           GetParam().startLine, sentBy, restante::test::uniqueToken(), more,
                           restante::test::uniqueToken(), GetParam().body,
                           std::string(GetParam().body, 'x'));
    }
    /// Once the server has answered this it has done with everything before.
    void waitForServer()
    {
        SipSocket other{server_.at(SipTransport::Udp)};
        EXPECT_EQ(ask(other, requestOf(other, "OPTIONS", "sip:example.com")).status(), 200);
    }

    Stranger stranger_;
    Stranger nameServer_;
    InboundServer server_{InboundServer::defaults(), {}, {}, {nameServer_.hostPort()}};
};

TEST_P(Reflection, reachesNobodyWhomTheViaNames)
{
    SipSocket sender{server_.at(SipTransport::Udp)};
    ASSERT_TRUE(sender.send(datagram(stranger_.hostPort())));
    ASSERT_TRUE(sender.send(datagram(stranger_.hostPort(), ";received=127.0.0.77")));
    waitForServer();
    EXPECT_FALSE(stranger_.hasMail());
}

TEST_P(Reflection, looksUpNoNameThatTheViaNames)
{
    SipSocket sender{server_.at(SipTransport::Udp)};
    ASSERT_TRUE(sender.send(datagram(std::string(kVictim) + ":5060")));
    ASSERT_TRUE(sender.send(datagram(kVictim, ";rport")));
    waitForServer();
    EXPECT_FALSE(nameServer_.hasMail());
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    Reflection,
    ::testing::Values(Bait{"anotherVersion", "MESSAGE sip:b@example.com SIP/7.0", 5},
                      Bait{"noVersion", "MESSAGE sip:b@example.com", 5},
                      Bait{"aFullDatagram", "MESSAGE sip:b@example.com SIP/2.0", 65'000},
                      Bait{"aFullDatagramOfAnotherVersion", "MESSAGE sip:b@example.com SIP/7.0",
                           65'000},
                      Bait{"noUri", "MESSAGE ??? SIP/2.0", 5}),
    [](const auto& one) { return one.param.title; });

/// So that the tests above would see a look-up.
TEST(ReflectionTest, seesWhoLooksUpAName)
{
    const Stranger nameServer;
    SuLoop loop;
    Agent::Settings settings;
    settings.listen = socketsOf("127.0.0.1:0");
    settings.nameServers = {nameServer.hostPort()};
    const auto agent = Agent::open(loop, settings, [](auto) {}).value();
    RequestSender sender{*agent};
    sender.send(fmt::format("OPTIONS sip:{0} SIP/2.0\r\nFrom: <sip:a@{0}>;tag=1\r\n"
                            "To: <sip:{0}>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\n\r\n",
                            kVictim),
                {fmt::format("sip:{}:5060", kVictim), "", false}, [](const auto&) {});
    const auto end = std::chrono::steady_clock::now() + kTimeout;
    while (!nameServer.hasMail() && std::chrono::steady_clock::now() < end) {
        loop.turn(Millis{10});
    }
    EXPECT_TRUE(nameServer.hasMail());
}

}  // namespace
}  // namespace restante::sip::test
