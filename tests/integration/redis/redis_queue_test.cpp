#include "core/assembly/redis_queue.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <optional>

namespace restante::redis {
namespace {

class OpeningAQueue : public test::LoopFixture {};

TEST_F(OpeningAQueue, waitsForARedisThatStandsStillForAWhile)
{
    test::RedisServer server;
    RedisQueue queue(loop_, server.url(), Config{}, "test", RedisQueue::WakeUps::No);
    ASSERT_TRUE(runUntil([&] { return queue.connection().ready(); }));
    server.pause();
    std::optional<Result<void>> opened;
    queue.awaitReady(RedisQueue::Report::Silent, [&](const auto& result) { opened = result; });
    // The commands that check it are given up after 1.5 s.
    EXPECT_FALSE(runUntil([&] { return opened.has_value(); }, Millis{2'000}));
    server.resume();
    ASSERT_TRUE(runUntil([&] { return opened.has_value(); }));
    EXPECT_TRUE(opened->has_value()) << opened->error().message;
}

}  // namespace
}  // namespace restante::redis
