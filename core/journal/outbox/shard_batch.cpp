#include "core/journal/outbox/shard_batch.h"

#include "core/base/log.h"

#include <utility>

namespace restante::journal {

namespace {

constexpr std::size_t kRow = 9;  // id, seven texts of its place, record

}  // namespace

std::vector<StreamEntry> entriesOf(const redis::Reply& reply)
{
    std::vector<StreamEntry> entries;
    const auto* list = reply.array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto* pair = (*list)[i].array();
        const auto* text = pair != nullptr && pair->size() == 2 ? (*pair)[0].text() : nullptr;
        const auto id = text != nullptr ? StreamId::parse(*text) : std::nullopt;
        if (id && (*pair)[1].array() != nullptr) {
            entries.push_back({*id, *(*pair)[1].array()});
        }
    }
    return entries;
}

std::vector<StreamEntry> entriesOfStream(const redis::Reply& reply)
{
    const auto* streams = reply.array();
    const auto* one =
        streams != nullptr && streams->size() == 1 ? streams->front().array() : nullptr;
    return one != nullptr && one->size() == 2 ? entriesOf((*one)[1]) : std::vector<StreamEntry>{};
}

std::vector<JobInEvent> jobsOfRows(const redis::Reply& reply)
{
    std::vector<JobInEvent> jobs;
    const auto* texts = reply.array();
    for (std::size_t i = 0; texts != nullptr && i + kRow <= texts->size(); i += kRow) {
        std::vector<std::string> row;
        for (std::size_t n = 0; n < kRow; ++n) {
            const auto* text = (*texts)[i + n].text();
            row.push_back(text != nullptr ? *text : std::string());
        }
        JobInEvent job{row.front(), placeOf(std::span(row).subspan(1)), row.back()};
        if (!job.place->state.empty() && !job.record.empty()) {
            jobs.push_back(std::move(job));
        }
    }
    return jobs;
}

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
