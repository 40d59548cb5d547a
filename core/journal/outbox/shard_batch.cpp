#include "core/journal/outbox/shard_batch.h"

#include "core/base/log.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <utility>

namespace restante::journal {

namespace {

constexpr std::size_t kTextsPerJob = 9;  // id, seven texts of its status, record

}  // namespace

std::vector<StreamEntry> entriesOf(redis::Reply reply)
{
    std::vector<StreamEntry> entries;
    auto* const list = std::get_if<redis::Reply::Array>(&reply.value);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        auto* const pair = std::get_if<redis::Reply::Array>(&(*list)[i].value);
        const auto* text = pair != nullptr && pair->size() == 2 ? pair->front().text() : nullptr;
        auto* const fields =
            text != nullptr ? std::get_if<redis::Reply::Array>(&pair->back().value) : nullptr;
        const auto id = text != nullptr ? StreamId::parse(*text) : std::nullopt;
        if (id && fields != nullptr) {
            entries.push_back({*id, std::move(*fields)});
        }
    }
    return entries;
}

std::vector<StreamEntry> entriesOfStream(redis::Reply reply)
{
    auto* const streams = std::get_if<redis::Reply::Array>(&reply.value);
    if (streams == nullptr || streams->empty()) {
        return {};
    }
    auto* const stream = std::get_if<redis::Reply::Array>(&streams->front().value);
    return stream != nullptr && stream->size() == 2 ? entriesOf(std::move(stream->back()))
                                                    : std::vector<StreamEntry>();
}

std::size_t recordBytesOf(const ShardBatch& batch)
{
    std::size_t bytes = 0;
    for (const auto& event : batch.events) {
        for (const auto& job : event.jobs) {
            bytes += job.record.size();
        }
    }
    return bytes;
}

std::size_t entriesPerCommit(const ShardBatch& last, std::size_t entries)
{
    constexpr std::size_t kTargetJobs = 6'400;
    constexpr std::size_t kTargetBytes = 8 << 20;
    constexpr std::size_t kMostEntries = 512;
    const auto bytes = 1 + recordBytesOf(last);
    std::size_t jobs = 1;
    for (const auto& event : last.events) {
        jobs += event.jobs.size();
    }
    return std::clamp(std::min(kTargetJobs * entries / jobs, kTargetBytes * entries / bytes),
                      kFewestEntries, kMostEntries);
}

std::vector<JobInEvent> jobsOfRows(const redis::Reply& reply)
{
    std::vector<JobInEvent> jobs;
    const auto texts = redis::textsOf(reply);
    for (std::size_t i = 0; i + kTextsPerJob <= texts.size(); i += kTextsPerJob) {
        const auto row = std::span(texts).subspan(i, kTextsPerJob);
        JobInEvent job{row.front(), statusOfRow(row.subspan(1)), row.back()};
        if (!job.status->state.empty() && !job.record.empty()) {
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
