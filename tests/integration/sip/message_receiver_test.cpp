#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>

namespace restante::sip::test {
namespace {

using restante::test::eventually;
using ::testing::HasSubstr;

struct Way {
    SipTransport transport;
    std::string host;
};

std::string titleOf(const Way& way)
{
    return std::string{way.transport == SipTransport::Udp ? "Udp" : "Tcp"} +
           (way.host == "::1" ? "6" : "4");
}
void PrintTo(const Way& way, std::ostream* out)
{
    *out << titleOf(way);
}

class MessageOver : public ::testing::TestWithParam<Way> {
protected:
    InboundServer server_;
    SipSocket socket_{server_.at(GetParam().transport, GetParam().host)};
};

TEST_P(MessageOver, isAcceptedWhenItIsStored)
{
    const std::string body{"a\0b\r\n\xff", 6};
    const auto response = ask(socket_, messageOf(socket_, kBobsAor, body));
    EXPECT_EQ(response.status(), 202);
    EXPECT_FALSE(response.has("Contact"));
    EXPECT_THAT(response.header("To"), HasSubstr(";tag="));
    const auto jobs = server_.stored();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].body, body);
    EXPECT_EQ(jobs[0].contentType, "text/plain;charset=UTF-8");
    EXPECT_EQ(jobs[0].recipient, kBobsAor);
}

TEST_P(MessageOver, isAnsweredTheSameWhenItIsSentAgain)
{
    const auto message = messageOf(socket_, kBobsAor, "once");
    const auto first = ask(socket_, message);
    const auto second = ask(socket_, message);
    EXPECT_EQ(first.status(), 202);
    EXPECT_EQ(second.status(), 202);
    EXPECT_EQ(first.header("To"), second.header("To"));
    EXPECT_EQ(server_.stored().size(), 1U);
}

TEST_P(MessageOver, ofManyIsStoredInOrder)
{
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(ask(socket_, messageOf(socket_, kBobsAor, std::to_string(i))).status(), 202);
    }
    const auto jobs = server_.stored();
    ASSERT_EQ(jobs.size(), 20U);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(jobs[static_cast<std::size_t>(i)].body, std::to_string(i));
    }
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         MessageOver,
                         ::testing::Values(Way{SipTransport::Udp, "127.0.0.1"},
                                           Way{SipTransport::Tcp, "127.0.0.1"},
                                           Way{SipTransport::Udp, "::1"},
                                           Way{SipTransport::Tcp, "::1"}),
                         [](const auto& way) { return titleOf(way.param); });

class Message : public ::testing::Test {
protected:
    void serve(const SipSettings& settings)
    {
        server_.emplace(settings);
        socket_.emplace(server_->at(SipTransport::Udp));
    }
    void SetUp() override { serve(InboundServer::defaults()); }

    SipText askWith(const SipText& message) { return ask(*socket_, message); }
    SipText message(const std::string& to = kBobsAor, std::string body = "hello")
    {
        return messageOf(*socket_, to, std::move(body));
    }
    void expectNothingStored() { EXPECT_EQ(server_->stored().size(), 0U); }

    std::optional<InboundServer> server_;
    std::optional<SipSocket> socket_;
};

TEST_F(Message, keepsItsOwnHeaders)
{
    auto one = message();
    one.set("Subject", "Hi  there").set("Priority", "urgent").set("In-Reply-To", "x@y");
    one.set("Date", "Sat, 13 Nov 2010 23:29:00 GMT");
    ASSERT_EQ(askWith(one).status(), 202);
    using Header = std::pair<std::string, std::string>;
    const auto jobs = server_->stored();
    ASSERT_EQ(jobs.size(), 1U);
    const auto& headers = jobs[0].headers;
    EXPECT_THAT(headers, ::testing::Contains(Header{"Subject", "Hi  there"}));
    EXPECT_THAT(headers, ::testing::Contains(Header{"Priority", "urgent"}));
    EXPECT_THAT(headers, ::testing::Contains(Header{"In-Reply-To", "x@y"}));
    EXPECT_THAT(headers, ::testing::Contains(Header{"Date", "Sat, 13 Nov 2010 23:29:00 GMT"}));
    EXPECT_THAT(headers, ::testing::Contains(Header{"From", "\"Alice\" <sip:alice@example.com>"}));
}

TEST_F(Message, comingByAnotherWayIsStoredOnce)
{
    auto one = message();
    ASSERT_EQ(askWith(one).status(), 202);
    one.set("Via", socket_->via("z9hG4bKanother"));
    EXPECT_EQ(askWith(one).status(), 202);
    EXPECT_EQ(server_->store().pushes(), 2U) << "the memory alone must not decide this";
    EXPECT_EQ(server_->stored().size(), 1U);
}

