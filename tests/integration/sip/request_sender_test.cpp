#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/request_sender.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/integration/sip/sip_client.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::sip {
namespace {

using test::SipServer;
using test::SipSocket;
using test::SipText;
using test::SipTransport;

/// A sender and a device that does what the test says, both on the test's thread.
class Sending : public ::testing::TestWithParam<SipTransport> {
protected:
    /// The request as the device got it.
    SipSocket::Arrival send()
    {
        const auto text = "MESSAGE sip:bob@" + device_.address() +
                          " SIP/2.0\r\nMax-Forwards: 70\r\nFrom: <sip:a@localhost>;tag=1\r\n"
                          "To: <sip:bob@localhost>\r\nCall-ID: " +
                          restante::test::uniqueToken() +
                          "\r\nCSeq: 1 MESSAGE\r\nContent-Length: 0\r\n\r\n";
        const auto* transport = GetParam() == SipTransport::Tcp ? ";transport=tcp" : "";
        sender_.send(text, {"sip:" + device_.address() + transport, "", false},
                     [this](const auto& response) { answers_.push_back(response); });
        std::optional<SipSocket::Arrival> arrival;
        turnUntil([&] { return (arrival = device_.receive(Millis{0})).has_value(); });
        return arrival.value_or(SipSocket::Arrival{});
    }
    bool turnUntil(const std::function<bool()>& reached)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        while (!reached()) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            loop_.turn(Millis{10});
        }
        return true;
    }
    RequestSender::Response answer()
    {
        EXPECT_TRUE(turnUntil([this] { return !answers_.empty(); }));
        return answers_.empty() ? RequestSender::Response{} : answers_.front();
    }

    SuLoop loop_;
    std::unique_ptr<Agent> agent_ =
        Agent::open(loop_, {test::socketsOf("127.0.0.1:0"), 65'536, Millis{1'000}}, [](auto) {
        }).value();
    RequestSender sender_{*agent_};
    SipSocket device_{{GetParam(), "127.0.0.1", agent_->listening().front().port}};
    std::vector<RequestSender::Response> answers_;
};

TEST_P(Sending, handsOutEveryChallengeOfARefusal)
{
    const auto request = send();
    auto refusal = request.message.answer(407, "Proxy Authentication Required");
    refusal.headers.emplace_back("Proxy-Authenticate",
                                 "Digest realm=\"a, b\", nonce=\"x\", algorithm=SHA-256");
    refusal.headers.emplace_back("Proxy-Authenticate", "Digest realm=\"c\", nonce=\"y\"");
    refusal.headers.emplace_back("WWW-Authenticate", "Digest realm=\"d\", nonce=\"z\", stale=true");
    device_.answer(request, refusal.toString());

    const auto response = answer();
    EXPECT_EQ(response.status, 407);
    EXPECT_FALSE(response.locallyGenerated);
    ASSERT_EQ(response.proxyAuthenticate.size(), 2U);
    EXPECT_NE(response.proxyAuthenticate[0].find("realm=\"a, b\""), std::string::npos);
    EXPECT_NE(response.proxyAuthenticate[0].find("algorithm=SHA-256"), std::string::npos);
    EXPECT_NE(response.proxyAuthenticate[1].find("nonce=\"y\""), std::string::npos);
    ASSERT_EQ(response.wwwAuthenticate.size(), 1U);
    EXPECT_NE(response.wwwAuthenticate[0].find("stale=true"), std::string::npos);
}

