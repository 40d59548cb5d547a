#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/journal/sql/sql_journal.h"

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace restante::journal {

/// A thread for work that waits. *Any thread.*
class TaskThread {
public:
    /// What a task answers is told, unless the thread has been given up by then.
    using Task = std::function<std::function<void()>()>;

    /// How long its end waits for the task that runs; none: until that has ended.
    explicit TaskThread(std::optional<Millis> timeout = {});
    /// What has not begun is dropped.
    ~TaskThread();

    void post(Task task);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the thread, which may outlive this
    std::optional<Millis> timeout_;
    std::thread thread_;
};

/// The thread on which the database is waited for; it owns the SqlJournal. *Any thread.*
class SqlThread {
public:
    /// For the end of what runs: a large batch on a slow disk. What has not ended by then, because
    /// the database hangs, is dropped without an answer.
    static constexpr Millis kTimeout{5'000};

    explicit SqlThread(JournalUrl url,
                       SqlJournal::Access access = SqlJournal::Access::Record,
                       Millis timeout = kTimeout)
        : journal_(std::make_shared<SqlJournal>(std::move(url), access)),
          thread_(timeout)
    {
    }

    /// Runs `work(journal)` on the thread, in order, and `done` with its Result on `loop`, which
    /// must outlive this.
    template <class T>
    void ask(EventLoop& loop, std::function<Result<T>(SqlJournal&)> work, Done<T> done)
    {
        thread_.post([&loop, journal = journal_, work = std::move(work), done = std::move(done)] {
            // Shared, because a Task must be copyable and a result may be large.
            auto result = std::make_shared<Result<T>>(work(*journal));
            return
                [&loop, result, done] { loop.post([result, done] { done(std::move(*result)); }); };
        });
    }

private:
    std::shared_ptr<SqlJournal> journal_;  ///< shared with a task that was given up
    TaskThread thread_;
};

}  // namespace restante::journal
