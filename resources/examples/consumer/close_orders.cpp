// Closes orders that nobody has paid for: pushes a few jobs, and handles each when it is due.
//
//     close-orders redis://127.0.0.1:6379

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <restante/queue.h>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

namespace {

/// Lets main() wait until so many orders are closed.
class ClosedCounter {
public:
    void add()
    {
        const std::lock_guard lock(mutex_);
        ++count_;
        changed_.notify_all();
    }
    bool waitFor(int count, std::chrono::seconds timeout)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, timeout, [&] { return count_ >= count; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

restante::Job orderOf(const std::string& number)
{
    restante::Job job;
    job.topic = "order";
    job.bizKey = number;
    job.body = "close order " + number;
    // The first attempt at once, the second 200 ms after the first has failed; then it is dead.
    job.retry = restante::RetrySchedule::parse("0s,200ms").value();
    return job;
}

}  // namespace

int main(int argc, char** argv)
{
    auto queue = restante::Queue::connect(argc > 1 ? argv[1] : "redis://127.0.0.1:6379");
    if (!queue) {
        std::cerr << "close-orders: " << queue.error().message << '\n';
        return 1;
    }

    for (const char* number : {"4711", "4712", "4713"}) {
        const auto stored = queue->push(orderOf(number), 100ms).get();
        if (!stored) {
            std::cerr << "close-orders: " << stored.error().message << '\n';
            return 1;
        }
        std::cout << number + (" is stored as " + stored->id + '\n');
    }

    ClosedCounter closed;
    auto consumer = queue->consume(
        "order",
        [&closed](const restante::Delivery& order) {
            if (order.job().bizKey == "4712" && order.attempt() == 1) {
                throw std::runtime_error("the shop does not answer");  // a retry
            }
            std::cout << order.body() + " (attempt " + std::to_string(order.attempt()) + ")\n";
            closed.add();
            return true;  // false would be a retry, too
        },
        {.concurrency = 4});

    const bool allClosed = closed.waitFor(3, 30s);
    const bool isClean = consumer.stop(10s);
    std::cout << (allClosed && isClean ? "all orders are closed\n" : "not all orders are closed\n");
    return allClosed && isClean ? 0 : 1;
}
