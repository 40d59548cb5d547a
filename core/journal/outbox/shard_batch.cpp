#include "core/journal/outbox/shard_batch.h"

#include "core/base/log.h"
#include "core/redis/store/store_answers.h"

#include <utility>

namespace restante::journal {

namespace {

constexpr std::size_t kRow = 9;  // id, seven texts of its place, record

}  // namespace

std::vector<StreamEntry> entriesOf(const redis::Reply& reply)
{
    std::vector<StreamEntry> entries;
    for (std::size_t i = 0; i < reply.size(); ++i) {
        const auto* text = reply.at(i).at(0).text();
        const auto* fields = reply.at(i).at(1).array();
        const auto id = text != nullptr ? StreamId::parse(*text) : std::nullopt;
        if (id && fields != nullptr) {
            entries.push_back({*id, *fields});
        }
    }
    return entries;
}

std::vector<StreamEntry> entriesOfStream(const redis::Reply& reply)
{
    return entriesOf(reply.at(0).at(1));
}

std::vector<JobInEvent> jobsOfRows(const redis::Reply& reply)
{
    std::vector<JobInEvent> jobs;
    const auto texts = redis::textsOf(reply);
    for (std::size_t i = 0; i + kRow <= texts.size(); i += kRow) {
        const auto row = std::span(texts).subspan(i, kRow);
        JobInEvent job{row.front(), placeOf(row.subspan(1)), row.back()};
        if (!job.place->state.empty() && !job.record.empty()) {
            jobs.push_back(std::move(job));
        }
    }
    return jobs;
}

ShardBatch
batchOf(std::uint32_t shard, const Position& from, const std::vector<StreamEntry>& entries)
{
    ShardBatch batch{shard, from, {from.identity, from.listenToken, entries.back().id}, {}};
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
