#pragma once

#include "core/base/interface.h"
#include "core/queue/job_store.h"

#include <functional>
#include <string>
#include <vector>

namespace restante::delivery {

/// The result of carrying one job.
struct Outcome {
    enum class Kind {
        Delivered,  ///< finish
        Retry,      ///< fail: the next interval of its schedule, not before `wait`
        Dead,       ///< bury: the receiver refused it for good
        Returned,   ///< not tried (stopping, quiet hours): due again after `wait`, no attempt
                    ///< used up
        Awaited,    ///< taken; the result comes later (a delivery report that calls finish, fail or
                    ///< bury with id and attempt): the dispatcher forgets the job and extends its
                    ///< lease to `wait` from now
    };
    Kind kind = Kind::Delivered;
    std::string reason = {};  ///< becomes last_error: "503 from hooks.example.org"
    Millis wait{0};           ///< as `kind` says; for Retry a peer's Retry-After
    std::string note = {};    ///< the attempt's line for the job's history: attempt_line.h
};

/// Delivers due jobs of one channel to their recipients; the Dispatcher claims them for it, keeps
/// their leases while they travel, and records what became of them. *One loop.*
class Courier : public Interface {
public:
    /// One outcome for each job, in their order; exactly once, never from inside the call.
    using Report = std::function<void(std::vector<Outcome>)>;

    virtual Channel channel() const noexcept = 0;
    /// The topics whose jobs it takes; empty = all.
    virtual std::vector<std::string> topics() const { return {}; }
    /// How many jobs it can take now; the dispatcher claims no more than that.
    virtual std::size_t capacity() const noexcept = 0;
    /// A lease is never extended by less than this, whatever the job's ttr: extending costs a call.
    virtual Millis shortestLease() const noexcept { return Millis{10'000}; }
    /// Takes one job, or several that may travel together: of one topic, due at the same instant,
    /// and as far as mayJoin() says so.
    virtual void deliver(std::vector<ClaimedJob> jobs, Report report) = 0;
    /// Whether `next`, of the same topic and instant, may travel with `group` (not empty).
    virtual bool mayJoin(const std::vector<ClaimedJob>& group, const ClaimedJob& next) const
    {
        return static_cast<void>(group), static_cast<void>(next), false;
    }
    /// The job is still on its way, but its lease is lost (deleted, replaced, or reaped because the
    /// store was away for too long): its outcome will not be recorded.
    virtual void handleLeaseLost(const ClaimedJob& job) { static_cast<void>(job); }
    /// The daemon stops: jobs that have not been sent yet are reported as Returned in a later turn
    /// of the loop, the others when their result is known. capacity() is 0 from now on.
    virtual void drain() = 0;
};

}  // namespace restante::delivery
