#include "core/job/job_id.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <fmt/format.h>
#include <utility>

/// The part of RedisJobStore that imports jobs and once keys from an export.
namespace restante::redis {

namespace {

constexpr double kFractionsPerMs = 4096;  // lane_scores.h

std::string formatMsUnlessNever(TimePoint at)
{
    return at == TimePoint::max() ? std::string() : std::to_string(toEpochMs(at));
}

/// The state and position for the job, as arguments of import.lua.
struct ImportPosition {
    std::string state;
    std::string score;
    std::string failedAttempts;
    std::string attemptOffset;
    std::string arrival;
    std::string nextAttempt;  ///< of the mailbox
    std::string origin;
};

void setAttempts(ImportPosition& target, const JobView& view, bool keepsLease)
{
    const auto failed = view.attempt - (keepsLease && view.attempt > 0 ? 1 : 0);
    target.failedAttempts = std::to_string(failed);
    target.attemptOffset = std::to_string(std::min(view.attemptOffset, failed));
}

/// The origin of a job that is held outside a mailbox: release puts it there.
std::string originOf(const JobView& view)
{
    return view.due == TimePoint::max() ? std::string()
                                        : fmt::format("scheduled {} - -", toEpochMs(view.due));
}

/// From an export of this version.
ImportPosition exactPosition(const JobView& view)
{
    const auto& position = *view.position;
    const bool inMailbox = position.arrival > 0;
    ImportPosition target;
    target.state = isInLanes(view.state) ? "scheduled" : name(view.state);
    if (isInLanes(view.state)) {
        target.score = fmt::format("{}", static_cast<double>(toEpochMs(view.due)) +
                                             position.order / kFractionsPerMs);
    } else if (view.state != JobState::Held) {
        target.score = formatMsUnlessNever(view.due);
    }
    setAttempts(target, view, view.state == JobState::Leased);
    target.arrival = inMailbox ? std::to_string(position.arrival) : std::string();
    if (inMailbox) {
        target.nextAttempt =
            formatMsUnlessNever(view.state == JobState::Held ? view.due : position.mailboxNext);
    }
    target.origin = position.origin;
    return target;
}

/// From an export of an earlier version. A lease is not restored: its worker does not know this
/// store.
ImportPosition approximatePosition(const JobView& view, LaneScores& laneScores, TimePoint now)
{
    const bool leased = view.state == JobState::Leased;
    ImportPosition target;
    target.state = leased || isInLanes(view.state) ? "scheduled" : name(view.state);
    if (target.state == "scheduled") {
        target.score = laneScores.nextScore(leased ? now : view.due);
    } else if (view.state != JobState::Held) {
        target.score = formatMsUnlessNever(view.due);
    } else if (view.heldOutsideMailbox || !hasMailbox(view.job)) {
        target.origin = originOf(view);
    } else {
        target.arrival = "new";
        target.nextAttempt = formatMsUnlessNever(view.due);
    }
    setAttempts(target, view, false);
    return target;
}

}  // namespace

void RedisJobStore::importJob(ImportRequest request, Done<PushOutcome> done)
{
    const auto& view = request.view;
    const auto& job = view.job;
    if (!confirmOrRefuse(Confirms::Pushes, job.id, done)) {
        return;
    }
    const bool inMailbox = view.position && view.position->arrival > 0;
    if (inMailbox && !hasMailbox(job)) {
        return refuse(job.id, "only a sip job with a recipient has a place in a mailbox",
                      std::move(done));
    }
    if (hasMailbox(job) && &shardOf(job.id) != &mailboxShardOf(job.recipient)) {
        return refuse(
            job.id,
            fmt::format("its id belongs to another shard than the mailbox of {}; import it "
                        "into a store with as many shards as the one it came from",
                        job.recipient),
            std::move(done));
    }
    record_.clear();
    encodeRecord(job, record_);
    const auto target =
        view.position ? exactPosition(view) : approximatePosition(view, laneScores_, clock_.now());
    const bool replaces = request.existing == ImportRequest::Existing::Replace;
    const std::string created =
        request.onlyIfCreated ? std::to_string(toEpochMs(*request.onlyIfCreated)) : std::string();
    shardOf(job.id).add(script("import"), job.id,
                        {job.id, replaces ? "replace" : "keep", formatStates(request.onlyIn),
                         created, target.state, target.score, target.failedAttempts,
                         target.attemptOffset, target.arrival, target.nextAttempt, view.lastError,
                         target.origin, request.actor, request.reason, record_},
                        answerOf(&pushOutcomeOf, job.id, std::move(done)));
}

void RedisJobStore::importOnce(OnceKey once, Done<PushOutcome> done)
{
    const auto generation = toEpochMs(once.since) / std::max<std::int64_t>(1, once.onceFor.count());
    shardOf(once.id).add(
        script("import_once"), {},
        {once.key, once.id, std::to_string(once.onceFor.count()), std::to_string(generation)},
        answerOf(&pushOutcomeOf, once.id, std::move(done)));
}

}  // namespace restante::redis
