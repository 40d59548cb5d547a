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

/// A report of a failure is not urgent; a scan costs each shard one short command.
constexpr Millis kScanInterval{2'000};
/// A death's time comes from the caller: a daemon whose clock is behind, or a call that waited.
constexpr Millis kMaxClockError{30'000};
/// The watermark is written at most this often; after a crash that much is scanned again.
constexpr Millis kSaveInterval{60'000};
constexpr std::uint32_t kPageSize = 100;

}  // namespace

/// One scan, newest first, down to `since`.
struct DeadLetterWatcher::Scan {
    TimePoint startedAt{};
    TimePoint since{};
    JobSearch search;
    std::vector<JobView> unreported;  ///< of this page
    bool isLastPage = false;          ///< none follows, or only what is older than `since`
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
        watermark ? scheduleScan() : timer_.arm(kScanInterval, [this] { start(); });
    }));
}

void DeadLetterWatcher::scheduleScan()
{
    timer_.arm(kScanInterval, [this] { scan(); });
}

void DeadLetterWatcher::scan()
{
    auto scan = std::make_shared<Scan>();
    scan->startedAt = parts_.clock.now();
    scan->since = reportedUntil_ - kMaxClockError;
    scan->search.states = {JobState::Dead};
    scan->search.order = JobSearch::Order::Descending;
    scan->search.limit = 1;  // mostly the newest is reported already, and bodies are large
    fetchPage(scan);
}

void DeadLetterWatcher::fetchPage(const std::shared_ptr<Scan>& scan)
{
    parts_.inspector.search(scan->search, callbackGuard_.guard([this, scan](const auto& page) {
        if (!page) {
            log::debug("sip", "the dead are not looked at: {}", page.error().message);
            return scheduleScan();
        }
        handlePage(scan, *page);
    }));
}

void DeadLetterWatcher::handlePage(const std::shared_ptr<Scan>& scan, const SearchPage& page)
{
    scan->unreported.clear();
    scan->isLastPage = !page.hasMore();
    scan->search.cursor = page.cursor;
    scan->search.limit = kPageSize;
    for (const auto& view : page.jobs) {
        if (view.due < scan->since) {  // of a dead job: when it died
            scan->isLastPage = true;
            break;
        }
        if (mustReport(view)) {
            scan->unreported.push_back(view);
        }
    }
    reportFrom(scan, 0);
}

bool DeadLetterWatcher::mustReport(const JobView& view) const
{
    const auto reported = reported_.find(view.job.id);
    return (reported == reported_.end() || reported->second != view.due) &&
           !wasRefusalRelayed(view.lastError) &&
           parts_.reports.concerns(view.job, Disposition::Failed);
}

void DeadLetterWatcher::reportFrom(const std::shared_ptr<Scan>& scan, std::size_t next)
{
    if (next == scan->unreported.size()) {
        return scan->isLastPage ? finishScan(*scan) : fetchPage(scan);
    }
    const auto& view = scan->unreported[next];
    parts_.reports.reportFailed(view.job, view.lastError,
                                callbackGuard_.guard([this, scan, next](const auto& reported) {
                                    if (!reported) {
                                        return scheduleScan();  // reportedUntil_ is unchanged
                                    }
                                    const auto& dead = scan->unreported[next];
                                    reported_[dead.job.id] = dead.due;
                                    reportFrom(scan, next + 1);
                                }));
}

void DeadLetterWatcher::finishScan(const Scan& scan)
{
    reportedUntil_ = scan.startedAt;
    std::erase_if(reported_,
                  [this](const auto& one) { return one.second < reportedUntil_ - kMaxClockError; });
    if (reportedUntil_ - savedUntil_ >= kSaveInterval) {
        savedUntil_ = reportedUntil_;
        parts_.watermark.write(reportedUntil_, [](const auto&) {});
    }
    scheduleScan();
}

}  // namespace restante::sip
