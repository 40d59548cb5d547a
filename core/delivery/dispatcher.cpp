#include "core/delivery/dispatcher.h"

#include "core/base/async_task.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <string>
#include <utility>

namespace restante::delivery {

namespace {

/// Jobs a claim: enough to amortise the round trip, few enough to keep the store's script short.
constexpr std::uint32_t kJobsPerClaim = 100;

/// Wait before a renewal is repeated that the store did not answer; for a short lease a ninth of
/// it, so that there are several tries before it ends.
constexpr Millis kRenewalRetry{500};
constexpr int kRenewalTriesPerLease = 9;

/// Waits before an outcome is recorded again that the store did not answer.
constexpr Millis kFirstBackOff{50};
constexpr Millis kLongestBackOff{2'000};

using Kind = Outcome::Kind;

constexpr std::array kKinds{Kind::Delivered, Kind::Retry, Kind::Dead, Kind::Returned,
                            Kind::Awaited};
constexpr std::array<std::string_view, kKinds.size()> kKindWords{"delivered", "retry", "dead",
                                                                 "returned", "awaited"};

/// What is counted for one channel.
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
    ~DeliveryMetrics() { inFlight_.add(-static_cast<double>(carried_)); }

    void started(std::size_t jobs)
    {
        carried_ += jobs;
        inFlight_.add(static_cast<double>(jobs));
    }
    void ended(Kind kind, Millis took)
    {
        --carried_;
        inFlight_.add(-1);
        outcomes_[static_cast<std::size_t>(kind)]->add();
        if (kind != Kind::Returned) {
            seconds_.observe(std::chrono::duration<double>(took).count());
        }
    }

private:
    metrics::Gauge& inFlight_;
    metrics::Histogram& seconds_;
    std::array<metrics::Counter*, kKinds.size()> outcomes_{};
    std::size_t carried_ = 0;
};

/// What the dispatcher remembers of a job: all but its body, which the courier has.
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

}  // namespace

class Dispatcher::Impl : public std::enable_shared_from_this<Dispatcher::Impl> {
public:
    Impl(EventLoop& loop, DelayQueue& queue, DueWatcher& due, Courier& courier)
        : loop_(loop),
          queue_(queue),
          due_(due),
          courier_(courier),
          metrics_(courier.channel()),
          renewal_(loop)
    {
    }

    void watch()
    {
        watch_ = due_.watch({DueSource::Kind::Lanes, courier_.channel(), courier_.topics()},
                            whileAlive(*this, &Impl::work));
    }

    void drain(std::function<void()> done)
    {
        onDrained_ = std::move(done);
        due_.unwatch(watch_);
        settled_ = nullptr;
        courier_.drain();
        loop_.post(whileAlive(*this, &Impl::reportIfDrained));
    }

    std::size_t inFlight() const noexcept
    {
        std::size_t carried = recording_;
        for (const auto& [number, batch] : batches_) {
            carried += batch.size();
        }
        return carried;
    }

private:
    /// A job on its way.
    struct Carried {
        ClaimedJob claimed;  ///< without its body
        TimePoint leftAt{};
        TimePoint renewAt{};
        bool renewing = false;
    };
    using Batch = std::vector<Carried>;

    /// The outcome of a job until the store has recorded it.
    struct PendingOutcome {
        ClaimedJob claimed;
        Outcome outcome;
        Millis backOff{0};
    };

    void work(std::function<void()> settled)
    {
        settled_ = std::move(settled);
        claimMore();
    }

    /// As long as something is due and the courier has capacity. While it has none, `settled_` is
    /// kept: the next report claims again.
    void claimMore()
    {
        const auto capacity = courier_.capacity();
        if (!settled_ || claiming_ || capacity == 0) {
            return;
        }
        claiming_ = true;
        const auto max = static_cast<std::uint32_t>(std::min<std::size_t>(capacity, kJobsPerClaim));
        queue_.claim({courier_.channel(), courier_.topics(), max},
                     whileAlive(*this, &Impl::claimed, max));
    }

    void claimed(std::uint32_t asked, Result<std::vector<ClaimedJob>> jobs)
    {
        claiming_ = false;
        if (!jobs) {
            log::warning("delivery", "nothing is claimed for {}: {}", name(courier_.channel()),
                         jobs.error().message);
            settle();
            return reportIfDrained();
        }
        const bool tookAll = jobs->size() < asked;
        if (onDrained_) {
            requeue(std::move(*jobs));
        } else {
            carry(std::move(*jobs));
        }
        if (tookAll) {
            settle();  // the watcher asks when the next one is due
        }
        claimMore();
        reportIfDrained();
    }

