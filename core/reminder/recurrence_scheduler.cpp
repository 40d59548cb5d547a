#include "core/reminder/recurrence_scheduler.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/reminder/series.h"
#include "core/schedule/recurrence.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::reminder {

namespace {

/// Series claimed at once: each needs two calls, which travel together with the others'.
constexpr std::uint32_t kSeriesPerClaim = 50;

/// By how much a series is postponed when something outside of it is wrong.
constexpr Millis kPostponement{5'000};

/// The one occurrence to push now, and when the series is due next. *Value.*
struct MisfireDecision {
    std::optional<TimePoint> push;
    std::optional<TimePoint> next;  ///< none = the series has ended; may be due already
};

/// Decides by `late` and `missed`. Pure. Looks no further back than kOccurrenceOnceFor, unless the
/// series is due at an older occurrence, so that the store still recognises what was pushed before
/// a crash.
MisfireDecision misfireDecisionOf(const Recurrence& recurrence,
                                  const ClaimedJob& series,
                                  TimePoint now,
                                  const Settings& settings)
{
    // A series that is due at an occurrence has pushed all before it. Otherwise its lease has
    // lapsed between two steps, and the store ignores what it already has.
    const bool isDueAtOccurrence =
        recurrence.next(series.due - Recurrence::kSmallestStep) == series.due;
    const auto from =
        isDueAtOccurrence ? series.due : std::max(series.job.created, now - kOccurrenceOnceFor);
    const auto earliestInTime = std::max(from, now - settings.late);
    const auto next = recurrence.next(earliestInTime - Recurrence::kSmallestStep);
    if (next && *next <= now) {
        return {next, recurrence.next(*next)};
    }
    const auto missed =
        settings.missed == Missed::Once ? recurrence.last(from, earliestInTime) : std::nullopt;
    return {missed, next};
}

}  // namespace

class RecurrenceScheduler::Impl : public std::enable_shared_from_this<Impl> {
public:
    using Settled = std::function<void()>;

    Impl(DelayQueue& queue, Settings settings) : queue_(queue), settings_(std::move(settings)) {}

    void advance(Settled settled)
    {
        queue_.claim(
            {Channel::Pull, {std::string(kSeriesTopic)}, kSeriesPerClaim},
            [weak = weak_from_this(), settled](const Result<std::vector<ClaimedJob>>& dueSeries) {
                auto self = weak.lock();
                if (!self || !dueSeries || dueSeries->empty()) {
                    return settled();
                }
                self->advanceAll(*dueSeries, settled);
            });
    }

private:
    void advanceAll(const std::vector<ClaimedJob>& dueSeries, const Settled& settled)
    {
        const Settled onSeriesDone =
            countDown(dueSeries.size(), [weak = weak_from_this(), settled] {
                auto self = weak.lock();
                self ? self->advance(settled) : settled();
            });
        for (const auto& claimed : dueSeries) {
            advanceOne(claimed, onSeriesDone);
        }
    }

    void advanceOne(const ClaimedJob& claimed, const Settled& settled)
    {
        const auto& id = claimed.job.id;
        auto series = Series::parse(claimed.job.body);
        if (!series) {
            log::error("reminder", "series {} cannot be read: {}", id, series.error().message);
            return queue_.bury(leaseOf(claimed), series.error().message, onMoved(id, settled));
        }
        const auto recurrence = series->recurrence();
        if (!recurrence) {
            // A time zone has been removed from this machine; another daemon may have it.
            return postpone(claimed, recurrence.error().message, settled);
        }
        const auto now = queue_.clock().now();
        auto decision = misfireDecisionOf(*recurrence, claimed, now, settings_);
        if (series->ends && decision.next && *decision.next >= *series->ends) {
            decision.next.reset();
        }
        if (!decision.push || hasExpired(*series, *decision.push, now)) {
            return rescheduleOrFinish(claimed, decision.next, settled);
        }
        pushAndReschedule(claimed, *series, decision, settled);
    }

    /// Whether the occurrence could not be delivered any more.
    static bool hasExpired(const Series& series, TimePoint at, TimePoint now)
    {
        return (series.expiresAfter && at + *series.expiresAfter <= now) ||
               (series.ends && (*series.ends <= at || *series.ends <= now));
    }

    void pushAndReschedule(const ClaimedJob& claimed,
                           const Series& series,
                           const MisfireDecision& decision,
                           const Settled& settled)
    {
        auto push = occurrenceOf(series, claimed.job.id, *decision.push, queue_.settings().shards);
        queue_.push(std::move(push), [weak = weak_from_this(), claimed, next = decision.next,
                                      settled](const Result<PushOutcome>& stored) {
            auto self = weak.lock();
            if (!self) {
                return settled();
            }
            if (!stored && isTemporary(stored.error().code)) {
                return self->postpone(claimed, stored.error().message, settled);
            }
            if (!stored) {
                log::warning("reminder", "series {}: one occurrence is left out: {}",
                             claimed.job.id, stored.error().message);
            }
            self->rescheduleOrFinish(claimed, next, settled);
        });
    }

    void rescheduleOrFinish(const ClaimedJob& claimed,
                            std::optional<TimePoint> next,
                            const Settled& settled)
    {
        if (!next) {
            log::info("reminder", "series {} has ended", claimed.job.id);
            return queue_.finish(leaseOf(claimed), onMoved(claimed.job.id, settled));
        }
        queue_.requeue(leaseOf(claimed), *next, onMoved(claimed.job.id, settled));
    }

    void postpone(const ClaimedJob& claimed, const std::string& why, const Settled& settled)
    {
        log::warning("reminder", "series {} waits: {}", claimed.job.id, why);
        auto due = queue_.clock().now() + kPostponement;
        // Not at a whole second, as occurrences are: a series that is due at one has pushed all
        // before it, and this one has not.
        due -= Millis{toEpochMs(due) % 1'000 == 0 ? 1 : 0};
        queue_.requeue(leaseOf(claimed), due, onMoved(claimed.job.id, settled), why);
    }

    /// The callback of a move: reports a failed one in the log, and settles.
    static Done<void> onMoved(const std::string& id, const Settled& settled)
    {
        return [id, settled](const Result<void>& moved) {
            // If it was cancelled or claimed by another daemon meanwhile, it is not ours any more.
            if (!moved && !hasMovedOn(moved.error().code)) {
                log::warning("reminder", "series {} is taken up again when its lease ends: {}", id,
                             moved.error().message);
            }
            settled();
        };
    }

    DelayQueue& queue_;
    Settings settings_;
};

RecurrenceScheduler::RecurrenceScheduler(DelayQueue& queue, DueWatcher& due, Settings settings)
    : impl_(std::make_shared<Impl>(queue, std::move(settings)))
{
    due.watch({DueSource::Kind::Lanes, Channel::Pull, {std::string(kSeriesTopic)}},
              [weak = std::weak_ptr(impl_)](std::function<void()> settled) {
                  auto impl = weak.lock();
                  impl ? impl->advance(std::move(settled)) : settled();
              });
}

RecurrenceScheduler::~RecurrenceScheduler() = default;

}  // namespace restante::reminder
