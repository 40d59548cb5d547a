// A consumer in a process of its own, for tests that kill processes: tells on standard output what
// it begins and ends, each with the millisecond, and stops cleanly at the end of its input.
//
//     queue_worker REDIS_URL TOPIC THREADS WORK_MS

#include "core/base/clock.h"
#include "core/client/queue.h"

#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <unistd.h>

namespace {

/// At once and as a whole: a kill loses nothing of it, and threads do not mix.
void tell(const std::string& word, const restante::Delivery& job)
{
    const auto line = word + " " + job.id() + " " + std::to_string(job.attempt()) + " " +
                      std::to_string(restante::toEpochMs(restante::SystemClock{}.now())) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) {
        std::abort();
    }
}

void work(restante::Millis time)
{
    std::mutex mutex;
    std::condition_variable nobody;
    std::unique_lock lock(mutex);
    nobody.wait_for(lock, time, [] { return false; });
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 5) {
        return 2;
    }
    auto queue = restante::Queue::connect(argv[1]);
    if (!queue) {
        std::cerr << queue.error().message << std::endl;
        return 1;
    }
    const restante::Millis time{std::atoi(argv[4])};
    restante::ConsumerOptions options;
    options.concurrency = static_cast<std::uint32_t>(std::atoi(argv[3]));
    auto consumer = queue->consume(
        argv[2],
        [time](const restante::Delivery& job) {
            tell("begin", job);
            work(time);
            tell("end", job);
        },
        options);
    std::cout << "ready" << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
    }
    return consumer.stop(restante::Millis{20'000}) ? 0 : 1;
}
