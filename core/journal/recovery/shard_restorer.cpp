#include "core/journal/recovery/shard_restorer.h"

#include "core/base/log.h"
#include "core/journal/recovery/recover_script.h"
#include "core/journal/recovery/shard_task.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// Complete jobs in memory at a time: some ten MB.
constexpr std::size_t kJobsPerPage = 5'000;

struct Page {
    std::vector<MessageRow> jobs;
    std::string lastId;  ///< the highest id that was read; empty: none
    bool hasMore = false;
};

class ShardRestorer : public ShardTask<ShardRestorer, RecoverOutcome> {
public:
    ShardRestorer(JournalContext context,
                  RecordingSettings settings,
                  RestoreRequest request,
                  RestoreProgress progress)
        : ShardTask(context, std::move(settings)),
          request_(std::move(request)),
          progress_(std::move(progress))
    {
    }

    void run(Done<RecoverOutcome> done)
    {
        begin(std::move(done));
        if (request_.lastKeptEvent) {
            return onJobCount(0);
        }
        ask([shard = settings_.shard](auto& sql) { return sql.countJobsInRedis(shard); },
            &ShardRestorer::onJobCount);
    }

private:
    void onJobCount(std::uint64_t jobsInRedis)
    {
        jobsInRedis_ = jobsInRedis;
        ask([shard = settings_.shard](auto& sql) { return sql.newestArrival(shard); },
            &ShardRestorer::onNewestArrival);
    }

    void onNewestArrival(std::uint64_t arrival)
    {
        newestArrival_ = std::to_string(arrival);
        if (request_.lastKeptEvent) {
            return nextPage();
        }
        call("journal_shift_arrivals", {newestArrival_}, &ShardRestorer::onArrivalsShifted);
    }

    void onArrivalsShifted(redis::Reply reply)
    {
        if (const auto* moved = reply.integer(); moved != nullptr && *moved > 0) {
            log::info("journal", "shard {}: {} messages that came since go behind what comes back",
                      settings_.shard, *moved);
        }
        nextPage();
    }

    void nextPage()
    {
        if (progress_) {
            progress_(outcome_.total(), std::max(jobsInRedis_, outcome_.total()));
        }
        if (request_.lastKeptEvent) {
            return ask(
                [shard = settings_.shard, event = *request_.lastKeptEvent,
                 after = lastId_](SqlJournal& sql) {
                    return sql.movedSince(shard, event, after, kJobsPerPage)
                        .and_then([&](const std::vector<std::string>& ids) {
                            return sql.rowsOf(ids).map([&](std::vector<MessageRow> found) {
                                return Page{std::move(found), ids.empty() ? "" : ids.back(),
                                            ids.size() == kJobsPerPage};
                            });
                        });
                },
                &ShardRestorer::onPage);
        }
        ask(
            [shard = settings_.shard, after = lastId_](SqlJournal& sql) {
                return sql.rowsInRedis(shard, after, kJobsPerPage)
                    .map([](std::vector<MessageRow> found) {
                        const auto lastId = found.empty() ? std::string() : found.back().id;
                        const bool hasMore = found.size() == kJobsPerPage;
                        return Page{std::move(found), lastId, hasMore};
                    });
            },
            &ShardRestorer::onPage);
    }

    void onPage(Page page)
    {
        hasMore_ = page.hasMore;
        lastId_ = page.lastId;
        outcome_.alreadyThere += std::erase_if(page.jobs, [this](const auto& message) {
            return request_.newerIds.contains(message.id);
        });
        page_ = std::move(page.jobs);
        pendingAnswers_ = page_.size();
        if (pendingAnswers_ == 0) {
            return onPageDone();
        }
        const bool replays = request_.lastKeptEvent.has_value() || onlyThoseThatLeftRemain_;
        for (std::size_t index = 0; index < page_.size(); ++index) {
            restore(index, replays ? RecoverScript::Replay : RecoverScript::Recover);
        }
    }

    void restore(std::size_t index, RecoverScript script)
    {
        restoreJob(
            scripts_, script, page_[index],
            {newestArrival_, settings_.keepsDone, context_.clock.now(), settings_.actor,
             settings_.reason},
            then<redis::Reply>([index, script](ShardRestorer& self, const redis::Reply& reply) {
                self.onRestored(index, script, reply);
            }));
    }

    void onRestored(std::size_t index, RecoverScript script, const redis::Reply& reply)
    {
        if (script == RecoverScript::Recover && request_.isOlderCopy &&
            statusOf(reply) == "there") {
            return restore(index, RecoverScript::Replay);
        }
        countOutcome(outcome_, page_[index].id, reply);
        if (--pendingAnswers_ == 0) {
            onPageDone();
        }
    }

    void onPageDone()
    {
        if (hasMore_) {
            return nextPage();
        }
        if (request_.leftRedisIds.empty()) {
            return end(outcome_);
        }
        // For an older copy: the jobs that have ended since.
        const auto size = std::min(request_.leftRedisIds.size(), kJobsPerPage);
        std::vector<std::string> ids(request_.leftRedisIds.end() -
                                         static_cast<std::ptrdiff_t>(size),
                                     request_.leftRedisIds.end());
        request_.leftRedisIds.resize(request_.leftRedisIds.size() - size);
        onlyThoseThatLeftRemain_ = true;
        ask(
            [ids = std::move(ids)](SqlJournal& sql) {
                return sql.rowsOf(ids).map([](std::vector<MessageRow> found) {
                    return Page{std::move(found), {}, false};
                });
            },
            &ShardRestorer::onPage);
    }

    RestoreRequest request_;
    RestoreProgress progress_;
    RecoverOutcome outcome_;
    std::uint64_t jobsInRedis_ = 0;
    std::string newestArrival_ = "0";
    bool onlyThoseThatLeftRemain_ = false;  ///< only RestoreRequest::leftRedisIds are left
    std::vector<MessageRow> page_;
    std::string lastId_;
    bool hasMore_ = false;
    std::size_t pendingAnswers_ = 0;
};

}  // namespace

std::shared_ptr<void> restoreShard(JournalContext context,
                                   RecordingSettings settings,
                                   RestoreRequest request,
                                   RestoreProgress progress,
                                   Done<RecoverOutcome> done)
{
    auto restorer = std::make_shared<ShardRestorer>(context, std::move(settings),
                                                    std::move(request), std::move(progress));
    restorer->run(std::move(done));
    return restorer;
}

}  // namespace restante::journal
