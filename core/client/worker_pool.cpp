#include "core/client/worker_pool.h"

#include <utility>

namespace restante {

WorkerPool::WorkerPool(std::uint32_t threads)
{
    threads_.reserve(threads);
    for (std::uint32_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

WorkerPool::~WorkerPool()
{
    join();
}

void WorkerPool::run(std::function<void()> task)
{
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
}

void WorkerPool::join()
{
    {
        const std::lock_guard lock(mutex_);
        isOver_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void WorkerPool::work()
{
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return isOver_ || !tasks_.empty(); });
        if (tasks_.empty()) {
            return;
        }
        const auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
    }
}

}  // namespace restante
