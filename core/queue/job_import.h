#pragma once

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/queue/topic.h"

#include <cstdint>
#include <variant>
#include <vector>

namespace restante {

/// A topic that is paused or limited, as an export has it. *Value.*
struct TopicSetting {
    std::string topic = {};
    std::optional<TopicPause> pause = {};
    TopicLimits limits = {};
};

/// The settings that are fixed when a store is first used, as an export has them. They are not
/// imported: a store that takes the jobs of another must have been made like it. *Value.*
struct StoreShape {
    static constexpr std::uint32_t kMostShards = 1'024;  ///< as `redis.shards`

    std::uint32_t shards = 1;
};

/// The content of one line of an export.
using Exported = std::variant<JobView, TopicSetting, OnceKey, StoreShape>;

/// Whether an exported job can be stored again. Invalid names the field: its values are
/// checked against the limits, and a message's id must belong to the shard of its mailbox.
Result<void> checkImport(const JobView& view, const DelayQueue::Settings& settings);
Result<void> checkImport(const TopicSetting& setting, const DelayQueue::Settings& settings);
Result<void> checkImport(const OnceKey& once, const DelayQueue::Settings& settings);
/// Always valid: the importer compares the shapes.
Result<void> checkImport(const StoreShape& shape, const DelayQueue::Settings& settings);

/// Whether an import stores the line at all: a done job only if the line has its place
/// (JobView::position), which exports of earlier versions lack.
bool isForStore(const JobView& view);

enum class ImportMode { KeepExisting, ReplaceExisting };
/// Stores a job as it was exported, in one step: JobStore::importJob(). A job that is there with
/// the same content is left as it is; with other content: Conflict, unless it shall be replaced.
/// One that is not for the store: asserts.
void importJob(
    JobStore& store, JobView view, ImportMode mode, OperatorAction who, Done<PushOutcome> done);

/// Pauses and limits the topic as it was. What the store has of the two stays, unless it shall be
/// replaced; AlreadyThere when nothing changes.
void importTopic(JobStore& store,
                 JobInspector& inspector,
                 TopicSetting setting,
                 ImportMode mode,
                 const OperatorAction& who,
                 Done<PushOutcome> done);
/// The same, given what JobInspector::topics() has answered, for many settings. May answer at once.
void importTopic(JobStore& store,
                 const std::vector<TopicView>& topics,
                 const TopicSetting& setting,
                 ImportMode mode,
                 const OperatorAction& who,
                 Done<PushOutcome> done);

}  // namespace restante
