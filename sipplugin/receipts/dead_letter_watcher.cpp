#include "sipplugin/receipts/dead_letter_watcher.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/keys.h"
#include "sipplugin/receipts/live_senders.h"

#include <utility>
#include <vector>

namespace restante::sip {

ReportWatermark::ReportWatermark(redis::Connection& connection, const std::string& prefix)
    : connection_(connection),
      key_(redis::shardPrefix(prefix, 0) + "reported")
{
}

void ReportWatermark::read(Done<std::optional<TimePoint>> done)
{
    connection_.command({"GET", key_}, [done = std::move(done)](const Result<redis::Reply>& reply) {
        if (!reply) {
            return done(tl::unexpected(reply.error()));
        }
        const auto* text = reply->text();
        std::int64_t ms = 0;
        const bool known = text != nullptr && readNumber(*text, ms);
        done(known ? std::optional{fromEpochMs(ms)} : std::nullopt);
    });
}

void ReportWatermark::write(TimePoint until, Done<void> done)
{
    const auto text = std::to_string(toEpochMs(until));
    connection_.command({"SET", key_, text},
                        [done = std::move(done)](const Result<redis::Reply>& reply) {
                            done(reply.map([](const redis::Reply&) {}));
                        });
}

namespace {

/// Nobody waits for the news of a failure; a look costs each shard one short command.
constexpr Millis kPause{2'000};
/// A death is dated by whoever asked for it: a daemon whose clock is behind, or a call that waited.
constexpr Millis kLate{30'000};
/// The mark is written this often at most: so much is looked at twice after a crash.
constexpr Millis kMarkEvery{60'000};
constexpr std::uint32_t kPage = 100;

}  // namespace

/// One look, newest first, down to `since`.
struct DeadLetterWatcher::Look {
    TimePoint begun{};
    TimePoint since{};
    JobSearch search;
    std::vector<JobView> found;  ///< on this page
    bool last = false;           ///< no page follows
};

void DeadLetterWatcher::start()
{
    parts_.watermark.read(lifetime_.guard([this](const auto& watermark) {
        if (watermark && *watermark) {
            seen_ = **watermark;
        } else if (watermark) {
            seen_ = parts_.clock.now();
            parts_.watermark.write(seen_, [](const auto&) {});
        }
        marked_ = seen_;
        watermark ? rest() : timer_.arm(kPause, [this] { start(); });
    }));
}

void DeadLetterWatcher::rest()
{
    timer_.arm(kPause, [this] { look(); });
}

void DeadLetterWatcher::look()
{
    auto look = std::make_shared<Look>();
    look->begun = parts_.clock.now();
    look->since = seen_ - kLate;
    look->search.states = {JobState::Dead};
    look->search.order = JobSearch::Order::Descending;
    look->search.limit = 1;  // mostly the newest is old news, and has a body
    turnPage(look);
}

void DeadLetterWatcher::turnPage(const std::shared_ptr<Look>& look)
{
    parts_.inspector.search(look->search, lifetime_.guard([this, look](const auto& page) {
        if (!page) {
            log::debug("sip", "the dead are not looked at: {}", page.error().message);
            return rest();
        }
        handlePage(look, *page);
    }));
}

void DeadLetterWatcher::handlePage(const std::shared_ptr<Look>& look, const SearchPage& page)
{
    look->found.clear();
    look->last = !page.more();
    look->search.cursor = page.cursor;
    look->search.limit = kPage;
    for (const auto& view : page.jobs) {
        if (view.due < look->since) {
            look->last = true;
            break;
        }
        if (isNews(view)) {
            look->found.push_back(view);
        }
    }
    tell(look, 0);
}

bool DeadLetterWatcher::isNews(const JobView& view) const
{
    const auto told = told_.find(view.job.id);
    return (told == told_.end() || told->second != view.due) && !wasToldLive(view.lastError) &&
           parts_.reports.concerns(view.job, Disposition::Failed);
}

void DeadLetterWatcher::tell(const std::shared_ptr<Look>& look, std::size_t next)
{
    if (next == look->found.size()) {
        return look->last ? end(*look) : turnPage(look);
    }
    const auto& view = look->found[next];
    parts_.reports.reportFailed(view.job, view.lastError,
                                lifetime_.guard([this, look, next](const auto& told) {
                                    if (!told) {
                                        return rest();  // and later from the same place
                                    }
                                    const auto& dead = look->found[next];
                                    told_[dead.job.id] = dead.due;
                                    tell(look, next + 1);
                                }));
}

void DeadLetterWatcher::end(const Look& look)
{
    seen_ = look.begun;
    std::erase_if(told_, [this](const auto& one) { return one.second < seen_ - kLate; });
    if (seen_ - marked_ >= kMarkEvery) {
        marked_ = seen_;
        parts_.watermark.write(seen_, [](const auto&) {});
    }
    rest();
}

}  // namespace restante::sip
