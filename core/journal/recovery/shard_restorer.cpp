#include "core/journal/recovery/shard_restorer.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/journal/recovery/recover_script.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// Whole jobs in memory at a time: some ten MB.
constexpr std::size_t kPage = 5'000;

struct Page {
    std::vector<StoredMessage> messages;
    std::string last;  ///< the highest id that was looked at; empty: none
    bool more = false;
};

class ShardRestorer : public AsyncTask<ShardRestorer, RecoverOutcome> {
public:
    ShardRestorer(ShardParts parts,
                  ShardSettings settings,
                  RestoreRequest request,
                  RestoreProgress progress)
        : parts_(parts),
          settings_(std::move(settings)),
          request_(std::move(request)),
          progress_(std::move(progress)),
          scripts_(parts.loop,
                   parts.commands,
                   parts.clock,
                   {.shardPrefix = redis::shardPrefix(settings_.prefix, settings_.shard)})
    {
    }

    void run(Done<RecoverOutcome> done)
    {
        begin(std::move(done));
        if (request_.event) {
            return counted(0);
        }
        ask<std::uint64_t>([shard = settings_.shard](auto& sql) { return sql.countLiving(shard); },
                           &ShardRestorer::counted);
    }

private:
    template <class T, class Work>
    void ask(Work work, void (ShardRestorer::*call)(T))
    {
        parts_.sql.ask<T>(parts_.loop, std::move(work), then<T>(call));
    }

    void counted(std::uint64_t living)
    {
        living_ = living;
        ask<std::uint64_t>(
            [shard = settings_.shard](auto& sql) { return sql.newestArrival(shard); },
            &ShardRestorer::gotNewest);
    }

    void gotNewest(std::uint64_t arrival)
    {
        newest_ = std::to_string(arrival);
        if (request_.event) {
            return nextPage();
        }
        scripts_.add(redis::script("journal_shift_arrivals"), {}, {newest_},
                     then<redis::Reply>(&ShardRestorer::shifted));
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
            progress_(outcome_.seen(), std::max(living_, outcome_.seen()));
        }
        if (request_.event) {
            return ask<Page>(
                [shard = settings_.shard, event = *request_.event,
                 after = after_](SqlJournal& sql) {
                    return sql.movedSince(shard, event, after, kPage)
                        .and_then([&](const std::vector<std::string>& ids) {
                            return sql.messages(ids).map([&](std::vector<StoredMessage> found) {
                                return Page{std::move(found), ids.empty() ? "" : ids.back(),
                                            ids.size() == kPage};
                            });
                        });
                },
                &ShardRestorer::gotPage);
        }
        ask<Page>(
            [shard = settings_.shard, after = after_](SqlJournal& sql) {
                return sql.livingMessages(shard, after, kPage)
                    .map([](std::vector<StoredMessage> found) {
                        const auto last = found.empty() ? std::string() : found.back().id;
                        const bool more = found.size() == kPage;
                        return Page{std::move(found), last, more};
                    });
            },
            &ShardRestorer::gotPage);
    }

    void gotPage(Page page)
    {
        more_ = page.more;
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
            replays ? replay(n) : recover(n);
        }
    }

    RecoverOptions options() const
    {
        return {newest_, settings_.keepsDone, parts_.clock.now(), settings_.actor,
                settings_.reason};
    }

    void recover(std::size_t n)
    {
        recoverJob(scripts_, page_[n], options(),
                   then<redis::Reply>([n](ShardRestorer& self, const redis::Reply& reply) {
                       self.recovered(n, reply);
                   }));
    }

    void recovered(std::size_t n, const redis::Reply& reply)
    {
        const bool isBehind = request_.isOlder && statusOf(reply) == "there";
        isBehind ? replay(n) : restored(n, reply);
    }

    void replay(std::size_t n)
    {
        replayJob(scripts_, page_[n], options(),
                  then<redis::Reply>([n](ShardRestorer& self, const redis::Reply& reply) {
                      self.restored(n, reply);
                  }));
    }

    void restored(std::size_t n, const redis::Reply& reply)
    {
        count(outcome_, page_[n].id, reply);
        if (--missing_ == 0) {
            pageDone();
        }
    }

    void pageDone()
    {
        if (more_) {
            return nextPage();
        }
        if (request_.ended.empty()) {
            return end(outcome_);
        }
        // Of an older shard: what has ended since.
        const auto size = std::min(request_.ended.size(), kPage);
        std::vector<std::string> ids(request_.ended.end() - static_cast<std::ptrdiff_t>(size),
                                     request_.ended.end());
        request_.ended.resize(request_.ended.size() - size);
        isReplaying_ = true;
        ask<Page>(
            [ids = std::move(ids)](SqlJournal& sql) {
                return sql.messages(ids).map([](std::vector<StoredMessage> found) {
                    return Page{std::move(found), {}, false};
                });
            },
            &ShardRestorer::gotPage);
    }

    ShardParts parts_;
    ShardSettings settings_;
    RestoreRequest request_;
    RestoreProgress progress_;
    redis::ScriptQueue scripts_;
    RecoverOutcome outcome_;
    std::uint64_t living_ = 0;
    std::string newest_ = "0";
    bool isReplaying_ = false;  ///< nothing but what has ended is left
    std::vector<StoredMessage> page_;
    std::string after_;
    bool more_ = false;
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
