// What may come over our sockets, well-meant or not.

#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fstream>
#include <netinet/in.h>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace restante::sip::test {
namespace {

using restante::test::eventually;

/// A TCP connection of bytes.
class RawConnection {
public:
    explicit RawConnection(const SipServer& server)
        : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        inet_pton(AF_INET, server.host.c_str(), &address.sin_addr);
        address.sin_port = htons(server.port);
        EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
                  0);
    }
    void send(std::string_view bytes)
    {
        ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    /// Until `end` has come, or nothing comes any more.
    std::string receive(std::string_view end = "\r\n\r\n")
    {
        std::string all;
        while (all.find(end) == std::string::npos) {
            pollfd wait{fd_.get(), POLLIN, 0};
            char bytes[4'096];
            const auto got = ::poll(&wait, 1, static_cast<int>(kTimeout.count())) > 0
                                 ? ::recv(fd_.get(), bytes, sizeof bytes, 0)
                                 : -1;
            if (got <= 0) {
                ended_ = got == 0;
                break;
            }
            all.append(bytes, static_cast<std::size_t>(got));
        }
        return all;
    }
    /// Closes it as a program does that died.
    void reset()
    {
        const linger now{1, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        fd_.close();
    }
    /// The server has closed; whatever else it said is dropped.
    bool ended()
    {
        receive("nothing is like this");
        return ended_;
    }
    void close() { fd_.close(); }

private:
    FileDescriptor fd_;
    bool ended_ = false;
};

class Stream : public ::testing::Test {
protected:
    std::string options() { return requestOf(socket_, "OPTIONS", "sip:example.com").toString(); }
    std::string messageOfLength(const std::string& lines)
    {
        auto text = messageOf(socket_, "sip:bob@example.com", "").toString();
        const auto at = text.find("Content-Length: 0\r\n");
        EXPECT_NE(at, std::string::npos);
        return text.replace(at, 19, lines);
    }
    void expectServed()
    {
        EXPECT_EQ(ask(other_, requestOf(other_, "OPTIONS", "sip:example.com")).status(), 200);
    }
    /// TCP connections of the server that the other side has closed and it has not. The table has
    /// those of every process, so they are known by the server's port.
    std::size_t halfClosed() const
    {
        const auto own = fmt::format(":{:04X}", tcp_.port);
        std::ifstream table("/proc/self/net/tcp");
        std::size_t count = 0;
        for (std::string line; std::getline(table, line);) {
            std::istringstream words(line);
            std::string number;
            std::string local;
            std::string remote;
            std::string state;
            words >> number >> local >> remote >> state;
            count += local.ends_with(own) && state == "08" ? 1U : 0U;  // CLOSE_WAIT
        }
        return count;
    }

    InboundServer server_;
    SipServer tcp_ = server_.at(SipTransport::Tcp);
    SipSocket socket_{tcp_};
    SipSocket other_{server_.at(SipTransport::Udp)};
};

TEST_F(Stream, survivesALengthThatNoBodyHas)
{
    for (const auto* length :
         {"2147483647", "2147483648", "4294967295", "4294967296", "18446744073709551616", "-1"}) {
        SipSocket socket{tcp_};
        ASSERT_TRUE(socket.send(
            options() + messageOfLength(std::string{"Content-Length: "} + length + "\r\n") + "x"));
        expectServed();
    }
}

TEST_F(Stream, answersWhatIsTooLargeAndCloses)
{
    RawConnection connection{tcp_};
    connection.send(messageOfLength("Content-Length: 2147483647\r\n") + "x");
    EXPECT_TRUE(connection.receive().starts_with("SIP/2.0 413 "));
    EXPECT_TRUE(connection.ended());
}

TEST_F(Stream, answersALengthThatIsNoneAndCloses)
{
    for (const auto* lines :
         {"Content-Length: -1\r\n", "Content-Length: 4294967296\r\n", "Content-Length: x\r\n",
          "Content-Length: 3\r\nContent-Length: 4\r\n", ""}) {
        RawConnection connection{tcp_};
        connection.send(messageOfLength(lines) + "abcd");
        EXPECT_TRUE(connection.receive().starts_with("SIP/2.0 400 ")) << lines;
        EXPECT_TRUE(connection.ended()) << lines;
    }
    EXPECT_TRUE(server_.stored().empty());
}

TEST_F(Stream, ignoresEmptyLinesBeforeARequest)
{
    for (const int count : {1, 2, 50}) {
        std::string lines;
        for (int i = 0; i < count; ++i) {
            lines += "\r\n";
        }
        RawConnection connection{tcp_};
        connection.send(lines + options());
        EXPECT_TRUE(connection.receive().starts_with("SIP/2.0 200 ")) << count;
    }
}

TEST_F(Stream, answersAKeepAlive)
{
    RawConnection connection{tcp_};
    connection.send("\r\n\r\n");
    EXPECT_EQ(connection.receive("\r\n"), "\r\n");
    connection.send(options());
    EXPECT_TRUE(connection.receive().starts_with("SIP/2.0 200 "));
}

TEST_F(Stream, closesAfterJunk)
{
    for (const auto& junk : {std::string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n"},
                             std::string{"\x16\x03\x01\x02", 4}, std::string(3, '\0')}) {
        RawConnection connection{tcp_};
        connection.send(junk);
        EXPECT_TRUE(connection.ended());
    }
}

TEST_F(Stream, answersBeforeItClosesWhenTheClientSaysNothingMore)
{
    RawConnection connection{tcp_};
    connection.send(messageOf(socket_, "sip:bob@example.com", "hello").toString() + "junk\r\n");
    EXPECT_TRUE(connection.receive().starts_with("SIP/2.0 202 "));
    EXPECT_TRUE(connection.ended());
}

TEST_F(Stream, outlivesAClientThatResetsBeforeItsAnswer)
{
    server_.store().keepSilent();
    for (int i = 0; i < 20; ++i) {
        RawConnection client{server_.at(SipTransport::Tcp)};
        const auto id = "reset" + std::to_string(i);
        client.send(
            "MESSAGE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK" +
            id +
            "\r\nFrom: <sip:a@example.com>;tag=1\r\nTo: <sip:bob@example.com>\r\n"
            "Call-ID: " +
            id +
            "\r\nCSeq: 1 MESSAGE\r\nContent-Type: text/plain\r\n"
            "Content-Length: 2\r\n\r\nhi");
        EXPECT_TRUE(eventually([&] { return server_.store().pushes() > std::size_t(i); }));
        client.reset();
    }
    server_.store().speak();
    EXPECT_TRUE(eventually([&] { return server_.inProgress() == 0; }));
    EXPECT_EQ(server_.stored().size(), 20U);
}

TEST_F(Stream, leavesNoConnectionOfAClientThatHasGone)
{
    for (const auto& said :
         {std::string{}, std::string{"MESSAGE sip:bob@exam"}, std::string{"GET / HTTP/1.1\r\n"},
          options(), messageOfLength("Content-Length: 50\r\n") + "part"}) {
        for (int i = 0; i < 20; ++i) {
            RawConnection connection{tcp_};
            connection.send(said);
            connection.close();
        }
    }
    expectServed();
    EXPECT_TRUE(eventually([this] { return halfClosed() == 0; }, kTimeout)) << halfClosed();
}

TEST_F(Stream, isReachedOverIpv6WhateverStandsFirst)
{
    SipSocket six{server_.at(SipTransport::Udp, "::1")};
    EXPECT_EQ(ask(six, requestOf(six, "OPTIONS", "sip:example.com")).status(), 200);
}

TEST_F(Stream, answersAtThePortOfAViaThatWritesItsIpv6AddressOtherwise)
{
    SipSocket six{server_.at(SipTransport::Udp, "::1")};
    SipSocket there{server_.at(SipTransport::Udp, "::1")};
    const auto port = there.address().substr(there.address().rfind(':'));
    auto request = requestOf(six, "OPTIONS", "sip:example.com");
    request.set("Via", "SIP/2.0/UDP [0:0:0:0:0:0:0:1]" + port + ";branch=z9hG4bK" +
                           restante::test::uniqueToken());
    ASSERT_TRUE(six.send(request.toString()));
    const auto answer = there.receive(kTimeout);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->message.status(), 200);
    EXPECT_EQ(answer->message.header("Via").find("received"), std::string::npos);
}

/// A datagram from a socket of its own, and what comes back to it.
class Datagram : public Stream {
protected:
    Datagram() : fd_(bound()), elsewhere_(bound()) {}

    static FileDescriptor bound()
    {
        FileDescriptor fd{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
        return fd;
    }
    static std::uint16_t portOf(const FileDescriptor& fd)
    {
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
        return ntohs(address.sin_port);
    }
    void send(std::string_view bytes)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(server_.at(SipTransport::Udp).port);
        ::sendto(fd_.get(), bytes.data(), bytes.size(), 0,
                 reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    static std::string receive(const FileDescriptor& fd, Millis timeout = kTimeout)
    {
        pollfd wait{fd.get(), POLLIN, 0};
        char bytes[4'096];
        const auto got = ::poll(&wait, 1, static_cast<int>(timeout.count())) > 0
                             ? ::recv(fd.get(), bytes, sizeof bytes, 0)
                             : 0;
        return {bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
    }
    static std::string with(const std::string& via,
                            const std::string& startLine,
                            const std::string& callId = "Call-ID: 1@x\r\n")
    {
        return startLine + "\r\nVia: " + via +
               "\r\nFrom: <sip:a@example.com>;tag=1\r\nTo: <sip:example.com>\r\n" + callId +
               "CSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n";
    }

    FileDescriptor fd_;
    FileDescriptor elsewhere_;
};

TEST_F(Datagram, isAnsweredToItsSourceWhateverItsViaSays)
{
    const auto there = std::to_string(portOf(elsewhere_));
    const std::string options = "OPTIONS sip:example.com SIP/2.0";
    for (const auto& via :
         {std::string{"SIP/2.0/UDP name.of.a.stranger.invalid;branch=z9hG4bK1"},
          "SIP/2.0/UDP 127.0.0.2:" + there + ";branch=z9hG4bK2",
          "SIP/2.0/UDP 127.0.0.1:" + there + ";branch=z9hG4bK3;rport",
          "SIP/2.0/UDP name.invalid:" + there + ";maddr=127.0.0.1;branch=z9hG4bK4",
          "SIP/2.0/UDP name.invalid:" + there + ";received=127.0.0.1;branch=z9hG4bK5"}) {
        send(with(via, options));
        EXPECT_TRUE(receive(fd_).starts_with("SIP/2.0 200 ")) << via;
    }
    EXPECT_EQ(receive(elsewhere_, Millis{0}), "");
}

TEST_F(Datagram, thatIsMalformedGoesToNobodyElse)
{
    const auto there = std::to_string(portOf(elsewhere_));
    const auto via = "SIP/3.0/UDP name.of.a.stranger.invalid:" + there + ";maddr=127.0.0.1";
    const std::string options = "OPTIONS sip:example.com SIP/2.0";
    send(with(via, options, ""));
    EXPECT_TRUE(receive(fd_).starts_with("SIP/2.0 400 ")) << "no Call-ID";
    send(with(via, "OPTIONS sip:exa mple.com SIP/2.0"));
    EXPECT_TRUE(receive(fd_).starts_with("SIP/2.0 400 ")) << "a request line that cannot be read";
    send(with("SIP/2.0/UDP 127.0.0.1:" + there, options, ""));
    EXPECT_TRUE(receive(fd_).starts_with("SIP/2.0 400 "));
    EXPECT_EQ(receive(elsewhere_, Millis{0}), "");
    expectServed();
}

TEST_F(Datagram, ofStunIsAnsweredWithItsSource)
{
    const std::string request{"\x00\x01\x00\x00\x21\x12\xa4\x42"
                              "0123456789ab",
                              20};
    send(request);
    const auto answer = receive(fd_);
    ASSERT_EQ(answer.size(), 32U);
    EXPECT_EQ(answer.substr(0, 2), std::string("\x01\x01", 2));
    EXPECT_EQ(answer.substr(4, 16), request.substr(4));
    const auto port =
        static_cast<std::uint16_t>((static_cast<unsigned char>(answer[26]) ^ 0x21U) << 8U |
                                   (static_cast<unsigned char>(answer[27]) ^ 0x12U));
    EXPECT_EQ(port, portOf(fd_));
}

}  // namespace
}  // namespace restante::sip::test
