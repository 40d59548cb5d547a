#pragma once

#include "core/base/event_loop.h"
#include "core/client/queue.h"
#include "core/schedule/due_watcher.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace restante {

/// Threads that run tasks in the order in which they come. *Any thread.*
class WorkerPool {
public:
    explicit WorkerPool(std::uint32_t threads);
    ~WorkerPool() { join(); }

    /// `task` must not throw.
    void run(std::function<void()> task);
    /// Waits until everything given has been run; from then on nothing is. Not on its own threads.
    void join();

private:
    void work();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    bool isOver_ = false;
    std::vector<std::thread> threads_;
};

/// A consumer's half on the loop: claims what its threads can take, extends the leases while they
/// work, records what became of the jobs. *One loop*, but joinHandlers() and awaitIdle(), which any
/// other thread calls. Borrows loop and queue.
class Consumption : public std::enable_shared_from_this<Consumption> {
public:
    Consumption(EventLoop& loop,
                DelayQueue& queue,
                ClaimRequest what,
                std::uint32_t concurrency,
                Handler handler);
    ~Consumption();

    void start(DueWatcher& due);
    /// No more claims; what was claimed and not begun goes back.
    void stop();

    /// Waits until every handler that was begun has returned.
    void joinHandlers() { pool_.join(); }
    /// After stop(): whether nothing is left to do, at the latest when `timeout` is over.
    bool awaitIdle(Millis timeout);

private:
    struct Running;
    using RunId = std::uint64_t;

    void pump();
    void claimed(std::uint32_t asked, Result<std::vector<ClaimedJob>> jobs);
    void begin(ClaimedJob job);
    void handle(Running& running, RunId id);
    void returned(RunId id, Verdict verdict);
    void extendLater(RunId id, Millis wait);
    void extend(RunId id);
    void extended(RunId id, const Result<TimePoint>& deadline);
    void record(RunId id);
    void recorded(RunId id, const Result<void>& result);
    void requeue(const ClaimedJob& job);
    void settle();
    void close();
    void tellIfIdle();

    EventLoop& loop_;
    DelayQueue& queue_;
    DueWatcher* due_ = nullptr;  ///< once started
    DueWatcher::WatchId watch_ = 0;
    ClaimRequest what_;
    Handler handler_;
    std::uint32_t free_;  ///< threads without a job
    std::function<void()> settled_;
    std::map<RunId, std::shared_ptr<Running>> running_;
    RunId nextId_ = 1;
    std::uint32_t open_ = 0;  ///< jobs claimed and not recorded, and claims under way
    bool isClaiming_ = false;
    std::atomic<bool> isStopped_ = false;

    std::mutex mutex_;
    std::condition_variable idle_;
    bool isIdle_ = false;  ///< guarded

    WorkerPool pool_;  ///< the last member, so that it ends first
};

}  // namespace restante
