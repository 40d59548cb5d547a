#include "sipplugin/transport/datagram_steering.h"
#include "sipplugin/transport/sockets.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <poll.h>
#include <set>
#include <string>
#include <vector>

namespace restante::sip {
namespace {

using test::requestOf;
using test::SipSocket;
using test::SipText;
using test::SipTransport;

constexpr std::size_t kSockets = 4;

/// Four sockets at one address, and somebody who sends to it from one address and port.
class Steering : public ::testing::Test {
protected:
    void SetUp() override
    {
        sockets_ = listenOn({{Transport::Udp, "127.0.0.1", 0}}, PortSharing::First).value();
        for (std::size_t i = 1; i < kSockets; ++i) {
            auto further = listenOn({address()}, PortSharing::Further).value();
            sockets_.push_back(std::move(further.front()));
        }
        ASSERT_TRUE(steerDatagrams(sockets_.back().socket.get(), kSockets));
        sender_.emplace(restante::test::SipServer{SipTransport::Udp, "127.0.0.1", address().port});
    }

    const TransportAddress& address() const { return sockets_.front().address; }

    /// The socket that a datagram comes to; kSockets when it comes to none.
    std::size_t meets(const std::string& datagram)
    {
        sender_->send(datagram);
        std::vector<pollfd> waiting;
        for (const auto& one : sockets_) {
            waiting.push_back({one.socket.get(), POLLIN, 0});
        }
        ::poll(waiting.data(), waiting.size(), 5'000);
        const auto found =
            std::ranges::find_if(waiting, [](const pollfd& one) { return one.revents != 0; });
        if (found != waiting.end()) {
            std::string buffer(65'536, '\0');
            SocketName from;
            receiveFrom(found->fd, buffer, from);
        }
        return static_cast<std::size_t>(found - waiting.begin());
    }
    std::string messageTo(const std::string& uri)
    {
        return requestOf(*sender_, "MESSAGE", uri).toString();
    }
    std::string answerWith(int status, const std::string& phrase, const std::string& branch)
    {
        auto request = requestOf(*sender_, "MESSAGE", "sip:bob@example.com");
        request.set("Via", "SIP/2.0/UDP 192.0.2.1:5060;branch=" + branch + ";rport=5060");
        return request.answer(status, phrase).toString();
    }

    std::vector<Listener> sockets_;
    std::optional<SipSocket> sender_;
};

TEST_F(Steering, bringsTheMessagesOfOneRecipientToOneSocket)
{
    for (const auto* uri : {"sip:bob@example.com", "sip:b@x", "sip:+4930123456@example.com:5070",
                            "sip:a.long.name.of.somebody@a.long.name.of.a.domain.example.com"}) {
        const auto first = meets(messageTo(uri));
        ASSERT_LT(first, kSockets);
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(meets(messageTo(uri)), first) << uri;
        }
    }
}

TEST_F(Steering, spreadsTheMessagesOfOneSenderOverAllSockets)
{
    std::vector<int> taken(kSockets + 1);
    for (int i = 0; i < 400; ++i) {
        ++taken[meets(messageTo("sip:+49301" + std::to_string(100'000 + i) + "@example.com"))];
    }
    for (std::size_t i = 0; i < kSockets; ++i) {
        EXPECT_GT(taken[i], 50) << "socket " << i;
    }
    EXPECT_EQ(taken.back(), 0);
}

TEST_F(Steering, bringsARepeatedRequestToTheSameSocketAndSpreadsOthers)
{
    std::set<std::size_t> met;
    for (int i = 0; i < 50; ++i) {
        const auto request = requestOf(*sender_, "REGISTER", "sip:example.com")
                                 .set("Contact", sender_->contact("bob"))
                                 .toString();
        const auto first = meets(request);
        EXPECT_EQ(meets(request), first);
        met.insert(first);
    }
    EXPECT_EQ(met.size(), kSockets);
}

TEST_F(Steering, bringsAResponseToTheSocketThatItsBranchNames)
{
    for (std::size_t i = 0; i < kSockets; ++i) {
        const auto branch = "z9hG4bK" + branchTag(i) + "0123456789abcdef";
        EXPECT_EQ(meets(answerWith(200, "OK", branch)), i);
        EXPECT_EQ(meets(answerWith(480, "Temporarily Unavailable", branch)), i);
    }
}

TEST_F(Steering, leavesToTheKernelWhatItDoesNotKnow)
{
    const auto usual = meets("\r\n\r\n");
    EXPECT_LT(usual, kSockets);
    EXPECT_EQ(meets(std::string(300, '\x01')), usual);
    EXPECT_EQ(meets("MESSAGE sip:bob@example.com SIP/2.0\r\n\r\n"), usual);
    EXPECT_EQ(meets(answerWith(200, "OK", "z9hG4bK0123456789abcdef")), usual);
    EXPECT_EQ(meets(answerWith(200, "OK", "z9hG4bK" + branchTag(63) + "0123456789abcdef")), usual);
}

TEST_F(Steering, letsNobodyInWhoDoesNotBelongToIt)
{
    EXPECT_FALSE(listenOn({address()}, PortSharing::Alone));
    EXPECT_FALSE(listenOn({address()}, PortSharing::First));
}

TEST(PortSharing, letsSeveralListenForConnectionsAndNobodyElse)
{
    const TransportAddress any{Transport::Tcp, "127.0.0.1", 0};
    const auto first = listenOn({any}, PortSharing::First).value();
    const auto& bound = first.front().address;
    EXPECT_TRUE(listenOn({bound}, PortSharing::Further));
    EXPECT_FALSE(listenOn({bound}, PortSharing::Alone));
    EXPECT_FALSE(listenOn({bound}, PortSharing::First));
}

TEST(BranchTag, isReadAsItIsWritten)
{
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(agentOfBranch("z9hG4bK" + branchTag(i) + "0123456789abcdef"), i);
    }
    EXPECT_FALSE(agentOfBranch("z9hG4bK0123456789abcdef"));
    EXPECT_FALSE(agentOfBranch("z9hG4bKg"));
    EXPECT_FALSE(agentOfBranch("ghgh"));
}

}  // namespace
}  // namespace restante::sip
