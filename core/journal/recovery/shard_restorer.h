#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/recovery/comparison.h"
#include "core/journal/sql/sql_thread.h"
#include "core/queue/job_history.h"
#include "core/redis/client/connection.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::journal {

/// Brings one shard that is not served back to where the journal has it (docs/journal.md,
/// "Recovery"). Every step may be repeated from the beginning: whoever goes on after a crash just
/// does it again. *One loop*; borrows everything; nothing is answered once it is destroyed.
class ShardRestorer {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        SqlThread& sql;
        redis::Connection& commands;
    };
    struct Settings {
        std::string prefix = "rst";
        std::uint32_t shard = 0;
        bool keepsDone = false;  ///< `retention.done` > 0
        /// An operator who has what was emptied brought back, and why, for the audit; empty:
        /// nobody.
        std::string actor = {};
        std::string reason = {};
    };
    /// Told now and then: how many jobs were looked at, and of how many.
    using Progress = std::function<void(std::uint64_t done, std::uint64_t of)>;

    ShardRestorer(Parts parts, Settings settings, Progress progress);
    ShardRestorer(const ShardRestorer&) = delete;
    ShardRestorer& operator=(const ShardRestorer&) = delete;
    ~ShardRestorer();

    /// The shard was emptied: all that lives in the journal comes back, messages in the order of
    /// their mailboxes, what has been stored since behind them. What the shard has stays as it is.
    void bringBackAll(Done<RecoverOutcome> done);
    /// The same of a shard that is an older copy of itself: what it has and the journal knows
    /// stands again as the journal has it, too. `ended` are those of it that have ended there;
    /// `newer` as below.
    void bringBackOlder(std::vector<std::string> ended,
                        std::set<std::string> newer,
                        Done<RecoverOutcome> done);
    /// The shard has forgotten what it wrote after `event`: each job that moved after it stands
    /// again as the journal has it; what has ended there is forgotten. `newer` are jobs about which
    /// the shard knows more than the journal: they are left alone.
    void bringForward(StreamId event, std::set<std::string> newer, Done<RecoverOutcome> done);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::journal
