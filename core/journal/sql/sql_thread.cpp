#include "core/journal/sql/sql_thread.h"

#include "core/base/log.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace restante::journal {

class SqlThread::Impl {
public:
    Impl(JournalUrl url, SqlJournal::Access access) : journal_(std::move(url), access) {}

    static void run(const std::shared_ptr<Impl>& self) { self->work(); }

    void post(Task task)
    {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_all();
    }

    /// False: it works on, and nobody will hear of it.
    bool stop(Millis timeout)
    {
        std::unique_lock lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
        if (changed_.wait_for(lock, timeout, [this] { return ended_; })) {
            return true;
        }
        abandoned_ = true;
        tasks_.clear();
        return false;
    }

private:
    void work()
    {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
            if (stopping_) {
                break;
            }
            {
                auto task = std::move(tasks_.front());
                tasks_.pop_front();
                lock.unlock();
                const auto tell = task(journal_);
                lock.lock();
                if (!abandoned_) {
                    tell();
                }
            }
        }
        ended_ = true;
        changed_.notify_all();
    }

    SqlJournal journal_;  // of the thread alone
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Task> tasks_;
    bool stopping_ = false;
    bool ended_ = false;
    bool abandoned_ = false;
};

SqlThread::SqlThread(JournalUrl url, SqlJournal::Access access, Millis timeout)
    : impl_(std::make_shared<Impl>(std::move(url), access)),
      timeout_(timeout),
      thread_([impl = impl_] { Impl::run(impl); })
{
}

SqlThread::~SqlThread()
{
    if (impl_->stop(timeout_)) {
        thread_.join();
    } else {
        log::warning("journal", "the database does not answer; what it was doing is left alone");
        thread_.detach();
    }
}

void SqlThread::post(Task task)
{
    impl_->post(std::move(task));
}

}  // namespace restante::journal
