#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/journal/sql/sql_journal.h"

#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace restante::journal {

/// The thread on which the database is waited for; it owns the SqlJournal. *Any thread.*
class SqlThread {
public:
    /// For the end of what runs: a large batch on a slow disk.
    static constexpr Millis kTimeout{5'000};

    explicit SqlThread(JournalUrl url,
                       SqlJournal::Access access = SqlJournal::Access::Record,
                       Millis timeout = kTimeout);
    SqlThread(const SqlThread&) = delete;
    SqlThread& operator=(const SqlThread&) = delete;
    /// Waits for the work that runs, but for a database that hangs only so long; what has not
    /// ended by then is dropped without an answer.
    ~SqlThread();

    /// Runs `work(journal)` on the thread, in order, and `done` with its Result on `loop`, which
    /// must outlive this.
    template <class T>
    void ask(EventLoop& loop, std::function<Result<T>(SqlJournal&)> work, Done<T> done)
    {
        post([&loop, work = std::move(work), done = std::move(done)](SqlJournal& journal) {
            // Shared, because a Task must be copyable and a result may be large.
            auto result = std::make_shared<Result<T>>(work(journal));
            return
                [&loop, result, done] { loop.post([result, done] { done(std::move(*result)); }); };
        });
    }

private:
    /// What a task answers is told only while the loops are there.
    using Task = std::function<std::function<void()>(SqlJournal&)>;
    void post(Task task);

    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the thread, which may outlive this
    Millis timeout_;
    std::thread thread_;
};

}  // namespace restante::journal
