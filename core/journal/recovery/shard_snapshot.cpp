#include "core/journal/recovery/shard_snapshot.h"

#include "core/journal/outbox/shard_batch.h"
#include "core/journal/recovery/shard_task.h"
#include "core/redis/store/store_answers.h"

#include <utility>
#include <vector>

namespace restante::journal {

namespace {
constexpr std::string_view kKeysPerScan = "200";  // of up to sixteen jobs each, so about a megabyte

/// Removes from `jobs` those that the journal knows, except `newerIds`. Returns the removed ones
/// that it says have left Redis (done, gone, cold).
Result<std::vector<std::string>>
removeKnown(SqlJournal& sql, std::vector<JobInEvent>& jobs, const std::set<std::string>& newerIds)
{
    std::vector<std::string> ids;
    for (const auto& job : jobs) {
        if (!newerIds.contains(job.id)) {
            ids.push_back(job.id);
        }
    }
    return sql.rowsOf(ids).map([&jobs](const std::vector<MessageRow>& found) {
        std::set<std::string> known;
        std::vector<std::string> leftRedis;
        for (const auto& message : found) {
            known.insert(message.id);
            if (message.hasLeftRedis()) {
                leftRedis.push_back(message.id);
            }
        }
        std::erase_if(jobs, [&known](const auto& job) { return known.contains(job.id); });
        return leftRedis;
    });
}

class ShardSnapshot : public ShardTask<ShardSnapshot, std::vector<std::string>> {
public:
    ShardSnapshot(JournalContext context,
                  const RecordingSettings& settings,
                  std::shared_ptr<const std::set<std::string>> newerIds)
        : ShardTask(context, settings),
          newerIds_(std::move(newerIds))
    {
    }

    void run(Done<std::vector<std::string>> done)
    {
        begin(std::move(done));
        scan();
    }

private:
    void scan()
    {
        const auto pattern = prefix_ + "j:*";
        command({"SCAN", cursor_, "MATCH", pattern, "COUNT", kKeysPerScan, "TYPE", "hash"},
                &ShardSnapshot::onKeys);
    }

    void onKeys(redis::Reply reply)
    {
        const auto page = redis::scanPageOf(reply);
        if (!page) {
            return end(tl::unexpected(page.error()));
        }
        cursor_ = page->cursor;
        pendingAnswers_ = page->texts.size();
        if (page->texts.empty()) {
            return onWritten({});
        }
        for (const auto& key : page->texts) {
            const auto hashId = key.substr(prefix_.size() + 2);
            call("journal_rows", {hashId}, &ShardSnapshot::onRows);
        }
    }

    void onRows(redis::Reply reply)
    {
        for (auto& job : jobsOfRows(reply)) {
            jobs_.push_back(std::move(job));
        }
        if (--pendingAnswers_ > 0) {
            return;
        }
        ask(
            [shard = settings_.shard, jobs = std::exchange(jobs_, {}), newerIds = newerIds_,
             now = context_.clock.now()](SqlJournal& sql) mutable {
                auto leftRedis = newerIds ? removeKnown(sql, jobs, *newerIds)
                                          : Result<std::vector<std::string>>{};
                return leftRedis.and_then([&](std::vector<std::string> ids) {
                    return sql.writeSnapshot(shard, jobs, now).map([&ids] {
                        return std::move(ids);
                    });
                });
            },
            &ShardSnapshot::onWritten);
    }

    void onWritten(std::vector<std::string> leftRedis)
    {
        leftRedisIds_.insert(leftRedisIds_.end(), leftRedis.begin(), leftRedis.end());
        cursor_ != "0" ? scan() : end(std::move(leftRedisIds_));
    }

    std::shared_ptr<const std::set<std::string>> newerIds_;
    std::string cursor_ = "0";
    std::size_t pendingAnswers_ = 0;
    std::vector<JobInEvent> jobs_;
    std::vector<std::string> leftRedisIds_;
};

}  // namespace

std::shared_ptr<void> writeShardSnapshot(JournalContext context,
                                         const RecordingSettings& settings,
                                         std::shared_ptr<const std::set<std::string>> newerIds,
                                         Done<std::vector<std::string>> done)
{
    auto snapshot = std::make_shared<ShardSnapshot>(context, settings, std::move(newerIds));
    snapshot->run(std::move(done));
    return snapshot;
}

}  // namespace restante::journal
