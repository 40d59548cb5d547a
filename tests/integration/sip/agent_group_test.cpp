#include "core/base/epoll_loop.h"
#include "sipplugin/transport/agent_group.h"
#include "sipplugin/transport/request_sender.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/integration/sip/sip_client.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::sip {
namespace {

using test::requestOf;
using test::SipServer;
using test::SipSocket;
using test::SipTransport;

constexpr std::size_t kAgents = 3;

/// Three agents of one address, all on the test's thread.
class OneOfSeveralAgents : public ::testing::Test {
protected:
    OneOfSeveralAgents()
    {
        for (std::size_t i = 0; i < kAgents; ++i) {
            Agent::Settings settings;
            settings.listen = test::socketsOf("127.0.0.1:0");
            settings.answerTimeout = Millis{2'000};
            settings.connections = ConnectionLedger::Limits{kMostConnections, 100};
            settings.group = group_;
            settings.number = i;
            agents_.push_back(Agent::open(loop_, std::move(settings), [this, i](auto request) {
                                  took_ = i;
                                  flow_ = request->parsed().flow;
                                  request->answer({200, "OK", {}});
                              }).value());
            senders_.push_back(std::make_unique<RequestSender>(*agents_.back()));
        }
    }

    SipServer server(SipTransport transport) const
    {
        return {transport, "127.0.0.1", agents_.front()->listening().front().port};
    }
    bool turnUntil(const std::function<bool()>& reached)
    {
        return loop_.runUntil(reached, Millis{10'000});
    }
    std::optional<SipSocket::Arrival> arrivalAt(SipSocket& device)
    {
        std::optional<SipSocket::Arrival> arrival;
        turnUntil([&] { return (arrival = device.receive(Millis{0})).has_value(); });
        return arrival;
    }
    /// A device's REGISTER: took_ and flow_ are what came of it.
    void registerOver(SipSocket& device)
    {
        took_ = kAgents;
        device.send(requestOf(device, "REGISTER", "sip:example.com").toString());
        ASSERT_TRUE(turnUntil([this] { return took_ != kAgents; }));
        ASSERT_TRUE(arrivalAt(device));
    }
    /// Which agent takes a SUBSCRIBE with that Call-ID from a device of its own.
    std::size_t takerOfSubscribe(const std::string& callId)
    {
        SipSocket device{server(SipTransport::Udp)};
        took_ = kAgents;
        device.send(requestOf(device, "SUBSCRIBE", "sip:bob@example.com")
                        .set("Call-ID", callId)
                        .toString());
        EXPECT_TRUE(arrivalAt(device)) << "answered by the same socket";
        return took_;
    }
    /// By that agent's sender.
    void send(std::size_t agent, const RequestSender::Route& route)
    {
        const auto text = "MESSAGE sip:bob@localhost SIP/2.0\r\nMax-Forwards: 70\r\n"
                          "From: <sip:a@localhost>;tag=1\r\nTo: <sip:bob@localhost>\r\nCall-ID: " +
                          restante::test::uniqueToken() +
                          "\r\nCSeq: 1 MESSAGE\r\nContent-Length: 0\r\n\r\n";
        senders_[agent]->send(
            text, route, [this](const auto& response) { answers_.push_back(response.status); },
            [this](int status, const auto&) { late_.push_back(status); });
    }

    static constexpr std::uint32_t kMostConnections = 5;

    EpollLoop loop_;
    std::shared_ptr<AgentGroup> group_ = std::make_shared<AgentGroup>(kAgents);
    std::size_t took_ = kAgents;
    std::string flow_;
    std::vector<int> answers_;
    std::vector<int> late_;
    std::vector<std::unique_ptr<Agent>> agents_;
    std::vector<std::unique_ptr<RequestSender>> senders_;
};

TEST_F(OneOfSeveralAgents, sendsByAConnectionThatAnotherHas)
{
    SipSocket device{server(SipTransport::Tcp)};
    registerOver(device);
    for (std::size_t agent = 0; agent < kAgents; ++agent) {
        answers_.clear();
        send(agent, {.nextHop = "sip:192.0.2.1;transport=tcp", .flow = flow_, .onlyByFlow = true});
        const auto arrival = arrivalAt(device);
        ASSERT_TRUE(arrival) << "agent " << agent;
        device.answer(*arrival, arrival->message.answer(200, "OK").toString());
        ASSERT_TRUE(turnUntil([this] { return !answers_.empty(); }));
        EXPECT_EQ(answers_, std::vector{200});
    }
}

TEST_F(OneOfSeveralAgents, saysThatAConnectionHasEndedWhicheverHadIt)
{
    {
        SipSocket device{server(SipTransport::Tcp)};
        registerOver(device);
    }
    ASSERT_TRUE(turnUntil([this] {
        std::size_t all = 0;
        for (const auto& agent : agents_) {
            all += agent->connections();
        }
        return all == 0;
    }));
    for (std::size_t agent = 0; agent < kAgents; ++agent) {
        answers_.clear();
        send(agent, {.nextHop = "sip:192.0.2.1;transport=tcp", .flow = flow_, .onlyByFlow = true});
        ASSERT_TRUE(turnUntil([this] { return !answers_.empty(); }));
        EXPECT_EQ(answers_, std::vector{430});
    }
}

TEST_F(OneOfSeveralAgents, hearsALateAnswerToWhatAnotherHasSent)
{
    SipSocket device{server(SipTransport::Tcp)};
    registerOver(device);
    const auto other = (took_ + 1) % kAgents;
    send(other, {.nextHop = "sip:192.0.2.1;transport=tcp", .flow = flow_, .onlyByFlow = true});
    const auto arrival = arrivalAt(device);
    ASSERT_TRUE(arrival);
    ASSERT_TRUE(turnUntil([this] { return !answers_.empty(); }));
    EXPECT_EQ(answers_, std::vector{408});
    device.answer(*arrival, arrival->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([this] { return !late_.empty(); }));
    EXPECT_EQ(late_, std::vector{200});
}

TEST_F(OneOfSeveralAgents, hearsTheAnswerToItsDatagramWhicheverSocketTakesIt)
{
    // From many ports, and with a header before the Via: the kernel does not see whose it is.
    for (int i = 0; i < 24; ++i) {
        SipSocket device{server(SipTransport::Udp)};
        answers_.clear();
        send(static_cast<std::size_t>(i) % kAgents, {.nextHop = "sip:" + device.address()});
        const auto arrival = arrivalAt(device);
        ASSERT_TRUE(arrival);
        auto answer = arrival->message.answer(200, "OK");
        answer.headers.insert(answer.headers.begin(), {"Server", std::string(150, 'x')});
        device.answer(*arrival, answer.toString());
        ASSERT_TRUE(turnUntil([this] { return !answers_.empty(); }));
        EXPECT_EQ(answers_, std::vector{200});
    }
}

TEST_F(OneOfSeveralAgents, isToldThatNobodyTakesItsDatagram)
{
    std::string gone;
    {
        SipSocket device{server(SipTransport::Udp)};
        gone = device.address();
    }
    for (std::size_t agent = 0; agent < kAgents; ++agent) {
        answers_.clear();
        send(agent, {.nextHop = "sip:" + gone});
        ASSERT_TRUE(turnUntil([this] { return !answers_.empty(); }));
        EXPECT_EQ(answers_, std::vector{503}) << "408: nobody has told agent " << agent;
    }
}

TEST_F(OneOfSeveralAgents, takesTheSubscribesOfOneDialogWhereverTheyComeFrom)
{
    std::set<std::size_t> dialogs;
    for (int i = 0; i < 16; ++i) {
        std::set<std::size_t> met;
        const auto callId = restante::test::uniqueToken();
        for (int repeated = 0; repeated < 4; ++repeated) {
            met.insert(takerOfSubscribe(callId));
        }
        EXPECT_EQ(met.size(), 1U);
        dialogs.insert(*met.begin());
    }
    EXPECT_EQ(dialogs.size(), kAgents);
}

TEST_F(OneOfSeveralAgents, takesTheSubscribesOfOneDialogHoweverTheirCallIdIsFolded)
{
    // Longer than what a text holds without memory of its own.
    const std::string begin(100, 'c');
    for (int i = 0; i < 16; ++i) {
        std::set<std::size_t> met;
        const auto end = restante::test::uniqueToken();
        for (const auto& callId : {begin + " " + end, begin + "\r\n " + end}) {
            met.insert(takerOfSubscribe(callId));
        }
        EXPECT_EQ(met.size(), 1U);
    }
}

TEST_F(OneOfSeveralAgents, countsTheConnectionsOfAll)
{
    std::vector<std::unique_ptr<SipSocket>> devices;
    for (std::uint32_t i = 0; i < kMostConnections; ++i) {
        devices.push_back(std::make_unique<SipSocket>(server(SipTransport::Tcp)));
        registerOver(*devices.back());
    }
    SipSocket oneTooMany{server(SipTransport::Tcp)};
    oneTooMany.send(requestOf(oneTooMany, "REGISTER", "sip:example.com").toString());
    EXPECT_TRUE(turnUntil([&] {
        oneTooMany.receive(Millis{0});
        return oneTooMany.takeDisconnected();
    }));
}

}  // namespace
}  // namespace restante::sip
