#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace restante {

/// Threads that run tasks in the order in which they come. *Any thread.*
class WorkerPool {
public:
    explicit WorkerPool(std::uint32_t threads);
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    /// join()
    ~WorkerPool();

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

}  // namespace restante
