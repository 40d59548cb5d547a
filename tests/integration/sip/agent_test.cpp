#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::sip::test {
namespace {

TEST(AgentEnd, isTheEndForWhatComesThoughARequestStillWaits)
{
    SuLoop loop;
    std::vector<std::unique_ptr<IncomingRequest>> waiting;
    auto agent = Agent::open(loop, {parseListen("127.0.0.1:0").value(), 65'536, Millis{1'000}},
                             [&](auto request) { waiting.push_back(std::move(request)); })
                     .value();
    SipSocket sender{{SipTransport::Udp, "127.0.0.1", agent->listening().front().port}};
    const auto send = [&] { sender.send(requestOf(sender, "OPTIONS", "sip:example.com").print()); };
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    send();
    while (waiting.empty() && std::chrono::steady_clock::now() < end) {
        loop.turn(Millis{10});
    }
    ASSERT_EQ(waiting.size(), 1U);
    agent.reset();
    send();
    // It lies in the socket by now; a turn without anything to do takes its whole time.
    for (int i = 0; i < 20; ++i) {
        loop.turn(Millis{10});
    }
    EXPECT_EQ(waiting.size(), 1U);
}

/// An agent that takes messages of `kLargest` bytes, and what has come out of it.
class AgentLimit : public ::testing::Test {
protected:
    static constexpr std::size_t kLargest = 4'000;

    /// Lets the agent work until the sender has an answer.
    std::optional<SipText> answerTo(const SipText& request)
    {
        EXPECT_TRUE(sender_.send(request.print()));
        for (int turn = 0; turn < 500; ++turn) {
            loop_.turn(Millis{10});
            if (const auto arrival = sender_.receive(Millis{0})) {
                return arrival->message;
            }
        }
        return std::nullopt;
    }
    SipText large(const std::string& method)
    {
        auto request = requestOf(sender_, method, "sip:bob@example.com");
        request.set("Content-Type", "text/plain");
        request.body.assign(3 * kLargest, 'x');
        return request;
    }

    SuLoop loop_;
    std::vector<std::string> handled_;
    std::unique_ptr<Agent> agent_ =
        Agent::open(loop_,
                    {parseListen("udp:127.0.0.1:0").value(), kLargest, Millis{1'000}},
                    [this](auto request) {
                        handled_.emplace_back(request->text().method);
                        request->answer({200, "OK", {}});
                    })
            .value();
    SipSocket sender_{{SipTransport::Udp, "127.0.0.1", agent_->listening().front().port}};
};

TEST_F(AgentLimit, ofADatagramIsToldItsSender)
{
    const auto request = large("MESSAGE");
    const auto answer = answerTo(request);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status(), 413);
    EXPECT_EQ(answer->header("Call-ID"), request.header("Call-ID"));
    EXPECT_TRUE(handled_.empty());
}

TEST_F(AgentLimit, ofADatagramIsToldNobodyElse)
{
    SipSocket other{{SipTransport::Udp, "127.0.0.1", agent_->listening().front().port}};
    auto request = large("MESSAGE");
    auto via = other.via("z9hG4bK" + restante::test::uniqueToken());
    via.replace(via.find("127.0.0.1"), 9, "127.0.0.9");  // another host, that port
    request.set("Via", via);
    const auto answer = answerTo(request);
    ASSERT_TRUE(answer) << "it goes to where the datagram came from";
    EXPECT_EQ(answer->status(), 413);
    EXPECT_FALSE(other.receive(Millis{50}));
}

TEST_F(AgentLimit, ofAnAckIsToldNobody)
{
    sender_.send(large("ACK").print());
    // What follows is answered after it.
    const auto answer = answerTo(requestOf(sender_, "OPTIONS", "sip:example.com"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status(), 200);
    EXPECT_EQ(handled_, std::vector<std::string>{"OPTIONS"});
}

TEST(AgentAnswer, hasAPhraseOfOneLine)
{
    SuLoop loop;
    const auto agent =
        Agent::open(loop, {parseListen("udp:127.0.0.1:0").value(), 65'536, Millis{1'000}},
                    [](auto request) {
                        request->answer({480, "Gone\r\nX-Own: 1\rX-Two: 2", {}});
                    })
            .value();
    SipSocket sender{{SipTransport::Udp, "127.0.0.1", agent->listening().front().port}};
    ASSERT_TRUE(sender.send(requestOf(sender, "OPTIONS", "sip:example.com").print()));
    std::optional<SipSocket::Arrival> answer;
    for (int turn = 0; turn < 500 && !answer; ++turn) {
        loop.turn(Millis{10});
        answer = sender.receive(Millis{0});
    }
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->message.startLine, "SIP/2.0 480 Gone  X-Own: 1 X-Two: 2");
    EXPECT_FALSE(answer->message.has("X-Own"));
}

