#include "core/base/file_descriptor.h"
#include "gui/session/qt_loop.h"
#include "gui/session/store_thread.h"
#include "tests/gui/support/wait.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace restante::gui::test {
namespace {

TEST(QtLoop, runsPostsInTheirOrderAndFromAnyThread)
{
    QtLoop loop;
    std::vector<int> ran;
    std::thread([&] {
        for (int n = 0; n < 100; ++n) {
            loop.post([&ran, n] { ran.push_back(n); });
        }
    }).join();
    EXPECT_TRUE(ran.empty());
    ASSERT_TRUE(until([&] { return ran.size() == 100; }));
    for (int n = 0; n < 100; ++n) {
        EXPECT_EQ(ran[static_cast<std::size_t>(n)], n);
    }
}

TEST(QtLoop, firesATimerNotBeforeItsTime)
{
    QtLoop loop;
    const auto begun = std::chrono::steady_clock::now();
    bool fired = false;
    loop.armTimer(Millis{30}, [&] { fired = true; });
    ASSERT_TRUE(until([&] { return fired; }));
    EXPECT_GE(std::chrono::steady_clock::now() - begun, Millis{30});
}

TEST(QtLoop, firesNoTimerThatWasCancelled)
{
    QtLoop loop;
    bool fired = false;
    bool later = false;
    const auto id = loop.armTimer(Millis{1}, [&] { fired = true; });
    loop.cancelTimer(id);
    loop.armTimer(Millis{5}, [&] { later = true; });
    ASSERT_TRUE(until([&] { return later; }));
    EXPECT_FALSE(fired);
}

TEST(QtLoop, tellsOfADescriptorUntilItsWatchIsRemovedByItsHandler)
{
    QtLoop loop;
    const FileDescriptor event(eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
    int told = 0;
    EventLoop::WatchId id = 0;
    id = loop.addWatch(event.get(), Readiness::Readable, [&](Readiness readiness) {
        EXPECT_TRUE(has(readiness, Readiness::Readable));
        if (++told == 3) {
            loop.removeWatch(id);
        }
    });
    ASSERT_TRUE(until([&] { return told == 3; }));
    bool later = false;
    loop.armTimer(Millis{5}, [&] { later = true; });
    ASSERT_TRUE(until([&] { return later; }));
    EXPECT_EQ(told, 3);
}

TEST(QtLoop, isSilentWhileNothingIsWanted)
{
    QtLoop loop;
    const FileDescriptor event(eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
    int told = 0;
    const auto id = loop.addWatch(event.get(), Readiness::None, [&](Readiness) { ++told; });
    bool later = false;
    loop.armTimer(Millis{5}, [&] { later = true; });
    ASSERT_TRUE(until([&] { return later; }));
    EXPECT_EQ(told, 0);
    loop.changeWatch(id, Readiness::Readable);
    EXPECT_TRUE(until([&] { return told > 0; }));
    loop.removeWatch(id);
}

TEST(StoreThread, runsWhatWasPostedBeforeItEnds)
{
    std::atomic<int> ran{0};
    {
        StoreThread thread;
        for (int n = 0; n < 10; ++n) {
            thread.post([&] { ++ran; });
        }
    }
    EXPECT_EQ(ran, 10);
}

}  // namespace
}  // namespace restante::gui::test
