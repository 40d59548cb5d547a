#include "sipplugin/sofia/su_loop.h"
#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/sip_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    ASSERT_TRUE(socket_.send(requestOf(socket_, "ACK", "sip:bob@example.com").print()));
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
        const auto both = parseListen("127.0.0.1:" + std::to_string(port)).value();
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
