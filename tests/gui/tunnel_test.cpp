// Through ssh: a real sshd, a real Redis, and each thing that can be wrong between them.

#include "gui/base/preferences.h"
#include "gui/session/connection_trial.h"
#include "gui/session/link_problem.h"
#include "gui/session/profile_store.h"
#include "tests/gui/support/open_session.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_server.h"
#include "tests/support/ssh_server.h"
#include "tests/support/tls_redis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace restante::gui::test {
namespace {

using restante::test::builtProgram;
using restante::test::Process;
using restante::test::ProgramPath;
using restante::test::RedisServer;
using restante::test::SshServer;
using restante::test::TempDir;
using restante::test::TlsRedis;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Phase = LinkState::Phase;

class TunnelledConnection : public testing::Test {
protected:
    TunnelledConnection() { makeStore(redis); }

    static void makeStore(const RedisServer& server)
    {
        server.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
    }
    ConnectionProfile through(const std::string& url) const
    {
        auto profile = redisProfile(url);
        profile.jumpHost = QString::fromStdString(ssh.address());
        return profile;
    }
    ConnectionProfile through() const { return through(redis.tcpUrl().toString()); }
    static std::string refusalOf(const ConnectionProfile& profile)
    {
        OpenedSession session(profile);
        EXPECT_EQ(session.settled(), Phase::Failed);
        return session.problem();
    }

    RedisServer redis{{.tcp = true, .extra = {}, .password = {}}};
    SshServer ssh;
    ProgramPath path{ssh.programs(), ProgramPath::Others::Too};
};

TEST_F(TunnelledConnection, leadsToAStoreAndEndsWithTheSession)
{
    {
        OpenedSession session(through());
        ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
        EXPECT_TRUE(session.link().writable);
        EXPECT_TRUE(
            session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); }));
        EXPECT_TRUE(session.answer<JobRows>(
            [&](auto reply) { session.source().page({}, std::move(reply)); }));
        EXPECT_EQ(ssh.clients(), 1U);
    }
    EXPECT_TRUE(until([&] { return ssh.clients() == 0; }));
}

TEST_F(TunnelledConnection, isOpenedAgainByItselfWhenItDies)
{
    OpenedSession session(through());
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    ssh.kill9();
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Lost; }));
    EXPECT_THAT(session.problem(), HasSubstr("The tunnel through " + ssh.address() + " was lost"));
    EXPECT_GT(session.link().retryInMs, 0);
    // Meanwhile nobody listens; that is worth another try.
    ASSERT_TRUE(
        until([&] { return session.problem().find("cannot be reached") != std::string::npos; }));
    EXPECT_EQ(session.link().phase, Phase::Lost);
    ssh.restart();
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Ready; })) << session.problem();
    EXPECT_TRUE(session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); }));
}

TEST_F(TunnelledConnection, comesBackWithARedisThatWasAway)
{
    OpenedSession session(through());
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    redis.kill9();
    ASSERT_TRUE(until([&] { return session.problem().find("behind") != std::string::npos; }))
        << session.problem();
    EXPECT_THAT(session.problem(), HasSubstr("nobody listens at " + redis.tcpUrl().location()));
    redis.restart();
    makeStore(redis);
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Ready; })) << session.problem();
}

TEST_F(TunnelledConnection, leadsToASocketOfTheJumpHost)
{
    namespace fs = std::filesystem;
    const std::string socket = redis.socketPath();
    // The server that carries us is perhaps another user.
    fs::permissions(fs::path(socket).parent_path(), fs::perms(0711));
    fs::permissions(socket, fs::perms(0777));
    OpenedSession session(through("unix://" + socket));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    EXPECT_THAT(refusalOf(through("unix:///nowhere/redis.sock")),
                HasSubstr("the socket /nowhere/redis.sock cannot be reached there"));
}

TEST_F(TunnelledConnection, checksTheCertificateByTheNameOfTheRealHost)
{
    TlsRedis::Settings settings;
    settings.names = {"DNS:localhost"};
    TlsRedis tls(settings);
    makeStore(tls.server());
    auto url = tls.url();
    url.host = "localhost";
    OpenedSession session(through(url.toString()));
    EXPECT_EQ(session.settled(), Phase::Ready) << session.problem();
    url.host = "127.0.0.1";
    EXPECT_THAT(refusalOf(through(url.toString())),
                HasSubstr("is for localhost, not for 127.0.0.1"));
    url.tls->serverName = "localhost";
    OpenedSession named(through(url.toString()));
    EXPECT_EQ(named.settled(), Phase::Ready) << named.problem();
}

