#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <poll.h>
#include <regex>
#include <sys/socket.h>

namespace restante::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

/// The program with a state directory of its own and ports that the system chooses.
class Restanted : public ::testing::Test {
protected:
    std::vector<std::string> words(std::vector<std::string> more = {}) const
    {
        std::vector<std::string> all{builtProgram("restanted"),
                                     "--set",
                                     "state_dir=" + (directory_ / "state").string(),
                                     "--set",
                                     "sip.listen=127.0.0.1:0",
                                     "--set",
                                     "http.listen=127.0.0.1:0"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Finished finished(std::vector<std::string> more) const
    {
        return run({words(std::move(more)), {}, {}});
    }
    std::string write(const std::string& toml) const
    {
        std::ofstream(directory_ / "r.toml") << toml;
        return directory_ / "r.toml";
    }

    TempDir directory_;
};

TEST_F(Restanted, printsOneReadyLineAndNothingElseOnStandardOutput)
{
    Process daemon({words({"--set", "log.level=debug"}), {}, {}});
    ASSERT_TRUE(daemon.waitForLine("ready ")) << daemon.allOutput();
    daemon.signal(SIGTERM);

    EXPECT_EQ(daemon.waitForExit(), 0) << daemon.allOutput();
    EXPECT_THAT(
        daemon.output(),
        MatchesRegex("ready sip=udp:127\\.0\\.0\\.1:[1-9][0-9]*,tcp:127\\.0\\.0\\.1:[1-9][0-9]* "
                     "http=127\\.0\\.0\\.1:[1-9][0-9]* redis=unix:[^ ]*/state/redis/redis\\.sock "
                     "journal=sqlite:/[^ ]*/state/journal\\.db\n"));
}

TEST_F(Restanted, saysAtItsStartThatItTrustsEverybody)
{
    Process daemon(
        {words({"--set", "sip.listen=0.0.0.0:0", "--set", "sip.trusted=::ffff:10.0.0.0/8"}),
         {},
         {}});
    ASSERT_TRUE(daemon.waitForLine("ready ")) << daemon.allOutput();
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.waitForExit(), 0) << daemon.allOutput();
    EXPECT_THAT(daemon.errors(), HasSubstr("warning config: sip.trusted: ::/8 trusts everybody"));
}

TEST_F(Restanted, stopsItsRedisWhenItIsTold)
{
    for (const int number : {SIGTERM, SIGINT}) {
        Daemon daemon;
        ASSERT_GT(daemon.embeddedRedis(), 0);
        daemon.process().signal(number);
        EXPECT_EQ(daemon.process().waitForExit(), 0) << daemon.process().allOutput();
        EXPECT_EQ(daemon.embeddedRedis(), -1);
    }
}

TEST_F(Restanted, refusesAStateDirectoryThatIsInUse)
{
    Process first({words(), {}, {}});
    ASSERT_TRUE(first.waitForLine("ready ")) << first.allOutput();

    const auto second = finished({});

    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.output, IsEmpty());
    EXPECT_THAT(second.errors, AllOf(HasSubstr((directory_ / "state").string()),
                                     HasSubstr(std::to_string(first.id()))));
    first.signal(SIGTERM);
    EXPECT_EQ(first.waitForExit(), 0);
}

TEST_F(Restanted, refusesAPortThatIsTaken)
{
    Process first({words(), {}, {}});
    const auto ready = first.waitForLine("ready ");
    ASSERT_TRUE(ready) << first.allOutput();
    std::smatch port;
    ASSERT_TRUE(std::regex_search(*ready, port, std::regex("udp:127.0.0.1:([0-9]+)")));

    const TempDir other;
    const auto second =
        run({{builtProgram("restanted"), "--set", "state_dir=" + (other / "state").string(),
              "--set", "sip.listen=127.0.0.1:" + port[1].str()},
             {},
             {}});

    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.errors, HasSubstr(port[1].str()));
    EXPECT_THAT(second.output, IsEmpty());
    first.signal(SIGTERM);
    EXPECT_EQ(first.waitForExit(), 0);
}

TEST_F(Restanted, adoptsItsRedisAfterACrashAndKeepsItsJobs)
{
    Daemon daemon;
    const auto redis = daemon.embeddedRedis();
    ASSERT_EQ(
        daemon.control({"push", "order", "--body", "x", "--id", "kept", "--delay", "1h"}).status,
        0);
    daemon.kill9();
    EXPECT_EQ(daemon.embeddedRedis(), redis);

    daemon.start();

    EXPECT_EQ(daemon.embeddedRedis(), redis);
    EXPECT_EQ(daemon.control({"show", "kept"}).status, 0);
}

