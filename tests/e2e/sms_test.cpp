#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/kannel.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using testing::HasSubstr;

class Texts : public ::testing::Test {
protected:
    /// Ours: the daemon's own directory is there only once it runs.
    std::vector<std::string> gateway(const Kannel& kannel)
    {
        std::ofstream(directory_ / "password") << Kannel::kPassword << '\n';
        std::filesystem::permissions(directory_ / "password", std::filesystem::perms{0600});
        return {"sms.gateway=kannel", "sms.url=" + kannel.sendUrl(),
                std::string("sms.user=") + Kannel::kUser,
                "sms.password_file=" + (directory_ / "password").string(), "sms.from=12345"};
    }

    /// How long its lease still is, 0 when it has none.
    static Millis leaseOf(const Daemon& daemon, const std::string& id)
    {
        const auto shown = nlohmann::json::parse(daemon.control({"show", id, "--json"}).output);
        const bool leased = shown.value("state", "") == "leased";
        return Millis{leased ? shown["due_ms"].get<std::int64_t>() - toEpochMs(SystemClock{}.now())
                             : 0};
    }

    TempDir directory_;
};

TEST_F(Texts, arriveWhenTheyAreDue)
{
    Kannel kannel;
    Daemon daemon({.set = gateway(kannel)});
    const auto pushed = daemon.control(
        {"push", "news", "--channel", "sms", "--to", "+4917012345678", "--body", "Да"});
    ASSERT_EQ(pushed.status, 0) << pushed.errors;
    const auto reminded =
        daemon.control({"remind", "+4917012345678", "--in", "1s", "--text", "Grüße, bis 9 Uhr!"});
    ASSERT_EQ(reminded.status, 0) << reminded.errors;

    const auto arrived = kannel.arrived(2);
    ASSERT_EQ(arrived.size(), 2U) << daemon.process().allOutput();
    EXPECT_EQ(arrived[0].type, "ucs-2");
    EXPECT_EQ(arrived[1].to, "+4917012345678");
    EXPECT_EQ(arrived[1].text, "Grüße, bis 9 Uhr!");
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

TEST_F(Texts, waitForTheGatewayAndArriveWhenItIsBack)
{
    Kannel kannel(Kannel::Start::Later);
    Daemon daemon({.set = gateway(kannel)});
    ASSERT_EQ(daemon
                  .control({"push", "news", "--id", "n1", "--channel", "sms", "--to",
                            "+4917012345678", "--body", "Hello", "--retry", "0s,1s,1s,1s,1s,5s,5s"})
                  .status,
              0);
    ASSERT_TRUE(eventually(
        [&] {
            return daemon.control({"show", "n1"}).output.find("SMS gateway: ") != std::string::npos;
        },
        kProcessTimeout));
    kannel.start();
    EXPECT_EQ(kannel.arrived(1).size(), 1U);
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
}

TEST_F(Texts, thatNobodyCanSendAreNotStored)
{
    Kannel kannel(Kannel::Start::Later);
    Daemon daemon({.set = gateway(kannel)});
    const auto refused =
        daemon.control({"push", "news", "--channel", "sms", "--to", "bob", "--body", "Hello"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, HasSubstr("is not a phone number"));
    const auto tooLong = daemon.control({"push", "news", "--channel", "sms", "--to",
                                         "+4917012345678", "--body", std::string(2'000, 'x')});
    EXPECT_EQ(tooLong.status, 2);
    EXPECT_THAT(tooLong.errors, HasSubstr("sms.max_parts"));
    EXPECT_EQ(daemon.jobsInAll(), 0U);
}

TEST(Daemon, withoutAGatewayKeepsTheTextsOfASeriesForOneThatHasIt)
{
    Daemon daemon({.set = {"reminder.min_interval=1s"}});
    const auto reminded =
        daemon.control({"remind", "+4917012345678", "--every", "1s", "--text", "tick"});
    ASSERT_EQ(reminded.status, 0) << reminded.errors;
    // One of them is the series itself.
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() >= 3; }, kProcessTimeout))
        << daemon.process().allOutput();
}

TEST_F(Texts, areDoneWhenTheDeliveryReportHasCome)
{
    Kannel kannel;
    auto settings = gateway(kannel);
    settings.emplace_back("sms.delivery_reports=phone");
    // The fake phone takes everything at once, so what ends the job can only be its report.
    settings.emplace_back("retention.done=1h");
    Daemon daemon({.set = settings});
    const auto pushed = daemon.control({"push", "news", "--channel", "sms", "--to",
                                        "+4917012345678", "--body", "Hello", "--id", "a/b%2F"});
    ASSERT_EQ(pushed.status, 0) << pushed.errors;
    EXPECT_EQ(kannel.arrived(1).size(), 1U);
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["done"] == 1; }, kProcessTimeout))
        << daemon.control({"show", "a/b%2F"}).output << daemon.process().allOutput();
}

TEST_F(Texts, waitForTheirReportOverACrashOfTheDaemon)
{
    Kannel kannel;
    auto settings = gateway(kannel);
    settings.emplace_back("sms.delivery_reports=phone");
    settings.emplace_back("sms.report_url=http://127.0.0.1:1");  // the report gets lost
    settings.emplace_back("sms.timeout=3s");
    settings.emplace_back("sms.report_timeout=3s");
    Daemon daemon({.set = settings});
    ASSERT_EQ(daemon
                  .control({"push", "news", "--channel", "sms", "--to", "+4917012345678", "--body",
                            "Hello", "--id", "lost", "--ttr", "1s"})
                  .status,
              0);
    ASSERT_EQ(kannel.arrived(1).size(), 1U);
    // Once the gateway's answer is recorded the lease outlives every report; before that a crash
    // may send it again.
    ASSERT_TRUE(eventually([&] { return leaseOf(daemon, "lost") > Millis{std::chrono::hours{24}}; },
                           kProcessTimeout));
    daemon.kill9();
    daemon.start();
    ASSERT_TRUE(eventually([&] { return daemon.jobs()["dead"] == 1; }, kProcessTimeout))
        << daemon.control({"show", "lost"}).output << daemon.process().allOutput();
    EXPECT_THAT(daemon.control({"show", "lost"}).output, HasSubstr("no delivery report within 3s"));
    EXPECT_EQ(kannel.arrived(2, Millis{0}).size(), 1U) << "it was sent twice";
}

TEST(Daemon, doesNotStartWithAGatewayThatItCannotUse)
{
    const auto finished =
        run({{builtProgram("restanted").string(), "--set", "sip.listen=", "--set",
              "sms.gateway=kannel", "--set", "state_dir=" + TempDir().path().string()},
             {},
             {}});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, HasSubstr("sms.url"));
}

}  // namespace
}  // namespace restante::test