TEST(AgentTurn, isOverWhenItsRequestsHaveTakenLong)
{
    using std::chrono::steady_clock;
    constexpr int kSent = 20;
    constexpr Millis kEach{10};
    SuLoop loop;
    int handled = 0;
    const auto agent =
        Agent::open(loop, {parseListen("udp:127.0.0.1:0").value(), 65'536, Millis{1'000}},
                    [&](auto request) {
                        ++handled;
                        const auto end = steady_clock::now() + kEach;
                        while (steady_clock::now() < end) {
                        }
                        request->answer({200, "OK", {}});
                    })
            .value();
    SipSocket sender{{SipTransport::Udp, "127.0.0.1", agent->listening().front().port}};
    for (int i = 0; i < kSent; ++i) {
        ASSERT_TRUE(sender.send(requestOf(sender, "OPTIONS", "sip:example.com").print()));
    }
    const auto end = steady_clock::now() + std::chrono::seconds{30};
    const auto turnUntil = [&](int count) {
        while (handled < count && steady_clock::now() < end) {
            loop.turn(Millis{10});
        }
    };
    turnUntil(1);
    EXPECT_GE(handled, 1);
    EXPECT_LE(handled, 4) << "timers and the other sockets wait";
    turnUntil(kSent);
    EXPECT_EQ(handled, kSent) << "the rest is taken in later turns";
}

TEST(Connection, livesAsLongAsTheBindingsThatCameByItAndNotForEver)
{
    using std::chrono::steady_clock;
    constexpr std::chrono::seconds kBinding{3};
    SuLoop loop;
    Agent::Settings settings;
    settings.listen = parseListen("tcp:127.0.0.1:0").value();
    settings.silence = Millis{200};
    const auto agent =
        Agent::open(loop, settings, [&](auto request) {
            SipAnswer answer{200, "OK", {}};
            if (request->text().method == "REGISTER") {
                answer.headers.emplace_back("Contact", "<sip:bob@192.0.2.1>;expires=" +
                                                           std::to_string(kBinding.count()));
            }
            request->answer(answer);
        }).value();
    const auto turnUntil = [&](const auto& reached) {
        const auto end = steady_clock::now() + std::chrono::seconds{30};
        while (!reached()) {
            if (steady_clock::now() > end) {
                return false;
            }
            loop.turn(Millis{10});
        }
        return true;
    };
    const SipServer tcp{SipTransport::Tcp, "127.0.0.1", agent->listening().front().port};
    SipSocket phone{tcp};
    SipSocket passer{tcp};

    const auto registered = steady_clock::now();
    for (auto [socket, method] : {std::pair{&phone, "REGISTER"}, std::pair{&passer, "OPTIONS"}}) {
        ASSERT_TRUE(socket->send(requestOf(*socket, method, "sip:example.com").print()));
        ASSERT_TRUE(turnUntil([&, one = socket] { return one->receive(Millis{0}).has_value(); }));
    }
    ASSERT_EQ(agent->connections(), 2U);

    EXPECT_TRUE(turnUntil([&] { return agent->connections() == 1; }));
    EXPECT_FALSE(passer.receive(Millis{0}));
    EXPECT_TRUE(passer.takeDisconnected()) << "nothing keeps a silent one";
    EXPECT_FALSE(phone.receive(Millis{0}));
    EXPECT_FALSE(phone.takeDisconnected()) << "its binding lives";
    EXPECT_TRUE(turnUntil([&] { return agent->connections() == 0; }));
    EXPECT_GE(steady_clock::now() - registered, kBinding);
}

}  // namespace
}  // namespace restante::sip::test
