#include "core/base/await_descriptor.h"
#include "core/base/file_descriptor.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

namespace restante {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

volatile std::sig_atomic_t interruptions = 0;

/// Interrupts the system calls of the main thread every few milliseconds while it lives.
class InterruptedCalls {
public:
    InterruptedCalls()
    {
        struct sigaction handled = {};
        handled.sa_handler = [](int) { interruptions = 1; };
        sigaction(SIGALRM, &handled, &before_);
        const itimerval often{{0, 5'000}, {0, 5'000}};
        setitimer(ITIMER_REAL, &often, nullptr);
    }
    InterruptedCalls(const InterruptedCalls&) = delete;
    InterruptedCalls& operator=(const InterruptedCalls&) = delete;
    ~InterruptedCalls()
    {
        const itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
        sigaction(SIGALRM, &before_, nullptr);
    }

private:
    struct sigaction before_ = {};
};

struct Pipe {
    Pipe()
    {
        std::array<int, 2> ends{-1, -1};
        EXPECT_EQ(::pipe2(ends.data(), 0), 0);
        reader = FileDescriptor{ends[0]};
        writer = FileDescriptor{ends[1]};
    }
    FileDescriptor reader;
    FileDescriptor writer;
};

TEST(AwaitDescriptor, seesWhatIsReady)
{
    const Pipe pipe;
    const auto soon = steady_clock::now() + milliseconds{10'000};
    EXPECT_TRUE(awaitDescriptor(pipe.writer.get(), POLLOUT, soon));
    ASSERT_EQ(::write(pipe.writer.get(), "x", 1), 1);
    EXPECT_TRUE(awaitDescriptor(pipe.reader.get(), POLLIN, soon));
}

TEST(AwaitDescriptor, goesByItsDeadlineWhateverInterruptsIt)
{
    const Pipe pipe;
    const auto deadline = steady_clock::now() + milliseconds{100};
    const InterruptedCalls interrupted;
    EXPECT_FALSE(awaitDescriptor(pipe.reader.get(), POLLIN, deadline));
    EXPECT_GE(steady_clock::now(), deadline);
    EXPECT_NE(interruptions, 0);
}

TEST(AwaitDescriptor, waitsNoMoreAfterItsDeadline)
{
    const Pipe pipe;
    EXPECT_FALSE(awaitDescriptor(pipe.writer.get(), POLLOUT, steady_clock::now()));
}

}  // namespace
}  // namespace restante
