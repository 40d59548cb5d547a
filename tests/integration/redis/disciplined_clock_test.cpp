#include "core/redis/store/disciplined_clock.h"
#include "tests/support/redis_fixture.h"

#include <gtest/gtest.h>

namespace restante::redis {
namespace {

class DisciplinedClockTest : public test::RedisFixture {
protected:
    static TimePoint redisNow(const test::RedisServer& server)
    {
        const auto reply = server.send({"TIME"});
        const auto& parts = *reply.array();
        return fromEpochMs(std::stoll(*parts[0].text()) * 1'000 +
                           std::stoll(*parts[1].text()) / 1'000);
    }
};

TEST_F(DisciplinedClockTest, showsTheTimeOfRedisAndIsNeverAhead)
{
    auto& server = test::sharedRedis();
    auto connection = dial(server.url());
    DisciplinedClock clock(loop_, *connection);
    EXPECT_FALSE(clock.disciplined());
    // It is behind by no more than its first answers were slow; a quick one narrows that.
    ASSERT_TRUE(runUntil(
        [&] { return clock.disciplined() && clock.latest() - clock.now() <= Millis{50}; }));
    const auto before = redisNow(server);
    const auto shown = clock.now();
    const auto after = redisNow(server);
    EXPECT_LE(shown, after);
    EXPECT_GE(shown, before - Millis{100});  // as long as the sample may have taken
}

TEST_F(DisciplinedClockTest, goesOnWithoutRedisAndNeverBack)
{
    test::RedisServer server;
    auto connection = connect(server.url());
    DisciplinedClock clock(loop_, *connection);
    ASSERT_TRUE(runUntil([&] { return clock.disciplined(); }));
    server.kill9();
    auto last = clock.now();
    const auto start = last;
    EXPECT_TRUE(runUntil([&] {
        const auto now = clock.now();
        EXPECT_GE(now, last);
        last = now;
        loop_.armTimer(Millis{1}, [] {});
        return now - start >= Millis{50};
    }));
    server.restart();
    ASSERT_TRUE(runUntil([&] { return connection->ready(); }));
    EXPECT_GE(clock.now(), last);
}

TEST_F(DisciplinedClockTest, mayEndBeforeItsConnection)
{
    auto connection = dial(test::sharedRedis().url());
    {
        DisciplinedClock clock(loop_, *connection);
    }
    ASSERT_TRUE(runUntil([&] { return connection->ready(); }));
    {
        DisciplinedClock clock(loop_, *connection);
    }
    EXPECT_TRUE(call(*connection, {"PING"}));
}

}  // namespace
}  // namespace restante::redis
