#include "core/assembly/redis_queue.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace restante::redis {
namespace {

class OpeningAQueue : public test::LoopFixture {};

/// A loop that counts the timers it is asked for.
class CountingLoop final : public EventLoop {
public:
    explicit CountingLoop(EventLoop& loop) : loop_(loop) {}

    int timers() const noexcept { return timers_; }

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override
    {
        return loop_.addWatch(fd, wanted, std::move(handler));
    }
    void changeWatch(WatchId id, Readiness wanted) override { loop_.changeWatch(id, wanted); }
    void removeWatch(WatchId id) noexcept override { loop_.removeWatch(id); }
    TimerId armTimer(Millis after, Task task) override
    {
        ++timers_;
        return loop_.armTimer(after, std::move(task));
    }
    void cancelTimer(TimerId id) noexcept override { loop_.cancelTimer(id); }
    void post(Task task) override { loop_.post(std::move(task)); }

private:
    EventLoop& loop_;
    int timers_ = 0;
};

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

TEST_F(OpeningAQueue, isToldOfItsConnectionAndLooksAtNothingMeanwhile)
{
    test::RedisServer server;
    CountingLoop loop{loop_};
    RedisQueue queue(loop, server.url(), Config{}, "test", RedisQueue::WakeUps::Yes);
    ASSERT_TRUE(runUntil([&] { return queue.connection().ready(); }));
    server.pause();
    std::optional<Result<void>> opened;
    queue.awaitReady(RedisQueue::Report::Silent, [&](const auto& result) { opened = result; });
    const int before = loop.timers();
    EXPECT_FALSE(runUntil([&] { return opened.has_value(); }, Millis{1'000}));
    EXPECT_LT(loop.timers() - before, 20) << "what waits asks again and again";
    server.resume();
    ASSERT_TRUE(runUntil([&] { return opened.has_value(); }));
    EXPECT_TRUE(opened->has_value()) << opened->error().message;
}

TEST_F(OpeningAQueue, goesOnWhenTheServerIsThere)
{
    const test::TempDir directory;
    RedisUrl url;
    url.socketPath = directory.path() / "redis.sock";
    RedisQueue queue(loop_, url, Config{}, "test", RedisQueue::WakeUps::Yes);
    std::optional<Result<void>> opened;
    queue.awaitReady(RedisQueue::Report::Silent, [&](const auto& result) { opened = result; });
    EXPECT_FALSE(runUntil([&] { return opened.has_value(); }, Millis{100}));
    test::RedisServer server;
    std::filesystem::create_symlink(server.url().socketPath, url.socketPath);
    ASSERT_TRUE(runUntil([&] { return opened.has_value(); }));
    EXPECT_TRUE(opened->has_value()) << opened->error().message;
}

}  // namespace
}  // namespace restante::redis
