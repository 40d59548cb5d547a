#include "core/journal/outbox/shard_batch.h"

#include "core/base/log.h"

#include <utility>

namespace restante::journal {

ShardBatch
batchOf(std::uint32_t shard, const Position& from, const std::vector<StreamEntry>& entries)
{
    ShardBatch batch{shard, from, {from.identity, from.since, entries.back().id}, {}};
    for (const auto& entry : entries) {
        auto event = parseEvent(entry.id, entry.fields);
        if (!event) {
            log::error("journal", "shard {}: passed over: {}", shard, event.error().message);
        } else if (!event->jobs.empty() || !event->topic.empty() || !event->key.empty()) {
            batch.events.push_back(std::move(*event));
        }
    }
    return batch;
}

}  // namespace restante::journal
