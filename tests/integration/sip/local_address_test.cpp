// A UDP socket that listens on every address speaks from the one that it was spoken to at.

#include "sipplugin/message/socket_name.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/request_sender.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/free_port.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>

namespace restante::sip::test {
namespace {

class LocalAddress : public ::testing::Test {
protected:
    struct Datagram {
        std::string from;  ///< the address that it has left from
        std::string text;
        std::uint16_t port = 0;  ///< that it has left from
    };

    void SetUp() override
    {
        const auto here = socketNameOf("127.0.0.1", 0);
        ASSERT_TRUE(phone_);
        ASSERT_EQ(::bind(phone_.get(), here.raw(), here.length), 0);
    }
    TransportAddress phone() const
    {
        return addressOf(localSocketName(phone_.get()), Transport::Udp);
    }
    void send(const std::string& host, const std::string& text)
    {
        sendTo(socketNameOf(host, agent_->listening().front().port), text);
    }
    void sendTo(const SocketName& to, const std::string& text)
    {
        ASSERT_EQ(::sendto(phone_.get(), text.data(), text.size(), 0, to.raw(), to.length),
                  static_cast<ssize_t>(text.size()));
    }
    /// What comes to the phone next.
    std::optional<Datagram> next()
    {
        std::string text(65'536, '\0');
        const auto end = std::chrono::steady_clock::now() + kTimeout;
        while (std::chrono::steady_clock::now() < end) {
            loop_.turn(Millis{10});
            SocketName from;
            const auto got = ::recvfrom(phone_.get(), text.data(), text.size(), MSG_DONTWAIT,
                                        from.raw(), &from.length);
            if (got >= 0) {
                text.resize(static_cast<std::size_t>(got));
                const auto left = addressOf(from, Transport::Udp);
                return Datagram{left.host, text, left.port};
            }
        }
        return std::nullopt;
    }
    std::string options() const
    {
        return "OPTIONS sip:restante SIP/2.0\r\nVia: SIP/2.0/UDP " + phone().hostPort() +
               ";rport;branch=z9hG4bK" + restante::test::uniqueToken() +
               "\r\nFrom: <sip:a@localhost>;tag=1\r\nTo: <sip:b@localhost>\r\nCall-ID: " +
               restante::test::uniqueToken() +
               "\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n";
    }
    static std::string message()
    {
        return "MESSAGE sip:b@localhost SIP/2.0\r\nMax-Forwards: 70\r\n"
               "From: <sip:a@localhost>;tag=1\r\nTo: <sip:b@localhost>\r\nCall-ID: " +
               restante::test::uniqueToken() + "\r\nCSeq: 1 MESSAGE\r\nContent-Length: 0\r\n\r\n";
    }
    /// What the phone gets of a request by the flow, for somebody who has sent from `source`.
    std::optional<Datagram> deliveredBy(const std::string& flow, const std::string& source)
    {
        RequestSender sender(*agent_);
        RequestSender::Route route{"sip:" + phone().hostPort()};
        route.flow = flow;
        route.origin.source = source;
        sender.send(message(), route, [](const auto&) {});
        return next();
    }

    SuLoop loop_;
    FileDescriptor phone_{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    std::string flow_;  ///< of the last request
    std::unique_ptr<Agent> listeningAt(std::vector<TransportAddress> addresses)
    {
        return Agent::open(loop_, {std::move(addresses)},
                           [this](auto request) {
                               flow_ = request->parsed().flow;
                               request->answer({200, "OK", {}});
                           })
            .value();
    }
    std::unique_ptr<Agent> agent_ = listeningAt(socketsOf("udp:0.0.0.0:0"));
};

TEST_F(LocalAddress, ofAnAnswerIsTheOneThatTheRequestCameTo)
{
    for (const std::string host : {"127.0.0.2", "127.0.0.3", "127.0.0.1"}) {
        send(host, options());
        const auto answer = next();
        ASSERT_TRUE(answer) << host;
        EXPECT_EQ(answer->from, host);
        EXPECT_TRUE(answer->text.starts_with("SIP/2.0 200")) << answer->text;
    }
}

TEST_F(LocalAddress, ofADeliveryIsTheOneThatTheDeviceSendsTo)
{
    send("127.0.0.2", options());
    ASSERT_TRUE(next());
    const auto delivered = deliveredBy(flow_, phone().hostPort());
    ASSERT_TRUE(delivered);
    EXPECT_EQ(delivered->from, "127.0.0.2");
    EXPECT_NE(delivered->text.find("Via: SIP/2.0/UDP 127.0.0.2:"), std::string::npos)
        << delivered->text;
}

TEST_F(LocalAddress, isThatOfTheRouteToElsewhereOrWhenItIsNotOursAnyMore)
{
    send("127.0.0.2", options());
    ASSERT_TRUE(next());
    const auto elsewhere = deliveredBy(flow_, "192.0.2.1:5060");
    ASSERT_TRUE(elsewhere);
    EXPECT_EQ(elsewhere->from, "127.0.0.1");
    const auto lost =
        deliveredBy(flow_.substr(0, flow_.find('#')) + "#192.0.2.9", phone().hostPort());
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->from, "127.0.0.1");
}

/// Three sockets of one kind: a NAT lets in only what comes from the one that a device has sent to.
class SeveralSockets : public LocalAddress {
protected:
    SeveralSockets()
    {
        agent_.reset();
        // Those of one address need ports of their own.
        agent_ = listeningAt({{Transport::Udp, "127.0.0.1", restante::test::freePort()},
                              {Transport::Udp, "127.0.0.1", restante::test::freePort()},
                              {Transport::Udp, "127.0.0.2", 0}});
    }
};

TEST_F(SeveralSockets, answerAndDeliverFromTheOneThatTheDeviceSendsTo)
{
    ASSERT_EQ(agent_->listening().size(), 3U);
    for (const auto& own : {agent_->listening()[1], agent_->listening()[2], agent_->listening()[0],
                            agent_->listening()[2]}) {
        sendTo(socketNameOf(own.host, own.port), options());
        const auto answer = next();
        ASSERT_TRUE(answer) << own.toString();
        EXPECT_EQ(answer->from, own.host);
        EXPECT_EQ(answer->port, own.port);
        const auto delivered = deliveredBy(flow_, phone().hostPort());
        ASSERT_TRUE(delivered) << own.toString();
        EXPECT_EQ(delivered->from, own.host);
        EXPECT_EQ(delivered->port, own.port);
        EXPECT_NE(delivered->text.find("Via: SIP/2.0/UDP " + own.hostPort() + ";"),
                  std::string::npos)
            << delivered->text;
    }
}

}  // namespace
}  // namespace restante::sip::test
