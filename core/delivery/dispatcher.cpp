#include "core/delivery/dispatcher.h"

#include "core/base/async_task.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"
#include "core/queue/topic_view.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <utility>

namespace restante::delivery {

namespace {

/// Jobs a claim: enough to amortise the round trip, few enough to keep the store's script short.
constexpr std::uint32_t kJobsPerClaim = 100;

/// The wait before a failed renewal is repeated; for a short lease a ninth of it, so that there are
/// several tries before it ends.
constexpr Millis kRenewalRetry{500};
constexpr int kRenewalTriesPerLease = 9;

/// The waits before an outcome that the store did not record is written again.
constexpr Millis kFirstBackOff{50};
constexpr Millis kLongestBackOff{2'000};

using Kind = Outcome::Kind;

constexpr std::array kKinds{Kind::Delivered, Kind::Retry, Kind::Dead, Kind::Returned,
                            Kind::Awaited};
constexpr std::array<std::string_view, kKinds.size()> kKindWords{"delivered", "retry", "dead",
                                                                 "returned", "awaited"};

/// The metrics of one channel.
class DeliveryMetrics {
public:
    explicit DeliveryMetrics(Channel channel)
        : inFlight_(metrics::gauge("restante_deliveries_in_flight", {std::string(name(channel))})),
          seconds_(metrics::histogram("restante_delivery_seconds", {std::string(name(channel))}))
    {
        for (const auto kind : kKinds) {
            const auto index = static_cast<std::size_t>(kind);
            outcomes_[index] =
                &metrics::counter("restante_deliveries_total",
                                  {std::string(name(channel)), std::string(kKindWords[index])});
        }
    }
    DeliveryMetrics(const DeliveryMetrics&) = delete;
    ~DeliveryMetrics() { inFlight_.add(-static_cast<double>(jobCount_)); }

    void countStarted(std::size_t jobs)
    {
        jobCount_ += jobs;
        inFlight_.add(static_cast<double>(jobs));
    }
    void countEnded(Kind kind, Millis elapsed)
    {
        --jobCount_;
        inFlight_.add(-1);
        outcomes_[static_cast<std::size_t>(kind)]->add();
        if (kind != Kind::Returned) {
            seconds_.observe(std::chrono::duration<double>(elapsed).count());
        }
    }

private:
    metrics::Gauge& inFlight_;
    metrics::Histogram& seconds_;
    std::array<metrics::Counter*, kKinds.size()> outcomes_{};
    std::size_t jobCount_ = 0;
};

/// The copy of a job that the dispatcher keeps; only the courier has the body.
ClaimedJob withoutBody(ClaimedJob& claimed)
{
    auto body = std::exchange(claimed.job.body, {});
    auto copy = claimed;
    claimed.job.body = std::move(body);
    return copy;
}

/// Now, but never at a whole second: the due times of a series of reminders are whole seconds, and
/// the time of a repetition must not be taken for one of them.
TimePoint nowOffWholeSecond(TimePoint now)
{
    return toEpochMs(now) % 1'000 == 0 ? now - Millis{1} : now;
}

class DispatcherImpl final : public Dispatcher,
                             public std::enable_shared_from_this<DispatcherImpl> {
public:
    DispatcherImpl(EventLoop& loop, DelayQueue& queue, DueWatcher& due, Courier& courier)
        : loop_(loop),
          queue_(queue),
          dueWatcher_(due),
          courier_(courier),
          metrics_(courier.channel()),
          renewalTimer_(loop)
    {
    }

    void watch()
    {
        watch_ = dueWatcher_.watch({DueSource::Kind::Lanes, courier_.channel(), courier_.topics()},
                                   whileAlive(*this, &DispatcherImpl::handleDue));
    }

    void drain(std::function<void()> done) override
    {
        onDrained_ = std::move(done);
        dueWatcher_.unwatch(watch_);
        onSettled_ = nullptr;
        courier_.drain();
        loop_.post(whileAlive(*this, &DispatcherImpl::reportIfDrained));
    }

    std::size_t inFlight() const noexcept override
    {
        std::size_t count = pendingWrites_;
        for (const auto& [number, batch] : batches_) {
            count += batch.size();
        }
        return count;
    }

private:
    /// A job on its way.
    struct JobInFlight {
        ClaimedJob claimed;  ///< without its body
        TimePoint sentTime{};
        TimePoint renewTime{};
        bool renewing = false;
    };
    using Batch = std::vector<JobInFlight>;

    /// The outcome of a job until the store has recorded it.
    struct PendingOutcome {
        ClaimedJob claimed;
        Outcome outcome;
        TimePoint waitEnds{};  ///< of `outcome.wait`, which begins with the report
        Millis backOff{0};
    };

    void handleDue(std::function<void()> settled)
    {
        onSettled_ = std::move(settled);
        claimMore();
    }

    /// As long as something is due and the courier has capacity. While it has none, `onSettled_` is
    /// kept: the next report claims again.
    void claimMore()
    {
        const auto capacity = courier_.capacity();
        if (!onSettled_ || claiming_ || capacity == 0) {
            return;
        }
        claiming_ = true;
        const auto max = static_cast<std::uint32_t>(std::min<std::size_t>(capacity, kJobsPerClaim));
        queue_.claim({courier_.channel(), courier_.topics(), max},
                     whileAlive(*this, &DispatcherImpl::handleClaimed, max));
    }

    void handleClaimed(std::uint32_t requested, Result<std::vector<ClaimedJob>> jobs)
    {
        claiming_ = false;
        if (!jobs) {
            log::warning("delivery", "nothing is claimed for {}: {}", name(courier_.channel()),
                         jobs.error().message);
            callOnSettled();
            return reportIfDrained();
        }
        const bool isExhausted = jobs->size() < requested;
        if (onDrained_) {
            requeue(std::move(*jobs));
        } else {
            deliver(std::move(*jobs));
        }
        if (isExhausted) {
            callOnSettled();  // the watcher asks when the next one is due
        }
        claimMore();
        reportIfDrained();
    }

    void callOnSettled()
    {
        if (const auto settled = std::exchange(onSettled_, nullptr)) {
            settled();
        }
    }

    /// Jobs of one topic and instant share a batch if the courier joins them.
    void deliver(std::vector<ClaimedJob> jobs)
    {
        // The answer may be so late that other workers have got the jobs since.
        const auto now = queue_.clock().now();
        std::erase_if(jobs, [now](const ClaimedJob& job) { return job.leaseEnds <= now; });
        std::vector<std::vector<ClaimedJob>> batches;
        for (auto& job : jobs) {
            const auto fits = [&](const std::vector<ClaimedJob>& batch) {
                return batch.front().due == job.due && batch.front().job.topic == job.job.topic &&
                       courier_.mayJoin(batch, job);
            };
            const auto batch = std::ranges::find_if(batches, fits);
            (batch == batches.end() ? batches.emplace_back() : *batch).push_back(std::move(job));
        }
        for (auto& batch : batches) {
            deliverBatch(std::move(batch));
        }
    }

    void deliverBatch(std::vector<ClaimedJob> jobs)
    {
        const auto number = ++lastBatchNumber_;
        auto& batch = batches_[number];
        for (auto& job : jobs) {
            batch.push_back({.claimed = withoutBody(job), .sentTime = queue_.clock().now()});
            scheduleRenewal(batch.back());
        }
        metrics_.countStarted(jobs.size());
        courier_.deliver(std::move(jobs), whileAlive(*this, &DispatcherImpl::handleReport, number));
    }

    void requeue(std::vector<ClaimedJob> jobs)
    {
        for (auto& job : jobs) {
            record({withoutBody(job), {.kind = Kind::Returned}});
        }
    }

    void handleReport(std::uint64_t number, std::vector<Outcome> outcomes)
    {
        const auto node = batches_.extract(number);
        assert(!node.empty() && node.mapped().size() == outcomes.size());
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const auto& job = node.mapped()[i];
            metrics_.countEnded(outcomes[i].kind, queue_.clock().now() - job.sentTime);
            record({job.claimed, std::move(outcomes[i])});
        }
        claimMore();
    }

    void record(PendingOutcome entry)
    {
        ++pendingWrites_;
        entry.waitEnds = momentAfter(queue_.clock(), entry.outcome.wait);
        write(std::make_shared<PendingOutcome>(std::move(entry)));
    }

    void write(const std::shared_ptr<PendingOutcome>& entry)
    {
        const auto& [claimed, outcome, waitEnds, backOff] = *entry;
        const auto done = whileAlive(*this, &DispatcherImpl::handleWritten, entry);
        const bool waits = outcome.wait > Millis{0};
        // From the time from which momentAfter() counts; not 0, which touch() takes for the ttr.
        const auto remainingWait =
            waits ? std::max(waitEnds - latestOf(queue_.clock()), Millis{1}) : Millis{0};
        auto lease = leaseOf(claimed);
        lease.note = outcome.note;
        switch (outcome.kind) {
        case Kind::Delivered: return queue_.finish(std::move(lease), done);
        case Kind::Retry:
            return queue_.fail(claimed, outcome.reason, done, remainingWait, outcome.note);
        case Kind::Dead: return queue_.bury(std::move(lease), outcome.reason, done);
        case Kind::Returned:
            if (backOff > Millis{0}) {
                lease.ends = claimed.leaseEnds;  // or the repetition could end somebody else's
            }
            return queue_.requeue(std::move(lease), waits ? waitEnds : claimed.due, done,
                                  outcome.reason);
        case Kind::Awaited:
            return queue_.touch(
                std::move(lease), remainingWait,
                [done](const Result<TimePoint>& leaseEnds) { done(leaseEnds.map([](auto) {})); });
        }
    }

    void handleWritten(const std::shared_ptr<PendingOutcome>& entry, const Result<void>& result)
    {
        const bool isRepeated = entry->backOff > Millis{0};
        if (!result && isTemporary(result.error().code)) {
            entry->backOff = std::clamp(entry->backOff * 2, kFirstBackOff, kLongestBackOff);
            if (!isRepeated) {
                log::warning("delivery", "the outcome of job {} is not recorded, trying again: {}",
                             entry->claimed.job.id, result.error().message);
            }
            loop_.armTimer(entry->backOff, whileAlive(*this, &DispatcherImpl::write, entry));
            return;
        }
        // If a repetition finds the job gone or moved on, the first try was recorded. The result of
        // an awaited one may have come before the lease was extended.
        const bool isExpected = isRepeated || (entry->outcome.kind == Kind::Awaited && !result &&
                                               hasMovedOn(result.error().code));
        if (!result && !isExpected) {
            log::warning("delivery", "the outcome of job {} comes too late: {}",
                         entry->claimed.job.id, result.error().message);
        }
        --pendingWrites_;
        reportIfDrained();
    }

    /// At half of the lease, so that a lost call can be repeated.
    void scheduleRenewal(JobInFlight& job)
    {
        const auto now = queue_.clock().now();
        job.renewing = false;
        job.renewTime = now + std::max((job.claimed.leaseEnds - now) / 2, Millis{1});
        armRenewal(job.renewTime);
    }

    /// Arms the timer for `at` unless it fires earlier. A wake-up for a job that was reported
    /// meanwhile costs less than finding the earliest renewal at each report.
    void armRenewal(TimePoint at)
    {
        if (renewalTimer_.armed() && renewalTime_ <= at) {
            return;
        }
        renewalTime_ = at;
        renewalTimer_.arm(std::max(at - queue_.clock().now(), Millis{0}),
                          [this] { renewDueLeases(); });
    }

    void renewDueLeases()
    {
        const auto now = queue_.clock().now();
        auto next = TimePoint::max();
        for (auto& [number, batch] : batches_) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (!batch[i].renewing && batch[i].renewTime <= now) {
                    renew(number, i, batch[i]);
                }
                next = batch[i].renewing ? next : std::min(next, batch[i].renewTime);
            }
        }
        if (next != TimePoint::max()) {
            armRenewal(next);
        }
    }

