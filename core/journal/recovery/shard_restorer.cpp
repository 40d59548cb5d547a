#include "core/journal/recovery/shard_restorer.h"

#include "core/base/log.h"
#include "core/journal/recovery/recover_script.h"
#include "core/journal/recovery/shard_task.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// Whole jobs in memory at a time: some ten MB.
constexpr std::size_t kJobsPerPage = 5'000;

struct Page {
    std::vector<StoredMessage> messages;
    std::string last;  ///< the highest id that was looked at; empty: none
    bool more = false;
};

class ShardRestorer : public ShardTask<ShardRestorer, RecoverOutcome> {
public:
    ShardRestorer(ShardParts parts,
                  ShardSettings settings,
                  RestoreRequest request,
                  RestoreProgress progress)
        : ShardTask(parts, std::move(settings)),
          request_(std::move(request)),
          progress_(std::move(progress))
    {
    }

    void run(Done<RecoverOutcome> done)
    {
        begin(std::move(done));
        if (request_.event) {
            return counted(0);
        }
        ask([shard = settings_.shard](auto& sql) { return sql.countLiving(shard); },
            &ShardRestorer::counted);
    }

private:
    void counted(std::uint64_t living)
    {
        living_ = living;
        ask([shard = settings_.shard](auto& sql) { return sql.newestArrival(shard); },
            &ShardRestorer::gotNewest);
    }

    void gotNewest(std::uint64_t arrival)
    {
        newest_ = std::to_string(arrival);
        if (request_.event) {
            return nextPage();
        }
        call("journal_shift_arrivals", {newest_}, &ShardRestorer::shifted);
    }

    void shifted(redis::Reply reply)
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
            progress_(outcome_.total(), std::max(living_, outcome_.total()));
        }
        if (request_.event) {
            return ask(
                [shard = settings_.shard, event = *request_.event,
                 after = after_](SqlJournal& sql) {
                    return sql.movedSince(shard, event, after, kJobsPerPage)
                        .and_then([&](const std::vector<std::string>& ids) {
                            return sql.messages(ids).map([&](std::vector<StoredMessage> found) {
                                return Page{std::move(found), ids.empty() ? "" : ids.back(),
                                            ids.size() == kJobsPerPage};
                            });
                        });
                },
                &ShardRestorer::gotPage);
        }
        ask(
            [shard = settings_.shard, after = after_](SqlJournal& sql) {
                return sql.livingMessages(shard, after, kJobsPerPage)
                    .map([](std::vector<StoredMessage> found) {
                        const auto last = found.empty() ? std::string() : found.back().id;
                        const bool more = found.size() == kJobsPerPage;
                        return Page{std::move(found), last, more};
                    });
            },
            &ShardRestorer::gotPage);
    }

    void gotPage(Page page)
    {
        hasMore_ = page.more;
        after_ = page.last;
        outcome_.alreadyThere += std::erase_if(page.messages, [this](const auto& message) {
            return request_.newer.contains(message.id);
        });
        page_ = std::move(page.messages);
        missing_ = page_.size();
        if (missing_ == 0) {
            return pageDone();
        }
        const bool replays = request_.event.has_value() || isReplaying_;
        for (std::size_t n = 0; n < page_.size(); ++n) {
            restore(n, replays ? RecoverScript::Replay : RecoverScript::Recover);
        }
    }

    void restore(std::size_t n, RecoverScript script)
    {
        bringBack(
            scripts_, script, page_[n],
            {newest_, settings_.keepsDone, parts_.clock.now(), settings_.actor, settings_.reason},
            then<redis::Reply>([n, script](ShardRestorer& self, const redis::Reply& reply) {
                self.restored(n, script, reply);
            }));
    }

    void restored(std::size_t n, RecoverScript script, const redis::Reply& reply)
    {
        if (script == RecoverScript::Recover && request_.isOlder && statusOf(reply) == "there") {
            return restore(n, RecoverScript::Replay);
        }
        count(outcome_, page_[n].id, reply);
        if (--missing_ == 0) {
            pageDone();
        }
    }

    void pageDone()
    {
        if (hasMore_) {
            return nextPage();
        }
        if (request_.ended.empty()) {
            return end(outcome_);
        }
        // Of an older shard: what has ended since.
        const auto size = std::min(request_.ended.size(), kJobsPerPage);
        std::vector<std::string> ids(request_.ended.end() - static_cast<std::ptrdiff_t>(size),
                                     request_.ended.end());
        request_.ended.resize(request_.ended.size() - size);
        isReplaying_ = true;
        ask(
            [ids = std::move(ids)](SqlJournal& sql) {
                return sql.messages(ids).map([](std::vector<StoredMessage> found) {
                    return Page{std::move(found), {}, false};
                });
            },
            &ShardRestorer::gotPage);
    }

    RestoreRequest request_;
    RestoreProgress progress_;
    RecoverOutcome outcome_;
    std::uint64_t living_ = 0;
    std::string newest_ = "0";
    bool isReplaying_ = false;  ///< nothing but what has ended is left
    std::vector<StoredMessage> page_;
    std::string after_;
    bool hasMore_ = false;
    std::size_t missing_ = 0;
};

}  // namespace

std::shared_ptr<void> restoreShard(ShardParts parts,
                                   ShardSettings settings,
                                   RestoreRequest request,
                                   RestoreProgress progress,
                                   Done<RecoverOutcome> done)
{
    auto restorer = std::make_shared<ShardRestorer>(parts, std::move(settings), std::move(request),
                                                    std::move(progress));
    restorer->run(std::move(done));
    return restorer;
}

}  // namespace restante::journal
