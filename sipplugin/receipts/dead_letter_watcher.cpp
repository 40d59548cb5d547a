#include "sipplugin/receipts/dead_letter_watcher.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/queue/job_search.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "sipplugin/receipts/deferred_responses.h"

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
    connection_.command({"GET", key_}, onSuccess(done, [done](const redis::Reply& reply) {
                            const auto* text = reply.text();
                            std::int64_t ms = 0;
                            const bool known = text != nullptr && readNumber(*text, ms);
                            done(known ? std::optional{fromEpochMs(ms)} : std::nullopt);
                        }));
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

/// Nobody waits for the news of a failure; a scan costs each shard one short command.
constexpr Millis kPause{2'000};
/// A death is dated by whoever asked for it: a daemon whose clock is behind, or a call that waited.
constexpr Millis kMostClockError{30'000};
/// The watermark is written this often at most: so much is looked at twice after a crash.
constexpr Millis kSaveEvery{60'000};
constexpr std::uint32_t kPage = 100;

}  // namespace

/// One scan, newest first, down to `since`.
struct DeadLetterWatcher::Scan {
    TimePoint begun{};
    TimePoint since{};
    JobSearch search;
    std::vector<JobView> found;  ///< on this page
    bool last = false;           ///< no page follows
};

void DeadLetterWatcher::start()
{
    parts_.watermark.read(callbackGuard_.guard([this](const auto& watermark) {
        if (watermark && *watermark) {
            reportedUntil_ = **watermark;
        } else if (watermark) {
            reportedUntil_ = parts_.clock.now();
            parts_.watermark.write(reportedUntil_, [](const auto&) {});
        }
        savedUntil_ = reportedUntil_;
        watermark ? scanLater() : timer_.arm(kPause, [this] { start(); });
    }));
}

void DeadLetterWatcher::scanLater()
{
    timer_.arm(kPause, [this] { scan(); });
}

void DeadLetterWatcher::scan()
{
    auto scan = std::make_shared<Scan>();
    scan->begun = parts_.clock.now();
    scan->since = reportedUntil_ - kMostClockError;
    scan->search.states = {JobState::Dead};
    scan->search.order = JobSearch::Order::Descending;
    scan->search.limit = 1;  // mostly the newest is old news, and has a body
    fetchPage(scan);
}

void DeadLetterWatcher::fetchPage(const std::shared_ptr<Scan>& scan)
{
    parts_.inspector.search(scan->search, callbackGuard_.guard([this, scan](const auto& page) {
        if (!page) {
            log::debug("sip", "the dead are not looked at: {}", page.error().message);
            return scanLater();
        }
        handlePage(scan, *page);
    }));
}

void DeadLetterWatcher::handlePage(const std::shared_ptr<Scan>& scan, const SearchPage& page)
{
    scan->found.clear();
    scan->last = !page.hasMore();
    scan->search.cursor = page.cursor;
    scan->search.limit = kPage;
    for (const auto& view : page.jobs) {
        if (view.due < scan->since) {
            scan->last = true;
            break;
        }
        if (isNews(view)) {
            scan->found.push_back(view);
        }
    }
    reportFrom(scan, 0);
}

bool DeadLetterWatcher::isNews(const JobView& view) const
{
    const auto told = reported_.find(view.job.id);
    return (told == reported_.end() || told->second != view.due) &&
           !wasRefusalRelayed(view.lastError) &&
           parts_.reports.concerns(view.job, Disposition::Failed);
}

void DeadLetterWatcher::reportFrom(const std::shared_ptr<Scan>& scan, std::size_t next)
{
    if (next == scan->found.size()) {
        return scan->last ? end(*scan) : fetchPage(scan);
    }
    const auto& view = scan->found[next];
    parts_.reports.reportFailed(view.job, view.lastError,
                                callbackGuard_.guard([this, scan, next](const auto& told) {
                                    if (!told) {
                                        return scanLater();  // and later from the same place
                                    }
                                    const auto& dead = scan->found[next];
                                    reported_[dead.job.id] = dead.due;
                                    reportFrom(scan, next + 1);
                                }));
}

void DeadLetterWatcher::end(const Scan& scan)
{
    reportedUntil_ = scan.begun;
    std::erase_if(reported_, [this](const auto& one) {
        return one.second < reportedUntil_ - kMostClockError;
    });
    if (reportedUntil_ - savedUntil_ >= kSaveEvery) {
        savedUntil_ = reportedUntil_;
        parts_.watermark.write(reportedUntil_, [](const auto&) {});
    }
    scanLater();
}

}  // namespace restante::sip
