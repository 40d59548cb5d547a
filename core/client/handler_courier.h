#pragma once

#include "core/base/event_loop.h"
#include "core/client/queue.h"
#include "core/delivery/courier.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace restante {

/// Threads that run tasks in the order in which they come. *Any thread.*
class WorkerPool {
public:
    /// Throws std::system_error when the system has no threads left.
    explicit WorkerPool(std::uint32_t threads);
    ~WorkerPool() { join(); }

    /// `task` must not throw.
    void run(std::function<void()> task);
    /// Waits until all tasks have run; later ones are not run. Not to be called on its own threads.
    void join();

private:
    void work();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    bool isStopping_ = false;
    std::vector<std::thread> threads_;
};

/// Delivers each job to a consumer's handler, on threads of its own; takes no more jobs than
/// threads are free. *One loop*, but joinHandlers(), which any other thread calls. Borrows the
/// loop.
class HandlerCourier final : public delivery::Courier,
                             public std::enable_shared_from_this<HandlerCourier> {
public:
    /// Takes the jobs of the channel and topics of `claimRequest`.
    HandlerCourier(EventLoop& loop,
                   ClaimRequest claimRequest,
                   std::uint32_t concurrency,
                   Handler handler)
        : loop_(loop),
          claimRequest_(std::move(claimRequest)),
          handler_(std::move(handler)),
          freeThreads_(concurrency),
          pool_(concurrency)
    {
    }
    ~HandlerCourier() override;

    Channel channel() const noexcept override { return claimRequest_.channel; }
    std::vector<std::string> topics() const override { return claimRequest_.topics; }
    std::size_t capacity() const noexcept override { return isStopped_ ? 0 : freeThreads_; }
    Millis shortestLease() const noexcept override { return Millis{0}; }
    void deliver(std::vector<ClaimedJob> jobs, Report report) override;
    void handleLeaseLost(const ClaimedJob& job) override;
    void drain() override;

    /// Waits until every handler that was begun has returned.
    void joinHandlers() { pool_.join(); }

private:
    struct TakenJob;

    void handle(const std::shared_ptr<TakenJob>& taken);
    void handleReturn(const std::shared_ptr<TakenJob>& taken, const Verdict& verdict);

    EventLoop& loop_;
    ClaimRequest claimRequest_;
    Handler handler_;
    std::uint32_t freeThreads_;  ///< threads without a job
    std::vector<std::shared_ptr<TakenJob>> takenJobs_;
    std::atomic<bool> isStopped_ = false;
    WorkerPool pool_;  ///< the last member, so that it ends first
};

}  // namespace restante
