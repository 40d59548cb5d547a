#include "core/journal/recovery/shard_snapshot.h"

#include "core/journal/outbox/shard_batch.h"
#include "core/journal/recovery/shard_task.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <iterator>
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

/// The status after an operator's trash, but for the mailbox's place of a job that was leased
/// (rememberOrigin() and countAttempt() of core/lua/lib/job.lua).
JobStatus trashedStatusOf(const JobStatus& status, TimePoint now)
{
    const auto nowMs = toEpochMs(now);
    const bool isInMailbox = status.arrival > 0;
    const bool wasLeased = status.state == "leased";
    const std::string state = !wasLeased ? status.state : isInMailbox ? "held" : "scheduled";
    auto score = wasLeased ? std::to_string(nowMs) : scoreOf(status);
    std::string next = "-";
    if (state == "held") {
        // The status has the next attempt instead of the score; none = when the recipient
        // registers.
        next = !isInMailbox || wasLeased ? "-" : score.empty() ? "inf" : score;
        score = "inf";
    }
    auto origin = fmt::format("{} {} {} {}", state, score.empty() ? std::to_string(nowMs) : score,
                              isInMailbox ? std::to_string(status.arrival) : "-", next);
    if (!status.origin.empty() && state != "scheduled") {
        origin += " " + status.origin;
    }
    JobStatus trashed;
    trashed.state = "trashed";
    trashed.dueMs = nowMs;
    trashed.attempts = status.attempts + (wasLeased ? 1U : 0U);
    trashed.attemptOffset = status.attemptOffset;
    trashed.lastError =
        "it had ended, and came back with an older copy of Redis after journal.retention";
    if (!status.lastError.empty()) {
        trashed.lastError += "; its last error: " + status.lastError;
    }
    trashed.origin = std::move(origin);
    return trashed;
}

/// Keeps of `jobs` those of which the journal has nothing and that are not in `newerIds`.
Result<void>
keepForgotten(SqlJournal& sql, std::vector<JobInEvent>& jobs, const std::set<std::string>& newerIds)
{
    std::erase_if(jobs, [&newerIds](const auto& job) { return newerIds.contains(job.id); });
    std::vector<std::string> ids;
    std::transform(jobs.begin(), jobs.end(), std::back_inserter(ids),
                   [](const auto& job) { return job.id; });
    return sql.unknownOf(ids).map([&jobs](const std::vector<std::string>& unknown) {
        const std::set<std::string> forgotten(unknown.begin(), unknown.end());
        std::erase_if(jobs, [&forgotten](const auto& job) { return !forgotten.contains(job.id); });
    });
}

/// Writes some jobs into the journal; yields ids for the caller.
using WriteJobs = std::function<Result<std::vector<std::string>>(
    SqlJournal& sql, std::vector<JobInEvent> jobs, TimePoint now)>;

class ShardSnapshot : public ShardTask<ShardSnapshot, std::vector<std::string>> {
public:
    ShardSnapshot(JournalContext context, const RecordingSettings& settings, WriteJobs writeJobs)
        : ShardTask(context, settings),
          writeJobs_(std::move(writeJobs))
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
        ask([writeJobs = writeJobs_, jobs = std::exchange(jobs_, {}), now = context_.clock.now()](
                SqlJournal& sql) mutable { return writeJobs(sql, std::move(jobs), now); },
            &ShardSnapshot::onWritten);
    }

    void onWritten(std::vector<std::string> ids)
    {
        ids_.insert(ids_.end(), ids.begin(), ids.end());
        cursor_ != "0" ? scan() : end(std::move(ids_));
    }

    WriteJobs writeJobs_;
    std::string cursor_ = "0";
    std::size_t pendingAnswers_ = 0;
    std::vector<JobInEvent> jobs_;
    std::vector<std::string> ids_;  ///< that writeJobs_ has yielded
};

std::shared_ptr<void> startSnapshot(JournalContext context,
                                    const RecordingSettings& settings,
                                    WriteJobs writeJobs,
                                    Done<std::vector<std::string>> done)
{
    auto snapshot = std::make_shared<ShardSnapshot>(context, settings, std::move(writeJobs));
    snapshot->run(std::move(done));
    return snapshot;
}

}  // namespace

std::shared_ptr<void> writeShardSnapshot(JournalContext context,
                                         const RecordingSettings& settings,
                                         std::shared_ptr<const std::set<std::string>> newerIds,
                                         Done<std::vector<std::string>> done)
{
    return startSnapshot(
        context, settings,
        [shard = settings.shard,
         newerIds = std::move(newerIds)](SqlJournal& sql, std::vector<JobInEvent> jobs,
                                         TimePoint now) -> Result<std::vector<std::string>> {
            auto leftRedis =
                newerIds ? removeKnown(sql, jobs, *newerIds) : Result<std::vector<std::string>>{};
            return leftRedis.and_then([&](std::vector<std::string> ids) {
                return sql.writeSnapshot(shard, jobs, now).map([&ids] { return std::move(ids); });
            });
        },
        std::move(done));
}

std::shared_ptr<void> trashForgottenJobs(JournalContext context,
                                         const RecordingSettings& settings,
                                         std::shared_ptr<const std::set<std::string>> newerIds,
                                         Done<std::vector<std::string>> done)
{
    return startSnapshot(
        context, settings,
        [shard = settings.shard,
         newerIds = std::move(newerIds)](SqlJournal& sql, std::vector<JobInEvent> jobs,
                                         TimePoint now) -> Result<std::vector<std::string>> {
            if (auto kept = keepForgotten(sql, jobs, *newerIds); !kept) {
                return tl::unexpected(std::move(kept.error()));
            }
            std::vector<std::string> trashed;
            for (auto& job : jobs) {
                if (job.status->state != "trashed" && job.status->state != "done") {
                    job.status = trashedStatusOf(*job.status, now);
                    trashed.push_back(job.id);
                }
            }
            return sql.writeSnapshot(shard, jobs, now).map([&trashed] {
                return std::move(trashed);
            });
        },
        std::move(done));
}

}  // namespace restante::journal
