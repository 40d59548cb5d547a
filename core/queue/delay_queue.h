#pragma once

#include "core/job/job_id.h"
#include "core/queue/job_store.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace restante {

/// A push as a caller asks for it: a job whose id may be empty, due by `delay` or `at`. DelayQueue
/// turns it into the PushRequest for the store: id and due time set, all checks done.
struct PushOptions {
    Job job;
    Millis delay{0};
    std::optional<TimePoint> at = {};  ///< wins over delay
    Placement placement = Placement::Lane;
    bool replace = false;
    bool renew = false;  ///< as PushRequest
    /// It came by SIP, as all that go straight into a mailbox do: its headers may name its sender.
    bool cameBySip = false;
    std::string onceKey = {};
    Millis onceFor{0};
    std::uint32_t mailboxLimit = 0;  ///< these five as PushRequest
    std::size_t mailboxBytes = 0;
    std::uint32_t heldLimit = 0;
    std::size_t heldBytes = 0;
    bool makeRoom = false;
    std::string actor = {};  ///< these two as PushRequest
    std::string reason = {};
};

/// The interface to the store for callers: validates, generates ids, applies the defaults of
/// docs/http-api.md, decides what follows a failure (next interval, dead), and leaves the atomic
/// step to the store. Answers come as the store's do; push() answers Invalid at once. Borrows store
/// and clock. *One loop.*
class DelayQueue {
public:
    struct Settings {
        std::uint32_t shards = 1;
        JobLimits limits;
        std::uint32_t attempts = 0;  ///< `limits.attempts`: of pull jobs without retry; 0 = no end
        /// `sip.retry`: of sip jobs without a retry; empty = 0s,2m,10m,10m,1h,2h,6h,15h.
        RetrySchedule sipRetry;
        RetrySchedule courierRetry;  ///< the same for webhook and sms jobs
        /// Checks beyond validate() that a channel needs, such as for a phone number; empty = none.
        std::function<Result<void>(const Job&)> checkJob = {};
    };

    DelayQueue(JobStore& store, const Clock& clock, Settings settings);

    /// Due at `at`, or `delay` from now, plus the first interval of its schedule. Invalid names the
    /// field; a sip job's own id must belong to the shard of its recipient's mailbox. On success
    /// the job survives whatever happens next.
    void push(PushOptions push, InlineDone<PushOutcome> done);
    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done)
    {
        store_.claim(std::move(request), std::move(done));
    }
    void finish(Lease lease, Done<void> done)
    {
        store_.finish(std::move(lease),
                      [done = std::move(done)](const Result<std::uint64_t>& left) {
                          done(left.map([](std::uint64_t) {}));
                      });
    }
    /// The attempt failed: the job waits for the next interval of its schedule, at least
    /// `notBefore` (a peer's Retry-After), or is buried with `error` when there is none. A sip job
    /// waits in its recipient's mailbox. `note`: Lease::note.
    void fail(const ClaimedJob& job,
              std::string error,
              Done<void> done,
              Millis notBefore = Millis{0},
              std::string note = {});
    /// The attempt was not really made: it does not count, and the job is due at `due`.
    void requeue(Lease lease, TimePoint due, Done<void> done, std::string why = {});
    void touch(Lease lease, Millis ttr, Done<TimePoint> done)
    {
        store_.touch(std::move(lease), ttr, std::move(done));
    }
    void bury(Lease lease, std::string reason, Done<void> done)
    {
        store_.bury(std::move(lease), std::move(reason), std::move(done));
    }
    /// Holds the job outside any mailbox until somebody releases it: for an operator (attempt 0) if
    /// it is scheduled or ready, or for a consumer at its attempt. In its mailbox a registration
    /// would release a message.
    void hold(Lease lease, Done<void> done);
    /// JobStore::release().
    void release(OperatorAction action, Done<void> done)
    {
        store_.release(std::move(action), std::move(done));
    }
    /// Reaps up to `max` lapsed leases by the same rule as fail(), but a mailbox is tried again at
    /// once; answers how many. One that the store cannot reap for a reason of its own is logged
    /// when that begins, and not again while it lasts. Such ones are tried beside the `max` the
    /// next time, so that they hold up no younger ones.
    void reapLapsed(std::uint32_t max, Done<std::uint32_t> done);

    /// When attempt `attempt + 1` of `job` may start if attempt `attempt` failed now; none = dead.
    /// Without a retry of its own a pull job may start at once (until `limits.attempts`), and a
    /// sip job goes on with the last interval of `sip.retry` until it expires.
    std::optional<TimePoint> nextAttempt(const Job& job, std::uint32_t attempt) const;

    /// How long after its due time the first attempt of `job` begins: the first interval of its
    /// schedule, or of its channel's.
    Millis firstWait(const Job& job) const { return waitBefore(job, 1).value_or(Millis{0}); }

    JobStore& store() noexcept { return store_; }
    const Clock& clock() const noexcept { return clock_; }
    const Settings& settings() const noexcept { return settings_; }

private:
    Result<PushRequest> makeRequest(PushOptions push);
    /// Checks what sip jobs and mailboxes require of placement, headers and id.
    Result<void> checkSipRules(const PushOptions& push) const;
    Result<void> checkDue(const PushOptions& push, TimePoint due) const;
    std::uint32_t chooseShard(const PushOptions& push);
    /// By the job's own schedule, or its channel's; none = there is no such attempt.
    std::optional<Millis> waitBefore(const Job& job, std::uint32_t attempt) const;
    ReapVerdict verdictOn(const ClaimedJob& lapsed) const;

    JobStore& store_;
    const Clock& clock_;
    Settings settings_;
    JobIdGenerator ids_;
    std::uint32_t nextShard_ = 0;  ///< round robin for jobs that may go to any shard
    /// The ids of those that could not be reaped the last time, at most as many as the store gives
    /// in one answer. Shared with answers, which may come when this has gone.
    std::shared_ptr<std::set<std::string>> unreapable_ = std::make_shared<std::set<std::string>>();
};

}  // namespace restante