TEST_F(Message, sentAgainWhileTheStoreThinksIsPushedOnce)
{
    server_->store().keepSilent();
    const auto one = message().toString();
    ASSERT_TRUE(socket_->send(one));
    ASSERT_TRUE(eventually([&] { return server_->store().pushes() == 1; }));
    ASSERT_TRUE(socket_->send(one));
    EXPECT_EQ(ask(*socket_, requestOf(*socket_, "OPTIONS", "sip:example.com")).status(), 200);
    EXPECT_EQ(server_->inProgress(), 1U);
    server_->store().speak();
    const auto answer = socket_->receive(kTimeout);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->message.status(), 202);
    EXPECT_EQ(server_->store().pushes(), 1U);
}

class MessageToABrokenStore : public Message, public ::testing::WithParamInterface<ErrorCode> {};

TEST_P(MessageToABrokenStore, isNeverAccepted)
{
    server_->store().failWith(GetParam());
    const auto response = askWith(message());
    EXPECT_EQ(response.status(), 503);
    EXPECT_NE(response.header("Retry-After"), "");
    EXPECT_NE(response.header("Warning"), "");
    expectNothingStored();
}

INSTANTIATE_TEST_SUITE_P(Failures,
                         MessageToABrokenStore,
                         ::testing::Values(ErrorCode::Unavailable,
                                           ErrorCode::Full,
                                           ErrorCode::ReadOnly,
                                           ErrorCode::Loading,
                                           ErrorCode::Busy,
                                           ErrorCode::Denied),
                         [](const auto& way) { return std::string{name(way.param)}; });

TEST_F(Message, toAFullMailboxIsRefusedWithTheReason)
{
    auto settings = InboundServer::defaults();
    settings.mailbox.maxMessages = 1;
    serve(settings);
    ASSERT_EQ(askWith(message()).status(), 202);
    const auto response = askWith(message());
    EXPECT_EQ(response.status(), 480);
    EXPECT_THAT(response.header("Warning"), HasSubstr("full"));
    EXPECT_EQ(askWith(message("sip:carol@example.com")).status(), 202);
}

TEST_F(Message, fasterThanTheSendersPaceIsPutOff)
{
    auto settings = InboundServer::defaults();
    settings.limits.perSender = 1;
    serve(settings);
    // In one segment: apart, a busy machine may let a second pass between them.
    SipSocket tcp{server_->at(SipTransport::Tcp)};
    const auto first = messageOf(tcp, kBobsAor, "first");
    const auto second = messageOf(tcp, kBobsAor, "second");
    ASSERT_TRUE(tcp.send(first.toString() + second.toString()));
    std::map<std::string, SipText> answers;  // by Call-ID: a refusal need not wait for the store
    for (int i = 0; i < 2; ++i) {
        const auto answer = tcp.receive(kTimeout);
        ASSERT_TRUE(answer);
        answers[answer->message.header("Call-ID")] = answer->message;
    }
    EXPECT_EQ(answers[first.header("Call-ID")].status(), 202);
    const auto& response = answers[second.header("Call-ID")];
    EXPECT_EQ(response.status(), 480);
    EXPECT_EQ(response.header("Retry-After"), "1");
}

TEST_F(Message, thatATrustedServerForwardsCountsForItsOwnSender)
{
    auto settings = InboundServer::defaults();
    settings.limits.perSender = 1;
    serve(settings);
    for (int i = 0; i < 20; ++i) {
        auto one = message();
        one.set("From", "<sip:user" + std::to_string(i) + "@example.com>;tag=t");
        ASSERT_EQ(askWith(one).status(), 202) << i;
    }
}

TEST_F(Message, withoutBodyIsStored)
{
    auto one = message(kBobsAor, "");
    one.remove("Content-Type");
    EXPECT_EQ(askWith(one).status(), 202);
    EXPECT_EQ(server_->stored().size(), 1U);
}

TEST_F(Message, withABodyOverTheLimitIsTooLarge)
{
    auto settings = InboundServer::defaults();
    settings.maxBody = 100;
    serve(settings);
    EXPECT_EQ(askWith(message(kBobsAor, std::string(101, 'x'))).status(), 413);
    EXPECT_EQ(askWith(message(kBobsAor, std::string(100, 'x'))).status(), 202);
    EXPECT_EQ(server_->stored().size(), 1U);
}