    void renew(std::uint64_t number, std::size_t i, JobInFlight& job)
    {
        job.renewing = true;
        queue_.touch(leaseOf(job.claimed), leaseLength(job),
                     whileAlive(*this, &DispatcherImpl::handleRenewed, number, i));
    }

    Millis leaseLength(const JobInFlight& job) const
    {
        return std::max(job.claimed.job.ttr, courier_.shortestLease());
    }

    void handleRenewed(std::uint64_t number, std::size_t i, const Result<TimePoint>& leaseEnds)
    {
        const auto found = batches_.find(number);
        if (found == batches_.end()) {
            return;
        }
        auto& job = found->second[i];
        if (leaseEnds) {
            job.claimed.leaseEnds = *leaseEnds;
            scheduleRenewal(job);
        } else if (isTemporary(leaseEnds.error().code)) {
            job.renewing = false;
            job.renewTime =
                queue_.clock().now() +
                std::clamp(leaseLength(job) / kRenewalTriesPerLease, Millis{1}, kRenewalRetry);
            armRenewal(job.renewTime);
        } else {
            log::info("delivery", "job {} is still on its way but no longer ours: {}",
                      job.claimed.job.id, leaseEnds.error().message);
            // `renewing` stays, so that it is not tried again.
            courier_.handleLeaseLost(job.claimed);
        }
    }

