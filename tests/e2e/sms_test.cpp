#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/kannel.h"

#include <gmock/gmock.h>

#include <fstream>

namespace restante::test {
namespace {

using testing::HasSubstr;

class Texts : public ::testing::Test {
protected:
    /// Ours: the daemon's own directory is there only once it runs.
    std::vector<std::string> gateway(const Kannel& kannel)
    {
        std::ofstream(directory_ / "password") << Kannel::kPassword << '\n';
        return {"sms.gateway=kannel", "sms.url=" + kannel.sendUrl(),
                std::string("sms.user=") + Kannel::kUser,
                "sms.password_file=" + (directory_ / "password").string(), "sms.from=12345"};
    }

    TempDir directory_;
};

TEST_F(Texts, arriveWhenTheyAreDue)
{
    Kannel kannel;
    Daemon daemon({.set = gateway(kannel)});
    const auto reminded =
        daemon.control({"remind", "+4917012345678", "--in", "1s", "--text", "Grüße, bis 9 Uhr!"});
    ASSERT_EQ(reminded.status, 0) << reminded.errors;
    const auto pushed = daemon.control(
        {"push", "news", "--channel", "sms", "--to", "+4917012345678", "--body", "Да"});
    ASSERT_EQ(pushed.status, 0) << pushed.errors;

    const auto arrived = kannel.arrived(2);
    ASSERT_EQ(arrived.size(), 2U) << daemon.process().everything();
    EXPECT_EQ(arrived[0].type, "ucs-2");
    EXPECT_EQ(arrived[1].to, "+4917012345678");
    EXPECT_EQ(arrived[1].text, "Grüße, bis 9 Uhr!");
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessPatience));
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
        kProcessPatience));
    kannel.start();
    EXPECT_EQ(kannel.arrived(1).size(), 1U);
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessPatience));
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