TEST_F(Message, ofFortyKilobytesIsStored)
{
    EXPECT_EQ(askWith(message(kBobsAor, std::string(40'000, 'x'))).status(), 202);
}

TEST_F(Message, thatIsComposingIsRelayedAndNotStored)
{
    auto one = message();
    one.set("Content-Type", "application/im-iscomposing+xml");
    server_->forwarder().status = 200;
    EXPECT_EQ(askWith(one).status(), 200);
    EXPECT_EQ(server_->forwarder().relayed().size(), 1U);
    expectNothingStored();
}

TEST_F(Message, thatExpiresAtOnceIsRelayedAndNotStored)
{
    auto one = message();
    one.set("Expires", "0");
    server_->forwarder().status = 480;
    EXPECT_EQ(askWith(one).status(), 480);
    EXPECT_EQ(server_->forwarder().relayed().size(), 1U);
    expectNothingStored();
}

TEST_F(Message, thatHasExpiredIsNotStored)
{
    auto one = message();
    one.set("Expires", "60").set("Date", "Sat, 13 Nov 2010 23:29:00 GMT");
    EXPECT_EQ(askWith(one).status(), 480);
    EXPECT_EQ(server_->forwarder().relayed().size(), 0U);
    expectNothingStored();
}

TEST_F(Message, thatIsOurOwnDeliveryComeBackIsNotStored)
{
    auto one = message();
    one.set("X-Restante-Job", "0ABC");
    EXPECT_EQ(askWith(one).status(), 480);
    expectNothingStored();
}

struct BadMessage {
    std::string name;
    int status;
    std::function<void(SipText&)> spoil;
};

void PrintTo(const BadMessage& bad, std::ostream* out)
{
    *out << bad.name;
}

class SpoiltMessage : public Message, public ::testing::WithParamInterface<BadMessage> {};

TEST_P(SpoiltMessage, isRefusedAndNotStored)
{
    auto one = message();
    GetParam().spoil(one);
    EXPECT_EQ(askWith(one).status(), GetParam().status);
    expectNothingStored();
}

const std::vector<BadMessage> kBadMessages{
    {"bodyWithoutType", 400, [](SipText& m) { m.remove("Content-Type"); }},
    {"nonsenseType", 400, [](SipText& m) { m.set("Content-Type", "nonsense"); }},
    {"foreignDomain", 404,
     [](SipText& m) { m.startLine = "MESSAGE sip:bob@elsewhere.org SIP/2.0"; }},
    {"noUser", 404, [](SipText& m) { m.startLine = "MESSAGE sip:example.com SIP/2.0"; }},
    {"telephone", 416, [](SipText& m) { m.startLine = "MESSAGE tel:+15551234 SIP/2.0"; }},
    {"noHopsLeft", 483, [](SipText& m) { m.set("Max-Forwards", "0"); }},
    {"tooManyHops", 400, [](SipText& m) { m.set("Max-Forwards", "256"); }},
    {"unknownExtension", 420, [](SipText& m) { m.set("Require", "nothingSupportsThis"); }},
    {"proxyExtension", 420, [](SipText& m) { m.set("Proxy-Require", "noProxiesSupportThis"); }},
    {"otherMethodInCSeq", 400, [](SipText& m) { m.set("CSeq", "1 INVITE"); }},
    {"badDate", 400, [](SipText& m) { m.set("Date", "Fri, 01 Jan 2010 16:00:00 EST"); }},
    {"badExpires", 400, [](SipText& m) { m.set("Expires", "-1"); }},
    {"badFrom", 400, [](SipText& m) { m.set("From", "\"Mr <sip:a@b>;tag=1"); }},
    {"noCallId", 400, [](SipText& m) { m.remove("Call-ID"); }},
};

INSTANTIATE_TEST_SUITE_P(Ways, SpoiltMessage, ::testing::ValuesIn(kBadMessages), [](const auto& i) {
    return i.param.name;
});

TEST_F(Message, namesTheExtensionThatIsMissing)
{
    auto one = message();
    one.set("Require", "path, foo");
    EXPECT_EQ(askWith(one).header("Unsupported"), "path, foo");
}

TEST_F(Message, ofAnUntrustedAddressIsForbidden)
{
    auto settings = InboundServer::defaults();
    settings.trusted = {Network::parse("192.0.2.0/24").value()};
    serve(settings);
    EXPECT_EQ(askWith(message()).status(), 403);
    expectNothingStored();
}

TEST_F(Message, beyondWhatTheAgentCanHoldIsPutOff)
{
    server_->store().keepSilent();
    std::optional<SipSocket::Arrival> refused;
    // As many as it takes: the kernel drops some of a flood.
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!refused && std::chrono::steady_clock::now() < enough) {
        ASSERT_TRUE(socket_->send(message().toString()));
        refused = socket_->receive(Millis{0});
    }
    ASSERT_TRUE(refused) << server_->inProgress() << " under way";
    EXPECT_EQ(refused->message.status(), 503);
    EXPECT_NE(refused->message.header("Retry-After"), "");
    EXPECT_LE(server_->inProgress(), 2'000U);
    server_->store().speak();
    EXPECT_TRUE(eventually([&] { return server_->inProgress() == 0; }));
}

TEST_F(Message, twoInOneTcpSegmentAreAnsweredInOrder)
{
    SipSocket tcp{server_->at(SipTransport::Tcp)};
    const auto one = messageOf(tcp, kBobsAor, "one");
    const auto two = messageOf(tcp, kBobsAor, "two");
    ASSERT_TRUE(tcp.send(one.toString() + two.toString()));
    for (const auto* sent : {&one, &two}) {
        const auto answer = tcp.receive(kTimeout);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->message.status(), 202);
        EXPECT_EQ(answer->message.header("Call-ID"), sent->header("Call-ID"));
    }
}

TEST_F(Message, inManyTcpSegmentsIsOneMessage)
{
    SipSocket tcp{server_->at(SipTransport::Tcp)};
    const auto bytes = messageOf(tcp, kBobsAor, "in pieces").toString();
    for (std::size_t i = 0; i < bytes.size(); i += 7) {
        ASSERT_TRUE(tcp.send(std::string_view{bytes}.substr(i, 7)));
    }
    const auto answer = tcp.receive(kTimeout);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->message.status(), 202);
    EXPECT_EQ(server_->stored().at(0).body, "in pieces");
}

TEST_F(Message, amongManyWrittenAtOnceOverTcpIsAnsweredLikeAnyOther)
{
    // Far more bytes than one message may have, so that the server finds many at each reading.
    constexpr std::size_t kMany = 300;
    SipSocket tcp{server_->at(SipTransport::Tcp)};
    std::string bytes;
    for (std::size_t i = 0; i < kMany; ++i) {
        bytes += messageOf(tcp, kBobsAor, std::string(2'000, 'x')).toString();
    }
    ASSERT_TRUE(tcp.send(bytes));
    for (std::size_t i = 0; i < kMany; ++i) {
        const auto answer = tcp.receive(kTimeout);
        ASSERT_TRUE(answer) << i;
        ASSERT_EQ(answer->message.status(), 202) << i;
    }
    EXPECT_EQ(server_->store().pushes(), kMany);
}

TEST_F(Message, whoseConnectionHasGoneIsStoredAllTheSame)
{
    server_->store().keepSilent();
    {
        SipSocket tcp{server_->at(SipTransport::Tcp)};
        ASSERT_TRUE(tcp.send(messageOf(tcp, kBobsAor, "and gone").toString()));
        ASSERT_TRUE(eventually([&] { return server_->store().pushes() == 1; }));
    }
    server_->store().speak();
    EXPECT_TRUE(eventually([&] { return server_->inProgress() == 0; }));
    EXPECT_EQ(server_->stored().size(), 1U);
    EXPECT_EQ(askWith(message()).status(), 202);
}

TEST_F(Message, whoseRestDoesNotComeCostsItsConnection)
{
    SipSocket tcp{server_->at(SipTransport::Tcp)};
    const auto bytes = messageOf(tcp, kBobsAor, "half").toString();
    ASSERT_TRUE(tcp.send(std::string_view{bytes}.substr(0, bytes.size() / 2)));
    EXPECT_TRUE(eventually(
        [&] {
            tcp.receive(Millis{0});
            return tcp.takeDisconnected();
        },
        Millis{20'000}));
    expectNothingStored();
}

TEST_F(Message, overTcpOverTheLimitOfTheAgentIsRefused)
{
    SipSocket tcp{server_->at(SipTransport::Tcp)};
    const auto response = ask(tcp, messageOf(tcp, kBobsAor, std::string(400'000, 'x')));
    EXPECT_EQ(response.status(), 413);
    expectNothingStored();
    EXPECT_EQ(askWith(message()).status(), 202);
}

TEST_F(Message, ofUdpWhoseLengthIsMissingIsNotStored)
{
    auto bytes = message().toString();
    bytes.resize(bytes.size() - 2);  // shorter than Content-Length says
    ASSERT_TRUE(socket_->send(bytes));
    const auto answer = socket_->receive(kTimeout);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->message.status(), 400);
    expectNothingStored();
}

TEST_F(Message, ofUdpWithBytesAfterItsLengthLosesThem)
{
    ASSERT_TRUE(socket_->send(message(kBobsAor, "hello").toString() + "trailing"));
    ASSERT_TRUE(socket_->receive(kTimeout));
    EXPECT_EQ(server_->stored().at(0).body, "hello");
}

}  // namespace
}  // namespace restante::sip::test
