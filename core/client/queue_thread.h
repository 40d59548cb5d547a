#pragma once

#include "core/assembly/redis_queue.h"
#include "core/base/epoll_loop.h"
#include "core/client/queue.h"
#include "core/config/config.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/lease_reaper.h"

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace restante {

/// The thread behind a Queue: its loop, and a RedisQueue that lives and dies on it. *Any thread*,
/// but the parts, which belong to the loop.
class QueueThread {
public:
    struct Parts {
        Parts(EpollLoop& loop, const redis::RedisUrl& url, const Config& config, std::string name)
            : redis(loop, url, config, std::move(name))
        {
        }
        redis::RedisQueue redis;
        std::optional<DueWatcher> due;
        std::optional<LeaseReaper> leaseReaper;
        std::uint32_t pushing = 0;  ///< pushes under way
    };

    /// Connects; the error when there is no fit Redis. `config` says which one, by its redis.url.
    static Result<std::shared_ptr<QueueThread>>
    start(Config config, std::string name, bool upkeep, bool adoptShards);
    /// Waits for the pushes under way, up to 5 s. Not on its own thread.
    ~QueueThread();

    /// Runs `task` on the loop. Everything posted before the end runs.
    void post(std::function<void(Parts&)> task);
    void push(PushOrder order, std::promise<Result<PushOutcome>> answer);
    EpollLoop& loop() noexcept { return loop_; }

private:
    QueueThread() = default;
    void run(Config config,
             const std::string& name,
             bool upkeep,
             bool adoptShards,
             std::promise<Result<void>> opened);
    Result<void>
    open(const redis::RedisUrl& url, Config& config, const std::string& name, bool adoptShards);

    EpollLoop loop_;
    std::unique_ptr<Parts> parts_;  ///< of the loop
    std::thread thread_;
};

}  // namespace restante
