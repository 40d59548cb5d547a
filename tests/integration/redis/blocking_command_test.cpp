#include "core/redis/client/blocking_command.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/time.h>

namespace restante::redis {
namespace {

/// Interrupts the system calls of the main thread every few milliseconds while it lives.
class Interruptions {
public:
    Interruptions()
    {
        struct sigaction handled = {};
        handled.sa_handler = [](int) {};
        sigaction(SIGALRM, &handled, &before_);
        const itimerval often{{0, 5'000}, {0, 5'000}};
        setitimer(ITIMER_REAL, &often, nullptr);
    }
    Interruptions(const Interruptions&) = delete;
    Interruptions& operator=(const Interruptions&) = delete;
    ~Interruptions()
    {
        const itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
        sigaction(SIGALRM, &before_, nullptr);
    }

private:
    struct sigaction before_ = {};
};

TEST(BlockingCommand, waitsOnWhenASignalInterruptsIt)
{
    const auto& server = test::sharedRedis();
    const Interruptions interruptions;
    const auto reply =
        blockingCommand(server.socketPath(), {"BLPOP", "none", "0.1"}, Millis{10'000});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_TRUE(reply->isNil());
}

}  // namespace
}  // namespace restante::redis
