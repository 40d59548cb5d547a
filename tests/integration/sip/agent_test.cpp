#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
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
