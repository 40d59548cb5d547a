// Users who are asked for a password, with clients that people use.

#include "core/journal/sql/sql_session.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/real_peers.h"
#include "tests/support/sip_login.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sys/stat.h>

namespace restante::test {

namespace {

using ::testing::HasSubstr;

constexpr auto kUserPassword = "correct-horse";

Finished sipUser(const std::string& user, const std::string& password)
{
    Process process({{builtProgram("restantectl"), "sip-user", user, kDomain}, {}, {}});
    process.write(password + "\n");
    process.closeInput();
    const auto status = process.waitForExit().value_or(-1);
    return {status, process.output(), process.errors()};
}

}  // namespace

class LoginTest : public ::testing::Test {
protected:
    static void writeUsers(const std::filesystem::path& file,
                           std::initializer_list<const char*> users)
    {
        std::ofstream stream(file);
        EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
        for (const auto* user : users) {
            const auto made = sipUser(user, kUserPassword);
            EXPECT_EQ(made.status, 0) << made.errors;
            stream << made.output;
        }
    }
    /// Trusts a network that none of us is in.
    Daemon::Settings settings(std::vector<std::string> more = {})
    {
        writeUsers(users(), {"alice", "bob"});
        std::vector<std::string> set{"sip.trusted=192.0.2.0/24",
                                     "sip.auth.users=" + users().string()};
        set.insert(set.end(), more.begin(), more.end());
        return {set};
    }
    std::filesystem::path users() const { return directory_ / "users"; }
    /// The status of a MESSAGE from `user` that answers the challenge.
    static int say(Daemon& daemon, const std::string& user)
    {
        SipPhone phone({user, kDomain, daemon.udp()});
        const auto request = phone.message(Daemon::aor("carol"), "hello");
        const auto refused = phone.ask(request);
        EXPECT_EQ(refused.status, 401);
        return phone.ask(SipLogin{user, kUserPassword}.repeated(request, refused.response)).status;
    }

    TempDir directory_;
};

TEST_F(LoginTest, letsSippStoreWithAPassword)
{
    Daemon daemon(settings({"sip.auth.sha256=false", "sip.auth.md5=true"}));
    for (const auto& server : {daemon.udp(), daemon.tcp()}) {
        Sipp::Settings sender;
        sender.scenario = "store_with_login";
        sender.server = server;
        sender.calls = 10;
        sender.more = {"-ap", kUserPassword, "-auth_uri", "bob@restante.test"};
        Sipp sipp(sender);
        EXPECT_TRUE(sipp.succeeds()) << sipp.log();
    }
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["held"] == 20; }, kProcessTimeout));
}

TEST_F(LoginTest, letsLinphoneRegisterAndWriteWithSha256Alone)
{
    Daemon daemon(settings());
    ASSERT_EQ(say(daemon, "alice"), 202);
    const auto phone = makePhone(Brand::Linphone, {"bob", "alice", daemon.udp(), kUserPassword});
    phone->say("it is me");
    EXPECT_TRUE(eventually(
        [&] {
            const auto listed = daemon.control({"list", "--json"}).output;
            return listed.find("sip:bob@") != std::string::npos;
        },
        kProcessTimeout))
        << phone->log();
    phone->hangUp();
}

TEST_F(LoginTest, letsBaresipRegisterAndReceiveWithMd5)
{
    Daemon daemon(settings({"sip.auth.sha256=false", "sip.auth.md5=true"}));
    auto alice = SipPhone({"alice", kDomain, daemon.udp()});
    const auto request = alice.message(Daemon::aor("bob"), "the key is under the doormat");
    const auto refused = alice.ask(request);
    ASSERT_EQ(refused.status, 401);
    const SipLogin login{"alice", kUserPassword, "MD5"};
    ASSERT_EQ(alice.ask(login.repeated(request, refused.response)).status, 202);

    const auto bob = makePhone(Brand::Baresip, {"bob", "alice", daemon.udp(), kUserPassword});
    EXPECT_TRUE(bob->shows("alice", "the key is under the doormat")) << bob->log();
    bob->hangUp();
}

TEST_F(LoginTest, knowsANewUserAfterASignalAndKeepsTheOldOnesWhenTheFileIsWrong)
{
    Daemon daemon(settings());
    writeUsers(users(), {"alice", "bob", "dave"});
    daemon.process().signal(SIGHUP);
    ASSERT_TRUE(daemon.process().waitForLine("reloaded"));
    EXPECT_EQ(say(daemon, "dave"), 202);

    std::ofstream(users()) << "nonsense\n";
    daemon.process().signal(SIGHUP);
    ASSERT_TRUE(daemon.process().waitForLine("line 1 "));
    EXPECT_EQ(say(daemon, "dave"), 202);
}

TEST_F(LoginTest, findsItsUsersInTheJournalsDatabase)
{
    Daemon daemon({{"sip.trusted=192.0.2.0/24", "sip.auth.sql=journal"}});
    EXPECT_EQ(say(daemon, "alice"), 401) << "nobody is in the table, which is made now";
    const auto line = SipLogin{"alice", kUserPassword}.userLine(kDomain);
    const auto url = "sqlite://" + (daemon.directory() / "state/journal.db").string();
    journal::SqlSession(journal::parseJournalUrl(url).value())
        .execute("INSERT INTO restante_user (name, realm, sha256) VALUES ('alice', '" +
                 std::string(kDomain) + "', '" + line.substr(line.rfind(':') + 1) + "')");
    daemon.process().signal(SIGHUP);
    ASSERT_TRUE(daemon.process().waitForLine("reloaded"));
    EXPECT_EQ(say(daemon, "alice"), 202);
    EXPECT_EQ(say(daemon, "bob"), 401);
}

TEST_F(LoginTest, doesNotStartWithAFileThatEverybodyCanRead)
{
    const auto given = settings();
    ASSERT_EQ(::chmod(users().c_str(), 0644), 0);
    auto refused = std::string{};
    try {
        Daemon daemon(given);
    } catch (const std::exception& problem) {
        refused = problem.what();
    }
    EXPECT_THAT(refused, HasSubstr("can be read by everybody"));
}

TEST_F(LoginTest, hasItsLinesFromRestantectl)
{
    const auto made = sipUser("alice", kUserPassword);
    EXPECT_EQ(made.status, 0);
    EXPECT_THAT(made.output, HasSubstr(SipLogin{"alice", kUserPassword}.userLine(kDomain) + "\n"));
    EXPECT_THAT(made.output,
                HasSubstr(SipLogin{"alice", kUserPassword, "MD5"}.userLine(kDomain) + "\n"));
    EXPECT_EQ(sipUser("alice", "").status, 2);
    EXPECT_EQ(sipUser("al:ice", kUserPassword).status, 2);
    EXPECT_EQ(sipUser("al ice", kUserPassword).status, 2);
}

}  // namespace restante::test