TEST_P(Sending, takesAnAnswerThatCameInTimeWhileItWasBusyItself)
{
    const auto request = send();
    auto stray = request.message.answer(200, "OK");
    stray.set("Via", device_.via("z9hG4bKother"));
    for (int i = 0; i < 200; ++i) {  // more than one turn reads
        device_.answer(request, stray.toString());
    }
    device_.answer(request, request.message.answer(603, "Decline").toString());
    const auto end = std::chrono::steady_clock::now() + Millis{1'600};
    while (std::chrono::steady_clock::now() < end) {
    }
    const auto response = answer();
    EXPECT_EQ(response.status, 603);
    EXPECT_FALSE(response.locallyGenerated);
}

TEST_P(Sending, handsOutTheContactsOfARedirection)
{
    const auto request = send();
    auto moved = request.message.answer(302, "Moved Temporarily");
    moved.headers.emplace_back("Contact", "<sip:b@localhost>;q=0.5, <sip:c@localhost>");
    moved.headers.emplace_back("Contact", "\"D, E\" <sip:d@localhost;transport=tcp>;q=1");
    device_.answer(request, moved.toString());

    const auto contacts = answer().contacts;
    ASSERT_EQ(contacts.size(), 3U);
    EXPECT_EQ(contacts[0], "<sip:b@localhost>;q=0.5");
    EXPECT_EQ(contacts[1], "<sip:c@localhost>");
    EXPECT_NE(contacts[2].find("<sip:d@localhost;transport=tcp>"), std::string::npos);
}

TEST_P(Sending, isAnsweredByAResponseOfAnyCase)
{
    const auto request = send();
    auto text = request.message.answer(603, "Decline").toString();
    ASSERT_TRUE(text.starts_with("SIP/2.0 "));
    device_.answer(request, text.replace(0, 3, "sip"));

    const auto response = answer();
    EXPECT_EQ(response.status, 603);
    EXPECT_FALSE(response.locallyGenerated);
}

TEST_P(Sending, handsOutAPhraseOfOneLine)
{
    const auto request = send();
    device_.answer(request, request.message
                                .answer(603, "No\rX-Own: 1\r\n X-Two: 2\x01"
                                             "end")
                                .toString());

    const auto response = answer();
    EXPECT_EQ(response.status, 603);
    EXPECT_EQ(response.phrase, "No X-Own: 1   X-Two: 2 end");
}

TEST_P(Sending, saysThatATimeOutIsNoAnswerOfThePeer)
{
    send();

    const auto response = answer();
    EXPECT_EQ(response.status, 408);
    EXPECT_TRUE(response.locallyGenerated);
}

/// Two servers of one name; the time for an answer is shared.
class SendingToSeveral : public ::testing::Test {
protected:
    void send()
    {
        const auto text = "MESSAGE sip:bob@localhost SIP/2.0\r\nMax-Forwards: 70\r\n"
                          "From: <sip:a@localhost>;tag=1\r\nTo: <sip:bob@localhost>\r\nCall-ID: " +
                          restante::test::uniqueToken() +
                          "\r\nCSeq: 1 MESSAGE\r\nContent-Length: 0\r\n\r\n";
        answers_.clear();
        atFirst_ = atSecond_ = 0;
        RequestSender::Route route{"sip:" + first_.address()};
        route.otherHops = {"sip:" + second_.address()};
        sender_.send(text, route, [this](const auto& response) { answers_.push_back(response); });
    }
    /// The first server answers with `status`, 0 = not at all; the second takes everything.
    RequestSender::Response answerWhenFirstSays(int status, const std::string& phrase)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        while (answers_.empty() && std::chrono::steady_clock::now() < end) {
            loop_.turn(Millis{10});
            if (const auto got = first_.receive(Millis{0})) {
                ++atFirst_;
                if (status != 0) {
                    first_.answer(*got, got->message.answer(status, phrase).toString());
                }
            }
            if (const auto got = second_.receive(Millis{0})) {
                ++atSecond_;
                second_.answer(*got, got->message.answer(200, "OK").toString());
            }
        }
        EXPECT_FALSE(answers_.empty());
        return answers_.empty() ? RequestSender::Response{} : answers_.front();
    }

    SuLoop loop_;
    std::unique_ptr<Agent> agent_ =
        Agent::open(loop_, {test::socketsOf("127.0.0.1:0"), 65'536, Millis{4'000}}, [](auto) {
        }).value();
    RequestSender sender_{*agent_};
    SipServer us_{SipTransport::Udp, "127.0.0.1", agent_->listening().front().port};
    SipSocket first_{us_};
    SipSocket second_{us_};
    std::vector<RequestSender::Response> answers_;
    int atFirst_ = 0;
    int atSecond_ = 0;
};

TEST_F(SendingToSeveral, asksTheNextAfterItsShareWhenOneIsSilent)
{
    send();
    EXPECT_EQ(answerWhenFirstSays(0, "").status, 200);
    EXPECT_GT(atFirst_, 0);
    send();
    EXPECT_EQ(answerWhenFirstSays(200, "OK").status, 200);
    EXPECT_EQ(atFirst_, 0) << "it is the last choice for a while";
}

TEST_F(SendingToSeveral, waitsTheWholeTimeForOneThatIsTrying)
{
    send();
    const auto response = answerWhenFirstSays(100, "Trying");
    EXPECT_EQ(response.status, 408);
    EXPECT_EQ(response.nextHop, "sip:" + first_.address());
    EXPECT_EQ(atSecond_, 0);
    send();
    EXPECT_EQ(answerWhenFirstSays(200, "OK").status, 200);
    EXPECT_GT(atFirst_, 0) << "it lives";
}

INSTANTIATE_TEST_SUITE_P(Transports,
                         Sending,
                         ::testing::Values(SipTransport::Udp, SipTransport::Tcp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace restante::sip
