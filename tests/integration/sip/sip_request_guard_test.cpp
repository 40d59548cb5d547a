#include "sipplugin/sofia/su_loop.h"
#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/thread_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace restante::sip::test {
namespace {

class Gate : public ::testing::Test {
protected:
    SipText askFor(const std::string& method, const std::string& to = "sip:example.com")
    {
        return ask(socket_, requestOf(socket_, method, to));
    }

    InboundServer server_;
    SipSocket socket_{server_.at(SipTransport::Udp)};
};

TEST_F(Gate, tellsOptionsWhatItTakes)
{
    const auto response = askFor("OPTIONS");
    EXPECT_EQ(response.status(), 200);
    EXPECT_EQ(response.header("Allow"), "MESSAGE, OPTIONS, REGISTER");
    EXPECT_EQ(response.header("Accept"), "*/*");
}

TEST_F(Gate, refusesOtherMethodsAndNamesThoseAllowed)
{
    for (const auto* method : {"INVITE", "SUBSCRIBE", "NOTIFY", "BYE", "WHATEVER"}) {
        const auto response = askFor(method);
        EXPECT_EQ(response.status(), 405) << method;
        EXPECT_EQ(response.header("Allow"), "MESSAGE, OPTIONS, REGISTER") << method;
    }
}

TEST_F(Gate, hasNothingToCancel)
{
    EXPECT_EQ(askFor("CANCEL", "sip:bob@example.com").status(), 481);
}

TEST_F(Gate, ignoresAck)
{
    ASSERT_TRUE(socket_.send(requestOf(socket_, "ACK", "sip:bob@example.com").toString()));
    EXPECT_EQ(askFor("OPTIONS").status(), 200) << "the first answer is that of OPTIONS";
}

TEST_F(Gate, servesItsOwnAddressesAndLocalhost)
{
    EXPECT_EQ(askFor("OPTIONS", "sip:127.0.0.1").status(), 200);
    EXPECT_EQ(askFor("OPTIONS", "sip:[::1]:5060").status(), 200);
    EXPECT_EQ(askFor("OPTIONS", "sip:localhost").status(), 200);
    EXPECT_EQ(askFor("OPTIONS", "sip:127.0.0.2").status(), 404);
}

TEST_F(Gate, dropsNoiseAndStaysUp)
{
    const std::vector<std::string> noises{
        "\r\n\r\n",        std::string(4, '\0'),     "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "MESSAGE\r\n\r\n", "SIP/2.0 200 OK\r\n\r\n", std::string(65'000, 'A')};
    for (const auto& noise : noises) {
        ASSERT_TRUE(socket_.send(noise));
    }
    EXPECT_EQ(askFor("OPTIONS").status(), 200);
}

/// What a list costs whose elements sofia counts one by one.
TEST_F(Gate, refusesALongListAtOnceAndHearsTheNext)
{
    const auto used = [this] {
        std::chrono::nanoseconds time{};
        server_.onLoop([&] { time = restante::test::threadTime(); });
        return time;
    };
    for (const auto& [transport, bytes] :
         {std::pair{SipTransport::Udp, 60'000}, std::pair{SipTransport::Tcp, 90'000}}) {
        for (const auto* name : {"Call-Info", "Privacy", "Accept-Contact"}) {
            SipSocket socket{server_.at(transport)};
            std::string list;
            while (list.size() < static_cast<std::size_t>(bytes)) {
                list += "a,";
            }
            auto request = requestOf(socket, "OPTIONS", "sip:example.com");
            request.headers.emplace_back(name, list + "a");
            const auto before = used();
            const auto response = ask(socket, request);
            EXPECT_EQ(response.status(), 400) << name;
            EXPECT_THAT(response.header("Warning"), ::testing::HasSubstr("256 values")) << name;
            EXPECT_EQ(askFor("OPTIONS").status(), 200) << name;
            EXPECT_LT(used() - before, std::chrono::milliseconds{200}) << name;
        }
    }
}

TEST_F(Gate, refusesMoreHeaderLinesThanARouteNeeds)
{
    const auto withLines = [this](int count) {
        auto request = requestOf(socket_, "OPTIONS", "sip:example.com");
        for (int i = 0; i < count; ++i) {
            request.headers.emplace_back("Record-Route", "<sip:a.example.com;lr>");
        }
        return request;
    };
    EXPECT_EQ(ask(socket_, withLines(255)).status(), 200);
    const auto refused = ask(socket_, withLines(1'100));
    EXPECT_EQ(refused.status(), 400);
    EXPECT_THAT(refused.header("Warning"), ::testing::HasSubstr("1024 header fields"));
}

TEST_F(Gate, refusesASecondHeaderOfWhichAMessageHasOne)
{
    for (const auto* name : {"Expires", "Subject", "User-Agent", "Date"}) {
        auto request = requestOf(socket_, "OPTIONS", "sip:example.com");
        const auto value = std::string(name) == "Date" ? "Sat, 13 Nov 2010 23:29:00 GMT" : "1";
        request.headers.emplace_back(name, value);
        EXPECT_EQ(ask(socket_, request).status(), 200) << name;
        auto again = requestOf(socket_, "OPTIONS", "sip:example.com");
        again.headers.emplace_back(name, value);
        again.headers.emplace_back(name, value);
        EXPECT_EQ(ask(socket_, again).status(), 400) << name << ": no phone of sofia takes it";
    }
    auto listed = requestOf(socket_, "OPTIONS", "sip:example.com");
    listed.headers.emplace_back("Call-Info", "<sip:a@example.com>");
    listed.headers.emplace_back("Call-Info", "<sip:b@example.com>");
    EXPECT_EQ(ask(socket_, listed).status(), 200);
}

TEST_F(Gate, withoutRegistrarDoesNotAllowRegister)
{
    auto settings = InboundServer::defaults();
    settings.registrar = false;
    InboundServer other{settings};
    SipSocket socket{other.at(SipTransport::Udp)};
    const auto response = ask(socket, requestOf(socket, "REGISTER", "sip:example.com"));
    EXPECT_EQ(response.status(), 405);
    EXPECT_EQ(response.header("Allow"), "MESSAGE, OPTIONS");
}

TEST(AgentOpen, namesThePortThatIsTakenAndWhatToDo)
{
    const InboundServer first;
    for (const auto transport : {SipTransport::Udp, SipTransport::Tcp}) {
        SuLoop loop;
        const auto port = first.at(transport).port;
        const auto both = socketsOf("127.0.0.1:" + std::to_string(port));
        const auto second = Agent::open(loop, {both}, [](auto) {});
        ASSERT_FALSE(second);
        EXPECT_THAT(second.error().message, ::testing::HasSubstr(std::to_string(port)));
        EXPECT_THAT(second.error().message, ::testing::HasSubstr("sip.listen"));
    }
}

TEST(AgentOpen, givesBothTransportsTheSameFreePort)
{
    const InboundServer server;
    EXPECT_NE(server.at(SipTransport::Udp).port, 0);
    EXPECT_EQ(server.at(SipTransport::Udp).port, server.at(SipTransport::Tcp).port);
}

}  // namespace
}  // namespace restante::sip::test