    void reportIfDrained()
    {
        if (onDrained_ && !claiming_ && batches_.empty() && pendingWrites_ == 0) {
            if (const auto done = std::exchange(drainUnreported_, false) ? onDrained_ : nullptr) {
                done();
            }
        }
    }

    EventLoop& loop_;
    DelayQueue& queue_;
    DueWatcher& dueWatcher_;
    Courier& courier_;
    DueWatcher::WatchId watch_ = 0;
    DeliveryMetrics metrics_;
    Timer renewalTimer_;
    TimePoint renewalTime_{};
    std::function<void()> onSettled_;  ///< the watcher's callback, while jobs may be due
    std::function<void()> onDrained_;  ///< set once the drain has begun
    bool drainUnreported_ = true;
    bool claiming_ = false;
    std::uint64_t lastBatchNumber_ = 0;
    std::map<std::uint64_t, Batch> batches_;
    std::size_t pendingWrites_ = 0;
};

}  // namespace

std::shared_ptr<Dispatcher>
Dispatcher::make(EventLoop& loop, DelayQueue& queue, DueWatcher& due, Courier& courier)
{
    const auto dispatcher = std::make_shared<DispatcherImpl>(loop, queue, due, courier);
    dispatcher->watch();
    return dispatcher;
}

namespace {

/// Gives a lease back, uncounted. A message returns to its mailbox.
void requeueLease(DelayQueue& queue, const JobView& view, Done<void> done)
{
    const auto due = nowOffWholeSecond(queue.clock().now());
    if (view.job.channel == Channel::Sip) {
        const Lease lease{view.job.id, view.attempt, view.job.recipient};
        return queue.store().hold({lease, due, "", false}, std::move(done));
    }
    queue.requeue({.id = view.job.id, .attempt = view.attempt}, due, std::move(done));
}

}  // namespace

