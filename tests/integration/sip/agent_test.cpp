#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
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

}  // namespace
}  // namespace restante::sip::test
