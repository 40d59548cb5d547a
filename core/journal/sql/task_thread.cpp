#include "core/journal/sql/task_thread.h"

#include "core/base/log.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace restante::journal {

class TaskThread::Impl {
public:
    void post(Task task)
    {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_all();
    }

    /// Tasks that have not begun are dropped. False: the running one goes on, and its
    /// result is dropped as well.
    bool stop(std::optional<Millis> timeout)
    {
        std::unique_lock lock(mutex_);
        isStopping_ = true;
        changed_.notify_all();
        if (!timeout || changed_.wait_for(lock, *timeout, [this] { return hasEnded_; })) {
            return true;  // without a timeout the caller waits for the end by joining
        }
        isAbandoned_ = true;
        tasks_.clear();
        return false;
    }

    void run()
    {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return isStopping_ || !tasks_.empty(); });
            if (isStopping_) {
                break;
            }
            {
                auto task = std::move(tasks_.front());
                tasks_.pop_front();
                lock.unlock();
                const auto reportResult = task();
                lock.lock();
                if (!isAbandoned_) {
                    reportResult();
                }
            }
        }
        hasEnded_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Task> tasks_;
    bool isStopping_ = false;
    bool hasEnded_ = false;
    bool isAbandoned_ = false;
};

TaskThread::TaskThread(std::optional<Limit> limit)
    : impl_(std::make_shared<Impl>()),
      limit_(std::move(limit)),
      thread_([impl = impl_] { impl->run(); })
{
}

TaskThread::~TaskThread()
{
    if (impl_->stop(limit_ ? std::optional(limit_->timeout) : std::nullopt)) {
        thread_.join();
    } else {
        log::warning("journal", "{}", limit_->warning);
        thread_.detach();
    }
}

void TaskThread::post(Task task)
{
    impl_->post(std::move(task));
}

}  // namespace restante::journal
