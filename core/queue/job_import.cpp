#include "core/queue/job_import.h"

#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace restante {

namespace {

bool livesInMailbox(const Job& job)
{
    return job.channel == Channel::Sip && !job.recipient.empty();
}

/// The second step: from where push() puts it to where it was.
void bring(JobStore& store, const JobView& view, OperatorAction who, Done<void> done)
{
    Lease lease{view.job.id, 0, livesInMailbox(view.job) ? view.job.recipient : std::string{}};
    lease.actor = who.actor;
    lease.reason = who.reason;
    switch (view.state) {
    case JobState::Dead:
        return store.bury(lease, view.lastError.empty() ? "imported as dead" : view.lastError,
                          std::move(done));
    case JobState::Trashed: return store.trash(std::move(who), std::move(done));
    default: return store.hold({.lease = lease, .error = view.lastError}, std::move(done));
    }
}

bool needsSecondStep(const JobView& view)
{
    const bool heldByItself = view.state == JobState::Held && !livesInMailbox(view.job);
    return heldByItself || view.state == JobState::Dead || view.state == JobState::Trashed;
}

}  // namespace

Result<void> checkImport(const JobView& view, const DelayQueue::Settings& settings)
{
    const auto& job = view.job;
    if (livesInMailbox(job) &&
        shardOfId(job.id, settings.shards) != shardOfMailbox(job.recipient, settings.shards)) {
        return failure(ErrorCode::Invalid,
                       fmt::format("id: belongs to another shard than the mailbox of {}; import it "
                                   "into a store with as many shards as the one it came from",
                                   job.recipient));
    }
    return validate(job, settings.limits);
}

void importJob(JobStore& store,
               JobView view,
               Import mode,
               OperatorAction who,
               TimePoint now,
               Done<PushOutcome> done)
{
    assert(view.state != JobState::Done);
    PushRequest request{.job = view.job};
    request.replace = mode == Import::ReplaceOthers;
    request.actor = who.actor;
    request.reason = who.reason;
    if (view.state == JobState::Held && livesInMailbox(view.job)) {
        request.placement = Placement::Mailbox;
    }
    // The end of a lease, of a life or of a wait for somebody is no due time to come.
    const bool hasDue = view.state == JobState::Scheduled || view.state == JobState::Ready ||
                        (request.placement == Placement::Mailbox && view.due != TimePoint::max());
    request.due = hasDue ? view.due : now;
    if (needsSecondStep(view)) {
        // Between the two steps nobody may claim it.
        request.due = now + Millis{std::chrono::hours{1}};
    }
    store.push(std::move(request), [&store, view = std::move(view), who = std::move(who),
                                    done = std::move(done)](Result<PushOutcome> outcome) {
        if (!outcome || outcome->status == PushStatus::AlreadyThere || !needsSecondStep(view)) {
            return done(std::move(outcome));
        }
        bring(store, view, who, [outcome, done](const Result<void>& moved) {
            done(moved ? outcome : Result<PushOutcome>(tl::unexpected(moved.error())));
        });
    });
}

}  // namespace restante
