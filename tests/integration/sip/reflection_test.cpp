// What sofia would answer before it has looked at the Via, to whoever the Via names: with a bare
// agent each of these makes us send to a stranger, after looking up a name that the sender chose.

#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace {

/// Of names in this domain; the tests' own sockets ask for addresses only.
constexpr auto kVictim = "victim.example.com";
std::atomic<int> lookUps{0};

}  // namespace

/// Stands before the one of the C library, for sofia too.
extern "C" int
getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found)
{
    using Real = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<Real>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    if (node != nullptr && std::strstr(node, kVictim) != nullptr) {
        ++lookUps;
    }
    return real(node, service, hints, found);
}

namespace restante::sip::test {
namespace {

/// Somebody who has nothing to do with it: a UDP socket of 127.0.0.77.
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

    InboundServer server_;
    Stranger stranger_;
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
    const int before = lookUps;
    SipSocket sender{server_.at(SipTransport::Udp)};
    ASSERT_TRUE(sender.send(datagram(std::string(kVictim) + ":5060")));
    ASSERT_TRUE(sender.send(datagram(kVictim, ";rport")));
    waitForServer();
    EXPECT_EQ(lookUps, before);
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
    const int before = lookUps;
    addrinfo* found = nullptr;
    addrinfo numeric{};
    numeric.ai_flags = AI_NUMERICHOST;  // seen, but nobody is asked
    if (getaddrinfo(kVictim, nullptr, &numeric, &found) == 0) {
        freeaddrinfo(found);
    }
    EXPECT_EQ(lookUps, before + 1);
}

}  // namespace
}  // namespace restante::sip::test
