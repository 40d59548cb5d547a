#include "core/journal/recovery/store_scan.h"

#include "core/base/async_task.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/store_answers.h"

#include <utility>
#include <vector>

namespace restante::journal {

namespace {
constexpr std::string_view kKeysPerScan = "200";  // of up to sixteen jobs, so some megabyte

/// Takes out of `jobs` what the journal knows, but for `newer`. Those of them that have ended
/// there.
Result<std::vector<std::string>>
takeKnown(SqlJournal& sql, std::vector<JobInEvent>& jobs, const std::set<std::string>& newer)
{
    std::vector<std::string> ids;
    for (const auto& job : jobs) {
        if (!newer.contains(job.id)) {
            ids.push_back(job.id);
        }
    }
    return sql.messages(ids).map([&jobs](const std::vector<StoredMessage>& found) {
        std::set<std::string> known;
        std::vector<std::string> ended;
        for (const auto& message : found) {
            known.insert(message.id);
            if (message.place.state == "done" || message.place.state == "gone") {
                ended.push_back(message.id);
            }
        }
        std::erase_if(jobs, [&known](const auto& job) { return known.contains(job.id); });
        return ended;
    });
}

class StoreScan : public AsyncTask<StoreScan, std::vector<std::string>> {
public:
    StoreScan(ShardParts parts,
              redis::ScriptQueue& scripts,
              const ShardSettings& settings,
              std::shared_ptr<const std::set<std::string>> newer)
        : parts_(parts),
          scripts_(scripts),
          shard_(settings.shard),
          shardPrefix_(redis::shardPrefix(settings.prefix, settings.shard)),
          newer_(std::move(newer))
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
        const auto pattern = shardPrefix_ + "j:*";
        parts_.commands.command(
            {"SCAN", cursor_, "MATCH", pattern, "COUNT", kKeysPerScan, "TYPE", "hash"},
            then<redis::Reply>(&StoreScan::scanned));
    }

    void scanned(redis::Reply reply)
    {
        const auto page = redis::scanPageOf(reply);
        if (!page) {
            return end(tl::unexpected(page.error()));
        }
        cursor_ = page->cursor;
        missing_ = page->texts.size();
        if (page->texts.empty()) {
            return wrote({});
        }
        for (const auto& key : page->texts) {
            const auto front = key.substr(shardPrefix_.size() + 2);
            scripts_.add(redis::script("journal_rows"), {}, {front},
                         then<redis::Reply>(&StoreScan::gotRows));
        }
    }

    void gotRows(redis::Reply reply)
    {
        for (auto& job : jobsOfRows(reply)) {
            jobs_.push_back(std::move(job));
        }
        if (--missing_ > 0) {
            return;
        }
        parts_.sql.ask<std::vector<std::string>>(
            parts_.loop,
            [shard = shard_, jobs = std::exchange(jobs_, {}), newer = newer_,
             now = parts_.clock.now()](SqlJournal& sql) mutable {
                auto ended =
                    newer ? takeKnown(sql, jobs, *newer) : Result<std::vector<std::string>>{};
                return ended.and_then([&](std::vector<std::string> ids) {
                    return sql.snapshot(shard, jobs, now).map([&ids] { return std::move(ids); });
                });
            },
            then<std::vector<std::string>>(&StoreScan::wrote));
    }

    void wrote(std::vector<std::string> ended)
    {
        ended_.insert(ended_.end(), ended.begin(), ended.end());
        cursor_ != "0" ? scan() : end(std::move(ended_));
    }

    ShardParts parts_;
    redis::ScriptQueue& scripts_;
    std::uint32_t shard_;
    std::string shardPrefix_;
    std::shared_ptr<const std::set<std::string>> newer_;
    std::string cursor_ = "0";
    std::size_t missing_ = 0;
    std::vector<JobInEvent> jobs_;
    std::vector<std::string> ended_;
};

}  // namespace

std::shared_ptr<void> scanStore(ShardParts parts,
                                redis::ScriptQueue& scripts,
                                const ShardSettings& settings,
                                std::shared_ptr<const std::set<std::string>> newer,
                                Done<std::vector<std::string>> done)
{
    auto scan = std::make_shared<StoreScan>(parts, scripts, settings, std::move(newer));
    scan->run(std::move(done));
    return scan;
}

}  // namespace restante::journal
