#pragma once

#include "core/cold/tiered_inspector.h"
#include "core/cold/tiered_job_store.h"
#include "core/journal/cold/sql_cold_jobs.h"
#include "core/queue/delay_queue.h"

#include <functional>
#include <string>

namespace restante::redis {
class Connection;
}

namespace restante::journal {

/// The store in Redis under a StoreWithColdJobs. *Value*, which borrows all of it.
struct HotStore {
    EventLoop& loop;
    const Clock& clock;
    JobStore& store;
    const redis::ShardQueues& shards;
    JobInspector& inspector;
};

/// A store in Redis together with its cold jobs in SQL: a store, an inspector and a queue to which
/// a cold job is a scheduled one like any other (docs/decisions/0042-cold-jobs.md). Each loop has
/// one of its own. *One loop.*
class StoreWithColdJobs {
public:
    /// A push that is due later than `horizon` goes to SQL; 0 = none does. `settings` are those of
    /// the queue, with the shards that the store has.
    StoreWithColdJobs(const HotStore& hot,
                      JournalUrl url,
                      Millis horizon,
                      const DelayQueue::Settings& settings);

    JobStore& store() noexcept { return store_; }
    JobInspector& inspector() noexcept { return inspector_; }
    DelayQueue& queue() noexcept { return queue_; }

private:
    SqlColdJobs jobs_;
    cold::TieredJobStore store_;
    cold::TieredInspector inspector_;
    DelayQueue queue_;
};

/// Answers ok if the journal is the one of the store in Redis and can be read, so that its cold
/// jobs are the store's. For programs besides the daemon, whose journal somebody has named by hand.
/// The error says what is wrong: Conflict: it is another store's, or no store's yet; Unavailable:
/// it cannot be read, or no daemon has compared the store with it yet. `sql` and `connection` live
/// until the answer. `onStoreAnswered` is called once Redis has answered and SQL is asked.
void checkColdJournal(EventLoop& loop,
                      SqlThread& sql,
                      redis::Connection& connection,
                      const std::string& prefix,
                      Done<void> done,
                      std::function<void()> onStoreAnswered = {});

}  // namespace restante::journal
