// kill -9 at random moments while people write to each other. The oracle: whatever was answered
// 2xx arrives, in order; what arrives twice was in flight at a kill and has the same Call-ID.

#include "tests/fault/load.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <csignal>

namespace restante::test {

namespace {

constexpr int kKillRounds = 8;

enum class Victim { Daemon, Redis, Both };

struct KillScene {
    const char* name;
    Victim victim;
    const char* setting;
};

std::ostream& operator<<(std::ostream& out, const KillScene& scene)
{
    return out << scene.name;
}

Millis between(std::mt19937& random, int low, int high)
{
    return Millis{std::uniform_int_distribution(low, high)(random)};
}

void killRedis(const Daemon& daemon)
{
    if (const auto redis = daemon.embeddedRedis(); redis > 0) {
        ::kill(redis, SIGKILL);
    }
}

/// Kills, lets the people talk to nobody for a moment, and brings back what does not come back by
/// itself.
void strike(Daemon& daemon, Load& load, Victim victim)
{
    if (victim != Victim::Daemon) {
        killRedis(daemon);
    }
    if (victim != Victim::Redis) {
        daemon.kill9();
        load.run(between(load.random(), 0, 300));
        daemon.launch();
    }
}

void expectNothingLost(Daemon& daemon, const Load& load, std::size_t strikes)
{
    const auto& ledger = load.ledger();
    std::cout << ledger << std::endl;
    EXPECT_GT(ledger.acknowledgedInAll(), 100U);
    EXPECT_EQ(ledger.lost(), 0U);
    EXPECT_EQ(ledger.faults(), "") << daemon.process().allOutput();
    EXPECT_LE(ledger.duplicates(), strikes * load.recipients() * kUnderWay);
}

class Kill : public ::testing::TestWithParam<KillScene> {};

}  // namespace

TEST_P(Kill, losesNothingThatWasAcknowledged)
{
    const auto seed = seedOfThisRun();
    Daemon daemon({{"sip.retry=0s,500ms,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s",
                    GetParam().setting}});
    Load load(daemon, seed);
    for (int round = 0; round < kKillRounds; ++round) {
        load.runAtLeast(between(load.random(), 300, 1'500));
        strike(daemon, load, GetParam().victim);
    }
    ASSERT_TRUE(daemon.waitUntilReady());
    EXPECT_TRUE(load.settle()) << load.ledger() << daemon.process().allOutput();
    expectNothingLost(daemon, load, kKillRounds);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    Kill,
    ::testing::Values(KillScene{"ofTheDaemon", Victim::Daemon, "redis.shards=1"},
                      KillScene{"ofRedis", Victim::Redis, "redis.shards=1"},
                      KillScene{"ofBoth", Victim::Both, "redis.shards=1"},
                      KillScene{"ofTheDaemonWithThreeShards", Victim::Daemon, "redis.shards=3"}),
    [](const auto& scene) { return scene.param.name; });

TEST(KillOfAForeignRedis, losesNothingThatWasAcknowledged)
{
    const auto seed = seedOfThisRun();
    RedisServer::Settings settings;
    settings.appendOnly = RedisServer::AppendOnly::Yes;
    RedisServer redis(settings);
    Daemon daemon({{"redis.url=unix://" + redis.socketPath(), "sip.retry=0s,500ms,1s,1s,1s,1s"}});
    Load load(daemon, seed);
    for (int round = 0; round < kKillRounds; ++round) {
        load.runAtLeast(between(load.random(), 300, 1'500));
        redis.kill9();
        load.run(between(load.random(), 0, 1'500));
        redis.launch();
    }
    redis.restart();
    EXPECT_TRUE(load.settle()) << load.ledger() << daemon.process().allOutput();
    expectNothingLost(daemon, load, kKillRounds + 1);
}

}  // namespace restante::test
