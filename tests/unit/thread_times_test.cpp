#include "core/base/thread_times.h"

#include <gtest/gtest.h>

#include <ctime>
#include <thread>

namespace restante {

namespace {

/// Uses the core for 20 ms.
void work()
{
    const auto usedMs = [] {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return now.tv_sec * 1'000 + now.tv_nsec / 1'000'000;
    };
    const auto end = usedMs() + 20;
    while (usedMs() < end) {
    }
}

}  // namespace

TEST(ThreadTimes, areThoseOfTheCallingThread)
{
    const auto before = threadTimes();
    if (!before) {
        GTEST_SKIP() << "the kernel has no schedstat";
    }
    work();
    const auto after = threadTimes();
    ASSERT_TRUE(after);
    // The kernel may add up at its ticks only.
    EXPECT_GE(after->running - before->running, std::chrono::milliseconds(10));
    EXPECT_GE(after->waiting, before->waiting);
    std::optional<ThreadTimes> other;
    std::thread([&] { other = threadTimes(); }).join();
    ASSERT_TRUE(other);
    EXPECT_LT(other->running, after->running) << "it has just begun";
}

}  // namespace restante
