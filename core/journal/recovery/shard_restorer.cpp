#include "core/journal/recovery/shard_restorer.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/journal/recovery/place_arguments.h"
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

}  // namespace

class ShardRestorer::Impl : public AsyncTask<ShardRestorer::Impl, RecoverOutcome> {
public:
    Impl(Parts parts, Settings settings, Progress progress)
        : parts_(parts),
          settings_(std::move(settings)),
          progress_(std::move(progress)),
          scripts_(parts.loop,
                   parts.commands,
                   parts.clock,
                   {.shardPrefix = redis::shardPrefix(settings_.prefix, settings_.shard)})
    {
    }

    void bringBackAll(Done<RecoverOutcome> done)
    {
        beginAnew(std::move(done));
        ask<std::uint64_t>([shard = settings_.shard](auto& sql) { return sql.countLiving(shard); },
                           &Impl::counted);
    }

    void bringBackOlder(std::vector<std::string> ended,
                        std::set<std::string> newer,
                        Done<RecoverOutcome> done)
    {
        bringBackAll(std::move(done));
        ended_ = std::move(ended);
        newer_ = std::move(newer);
        isOlder_ = true;
    }

    void bringForward(StreamId event, std::set<std::string> newer, Done<RecoverOutcome> done)
    {
        beginAnew(std::move(done));
        event_ = event;
        newer_ = std::move(newer);
        counted(0);
    }

private:
    void beginAnew(Done<RecoverOutcome> done)
    {
        begin(std::move(done));
        outcome_ = {};
        after_.clear();
        event_.reset();
        newer_.clear();
        ended_.clear();
        isOlder_ = false;
        isReplaying_ = false;
    }

    template <class T, class Work>
    void ask(Work work, void (Impl::*call)(T))
    {
        parts_.sql.ask<T>(parts_.loop, std::move(work), then<T>(call));
    }

    void counted(std::uint64_t living)
    {
        living_ = living;
        ask<std::uint64_t>(
            [shard = settings_.shard](auto& sql) { return sql.newestArrival(shard); },
            &Impl::gotNewest);
    }

    void gotNewest(std::uint64_t arrival)
    {
        newest_ = std::to_string(arrival);
        if (event_) {
            return nextPage();
        }
        scripts_.add(redis::script("journal_shift"), {}, {newest_},
                     then<redis::Reply>(&Impl::shifted));
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
        if (event_) {
            return ask<Page>(
                [shard = settings_.shard, event = *event_, after = after_](SqlJournal& sql) {
                    return sql.movedSince(shard, event, after, kPage)
                        .and_then([&](const std::vector<std::string>& ids) {
                            return sql.messages(ids).map([&](std::vector<StoredMessage> found) {
                                return Page{std::move(found), ids.empty() ? "" : ids.back(),
                                            ids.size() == kPage};
                            });
                        });
                },
                &Impl::gotPage);
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
            &Impl::gotPage);
    }

    void gotPage(Page page)
    {
        more_ = page.more;
        after_ = page.last;
        outcome_.alreadyThere += std::erase_if(
            page.messages, [this](const auto& message) { return newer_.contains(message.id); });
        page_ = std::move(page.messages);
        missing_ = page_.size();
        if (missing_ == 0) {
            return pageDone();
        }
        const bool replays = event_.has_value() || isReplaying_;
        for (std::size_t n = 0; n < page_.size(); ++n) {
            replays ? replay(n) : recover(n);
        }
    }

    void recover(std::size_t n)
    {
        const auto& message = page_[n];
        const auto place = placeArguments(message, settings_.keepsDone, parts_.clock.now());
        scripts_.add(redis::script("recover"), message.id,
                     {message.id, place.state, place.score, place.past, place.forgotten,
                      place.arrival, place.next, place.lastError, place.origin, newest_,
                      place.known, message.record, settings_.actor, settings_.reason},
                     then<redis::Reply>(
                         [n](Impl& self, const redis::Reply& reply) { self.recovered(n, reply); }));
    }

    void recovered(std::size_t n, const redis::Reply& reply)
    {
        if (isOlder_ && statusOf(reply) == "there") {
            return replay(n);
        }
        restored(n, reply);
    }

    void replay(std::size_t n)
    {
        const auto& message = page_[n];
        const auto place = placeArguments(message, settings_.keepsDone, parts_.clock.now());
        scripts_.add(redis::script("replay"), message.id,
                     {message.id, place.state, place.score, place.past, place.forgotten,
                      place.arrival, place.next, place.lastError, place.origin, newest_,
                      message.record},
                     then<redis::Reply>(
                         [n](Impl& self, const redis::Reply& reply) { self.restored(n, reply); }));
    }

    static std::string statusOf(const redis::Reply& reply)
    {
        return reply.text() != nullptr ? *reply.text() : std::string();
    }

    void restored(std::size_t n, const redis::Reply& reply)
    {
        const auto status = statusOf(reply);
        if (status == "ok") {
            ++outcome_.recovered;
        } else if (status == "there") {
            ++outcome_.alreadyThere;
        } else {
            ++outcome_.unreadable;
            log::error("journal", "job {} cannot be brought back: {}", page_[n].id, status);
        }
        if (--missing_ == 0) {
            pageDone();
        }
    }

    void pageDone()
    {
        if (more_) {
            return nextPage();
        }
        if (ended_.empty()) {
            return end(outcome_);
        }
        // Of an older shard: what has ended since.
        const auto size = std::min(ended_.size(), kPage);
        std::vector<std::string> ids(ended_.end() - static_cast<std::ptrdiff_t>(size),
                                     ended_.end());
        ended_.resize(ended_.size() - size);
        isReplaying_ = true;
        ask<Page>(
            [ids = std::move(ids)](SqlJournal& sql) {
                return sql.messages(ids).map([](std::vector<StoredMessage> found) {
                    return Page{std::move(found), {}, false};
                });
            },
            &Impl::gotPage);
    }

    Parts parts_;
    Settings settings_;
    Progress progress_;
    redis::ScriptQueue scripts_;
    RecoverOutcome outcome_;
    std::uint64_t living_ = 0;
    std::string newest_ = "0";
    std::optional<StreamId> event_;
    std::set<std::string> newer_;
    std::vector<std::string> ended_;
    bool isOlder_ = false;      ///< the shard has jobs of which the journal knows more
    bool isReplaying_ = false;  ///< nothing but ended_ is left
    std::vector<StoredMessage> page_;
    std::string after_;
    bool more_ = false;
    std::size_t missing_ = 0;
};

ShardRestorer::ShardRestorer(Parts parts, Settings settings, Progress progress)
    : impl_(std::make_shared<Impl>(parts, std::move(settings), std::move(progress)))
{
}

ShardRestorer::~ShardRestorer() = default;

void ShardRestorer::bringBackAll(Done<RecoverOutcome> done)
{
    impl_->bringBackAll(std::move(done));
}

void ShardRestorer::bringBackOlder(std::vector<std::string> ended,
                                   std::set<std::string> newer,
                                   Done<RecoverOutcome> done)
{
    impl_->bringBackOlder(std::move(ended), std::move(newer), std::move(done));
}

void ShardRestorer::bringForward(StreamId event,
                                 std::set<std::string> newer,
                                 Done<RecoverOutcome> done)
{
    impl_->bringForward(event, std::move(newer), std::move(done));
}

}  // namespace restante::journal
