// The recipe of docs/other-servers.md for any server, which sipp plays: it stores what it cannot
// deliver, answers 404 for whoever is away, and tells of a registration in one of two ways.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/real_peers.h"
#include "tests/support/sip_path.h"

#include <gtest/gtest.h>

#include <memory>

namespace restante::test {

namespace {

/// A server that listens before there is a Restante to talk to.
class AnyServer : public ::testing::TestWithParam<SipPath> {
protected:
    void SetUp() override
    {
        if (skipsWithout(GetParam())) {
            return;
        }
        constexpr std::uint16_t kNobody = 1;
        const SipServer none{GetParam().transport, GetParam().host(), kNobody};
        server_ = std::make_unique<Sipp>(scenario("away_then_deliver", none));
        daemon_ = std::make_unique<Daemon>(Daemon::Settings{
            {"sip.proxy=sip:" + server_->contact(), "sip.retry=0s,10m"}, GetParam().host()});
    }
    static Sipp::Settings scenario(std::string name, SipServer server)
    {
        Sipp::Settings settings;
        settings.scenario = std::move(name);
        settings.server = std::move(server);
        return settings;
    }
    SipServer restante() const { return daemon_->server(GetParam().transport); }
    /// The message is kept: it has been offered once, and nobody was there.
    void storeForBob()
    {
        Sipp sender(scenario("store", restante()));
        ASSERT_TRUE(sender.succeeds()) << sender.log();
        ASSERT_TRUE(eventually([this] { return attempts() == "1"; }, kProcessTimeout))
            << daemon_->process().allOutput();
    }
    std::string attempts() const
    {
        const auto listed = daemon_->control({"list", "--json"});
        const auto at = listed.output.find("\"attempt\":");
        return at == std::string::npos ? "" : listed.output.substr(at + 10, 1);
    }
    void isDelivered()
    {
        EXPECT_TRUE(server_->succeeds()) << server_->log();
        EXPECT_TRUE(eventually([this] { return daemon_->jobsInAll() == 0; }, kProcessTimeout));
    }

    std::unique_ptr<Sipp> server_;
    std::unique_ptr<Daemon> daemon_;
};

}  // namespace

TEST_P(AnyServer, copiesARegister)
{
    storeForBob();
    auto copy = scenario("register", restante());
    copy.more = {"-key", "contact", SipServer{SipTransport::Udp, GetParam().host(), 9}.hostPort()};
    Sipp registration(copy);
    EXPECT_TRUE(registration.succeeds()) << registration.log();
    isDelivered();
}

TEST_P(AnyServer, callsAUrl)
{
    storeForBob();
    const auto told = HttpClient(daemon_->httpPort())
                          .ask("POST", "/v1/registrations", R"({"aor":"sip:bob@restante.test"})");
    EXPECT_EQ(told.status, 200) << told.body;
    isDelivered();
}

INSTANTIATE_TEST_SUITE_P(Over,
                         AnyServer,
                         ::testing::ValuesIn(kPathsWithoutTls),
                         ::testing::PrintToStringParamName());

}  // namespace restante::test