    void settle()
    {
        if (const auto settled = std::exchange(settled_, nullptr)) {
            settled();
        }
    }

    /// Jobs of one topic and instant share a batch as far as the courier wants.
    void carry(std::vector<ClaimedJob> jobs)
    {
        // The answer may have come so late that others have been given them since.
        const auto now = queue_.clock().now();
        std::erase_if(jobs, [now](const ClaimedJob& job) { return job.leaseEnds <= now; });
        std::vector<std::vector<ClaimedJob>> batches;
        for (auto& job : jobs) {
            const auto fits = [&](const std::vector<ClaimedJob>& batch) {
                return batch.front().due == job.due && batch.front().job.topic == job.job.topic &&
                       courier_.joins(batch, job);
            };
            const auto batch = std::ranges::find_if(batches, fits);
            (batch == batches.end() ? batches.emplace_back() : *batch).push_back(std::move(job));
        }
        for (auto& batch : batches) {
            carryBatch(std::move(batch));
        }
    }

    void carryBatch(std::vector<ClaimedJob> jobs)
    {
        const auto number = ++lastBatch_;
        auto& batch = batches_[number];
        for (auto& job : jobs) {
            batch.push_back({.claimed = withoutBody(job), .leftAt = queue_.clock().now()});
            scheduleRenewal(batch.back());
        }
        metrics_.started(jobs.size());
        courier_.carry(std::move(jobs), whileAlive(*this, &Impl::reported, number));
    }

    void requeue(std::vector<ClaimedJob> jobs)
    {
        for (auto& job : jobs) {
            record({withoutBody(job), {.kind = Kind::Returned}});
        }
    }

    void reported(std::uint64_t number, std::vector<Outcome> outcomes)
    {
        const auto node = batches_.extract(number);
        assert(!node.empty() && node.mapped().size() == outcomes.size());
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const auto& carried = node.mapped()[i];
            metrics_.ended(outcomes[i].kind, queue_.clock().now() - carried.leftAt);
            record({carried.claimed, std::move(outcomes[i])});
        }
        claimMore();
    }

    void record(PendingOutcome entry)
    {
        ++recording_;
        write(std::make_shared<PendingOutcome>(std::move(entry)));
    }

    void write(const std::shared_ptr<PendingOutcome>& entry)
    {
        const auto& [claimed, outcome, backOff] = *entry;
        const auto done = whileAlive(*this, &Impl::written, entry);
        const bool waits = outcome.wait > Millis{0};
        auto lease = leaseOf(claimed);
        lease.note = outcome.note;
        switch (outcome.kind) {
        case Kind::Delivered: return queue_.finish(std::move(lease), done);
        case Kind::Retry:
            return queue_.fail(claimed, outcome.reason, done, outcome.wait, outcome.note);
        case Kind::Dead: return queue_.bury(std::move(lease), outcome.reason, done);
        case Kind::Returned:
            if (backOff > Millis{0}) {
                lease.ends = claimed.leaseEnds;  // or the repetition could end somebody else's
            }
            return queue_.requeue(std::move(lease),
                                  waits ? momentAfter(queue_.clock(), outcome.wait) : claimed.due,
                                  done, outcome.reason);
        case Kind::Awaited:
            return queue_.touch(
                std::move(lease), outcome.wait,
                [done](const Result<TimePoint>& leaseEnds) { done(leaseEnds.map([](auto) {})); });
        }
    }

    void written(const std::shared_ptr<PendingOutcome>& entry, const Result<void>& result)
    {
        const bool isRepeated = entry->backOff > Millis{0};
        if (!result && isTemporary(result.error().code)) {
            entry->backOff = std::clamp(entry->backOff * 2, kFirstBackOff, kLongestBackOff);
            if (!isRepeated) {
                log::warning("delivery", "the outcome of job {} is not recorded, trying again: {}",
                             entry->claimed.job.id, result.error().message);
            }
            loop_.armTimer(entry->backOff, whileAlive(*this, &Impl::write, entry));
            return;
        }
        // A repetition that finds the job gone or moved on has been recorded the first time.
        if (!result && !isRepeated) {
            log::warning("delivery", "the outcome of job {} comes too late: {}",
                         entry->claimed.job.id, result.error().message);
        }
        --recording_;
        reportIfDrained();
    }

