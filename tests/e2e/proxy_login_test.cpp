// Restante in front of a real proxy that asks it for a password.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/kamailio.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <sys/stat.h>

namespace restante::test {

namespace {

using namespace std::chrono_literals;

constexpr auto kProxyPassword = "open sesame";

std::string nameOfAlgorithm(const ::testing::TestParamInfo<std::string>& info)
{
    return info.param == "MD5" ? "Md5" : "Sha256";
}

}  // namespace

class ProxyLoginTest : public ::testing::TestWithParam<std::string> {
protected:
    ProxyLoginTest()
    {
        Kamailio::Settings settings;
        settings.domain = kDomain;
        settings.configuration = sourceDirectory() / "tests/e2e/kamailio/login.cfg";
        settings.defines = {"PASSWORD=\"" + std::string(kProxyPassword) + "\"",
                            "ALGORITHM=\"" + GetParam() + "\""};
        kamailio_.start(settings);
    }
    Daemon::Settings withPassword(const std::string& password)
    {
        std::ofstream(file()) << password << "\n";
        EXPECT_EQ(::chmod(file().c_str(), 0600), 0);
        return {{"sip.proxy=sip:" + kamailio_.udp().hostPort(), "sip.proxy_user=restante",
                 "sip.proxy_password_file=" + file(), "sip.retry=0s,300ms,300ms,300ms"}};
    }
    std::string file() const { return directory_ / "password"; }

    TempDir directory_;
    Kamailio kamailio_;
};

TEST_P(ProxyLoginTest, deliversThroughAProxyThatAsksForAPassword)
{
    Daemon daemon(withPassword(kProxyPassword));
    SipPhone bob({"bob", kDomain, kamailio_.udp()});
    ASSERT_EQ(bob.registerFor(600s).status, 200);
    SipPhone alice({"alice", kDomain, daemon.udp()});
    for (const auto* body : {"one", "two", "three"}) {
        ASSERT_EQ(alice.say(bob.aor(), body), 202);
    }
    EXPECT_TRUE(bob.receive(3)) << kamailio_.log() << daemon.process().allOutput();
    EXPECT_THAT(bob.bodies(), ::testing::ElementsAre("one", "two", "three"));
    EXPECT_TRUE(bob.workUntil([&] { return daemon.jobsInAll() == 0; }));
    EXPECT_EQ(daemon.process().allOutput().find(kProxyPassword), std::string::npos);
}

TEST_P(ProxyLoginTest, keepsTheMessageWhileThePasswordIsWrong)
{
    Daemon daemon(withPassword("guess"));
    SipPhone bob({"bob", kDomain, kamailio_.udp()});
    ASSERT_EQ(bob.registerFor(600s).status, 200);
    SipPhone alice({"alice", kDomain, daemon.udp()});
    ASSERT_EQ(alice.say(bob.aor(), "one"), 202);
    EXPECT_TRUE(daemon.process().waitForLine("to our credentials"));
    EXPECT_EQ(daemon.jobsInAll(), 1U);
    EXPECT_TRUE(bob.received().empty());
}

TEST_P(ProxyLoginTest, complainsOnceASecondWhenEverythingIsRefused)
{
    const auto begun = std::chrono::steady_clock::now();
    Daemon daemon(withPassword("guess"));
    SipPhone alice({"alice", kDomain, daemon.udp()});
    constexpr std::size_t kRecipients = 40;
    for (std::size_t i = 0; i < kRecipients; ++i) {
        ASSERT_EQ(alice.say(Daemon::aor("bob" + std::to_string(i)), "one"), 202);
    }
    const std::string complaint = "has refused ";
    const auto complaints = [&] {
        const auto text = daemon.process().allOutput();
        std::size_t lines = 0;
        for (auto at = text.find(complaint); at != std::string::npos;
             at = text.find(complaint, at + 1)) {
            ++lines;
        }
        return lines;
    };
    ASSERT_TRUE(eventually([&] { return complaints() >= 2; }, kProcessTimeout));
    const auto lasted = std::chrono::steady_clock::now() - begun;
    const std::chrono::duration<double> seconds = lasted;
    EXPECT_LE(static_cast<double>(complaints()), seconds.count() + 2);
    EXPECT_EQ(daemon.jobsInAll(), kRecipients);
}

INSTANTIATE_TEST_SUITE_P(Kamailio,
                         ProxyLoginTest,
                         ::testing::Values(std::string("SHA-256"), std::string("MD5")),
                         nameOfAlgorithm);

}  // namespace restante::test
