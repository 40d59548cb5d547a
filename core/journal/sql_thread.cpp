#include "core/journal/sql_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace restante::journal {

class SqlThread::Impl {
public:
    Impl(JournalUrl url, SqlJournal::Access access)
        : journal_(std::move(url), access),
          thread_([this] { run(); })
    {
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl()
    {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

    void post(std::function<void(SqlJournal&)> task)
    {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_one();
    }

private:
    void run()
    {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
            if (stopping_) {
                return;
            }
            auto task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task(journal_);
            task = nullptr;
            lock.lock();
        }
    }

    SqlJournal journal_;  // of the thread alone
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void(SqlJournal&)>> tasks_;
    bool stopping_ = false;
    std::thread thread_;
};

SqlThread::SqlThread(JournalUrl url, SqlJournal::Access access)
    : impl_(std::make_unique<Impl>(std::move(url), access))
{
}

SqlThread::~SqlThread() = default;

void SqlThread::post(std::function<void(SqlJournal&)> task)
{
    impl_->post(std::move(task));
}

}  // namespace restante::journal