TEST_F(Restanted, keepsItsJobsOverAnOrderlyRestart)
{
    Daemon daemon;
    ASSERT_EQ(
        daemon.control({"push", "order", "--body", "x", "--id", "kept", "--delay", "1h"}).status,
        0);
    EXPECT_EQ(daemon.stop(), 0);
    daemon.start();
    EXPECT_EQ(daemon.control({"show", "kept"}).status, 0);
}

TEST_F(Restanted, revivesARedisThatWasKilled)
{
    Daemon daemon;
    ASSERT_EQ(
        daemon.control({"push", "order", "--body", "x", "--id", "kept", "--delay", "1h"}).status,
        0);
    const auto before = daemon.embeddedRedis();
    kill(before, SIGKILL);

    EXPECT_TRUE(eventually(
        [&] {
            const auto now = daemon.embeddedRedis();
            return now > 0 && now != before;
        },
        kProcessTimeout));
    EXPECT_TRUE(eventually(
        [&] {
            return daemon.control({"show", "kept"}).status == 0;
        },
        kProcessTimeout));
    EXPECT_TRUE(daemon.process().running());
}

TEST_F(Restanted, worksOnARedisOfSomebodyElse)
{
    RedisServer::Settings settings;
    settings.appendOnly = RedisServer::AppendOnly::Yes;
    RedisServer redis(settings);
    const auto url = "unix://" + redis.socketPath();
    Process daemon({words({"--set", "redis.url=" + url, "--set", "redis.prefix=mine"}), {}, {}});
    const auto ready = daemon.waitForLine("ready ");
    ASSERT_TRUE(ready) << daemon.allOutput();
    EXPECT_THAT(*ready, AllOf(HasSubstr("redis=unix:"), HasSubstr(redis.socketPath())));
    EXPECT_NE(redis.send({"EXISTS", "mine:meta"}).integer(), nullptr);

    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.waitForExit(), 0);
    EXPECT_EQ(*redis.send({"PING"}).text(), "PONG");
}

TEST_F(Restanted, refusesARedisThatEvicts)
{
    RedisServer::Settings settings;
    settings.extra = {"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"};
    RedisServer redis(settings);
    const auto result = finished({"--set", "redis.url=unix://" + redis.socketPath()});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.errors, AllOf(HasSubstr("allkeys-lru"), HasSubstr("noeviction")));
}

TEST_F(Restanted, refusesAnotherNumberOfShards)
{
    RedisServer redis;
    const auto url = "redis.url=unix://" + redis.socketPath();
    Process first({words({"--set", url, "--set", "redis.shards=2"}), {}, {}});
    ASSERT_TRUE(first.waitForLine("ready ")) << first.allOutput();
    first.signal(SIGTERM);
    ASSERT_EQ(first.waitForExit(), 0);

    const auto second = finished({"--set", url, "--set", "redis.shards=3"});
    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.errors, AllOf(HasSubstr("redis.shards"), HasSubstr("2"), HasSubstr("3")));
}

TEST_F(Restanted, saysThatRedisCannotBeReached)
{
    const auto result = finished({"--set", "redis.url=redis://127.0.0.1:1"});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.errors, HasSubstr("127.0.0.1:1"));
}

TEST_F(Restanted, endsWithoutAnErrorWhenItIsToldToWhileItStarts)
{
    // Takes connections, as a Redis that hangs does.
    const auto hanging = boundOnLoopback(SOCK_STREAM);
    ASSERT_EQ(::listen(hanging.socket.get(), 1), 0);
    const auto port = std::to_string(hanging.port);
    Process daemon({words({"--set", "redis.url=redis://127.0.0.1:" + port}), {}, {}});
    pollfd connection{hanging.socket.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&connection, 1, static_cast<int>(kProcessTimeout.count())), 1)
        << daemon.allOutput();
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.waitForExit(), 0) << daemon.allOutput();
    EXPECT_THAT(daemon.output(), IsEmpty());
}

TEST_F(Restanted, saysThatItCannotWriteItsStateDirectory)
{
    std::ofstream(directory_ / "file") << "in the way";
    const auto result = run({{builtProgram("restanted"), "--set",
                              "state_dir=" + (directory_ / "file" / "state").string()},
                             {},
                             {}});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.errors, HasSubstr((directory_ / "file").string()));
}

