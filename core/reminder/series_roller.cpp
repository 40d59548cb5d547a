#include "core/reminder/series_roller.h"

#include "core/base/log.h"
#include "core/base/timestamp.h"
#include "core/reminder/catch_up.h"
#include "core/reminder/series.h"

#include <string>
#include <utility>
#include <vector>

namespace restante::reminder {

namespace {

/// Series claimed at once: each needs two calls, which travel together with the others'.
constexpr std::uint32_t kBatch = 50;

/// How long a series rests when something outside of it is wrong.
constexpr Millis kRest{5'000};

}  // namespace

class SeriesRoller::Impl : public std::enable_shared_from_this<Impl> {
public:
    using Settled = std::function<void()>;

    Impl(DelayQueue& queue, Settings settings) : queue_(queue), settings_(std::move(settings)) {}

    void roll(Settled settled)
    {
        queue_.claim(
            {Channel::Pull, {std::string(kSeriesTopic)}, kBatch},
            [weak = weak_from_this(), settled](const Result<std::vector<ClaimedJob>>& due) {
                auto self = weak.lock();
                if (!self || !due || due->empty()) {
                    return settled();
                }
                self->rollAll(*due, settled);
            });
    }

private:
    void rollAll(const std::vector<ClaimedJob>& due, const Settled& settled)
    {
        auto missing = std::make_shared<std::size_t>(due.size());
        const Settled one = [weak = weak_from_this(), missing, settled] {
            if (--*missing > 0) {
                return;
            }
            auto self = weak.lock();
            self ? self->roll(settled) : settled();
        };
        for (const auto& claimed : due) {
            rollOne(claimed, one);
        }
    }

    void rollOne(const ClaimedJob& claimed, const Settled& settled)
    {
        const auto& id = claimed.job.id;
        auto series = Series::parse(claimed.job.body);
        if (!series) {
            log::error("reminder", "series {} cannot be rolled: {}", id, series.error().message);
            return queue_.bury(leaseOf(claimed), series.error().message, report(id, settled));
        }
        const auto recurrence = series->recurrence();
        if (!recurrence) {
            // Somebody has removed a time zone from the machine: another one may have it.
            return rest(claimed, recurrence.error().message, settled);
        }
        const auto now = queue_.clock().now();
        auto step = stepOf(*recurrence, {claimed.job.created, claimed.due, now}, settings_);
        if (series->ends && step.next && *step.next > *series->ends) {
            step.next.reset();
        }
        if (!step.push || isOver(*series, *step.push, now)) {
            return moveOn(claimed, step.next, settled);
        }
        push(claimed, *series, step, settled);
    }

    /// Nobody would get it any more.
    static bool isOver(const Series& series, TimePoint at, TimePoint now)
    {
        return (series.expiresAfter && at + *series.expiresAfter <= now) ||
               (series.ends && (*series.ends <= at || *series.ends <= now));
    }

    void
    push(const ClaimedJob& claimed, const Series& series, const Step& step, const Settled& settled)
    {
        auto order = occurrenceOf(series, claimed.job.id, *step.push, queue_.settings().shards);
        queue_.push(std::move(order), [weak = weak_from_this(), claimed, next = step.next,
                                       settled](const Result<PushOutcome>& stored) {
            auto self = weak.lock();
            if (!self) {
                return settled();
            }
            if (!stored && isTemporary(stored.error().code)) {
                return self->rest(claimed, stored.error().message, settled);
            }
            if (!stored) {
                log::warning("reminder", "series {}: one occurrence is left out: {}",
                             claimed.job.id, stored.error().message);
            }
            self->moveOn(claimed, next, settled);
        });
    }

    void moveOn(const ClaimedJob& claimed, std::optional<TimePoint> next, const Settled& settled)
    {
        if (!next) {
            log::info("reminder", "series {} has ended", claimed.job.id);
            return queue_.finish(leaseOf(claimed), report(claimed.job.id, settled));
        }
        queue_.store().retry({.lease = leaseOf(claimed), .due = *next, .counted = false},
                             report(claimed.job.id, settled));
    }

    void rest(const ClaimedJob& claimed, const std::string& why, const Settled& settled)
    {
        log::warning("reminder", "series {} waits: {}", claimed.job.id, why);
        queue_.store().retry({.lease = leaseOf(claimed),
                              .due = queue_.clock().now() + kRest,
                              .error = why,
                              .counted = false},
                             report(claimed.job.id, settled));
    }

    static Done<void> report(const std::string& id, const Settled& settled)
    {
        return [id, settled](const Result<void>& moved) {
            // Cancelled meanwhile, or claimed by another one since: theirs now.
            const bool isNews = !moved && moved.error().code != ErrorCode::NotFound &&
                                moved.error().code != ErrorCode::Stale &&
                                moved.error().code != ErrorCode::Conflict;
            if (isNews) {
                log::warning("reminder", "series {} is taken up again when its lease ends: {}", id,
                             moved.error().message);
            }
            settled();
        };
    }

    DelayQueue& queue_;
    Settings settings_;
};

SeriesRoller::SeriesRoller(DelayQueue& queue, DueWatcher& due, Settings settings)
    : impl_(std::make_shared<Impl>(queue, std::move(settings)))
{
    due.watch({DueSource::Kind::Lanes, Channel::Pull, {std::string(kSeriesTopic)}},
              [weak = std::weak_ptr(impl_)](std::function<void()> settled) {
                  auto impl = weak.lock();
                  impl ? impl->roll(std::move(settled)) : settled();
              });
}

SeriesRoller::~SeriesRoller() = default;

}  // namespace restante::reminder
