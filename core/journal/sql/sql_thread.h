#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/task_thread.h"

#include <functional>
#include <memory>
#include <utility>

namespace restante::journal {

/// The thread that waits for the database; it owns the SqlJournal. *Any thread.*
class SqlThread {
public:
    /// How long the destructor waits for running work: enough for a large batch on a slow disk.
    /// Work that hangs for longer is dropped without an answer.
    static constexpr Millis kTimeout{5'000};

    explicit SqlThread(JournalUrl url,
                       SqlJournal::Schema schema = SqlJournal::Schema::Migrate,
                       Millis timeout = kTimeout)
        : journal_(std::make_shared<SqlJournal>(std::move(url), schema)),
          thread_(TaskThread::Limit{timeout, "the database does not answer; what it was doing is "
                                             "left alone"})
    {
    }

    /// Runs `work(journal)` on the thread, in the order of the calls, and calls `done` with its
    /// Result on `loop`, which must outlive this.
    template <class T>
    void ask(EventLoop& loop, std::function<Result<T>(SqlJournal&)> work, Done<T> done)
    {
        // `done` is handed on, not copied: the thread lets go of it before the loop has it, so that
        // what it owns is destroyed on the loop.
        thread_.post(
            [&loop, journal = journal_, work = std::move(work), done = std::move(done)]() mutable {
                // Shared, because a Task must be copyable and a result may be large.
                auto result = std::make_shared<Result<T>>(work(*journal));
                return [&loop, result, done = std::move(done)]() mutable {
                    loop.post([result, done = std::move(done)] { done(std::move(*result)); });
                };
            });
    }

private:
    std::shared_ptr<SqlJournal> journal_;  ///< shared with an abandoned task
    TaskThread thread_;
};

}  // namespace restante::journal
