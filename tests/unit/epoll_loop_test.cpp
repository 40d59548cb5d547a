#include "core/base/epoll_loop.h"
#include "core/base/file_descriptor.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <deque>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>
#include <thread>
#include <vector>

namespace restante {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr Millis kTimeout{5'000};

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

TEST(EpollLoopTimer, neverFiresEarly)
{
    EpollLoop loop;
    for (const Millis after : {Millis{0}, Millis{1}, Millis{7}, Millis{25}}) {
        const auto start = SteadyClock::now();
        SteadyClock::time_point fired{};
        loop.armTimer(after, [&] { fired = SteadyClock::now(); });
        ASSERT_TRUE(loop.runUntil([&] { return fired != SteadyClock::time_point{}; }, kTimeout));
        EXPECT_GE(fired - start, after);
    }
}

TEST(EpollLoopTimer, firesInTheOrderOfTimeThenOfArming)
{
    EpollLoop loop;
    std::vector<int> order;
    loop.armTimer(Millis{200}, [&] { order.push_back(4); });
    loop.armTimer(Millis{0}, [&] { order.push_back(1); });
    loop.armTimer(Millis{100}, [&] { order.push_back(3); });
    loop.armTimer(Millis{0}, [&] { order.push_back(2); });
    ASSERT_TRUE(loop.runUntil([&] { return order.size() == 4; }, kTimeout));
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

TEST(EpollLoopTimer, isNotCalledOnceCancelled)
{
    EpollLoop loop;
    bool cancelledRan = false;
    bool laterRan = false;
    const auto id = loop.armTimer(Millis{100}, [&] { cancelledRan = true; });
    loop.armTimer(Millis{1}, [&] { loop.cancelTimer(id); });
    loop.armTimer(Millis{150}, [&] { laterRan = true; });
    ASSERT_TRUE(loop.runUntil([&] { return laterRan; }, kTimeout));
    EXPECT_FALSE(cancelledRan);
}

TEST(EpollLoopTimer, mayArmItselfAgainFromItsOwnTask)
{
    EpollLoop loop;
    Timer timer(loop);
    int fired = 0;
    std::function<void()> tick = [&] {
        if (++fired < 3) {
            timer.arm(Millis{0}, tick);
        }
    };
    timer.arm(Millis{0}, tick);
    ASSERT_TRUE(loop.runUntil([&] { return fired == 3; }, kTimeout));
    EXPECT_FALSE(timer.armed());
}

/// A loop that is busy until a timer is due, which then must not overtake what came before.
class EpollLoopBusy : public testing::Test {
protected:
    void SetUp() override
    {
        loop_.armTimer(kDue, [this] { order_.emplace_back("timer"); });
        due_ = SteadyClock::now() + kDue;
    }
    void beBusy() const
    {
        while (SteadyClock::now() <= due_) {
        }
    }
    std::vector<std::string> orderOf(std::size_t count)
    {
        EXPECT_TRUE(loop_.runUntil([&] { return order_.size() == count; }, kTimeout));
        return order_;
    }

    static constexpr Millis kDue{100};
    EpollLoop loop_;
    SteadyClock::time_point due_;
    std::vector<std::string> order_;
};

TEST_F(EpollLoopBusy, readsWhatHasComeBeforeATimerSaysThatItIsLate)
{
    SocketPair busy;
    SocketPair waiting;
    const Watch first(loop_, busy.near.get(), Readiness::Readable, [&](Readiness) {
        char byte = 0;
        EXPECT_EQ(::read(busy.near.get(), &byte, 1), 1);
        EXPECT_EQ(::write(waiting.far.get(), "x", 1), 1);
        beBusy();
    });
    const Watch second(loop_, waiting.near.get(), Readiness::Readable, [&](Readiness) {
        char byte = 0;
        EXPECT_EQ(::read(waiting.near.get(), &byte, 1), 1);
        order_.emplace_back("watch");
    });
    ASSERT_EQ(::write(busy.far.get(), "x", 1), 1);
    EXPECT_EQ(orderOf(2), (std::vector<std::string>{"watch", "timer"}));
}

TEST_F(EpollLoopBusy, readsHowManySoeverHaveCome)
{
    constexpr std::size_t kMany = 200;  // more than one poll reports
    std::deque<SocketPair> pairs(kMany);
    std::deque<Watch> watches;
    for (auto& pair : pairs) {
        watches.emplace_back(loop_, pair.near.get(), Readiness::Readable, [&](Readiness) {
            char byte = 0;
            EXPECT_EQ(::read(pair.near.get(), &byte, 1), 1);
            order_.emplace_back("watch");
        });
        ASSERT_EQ(::write(pair.far.get(), "x", 1), 1);
    }
    beBusy();
    EXPECT_EQ(orderOf(kMany + 1).back(), "timer");
}

/// As of a process that is stopped and goes on: epoll_wait(2) ends then without an event.
TEST_F(EpollLoopBusy, readsWhatHasComeWhileASignalInterruptedIt)
{
    static SteadyClock::time_point until;
    static int fd = -1;
    SocketPair pair;
    const Watch watch(loop_, pair.near.get(), Readiness::Readable, [&](Readiness) {
        char byte = 0;
        EXPECT_EQ(::read(pair.near.get(), &byte, 1), 1);
        order_.emplace_back("watch");
    });
    until = due_;
    fd = pair.far.get();
    struct sigaction handling {};
    struct sigaction before {};
    handling.sa_handler = [](int) {
        [[maybe_unused]] const auto written = ::write(fd, "x", 1);
        while (SteadyClock::now() <= until) {
        }
    };
    ASSERT_EQ(::sigaction(SIGALRM, &handling, &before), 0);
    itimerval soon{};
    soon.it_value.tv_usec = 5'000;
    ASSERT_EQ(::setitimer(ITIMER_REAL, &soon, nullptr), 0);
    EXPECT_EQ(orderOf(2), (std::vector<std::string>{"watch", "timer"}));
    EXPECT_EQ(::sigaction(SIGALRM, &before, nullptr), 0);
}

TEST_F(EpollLoopBusy, runsWhatWasPostedBeforeATimerSaysThatItIsLate)
{
    loop_.post([this] {
        loop_.post([this] { order_.emplace_back("post"); });
        beBusy();
    });
    EXPECT_EQ(orderOf(2), (std::vector<std::string>{"post", "timer"}));
}

TEST(EpollLoopPost, runsInALaterTurnInTheOrderOfThePosts)
{
    EpollLoop loop;
    std::vector<int> order;
    loop.post([&] {
        loop.post([&] { order.push_back(3); });
        order.push_back(1);
    });
    loop.post([&] { order.push_back(2); });
    EXPECT_TRUE(order.empty());
    ASSERT_TRUE(loop.runUntil([&] { return order.size() == 3; }, kTimeout));
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(EpollLoopPost, isWelcomeFromOtherThreads)
{
    EpollLoop loop;
    constexpr int kEach = 1'000;
    int ran = 0;
    const auto postMany = [&] {
        for (int i = 0; i < kEach; ++i) {
            loop.post([&] { ++ran; });
        }
    };
    std::thread one(postMany);
    std::thread other(postMany);
    EXPECT_TRUE(loop.runUntil([&] { return ran == 2 * kEach; }, kTimeout));
    one.join();
    other.join();
}

TEST(EpollLoopPost, isWelcomeFromItsOwnThreadAndThenFromAnother)
{
    EpollLoop loop;
    std::vector<int> order;
    loop.post([&] {
        loop.post([&] { order.push_back(1); });  // the loop is awake, and is not woken
        std::thread([&] { loop.post([&] { order.push_back(2); }); }).join();
    });
    EXPECT_TRUE(loop.runUntil([&] { return order.size() == 2; }, kTimeout));
    EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(EpollLoopPost, isWelcomeInTheTurnOfAnotherLoop)
{
    EpollLoop outer;
    EpollLoop inner;
    int ran = 0;
    outer.post([&] {
        inner.post([&] { outer.post([&] { ++ran; }); });
        inner.post([&] { inner.post([&] { ++ran; }); });
        EXPECT_TRUE(inner.runUntil([&] { return ran == 1; }, kTimeout));
        outer.post([&] { ++ran; });
    });
    EXPECT_TRUE(outer.runUntil([&] { return ran == 3; }, kTimeout));
}

TEST(EpollLoop, stopsFromAnotherThread)
{
    EpollLoop loop;
    std::thread stopper([&] { loop.stop(); });
    loop.run();
    stopper.join();
}

TEST(EpollLoop, runUntilGivesUpWhenItsPatienceIsOver)
{
    EpollLoop loop;
    const auto start = SteadyClock::now();
    EXPECT_FALSE(loop.runUntil([] { return false; }, Millis{20}));
    EXPECT_GE(SteadyClock::now() - start, Millis{20});
}

TEST(EpollLoopWatch, reportsWhatIsReady)
{
    EpollLoop loop;
    SocketPair pair;
    Readiness seen = Readiness::None;
    Watch watch(loop, pair.near.get(), Readiness::Readable, [&](Readiness r) { seen = r; });
    ASSERT_EQ(::write(pair.far.get(), "x", 1), 1);
    ASSERT_TRUE(loop.runUntil([&] { return seen != Readiness::None; }, kTimeout));
    EXPECT_EQ(seen, Readiness::Readable);
    seen = Readiness::None;
    watch.change(Readiness::Writable);
    ASSERT_TRUE(loop.runUntil([&] { return seen != Readiness::None; }, kTimeout));
    EXPECT_EQ(seen, Readiness::Writable);
}

TEST(EpollLoopWatch, isToldOfNothingWhileItWantsNothing)
{
    EpollLoop loop;
    SocketPair pair;
    int calls = 0;
    Watch watch(loop, pair.near.get(), Readiness::None, [&](Readiness) { ++calls; });
    pair.far.close();  // a hang-up, which epoll would report unasked
    EXPECT_FALSE(loop.runUntil([&] { return calls > 0; }, Millis{20}));
    watch.change(Readiness::Readable);
    EXPECT_TRUE(loop.runUntil([&] { return calls > 0; }, kTimeout));
}

TEST(EpollLoopWatch, mayBeRemovedByItsOwnHandler)
{
    EpollLoop loop;
    SocketPair pair;
    ASSERT_EQ(::write(pair.far.get(), "x", 1), 1);
    int calls = 0;
    auto kept = std::make_shared<int>(7);
    Watch watch;
    watch = Watch(loop, pair.near.get(), Readiness::Readable, [&, kept](Readiness) {
        watch.remove();
        calls += *kept;  // what the handler holds is still alive
    });
    ASSERT_TRUE(loop.runUntil([&] { return calls > 0; }, kTimeout));
    EXPECT_FALSE(loop.runUntil([&] { return calls > 7; }, Millis{10}));
}

TEST(EpollLoopWatch, mayOwnOthersWhichGoWithIt)
{
    EpollLoop loop;
    constexpr std::size_t kDepth = 5;
    std::array<SocketPair, kDepth> pairs;
    auto innermost = std::make_shared<int>(0);
    const std::weak_ptr<int> isHeld = innermost;
    std::shared_ptr<Watch> chain;
    for (auto& pair : pairs) {
        chain = std::make_shared<Watch>(loop, pair.near.get(), Readiness::Readable,
                                        [owned = std::move(chain), innermost](Readiness) {});
    }
    innermost.reset();
    EXPECT_FALSE(isHeld.expired());
    chain.reset();
    bool hasTurned = false;
    loop.post([&] { hasTurned = true; });
    ASSERT_TRUE(loop.runUntil([&] { return hasTurned; }, kTimeout));
    EXPECT_TRUE(isHeld.expired());
    EXPECT_FALSE(loop.runUntil([] { return false; }, Millis{10}));
}

TEST(EpollLoopWatch, leavesNothingWhenTheKernelRefusesIt)
{
    EpollLoop loop;
    auto held = std::make_shared<int>(0);
    const std::weak_ptr<int> isHeld = held;
    const int noDescriptor = -1;
    EXPECT_THROW(
        loop.addWatch(noDescriptor, Readiness::Readable, [held = std::move(held)](Readiness) {}),
        std::system_error);
    EXPECT_TRUE(isHeld.expired());
}

/// How many handlers are called when two descriptors are readable in one turn, and whichever is
/// called first does `act` to both watches.
int callsWhenTheFirst(const std::function<void(Watch&)>& act)
{
    EpollLoop loop;
    SocketPair one;
    SocketPair other;
    EXPECT_EQ(::write(one.far.get(), "x", 1), 1);
    EXPECT_EQ(::write(other.far.get(), "x", 1), 1);
    int calls = 0;
    Watch first;
    Watch second;
    const auto handler = [&](Readiness) {
        ++calls;
        act(first);
        act(second);
    };
    first = Watch(loop, one.near.get(), Readiness::Readable, handler);
    second = Watch(loop, other.near.get(), Readiness::Readable, handler);
    EXPECT_TRUE(loop.runUntil([&] { return calls > 0; }, kTimeout));
    EXPECT_FALSE(loop.runUntil([&] { return calls > 1; }, Millis{10}));
    return calls;
}

TEST(EpollLoopWatch, isNotCalledWhenAnotherHandlerRemovedItInTheSameTurn)
{
    EXPECT_EQ(callsWhenTheFirst([](Watch& watch) { watch.remove(); }), 1);
}

TEST(EpollLoopWatch, isNotToldWhatAnotherHandlerOfTheSameTurnMadeItWantNoMore)
{
    EXPECT_EQ(callsWhenTheFirst([](Watch& watch) { watch.change(Readiness::None); }), 1);
}

}  // namespace
}  // namespace restante
