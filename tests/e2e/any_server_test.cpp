// The recipe of docs/other-servers.md for any server, which sipp plays: it stores what it cannot
// deliver, answers 404 for whoever is away, and tells of a registration in one of two ways.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/real_peers.h"

#include <gtest/gtest.h>

namespace restante::test {

namespace {

/// A server that listens before there is a Restante to talk to.
class AnyServer : public ::testing::TestWithParam<SipTransport> {
protected:
    AnyServer() : server_(scenario("away_then_deliver", GetParam(), "127.0.0.1:1")) {}

    static Sipp::Settings
    scenario(std::string name, SipTransport transport, const std::string& hostPort)
    {
        const auto colon = hostPort.find(':');
        Sipp::Settings settings;
        settings.scenario = std::move(name);
        settings.server = {transport, hostPort.substr(0, colon),
                           static_cast<std::uint16_t>(std::stoul(hostPort.substr(colon + 1)))};
        return settings;
    }
    /// The message is kept: it has been offered once, and nobody was there.
    void storeForBob()
    {
        Sipp sender(scenario("store", GetParam(), daemon_.udp().hostPort()));
        ASSERT_TRUE(sender.succeeds()) << sender.log();
        ASSERT_TRUE(eventually([this] { return attempts() == "1"; }, kProcessPatience))
            << daemon_.process().everything();
    }
    std::string attempts() const
    {
        const auto listed = daemon_.control({"list", "--json"});
        const auto at = listed.output.find("\"attempt\":");
        return at == std::string::npos ? "" : listed.output.substr(at + 10, 1);
    }
    void isDelivered()
    {
        EXPECT_TRUE(server_.succeeds()) << server_.log();
        EXPECT_TRUE(eventually([this] { return daemon_.jobsInAll() == 0; }, kProcessPatience));
    }

    Sipp server_;
    Daemon daemon_{{{"sip.proxy=sip:" + server_.contact(), "sip.retry=0s,10m"}}};
};

}  // namespace

TEST_P(AnyServer, copiesARegister)
{
    storeForBob();
    auto copy = scenario("register", GetParam(), daemon_.udp().hostPort());
    copy.more = {"-key", "contact", "127.0.0.1:9"};
    Sipp registration(copy);
    EXPECT_TRUE(registration.succeeds()) << registration.log();
    isDelivered();
}

TEST_P(AnyServer, callsAUrl)
{
    storeForBob();
    const auto told = HttpClient(daemon_.httpPort())
                          .ask("POST", "/v1/registrations", R"({"aor":"sip:bob@restante.test"})");
    EXPECT_EQ(told.status, 200) << told.body;
    isDelivered();
}

INSTANTIATE_TEST_SUITE_P(Over,
                         AnyServer,
                         ::testing::Values(SipTransport::Udp, SipTransport::Tcp),
                         ::testing::PrintToStringParamName());

}  // namespace restante::test
