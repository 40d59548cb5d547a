#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
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
    auto agent =
        Agent::open(loop, {socketsOf("127.0.0.1:0"), 65'536, Millis{1'000}}, [&](auto request) {
            waiting.push_back(std::move(request));
        }).value();
    SipSocket sender{{SipTransport::Udp, "127.0.0.1", agent->listening().front().port}};
    const auto send = [&] {
        sender.send(requestOf(sender, "OPTIONS", "sip:example.com").toString());
    };
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
        EXPECT_TRUE(sender_.send(request.toString()));
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
                    {socketsOf("udp:127.0.0.1:0"), kLargest, Millis{1'000}},
                    [this](auto request) {
                        handled_.emplace_back(request->parsed().method);
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
    sender_.send(large("ACK").toString());
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
        Agent::open(loop, {socketsOf("udp:127.0.0.1:0"), 65'536, Millis{1'000}}, [](auto request) {
            request->answer({480, "Gone\r\nX-Own: 1\rX-Two: 2", {}});
        }).value();
    SipSocket sender{{SipTransport::Udp, "127.0.0.1", agent->listening().front().port}};
    ASSERT_TRUE(sender.send(requestOf(sender, "OPTIONS", "sip:example.com").toString()));
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
        Agent::open(loop, {socketsOf("udp:127.0.0.1:0"), 65'536, Millis{1'000}}, [&](auto request) {
            ++handled;
            const auto end = steady_clock::now() + kEach;
            while (steady_clock::now() < end) {
            }
            request->answer({200, "OK", {}});
        }).value();
    SipSocket sender{{SipTransport::Udp, "127.0.0.1", agent->listening().front().port}};
    for (int i = 0; i < kSent; ++i) {
        ASSERT_TRUE(sender.send(requestOf(sender, "OPTIONS", "sip:example.com").toString()));
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

TEST(AgentTime, thatItWasBusyItselfIsNotTakenFromAMessage)
{
    using std::chrono::steady_clock;
    SuLoop loop;
    Agent::Settings settings;
    settings.listen = socketsOf("tcp:127.0.0.1:0");
    settings.messageTime = Millis{2'000};
    auto agent = Agent::open(loop, settings, [](auto request) {
                     request->answer({200, "OK", {}});
                 }).value();
    SipSocket phone{{SipTransport::Tcp, "127.0.0.1", agent->listening().front().port}};
    const auto request = requestOf(phone, "OPTIONS", "sip:example.com").toString();
    const auto turnFor = [&](Millis time) {
        const auto end = steady_clock::now() + time;
        while (steady_clock::now() < end) {
            loop.turn(Millis{10});
        }
    };
    ASSERT_TRUE(phone.send(request.substr(0, 100)));
    while (agent->connections() == 0) {
        loop.turn(Millis{10});
    }
    turnFor(Millis{40});

    const auto end = steady_clock::now() + Millis{2'500};
    while (steady_clock::now() < end) {
    }
    turnFor(Millis{700});  // until the sweep is over, which waits for what may have come
    ASSERT_EQ(agent->connections(), 1U);
    ASSERT_TRUE(phone.send(request.substr(100)));
    std::optional<SipSocket::Arrival> answer;
    for (int turn = 0; turn < 500 && !answer; ++turn) {
        loop.turn(Millis{10});
        answer = phone.receive(Millis{0});
    }
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->message.status(), 200);
}

/// Connections that end when nobody says anything, and the answers to what comes by them.
class Connection : public ::testing::Test {
protected:
    using SteadyClock = std::chrono::steady_clock;

    static Agent::Settings settings()
    {
        Agent::Settings settings;
        settings.listen = socketsOf("tcp:127.0.0.1:0");
        settings.idleTimeout = Millis{200};
        return settings;
    }
    bool turnUntil(const std::function<bool()>& reached)
    {
        const auto end = SteadyClock::now() + std::chrono::seconds{30};
        while (!reached()) {
            if (SteadyClock::now() > end) {
                return false;
            }
            loop_.turn(Millis{10});
        }
        return true;
    }
    /// Asks, and is answered that.
    void say(SipSocket& socket, const std::string& method, SipAnswer answer)
    {
        answer_ = std::move(answer);
        ASSERT_TRUE(socket.send(requestOf(socket, method, "sip:example.com").toString()));
        ASSERT_TRUE(turnUntil([&] { return socket.receive(Millis{0}).has_value(); }));
    }
    static bool hasEnded(SipSocket& socket)
    {
        EXPECT_FALSE(socket.receive(Millis{0}));
        return socket.takeDisconnected();
    }
    static SipAnswer kept(const std::string& user, std::chrono::seconds left)
    {
        return {200, "OK", {}, ConnectionLifetime{user, left}};
    }

    SuLoop loop_;
    SipAnswer answer_;
    std::unique_ptr<Agent> agent_ =
        Agent::open(loop_, settings(), [this](auto request) { request->answer(answer_); }).value();
    SipServer tcp_{SipTransport::Tcp, "127.0.0.1", agent_->listening().front().port};
    SipSocket phone_{tcp_};
    SipSocket passer_{tcp_};
};

constexpr std::chrono::hours kLong{1};

TEST_F(Connection, livesAsLongAsTheBindingsThatCameByItAndNotForEver)
{
    constexpr std::chrono::seconds kBinding{3};
    const auto registered = SteadyClock::now();
    say(phone_, "REGISTER", kept(kBobsAor, kBinding));
    say(passer_, "OPTIONS", {200, "OK", {}});
    ASSERT_EQ(agent_->connections(), 2U);

    EXPECT_TRUE(turnUntil([&] { return agent_->connections() == 1; }));
    EXPECT_TRUE(hasEnded(passer_)) << "nothing keeps a silent one";
    EXPECT_FALSE(hasEnded(phone_)) << "its binding lives";
    EXPECT_TRUE(turnUntil([&] { return agent_->connections() == 0; }));
    EXPECT_GE(SteadyClock::now() - registered, kBinding);
}

TEST_F(Connection, endsWhenItsBindingHasBeenRemoved)
{
    say(phone_, "REGISTER", kept(kBobsAor, kLong));
    say(phone_, "REGISTER", kept(kBobsAor, std::chrono::seconds{0}));
    EXPECT_TRUE(turnUntil([&] { return agent_->connections() == 0; }));
}

TEST_F(Connection, livesForTheOthersWhoseBindingsCameByIt)
{
    say(phone_, "REGISTER", kept(kBobsAor, kLong));
    say(phone_, "REGISTER", kept("sip:carol@example.com", std::chrono::seconds{0}));
    say(phone_, "REGISTER", {200, "OK", {}});
    say(passer_, "OPTIONS", {200, "OK", {}});
    EXPECT_TRUE(turnUntil([&] { return agent_->connections() == 1; }));
    EXPECT_TRUE(hasEnded(passer_));
    EXPECT_FALSE(hasEnded(phone_));
}

TEST_F(Connection, isNotKeptByWhatAContactSays)
{
    for (const auto* contact :
         {"<sip:bob@192.0.2.1>;expires=7200",
          "<sip:bob@192.0.2.1>;expires=60;+sip.instance=\"<a;expires=4294967295>\""}) {
        say(phone_, "REGISTER", {200, "OK", {{"Contact", contact}}});
    }
    EXPECT_TRUE(turnUntil([&] { return agent_->connections() == 0; }));
}

}  // namespace
}  // namespace restante::sip::test