TEST_F(Restanted, reloadsWhatCanBeAndSaysWhatNeedsARestart)
{
    const auto file = write("[log]\nlevel = \"info\"\n");
    Process daemon({words({"--config", file}), {}, {}});
    ASSERT_TRUE(daemon.waitForLine("ready ")) << daemon.allOutput();

    write("[log]\nlevel = \"debug\"\n[redis]\nprefix = \"other\"\n");
    daemon.signal(SIGHUP);
    EXPECT_TRUE(daemon.waitForLine("redis.prefix")) << daemon.allOutput();
    EXPECT_THAT(daemon.errors(), AllOf(HasSubstr("log.level"), HasSubstr("restart")));

    write("[log]\nlevel = \"loud\"\n");
    daemon.signal(SIGHUP);
    EXPECT_TRUE(daemon.waitForLine(":2: log.level = \"loud\" is not allowed"))
        << daemon.allOutput();

    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.waitForExit(), 0);
}

TEST_F(Restanted, doesNotSayThatItHasReloadedWhatItCouldNot)
{
    const auto file = write("[log]\nlevel = \"info\"\n");
    Process daemon({words({"--config", file}), {}, {}});
    ASSERT_TRUE(daemon.waitForLine("ready ")) << daemon.allOutput();
    const auto absent = (directory_ / "absent").string();
    write("[log]\nlevel = \"debug\"\n[http]\ntoken_file = \"" + absent + "\"\n");
    daemon.signal(SIGHUP);
    // The last one that it tells; "not reloaded: " comes before it.
    EXPECT_TRUE(daemon.waitForLine(" reloaded: log.level")) << daemon.allOutput();
    EXPECT_THAT(daemon.errors(), HasSubstr(absent));
    EXPECT_THAT(daemon.errors(), HasSubstr(" reloaded: log.level\n"));
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.waitForExit(), 0);
}

TEST_F(Restanted, checksAConfigurationWithoutStartingAnything)
{
    const auto good = finished({"--config", write("[sip]\nregistrar = false\n"), "--check-config"});
    EXPECT_EQ(good.status, 0) << good.errors;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "state"));

    const auto file = write("[sip]\nregistrar = \"no\"\nlitsen = \"127.0.0.1:1\"\n");
    const auto bad = finished({"--config", file, "--check-config"});
    EXPECT_EQ(bad.status, 1);
    EXPECT_THAT(
        bad.errors,
        AllOf(HasSubstr(file + ":2: sip.registrar = no is not allowed; write true or false"),
              HasSubstr(file + ":3: unknown key sip.litsen; did you mean sip.listen?")));
}

TEST_F(Restanted, printsAConfigurationThatItTakesItself)
{
    const auto first = finished({"--set", "redis.prefix=mine", "--print-config"});
    ASSERT_EQ(first.status, 0) << first.errors;
    EXPECT_THAT(first.output, HasSubstr("prefix = \"mine\""));

    const auto second = run(
        {{builtProgram("restanted"), "--config", write(first.output), "--print-config"}, {}, {}});
    EXPECT_EQ(second.output, first.output);
}

TEST_F(Restanted, failsWhenWhatItPrintsCannotBeWritten)
{
    const auto restanted = "'" + builtProgram("restanted").string() + "' ";
    for (const auto* const option : {"--check-config", "--version"}) {
        const auto lost = run({{"sh", "-c", restanted + option + " > /dev/full"}, {}, {}});
        EXPECT_EQ(lost.status, 1) << option;
        EXPECT_THAT(lost.errors, HasSubstr("standard output cannot be written")) << option;
    }
}

TEST_F(Restanted, failsWhenTheEndOfItsConfigurationCannotBeWritten)
{
    constexpr std::size_t kBuffer = 4'096;    // of standard output to a file
    constexpr std::size_t kLimitBlock = 512;  // of ulimit -f
    const auto restanted = builtProgram("restanted").string();
    const auto size = run({{restanted, "--print-config"}, {}, {}}).output.size();
    ASSERT_NE(size % kBuffer, 0U) << "nothing stays in the buffer";
    const auto script = "trap '' XFSZ; ulimit -f " +
                        std::to_string(size / kBuffer * kBuffer / kLimitBlock) + "; '" + restanted +
                        "' --print-config > '" + (directory_ / "printed.toml").string() + "'";
    const auto lost = run({{"sh", "-c", script}, {}, {}});
    EXPECT_EQ(lost.status, 1);
    EXPECT_THAT(lost.errors, HasSubstr("standard output cannot be written"));
}

TEST_F(Restanted, answersVersionAndHelpWithZeroAndBadUsageWithTwo)
{
    const auto restanted = builtProgram("restanted").string();
    EXPECT_THAT(run({{restanted, "--version"}, {}, {}}).output, StartsWith("restanted "));
    EXPECT_EQ(run({{restanted, "--help"}, {}, {}}).status, 0);
    const auto unknown = run({{restanted, "--lisen", "x"}, {}, {}});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("--lisen"));
}

}  // namespace
}  // namespace restante::test