TEST_F(TunnelledConnection, namesAKeyThatIsRefusedAndOneThatIsNotThere)
{
    ssh.configureClient(SshServer::KnownHostKey::Right, ssh.strangersKey());
    EXPECT_THAT(refusalOf(through()), HasSubstr("lets nobody in with the keys"));
    auto profile = through();
    profile.jumpKey = QStringLiteral("/nowhere/key");
    EXPECT_THAT(refusalOf(profile), HasSubstr("The key /nowhere/key cannot be read"));
    profile.jumpKey = QString::fromStdString(ssh.key().string());
    OpenedSession session(profile);
    EXPECT_EQ(session.settled(), Phase::Ready) << session.problem();
}

TEST_F(TunnelledConnection, namesAHostKeyThatIsUnknownAndOneThatHasChanged)
{
    ssh.configureClient(SshServer::KnownHostKey::None, ssh.key());
    EXPECT_THAT(refusalOf(through()), HasSubstr("does not know the key of " + ssh.address()));
    ssh.configureClient(SshServer::KnownHostKey::Wrong, ssh.key());
    EXPECT_THAT(refusalOf(through()), HasSubstr("shows another key than the one that ssh knows"));
}

TEST_F(TunnelledConnection, namesAJumpHostThatDoesNotListen)
{
    auto profile = through();
    profile.jumpHost = QStringLiteral("127.0.0.1:%1").arg(restante::test::freePort());
    EXPECT_THAT(refusalOf(profile), HasSubstr("cannot be reached: Connection refused"));
}

TEST_F(TunnelledConnection, namesATargetThatRefuses)
{
    const auto port = std::to_string(restante::test::freePort());
    EXPECT_THAT(refusalOf(through("redis://127.0.0.1:" + port)),
                HasSubstr("nobody listens at 127.0.0.1:" + port + " behind " + ssh.address()));
}

TEST_F(TunnelledConnection, namesAJumpHostThatForbidsIt)
{
    const SshServer strict("AllowTcpForwarding no\n");
    const ProgramPath strictPath(strict.programs(), ProgramPath::Others::Too);
    auto profile = through();
    profile.jumpHost = QString::fromStdString(strict.address());
    EXPECT_THAT(refusalOf(profile), HasSubstr("does not let it go on to"));
}

TEST_F(TunnelledConnection, namesAMissingSsh)
{
    const TempDir empty;
    const ProgramPath nothing(empty.path(), ProgramPath::Others::None);
    EXPECT_THAT(refusalOf(through()), HasSubstr("ssh cannot be started"));
}

TEST_F(TunnelledConnection, refusesWhatSshCouldTakeForAnOption)
{
    const TempDir directory;
    const auto mark = directory / "mark";
    auto profile = through();
    profile.jumpHost =
        QStringLiteral("-oProxyCommand=touch %1").arg(QString::fromStdString(mark.string()));
    EXPECT_THAT(refusalOf(profile), HasSubstr("is no host for a tunnel"));
    EXPECT_THAT(refusalOf(through("redis://-oProxyCommand=x:6379")),
                HasSubstr("cannot be the end of a tunnel"));
    EXPECT_FALSE(std::filesystem::exists(mark));
    EXPECT_EQ(ssh.clients(), 0U);
}

TEST_F(TunnelledConnection, isAStepOfItsOwnInTheTest)
{
    std::vector<LinkStep> steps;
    std::optional<bool> passed;
    ConnectionTrial trial(through(), {});
    QObject::connect(&trial, &ConnectionTrial::stepFinished, &trial,
                     [&](const LinkFinding& finding) { steps.push_back(finding.step); });
    QObject::connect(&trial, &ConnectionTrial::finished, &trial, [&](bool yes) { passed = yes; });
    ASSERT_TRUE(until([&] { return passed.has_value(); }));
    EXPECT_TRUE(*passed);
    EXPECT_THAT(steps,
                ElementsAre(LinkStep::Tunnel, LinkStep::Connect, LinkStep::Ping, LinkStep::Server,
                            LinkStep::Schema, LinkStep::Permissions, LinkStep::Journal));
}

TEST_F(TunnelledConnection, doesNotOutliveAConsoleThatIsKilled)
{
    const TempDir home;
    const auto file = home / "restante" / "admin.ini";
    std::filesystem::create_directory(file.parent_path());
    {
        Preferences preferences(QString::fromStdString(file.string()));
        ProfileStore profiles(preferences);
        const auto profile = through();
        profiles.save(profile);
        profiles.setLastOpened(profile.id);
    }
    Process console({{builtProgram("restante-admin")},
                     {{"XDG_CONFIG_HOME", home.path()},
                      {"XDG_RUNTIME_DIR", home.path()},
                      {"QT_QPA_PLATFORM", "offscreen"}},
                     home.path()});
    ASSERT_TRUE(until([&] { return ssh.clients() == 1; })) << console.allOutput();
    console.kill9();
    EXPECT_TRUE(until([&] { return ssh.clients() == 0; }));
}

}  // namespace
}  // namespace restante::gui::test