void requeueLeases(DelayQueue& queue,
                   JobInspector& inspector,
                   LeaseFilter filter,
                   std::function<void()> done)
{
    JobQuery query{.state = JobState::Leased,
                   .topic = filter.topic,
                   .channel = filter.channel,
                   .limit = kJobsPerClaim};
    inspector.list(std::move(query), [&queue, &inspector, filter = std::move(filter),
                                      done = std::move(done)](const Result<JobPage>& page) {
        if (!page || page->jobs.empty()) {
            return done();
        }
        log::info("delivery", "requeueing {} {} jobs that were leased when the daemon ended",
                  page->jobs.size(), filter.topic.empty() ? name(filter.channel) : filter.topic);
        const auto anyRequeued = std::make_shared<bool>(false);
        const auto answered =
            countDown(page->jobs.size(), [&queue, &inspector, filter, done, anyRequeued] {
                // Leases that cannot be given back lapse; do not repeat it for ever.
                *anyRequeued ? requeueLeases(queue, inspector, filter, done) : done();
            });
        for (const auto& view : page->jobs) {
            requeueLease(queue, view, [anyRequeued, answered](const Result<void>& requeued) {
                *anyRequeued = *anyRequeued || requeued;
                answered();
            });
        }
    });
}

}  // namespace restante::delivery