    /// Halfway to its end, so that a lost call can be made again.
    void scheduleRenewal(Carried& one)
    {
        const auto now = queue_.clock().now();
        one.renewing = false;
        one.renewAt = now + std::max((one.claimed.leaseEnds - now) / 2, Millis{1});
        armRenewal(one.renewAt);
    }

    /// Arms the timer for `at` unless it fires earlier. A wake-up for a job that was reported
    /// meanwhile costs less than finding the earliest renewal at each report.
    void armRenewal(TimePoint at)
    {
        if (renewal_.armed() && renewalAt_ <= at) {
            return;
        }
        renewalAt_ = at;
        renewal_.arm(std::max(at - queue_.clock().now(), Millis{0}), [this] { renewDue(); });
    }

    void renewDue()
    {
        const auto now = queue_.clock().now();
        auto next = TimePoint::max();
        for (auto& [number, batch] : batches_) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (!batch[i].renewing && batch[i].renewAt <= now) {
                    renew(number, i, batch[i]);
                }
                next = batch[i].renewing ? next : std::min(next, batch[i].renewAt);
            }
        }
        if (next != TimePoint::max()) {
            armRenewal(next);
        }
    }

    void renew(std::uint64_t number, std::size_t i, Carried& one)
    {
        one.renewing = true;
        queue_.touch(leaseOf(one.claimed), leaseLength(one),
                     whileAlive(*this, &Impl::renewed, number, i));
    }

    Millis leaseLength(const Carried& one) const
    {
        return std::max(one.claimed.job.ttr, courier_.shortestLease());
    }

    void renewed(std::uint64_t number, std::size_t i, const Result<TimePoint>& leaseEnds)
    {
        const auto found = batches_.find(number);
        if (found == batches_.end()) {
            return;
        }
        auto& one = found->second[i];
        if (leaseEnds) {
            one.claimed.leaseEnds = *leaseEnds;
            scheduleRenewal(one);
        } else if (isTemporary(leaseEnds.error().code)) {
            one.renewing = false;
            one.renewAt =
                queue_.clock().now() +
                std::clamp(leaseLength(one) / kRenewalTriesPerLease, Millis{1}, kRenewalRetry);
            armRenewal(one.renewAt);
        } else {
            log::info("delivery", "job {} is still on its way but no longer ours: {}",
                      one.claimed.job.id, leaseEnds.error().message);
            // `renewing` stays, so that it is not tried again.
            courier_.leaseLost(one.claimed);
        }
    }

    void reportIfDrained()
    {
        if (onDrained_ && !claiming_ && batches_.empty() && recording_ == 0) {
            if (const auto done = std::exchange(drainUnreported_, false) ? onDrained_ : nullptr) {
                done();
            }
        }
    }

    EventLoop& loop_;
    DelayQueue& queue_;
    DueWatcher& due_;
    Courier& courier_;
    DueWatcher::WatchId watch_ = 0;
    DeliveryMetrics metrics_;
    Timer renewal_;
    TimePoint renewalAt_{};
    std::function<void()> settled_;    ///< of the watcher, while something may be due
    std::function<void()> onDrained_;  ///< set once the drain has begun
    bool drainUnreported_ = true;
    bool claiming_ = false;
    std::uint64_t lastBatch_ = 0;
    std::map<std::uint64_t, Batch> batches_;
    std::size_t recording_ = 0;
};

Dispatcher::Dispatcher(EventLoop& loop, DelayQueue& queue, DueWatcher& due, Courier& courier)
    : impl_(std::make_shared<Impl>(loop, queue, due, courier))
{
    impl_->watch();
}

Dispatcher::~Dispatcher() = default;

void Dispatcher::drain(std::function<void()> done)
{
    impl_->drain(std::move(done));
}

std::size_t Dispatcher::inFlight() const noexcept
{
    return impl_->inFlight();
}

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
        const auto isStuck = std::make_shared<bool>(false);
        const auto answered =
            countDown(page->jobs.size(), [&queue, &inspector, filter, done, isStuck] {
                // What cannot be given back lapses; do not ask for ever.
                *isStuck ? done() : requeueLeases(queue, inspector, filter, done);
            });
        for (const auto& view : page->jobs) {
            queue.requeue({.id = view.job.id, .attempt = view.attempt},
                          nowOffWholeSecond(queue.clock().now()),
                          [isStuck, answered](const auto& given) {
                              *isStuck = *isStuck || !given;
                              answered();
                          });
        }
    });
}

}  // namespace restante::delivery
