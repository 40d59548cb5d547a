#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/journal/sql_journal.h"

#include <functional>
#include <memory>
#include <utility>

namespace restante::journal {

/// The thread on which the database is waited for; it owns the SqlJournal. *Any thread.*
class SqlThread {
public:
    explicit SqlThread(JournalUrl url, SqlJournal::Access access = SqlJournal::Access::Record);
    SqlThread(const SqlThread&) = delete;
    SqlThread& operator=(const SqlThread&) = delete;
    /// Waits for the work that runs; what has not begun is dropped without an answer.
    ~SqlThread();

    /// Runs `work(journal)` on the thread, in order, and `done` with its Result on `loop`, which
    /// must outlive this.
    template <class T>
    void ask(EventLoop& loop, std::function<Result<T>(SqlJournal&)> work, Done<T> done)
    {
        post([&loop, work = std::move(work), done = std::move(done)](SqlJournal& journal) {
            // Shared, because a Task must be copyable and a result may be large.
            auto result = std::make_shared<Result<T>>(work(journal));
            loop.post([result, done] { done(std::move(*result)); });
        });
    }

private:
    void post(std::function<void(SqlJournal&)> task);

    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::journal
