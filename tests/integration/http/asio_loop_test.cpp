#include "core/http/server/asio_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace restante::http {

using namespace std::chrono_literals;

namespace {

constexpr Millis kLong{10'000};

class AsioLoopTest : public testing::Test {
protected:
    AsioLoopTest()
    {
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair_.data()), 0);
    }
    ~AsioLoopTest() override
    {
        close(pair_[0]);
        close(pair_[1]);
    }
    void sendByte() const { EXPECT_EQ(write(pair_[1], "x", 1), 1); }
    /// Turns everything that is ready now.
    void settle()
    {
        bool done = false;
        loop_.armTimer(20ms, [&] { done = true; });
        EXPECT_TRUE(loop_.runUntil([&] { return done; }, kLong));
    }

    AsioLoop loop_;
    std::array<int, 2> pair_{};
};

}  // namespace

TEST_F(AsioLoopTest, tellsOfReadinessAgainAndAgainUntilItIsRead)
{
    sendByte();
    int calls = 0;
    const Watch watch(loop_, pair_[0], Readiness::Readable, [&](Readiness what) {
        EXPECT_EQ(what, Readiness::Readable);
        ++calls;
    });
    EXPECT_TRUE(loop_.runUntil([&] { return calls >= 3; }, kLong));
}

TEST_F(AsioLoopTest, tellsOfWritingOnlyWhileItIsWanted)
{
    int calls = 0;
    Watch watch(loop_, pair_[0], Readiness::Readable | Readiness::Writable,
                [&](Readiness) { ++calls; });
    EXPECT_TRUE(loop_.runUntil([&] { return calls >= 1; }, kLong));
    watch.change(Readiness::None);
    const int before = calls;
    settle();
    EXPECT_EQ(calls, before);
    watch.change(Readiness::Writable);
    EXPECT_TRUE(loop_.runUntil([&] { return calls > before; }, kLong));
}

TEST_F(AsioLoopTest, callsNoHandlerOfARemovedWatch)
{
    sendByte();
    int calls = 0;
    Watch watch(loop_, pair_[0], Readiness::Readable, [&](Readiness) { ++calls; });
    loop_.post([&] { watch.remove(); });
    loop_.post([&] { calls = 0; });
    settle();
    const int before = calls;
    settle();
    EXPECT_EQ(calls, before);
    EXPECT_EQ(write(pair_[0], "y", 1), 1) << "the descriptor was closed with its watch";
}

TEST_F(AsioLoopTest, letsAHandlerRemoveItsOwnWatch)
{
    sendByte();
    int calls = 0;
    Watch watch;
    watch = Watch(loop_, pair_[0], Readiness::Readable, [&](Readiness) {
        ++calls;
        watch.remove();
    });
    settle();
    EXPECT_EQ(calls, 1);
}

TEST_F(AsioLoopTest, reportsAHangUpAsWhatWasWanted)
{
    shutdown(pair_[1], SHUT_RDWR);
    int calls = 0;
    const Watch watch(loop_, pair_[0], Readiness::Readable, [&](Readiness) { ++calls; });
    EXPECT_TRUE(loop_.runUntil([&] { return calls >= 1; }, kLong));
}

TEST_F(AsioLoopTest, ringsOnceAndNotEarlyAndNotWhenCancelled)
{
    const auto start = std::chrono::steady_clock::now();
    std::vector<int> rung;
    loop_.armTimer(200ms, [&] { rung.push_back(2); });
    loop_.armTimer(10ms, [&] { rung.push_back(1); });
    const auto cancelled = loop_.armTimer(5ms, [&] { rung.push_back(3); });
    loop_.cancelTimer(cancelled);
    EXPECT_TRUE(loop_.runUntil([&] { return rung.size() == 2; }, kLong));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 200ms);
    EXPECT_EQ(rung, (std::vector{1, 2}));
}

TEST_F(AsioLoopTest, runsPostsOfOtherThreadsInTheirOrderUntilItIsStopped)
{
    std::vector<int> seen;
    std::thread other([&] {
        for (int i = 0; i < 1'000; ++i) {
            loop_.post([&seen, i] { seen.push_back(i); });
        }
        loop_.stop();
        loop_.post([&seen] { seen.push_back(-1); });
    });
    other.join();
    loop_.run();  // stopped before it ran: ends at once
    EXPECT_TRUE(loop_.runUntil([&] { return seen.size() == 1'001; }, kLong));
    EXPECT_EQ(seen.front(), 0);
    EXPECT_EQ(seen[999], 999);
}

}  // namespace restante::http
