#pragma once

#include "core/base/epoll_loop.h"
#include "core/queue/delay_queue.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::bench {

/// Drives the whole path of the C++ interface (DelayQueue, RedisJobStore, Connection) on a loop of
/// its own, as a program that embeds the queue would.
class QueueLoad {
public:
    explicit QueueLoad(const std::string& redisSocket);
    ~QueueLoad();

    /// `callers` at once, each pushing arrays of `batch` jobs one after the other; jobs per second.
    double
    push(std::uint32_t jobs, std::uint32_t batch, std::uint32_t callers, std::size_t bodyBytes);
    /// Stores `jobs` that are due in a day, of another topic than push(), as fast as it can.
    void addPending(std::uint32_t jobs, std::size_t bodyBytes);
    /// `callers` at once, each claiming up to `batch` and finishing every one of them; jobs per
    /// second through both.
    double claimAndFinish(std::uint32_t jobs, std::uint32_t batch, std::uint32_t callers);
    /// As BareQueue::lateness(), with the due watcher; negative values would be early ones.
    std::vector<double> lateness(std::uint32_t perSecond, std::uint32_t seconds);
    /// The same of `jobs` of the topic "late" that `push` stores.
    std::vector<double> latenessOf(std::uint32_t jobs, const std::function<void()>& push);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace restante::bench
