#pragma once

#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"
#include "core/redis/store/store_activity.h"
#include "gui/session/job_source.h"

#include <functional>
#include <memory>
#include <optional>

namespace restante::gui {

/// What people did, as the journal has it: complete, where the event streams keep the newest
/// entries only. `sql` and `loop` outlive the answer.
void readAudit(journal::SqlThread& sql,
               EventLoop& loop,
               const AuditRequest& request,
               Done<AuditBatch> done);

/// *Pure.*
AuditBatch auditBatchOf(AuditEntries entries);

/// What the journal can be asked about.
struct JournalCoverage {
    TimePoint oldest{};                      ///< it may have forgotten what was before
    std::optional<TimePoint> recorded = {};  ///< all before is written; none = nobody records now
};

/// What waited in the past, as the journal has it, and then what moved: part by part, so that a
/// history that is asked for meanwhile does not wait long. When it has so much that this would take
/// minutes, what moved is left unknown.
/// `loop` outlives the journal.
void readPast(std::weak_ptr<journal::SqlThread> journal,
              EventLoop& loop,
              PastRequest request,
              JournalCoverage coverage,
              Done<Past> done);

/// Adds the rates that the journal has to what is known already.
void readActivity(const std::weak_ptr<journal::SqlThread>& journal,
                  EventLoop& loop,
                  TimePoint now,
                  TopicActivity known,
                  Done<TopicActivity> done);

/// What the journal knows of the last day of each topic: by one question for all of them. `done` is
/// told none when there is no journal, or it cannot be read.
void readTopicPast(const std::weak_ptr<journal::SqlThread>& journal,
                   EventLoop& loop,
                   TimePoint now,
                   std::function<void(std::optional<TopicPast>)> done);

/// With the leased jobs of a tally, unless it ended at `most` of a shard.
TopicActivity activityOf(const redis::JobsByTopic& leased, std::uint64_t most);

}  // namespace restante::gui
