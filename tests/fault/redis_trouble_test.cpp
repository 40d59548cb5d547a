// Redis stopped, gone or full: 503 within two seconds and never a false 202, and everything works
// again within two seconds of its return.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/redis_info.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <csignal>

namespace restante::test {

namespace {

constexpr Millis kPromise{2'000};

Millis since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - start);
}

RedisServer::Settings durable()
{
    RedisServer::Settings settings;
    settings.appendOnly = RedisServer::AppendOnly::Yes;
    return settings;
}

class RedisTrouble : public ::testing::Test {
protected:
    void expectRefused()
    {
        const auto start = std::chrono::steady_clock::now();
        const auto answer = alice_.ask(alice_.message(kBob, "lost?"));
        EXPECT_EQ(answer.status, 503) << answer.response.startLine;
        EXPECT_TRUE(answer.response.has("Retry-After"));
        EXPECT_LE(since(start), kPromise);
    }

    /// From now on it may take the promised time until a message is stored.
    void expectBack()
    {
        const auto start = std::chrono::steady_clock::now();
        while (alice_.say(kBob, "back") != 202 && since(start) < kProcessTimeout) {
        }
        EXPECT_LE(since(start), kPromise);
    }

    RedisServer redis_{durable()};
    Daemon daemon_{{{"redis.url=unix://" + redis_.socketPath()}}};
    SipPhone alice_ = phoneOf(daemon_, "alice");
};

}  // namespace

TEST_F(RedisTrouble, ofAStoppedServerIsAnswered503)
{
    ASSERT_EQ(alice_.say(kBob, "before"), 202);
    redis_.pause();
    expectRefused();
    expectRefused();
    redis_.resume();
    expectBack();

    auto bob = registeredPhone(daemon_, "bob");
    ASSERT_TRUE(bob.workUntil([&] { return daemon_.jobsInAll() == 0; }));
    EXPECT_EQ(bob.bodies().front(), "before");
    EXPECT_EQ(bob.bodies().back(), "back");
}

TEST_F(RedisTrouble, ofAStoppedServerRefusesRegistrations)
{
    auto bob = phoneOf(daemon_, "bob");
    redis_.pause();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(bob.registerFor(kRegistration).status, 503);
    EXPECT_LE(since(start), kPromise);
    redis_.resume();
    EXPECT_TRUE(eventually([&] { return bob.registerFor(kRegistration).status == 200; }));
}

TEST_F(RedisTrouble, ofAServerThatIsGoneIsAnswered503)
{
    ASSERT_EQ(alice_.say(kBob, "before"), 202);
    redis_.kill9();
    expectRefused();
    expectRefused();
    redis_.restart();
    expectBack();
}

TEST_F(RedisTrouble, ofAFullServerIsAnswered503AndWhatIsStoredStillArrives)
{
    ASSERT_EQ(alice_.say(kBob, "before"), 202);
    redis_.send({"CONFIG", "SET", "maxmemory", "1mb"});
    expectRefused();

    // Somebody who is known already, because a new binding needs memory, too.
    redis_.send({"CONFIG", "SET", "maxmemory", "0"});
    expectBack();
    auto bob = phoneOf(daemon_, "bob");
    bob.answerWith([this](const SipText&) {
        redis_.send({"CONFIG", "SET", "maxmemory", "1mb"});
        return 200;
    });
    ASSERT_EQ(bob.registerFor(kRegistration).status, 200);
    ASSERT_TRUE(bob.workUntil([&] { return daemon_.jobsInAll() == 0; }));
    EXPECT_GE(bob.received().size(), 2U);
    expectRefused();

    redis_.send({"CONFIG", "SET", "maxmemory", "0"});
    expectBack();
}

TEST_F(RedisTrouble, ofAServerWithoutItsReplicasIsAnswered503)
{
    redis_.send({"CONFIG", "SET", "min-replicas-to-write", "1"});
    expectRefused();
    redis_.send({"CONFIG", "SET", "min-replicas-to-write", "0"});
    expectBack();
}

TEST_F(RedisTrouble, ofAServerThatOnlyAnswersReadsIsNoReasonToHurry)
{
    constexpr std::size_t kMailboxes = 150;  // more than are looked for at once
    for (std::size_t i = 0; i < kMailboxes; ++i) {
        alice_.start(alice_.message(Daemon::aor("person" + std::to_string(i)), "for later"));
    }
    ASSERT_TRUE(alice_.workUntil([&] { return alice_.inFlight() == 0; }));
    ASSERT_TRUE(eventually([&] { return daemon_.jobs()["held"] == kMailboxes; }));
    redis_.send({"EVAL",
                 "for _, boxes in ipairs(redis.call('KEYS', '*:boxes')) do "
                 "for _, who in ipairs(redis.call('ZRANGE', boxes, 0, -1)) do "
                 "redis.call('ZADD', boxes, 1, who) end end",
                 "0"});
    redis_.send({"CONFIG", "SET", "min-replicas-to-write", "1"});
    redis_.send({"CLIENT", "KILL", "TYPE", "pubsub"});  // the daemon looks again what is due
    const std::string warning = "the store has failed";
    ASSERT_TRUE(daemon_.process().waitForLine(warning));

    const auto commands = [this] { return std::stoll(infoOf(redis_, "total_commands_processed")); };
    const auto before = commands();
    alice_.workUntil([] { return false; }, Millis{2'000});
    EXPECT_LT(commands() - before, 4'000) << "a look-up for each of 100, some ten times";
    const auto log = daemon_.process().allOutput();
    std::size_t lines = 0;
    for (auto at = log.find(warning); at != std::string::npos; at = log.find(warning, at + 1)) {
        ++lines;
    }
    EXPECT_LE(lines, 5U) << "one a second";

    redis_.send({"CONFIG", "SET", "min-replicas-to-write", "0"});
    expectBack();
}

TEST(EmbeddedRedisTrouble, ofAStoppedServerIsAnswered503)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.say(kBob, "before"), 202);
    const auto redis = daemon.embeddedRedis();
    ASSERT_GT(redis, 0);

    ::kill(redis, SIGSTOP);
    auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(alice.say(kBob, "lost?"), 503);
    EXPECT_LE(since(start), kPromise);

    ::kill(redis, SIGCONT);
    start = std::chrono::steady_clock::now();
    EXPECT_TRUE(eventually([&] { return alice.say(kBob, "back") == 202; }));
    EXPECT_LE(since(start), kPromise);
    EXPECT_EQ(daemon.embeddedRedis(), redis);
}

TEST(EmbeddedRedisTrouble, ofADeadServerIsMendedByTheDaemon)
{
    Daemon daemon;
    auto alice = phoneOf(daemon, "alice");
    ASSERT_EQ(alice.say(kBob, "before"), 202);
    ::kill(daemon.embeddedRedis(), SIGKILL);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(eventually([&] { return alice.say(kBob, "back") == 202; }, kProcessTimeout));
    EXPECT_LE(since(start), 2 * kPromise);

    auto bob = registeredPhone(daemon, "bob");
    ASSERT_TRUE(bob.workUntil([&] { return daemon.jobsInAll() == 0; }));
    EXPECT_EQ(bob.bodies().front(), "before");
}

}  // namespace restante::test
