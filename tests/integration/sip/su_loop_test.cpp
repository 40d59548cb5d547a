#include "core/base/file_descriptor.h"
#include "sipplugin/sofia/su_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace restante::sip {
namespace {

using SteadyClock = std::chrono::steady_clock;

bool runUntil(SuLoop& loop, const std::function<bool()>& reached)
{
    const auto end = SteadyClock::now() + std::chrono::seconds{5};
    while (!reached()) {
        if (SteadyClock::now() > end) {
            return false;
        }
        loop.turn(Millis{10});
    }
    return true;
}

struct SocketPair {
    SocketPair()
    {
        std::array<int, 2> fds{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()), 0);
        near = FileDescriptor{fds[0]};
        far = FileDescriptor{fds[1]};
    }
    FileDescriptor near, far;
};

TEST(SuLoopTimer, neverFiresEarly)
{
    SuLoop loop;
    for (const Millis after : {Millis{0}, Millis{1}, Millis{7}, Millis{25}}) {
        const auto start = SteadyClock::now();
        SteadyClock::time_point fired{};
        loop.armTimer(after, [&] { fired = SteadyClock::now(); });
        ASSERT_TRUE(runUntil(loop, [&] { return fired != SteadyClock::time_point{}; }));
        EXPECT_GE(fired - start, after);
    }
}

TEST(SuLoopTimer, firesInTheOrderOfTimeThenOfArming)
{
    SuLoop loop;
    std::vector<int> order;
    loop.armTimer(Millis{20}, [&] { order.push_back(3); });
    loop.armTimer(Millis{0}, [&] { order.push_back(1); });
    loop.armTimer(Millis{0}, [&] { order.push_back(2); });
    ASSERT_TRUE(runUntil(loop, [&] { return order.size() == 3; }));
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(SuLoopTimer, isNotCalledOnceCancelled)
{
    SuLoop loop;
    bool cancelledRan = false;
    bool laterRan = false;
    const auto id = loop.armTimer(Millis{2}, [&] { cancelledRan = true; });
    loop.armTimer(Millis{1}, [&] { loop.cancelTimer(id); });
    loop.armTimer(Millis{5}, [&] { laterRan = true; });
    ASSERT_TRUE(runUntil(loop, [&] { return laterRan; }));
    EXPECT_FALSE(cancelledRan);
}

TEST(SuLoopTimer, thatArmsItselfAtOnceLetsOthersRun)
{
    SuLoop loop;
    bool posted = false;
    std::function<void()> again = [&] { loop.armTimer(Millis{0}, again); };
    again();
    loop.post([&] { posted = true; });
    EXPECT_TRUE(runUntil(loop, [&] { return posted; }));
}

TEST(SuLoopTimer, thatIsLateLetsWhatHasComeBeFirst)
{
    SuLoop loop;
    SocketPair pair;
    std::vector<std::string> order;
    Watch watch(loop, pair.near.get(), Readiness::Readable, [&](Readiness) {
        order.emplace_back("watch");
        watch.remove();
    });
    const auto due = SteadyClock::now() + Millis{300};
    loop.armTimer(Millis{20}, [&] {  // a long turn, in which a byte comes and the next timer is due
        EXPECT_EQ(::write(pair.far.get(), "x", 1), 1);
        while (SteadyClock::now() <= due) {
        }
    });
    loop.armTimer(Millis{300}, [&] { order.emplace_back("timer"); });
    ASSERT_TRUE(runUntil(loop, [&] { return order.size() == 2; }));
    EXPECT_EQ(order, (std::vector<std::string>{"watch", "timer"}));
}

TEST(SuLoopTimer, survivesAHandlerThatThrows)
{
    SuLoop loop;
    bool next = false;
    loop.armTimer(Millis{0}, [] { throw std::runtime_error{"a test's"}; });
    loop.armTimer(Millis{1}, [&] { next = true; });
    EXPECT_TRUE(runUntil(loop, [&] { return next; }));
}

TEST(SuLoopWatch, tellsWhatIsReadable)
{
    SuLoop loop;
    SocketPair pair;
    auto told = Readiness::None;
    const Watch watch{loop, pair.near.get(), Readiness::Readable, [&](Readiness r) { told = r; }};
    ASSERT_EQ(::write(pair.far.get(), "x", 1), 1);
    ASSERT_TRUE(runUntil(loop, [&] { return told != Readiness::None; }));
    EXPECT_EQ(told, Readiness::Readable);
}

TEST(SuLoopWatch, ofNothingIsToldOfNothingAndCanBeWokenUp)
{
    SuLoop loop;
    SocketPair pair;
    int calls = 0;
    Watch watch{loop, pair.near.get(), Readiness::None, [&](Readiness) { ++calls; }};
    ::shutdown(pair.far.get(), SHUT_RDWR);
    bool later = false;
    loop.armTimer(Millis{20}, [&] { later = true; });
    ASSERT_TRUE(runUntil(loop, [&] { return later; }));
    EXPECT_EQ(calls, 0);
    watch.change(Readiness::Readable);
    EXPECT_TRUE(runUntil(loop, [&] { return calls > 0; }));
}

TEST(SuLoopWatch, changesBetweenReadingAndWriting)
{
    SuLoop loop;
    SocketPair pair;
    auto told = Readiness::None;
    Watch watch{loop, pair.near.get(), Readiness::Readable, [&](Readiness r) { told = r; }};
    watch.change(Readiness::Writable);
    ASSERT_TRUE(runUntil(loop, [&] { return told != Readiness::None; }));
    EXPECT_EQ(told, Readiness::Writable);
}

TEST(SuLoopWatch, mayRemoveItselfInItsHandler)
{
    SuLoop loop;
    SocketPair pair;
    int calls = 0;
    auto watch = std::make_unique<Watch>();
    *watch = Watch{loop, pair.near.get(), Readiness::Writable, [&](Readiness) {
                       ++calls;
                       watch.reset();
                   }};
    bool later = false;
    loop.armTimer(Millis{10}, [&] { later = true; });
    ASSERT_TRUE(runUntil(loop, [&] { return later; }));
    EXPECT_EQ(calls, 1);
}

TEST(SuLoopPost, keepsTheOrderOfPostsFromAnotherThread)
{
    SuLoop loop;
    std::vector<int> order;
    std::thread other{[&] {
        for (int i = 0; i < 1'000; ++i) {
            loop.post([&order, i] { order.push_back(i); });
        }
    }};
    EXPECT_TRUE(runUntil(loop, [&] { return order.size() == 1'000; }));
    other.join();
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(SuLoopPost, runsInALaterTurn)
{
    SuLoop loop;
    bool ran = false;
    loop.post([&] { ran = true; });
    EXPECT_FALSE(ran);
    EXPECT_TRUE(runUntil(loop, [&] { return ran; }));
}

TEST(SuLoop, runsUntilItIsStopped)
{
    SuLoop loop;
    int turns = 0;
    loop.armTimer(Millis{1}, [&] { ++turns; });
    loop.armTimer(Millis{5}, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(turns, 1);
}

}  // namespace
}  // namespace restante::sip
