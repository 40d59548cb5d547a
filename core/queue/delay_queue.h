#pragma once

#include "core/job/job_id.h"
#include "core/queue/job_store.h"

namespace restante {

/// What a caller wants pushed: a job whose id may be empty, due by `delay` or `at`.
struct PushOrder {
    Job job;
    Millis delay{0};
    std::optional<TimePoint> at = {};  ///< wins over delay
    Placement placement = Placement::Lane;
    bool replace = false;
    std::string onceKey = {};
    Millis onceFor{0};
    std::uint32_t mailboxLimit = 0;
};

/// What callers call: validates, gives ids, applies the defaults of DESIGN.md section 4, decides
/// what a failure leads to (next interval, dead), and leaves the atomic step to the store.
/// Borrows store and clock. *One loop.*
class DelayQueue {
public:
    struct Settings {
        std::uint32_t shards = 1;
        JobLimits limits;
        std::uint32_t attempts =
            0;                   ///< `limits.attempts`: of pull jobs without a retry, 0 = no end
        RetrySchedule sipRetry;  ///< `sip.retry`
        RetrySchedule courierRetry;  ///< of webhook and sms jobs without a retry
    };

    DelayQueue(JobStore& store, const Clock& clock, Settings settings);

    /// Invalid names the field. On success the job survives whatever happens next.
    void push(PushOrder order, Done<PushOutcome> done);
    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done);
    void finish(Lease lease, Done<void> done);
    /// The attempt failed: waits for the next interval of the job's schedule, at least `notBefore`
    /// (a peer's Retry-After), or dies with `error` when there is no next one.
    void
    fail(const ClaimedJob& job, std::string error, Done<void> done, Millis notBefore = Millis{0});
    void touch(Lease lease, Millis ttr, Done<TimePoint> done);
    void bury(Lease lease, std::string reason, Done<void> done);
    /// Reaps up to `max` lapsed leases by the same rule as fail(); answers how many.
    void reapLapsed(std::uint32_t max, Done<std::uint32_t> done);

    /// When attempt `attempt + 1` of `job` may start if attempt `attempt` failed now; none = dead.
    std::optional<TimePoint> nextAttempt(const Job& job, std::uint32_t attempt) const;

    JobStore& store() noexcept { return store_; }
    const Clock& clock() const noexcept { return clock_; }
    const Settings& settings() const noexcept { return settings_; }

private:
    JobStore& store_;
    const Clock& clock_;
    Settings settings_;
    JobIdGenerator ids_;
};

}  // namespace restante
