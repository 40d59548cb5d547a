#pragma once

#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"
#include "core/redis/store/store_activity.h"
#include "gui/session/job_source.h"

#include <functional>
#include <memory>
#include <optional>

namespace restante::gui {

/// The audit entries of the journal, which are complete; the event streams keep only the newest.
/// `sql` and `loop` outlive the answer.
void readAudit(journal::SqlThread& sql,
               EventLoop& loop,
               const AuditRequest& request,
               Done<AuditBatch> done);

/// *Pure.*
AuditBatch auditBatchOf(AuditEntries entries);

/// What the journal can be asked about.
struct JournalCoverage {
    TimePoint oldest{};  ///< earlier rows may have been deleted
    std::optional<TimePoint> recordedUntil =
        {};  ///< all rows up to it are written; none = no recorder
};

/// The backlog and the transitions of the past, as recorded in the journal. The transitions are
/// read in parts, so that a history that is requested meanwhile does not wait long; when there are
/// so many that this would take minutes, they are left unknown. `loop` outlives the journal.
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

/// The counts of each topic over the last day, by one query for all topics. `done` gets none when
/// there is no journal, or it cannot be read.
void readTopicPast(const std::weak_ptr<journal::SqlThread>& journal,
                   EventLoop& loop,
                   TimePoint now,
                   std::function<void(std::optional<TopicPast>)> done);

/// The activity with the counts of leased jobs; without them when all shards together have
/// `maxPerShard` or more, because then one may have jobs that were not counted.
TopicActivity activityOf(const redis::JobsByTopic& leased, std::uint64_t maxPerShard);

}  // namespace restante::gui
