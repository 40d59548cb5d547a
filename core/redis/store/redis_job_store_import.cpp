#include "core/job/job_id.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <fmt/format.h>
#include <utility>

/// How RedisJobStore takes back what an export has written.
namespace restante::redis {

namespace {

constexpr double kPlacesPerMoment = 4096;  // arrival_order.h

bool livesInMailbox(const Job& job)
{
    return job.channel == Channel::Sip && !job.recipient.empty();
}

std::string printMsUnlessNever(TimePoint at)
{
    return at == TimePoint::max() ? std::string() : std::to_string(toEpochMs(at));
}

/// Where the job is put, as import.lua takes it.
struct ImportPlace {
    std::string state;
    std::string score;
    std::string failedAttempts;
    std::string attemptOffset;
    std::string arrival;
    std::string next;
    std::string origin;
};

void addAttempts(ImportPlace& place, const JobView& view, bool leased)
{
    const auto over = view.attempt - (leased && view.attempt > 0 ? 1 : 0);
    place.failedAttempts = std::to_string(over);
    place.attemptOffset = std::to_string(std::min(view.attemptOffset, over));
}

/// What release gives back to a job that is held by itself.
std::string originOf(const JobView& view)
{
    return view.due == TimePoint::max() ? std::string()
                                        : fmt::format("scheduled {} - -", toEpochMs(view.due));
}

/// As an export of this version tells it.
ImportPlace exactPlace(const JobView& view)
{
    const auto& position = *view.position;
    const bool inMailbox = position.arrival > 0;
    ImportPlace place;
    place.state = isInLanes(view.state) ? "scheduled" : name(view.state);
    if (isInLanes(view.state)) {
        place.score = fmt::format("{}", static_cast<double>(toEpochMs(view.due)) +
                                            position.order / kPlacesPerMoment);
    } else if (view.state != JobState::Held) {
        place.score = printMsUnlessNever(view.due);
    }
    addAttempts(place, view, view.state == JobState::Leased);
    place.arrival = inMailbox ? std::to_string(position.arrival) : std::string();
    if (inMailbox) {
        place.next =
            printMsUnlessNever(view.state == JobState::Held ? view.due : position.mailboxNext);
    }
    place.origin = position.origin;
    return place;
}

/// As an earlier version's export tells it. A lease is not given back: its worker is elsewhere.
ImportPlace approximatePlace(const JobView& view, ArrivalOrder& order, TimePoint now)
{
    const bool leased = view.state == JobState::Leased;
    ImportPlace place;
    place.state = leased || isInLanes(view.state) ? "scheduled" : name(view.state);
    if (place.state == "scheduled") {
        place.score = order.score(leased ? now : view.due);
    } else if (view.state != JobState::Held) {
        place.score = printMsUnlessNever(view.due);
    } else if (view.byItself || !livesInMailbox(view.job)) {
        place.origin = originOf(view);
    } else {
        place.arrival = "new";
        place.next = printMsUnlessNever(view.due);
    }
    addAttempts(place, view, false);
    return place;
}

}  // namespace

void RedisJobStore::importJob(ImportRequest request, Done<PushOutcome> done)
{
    const auto& view = request.view;
    const auto& job = view.job;
    if (!mayConfirm(Confirms::Pushes, job.id, done)) {
        return;
    }
    const bool inMailbox = view.position && view.position->arrival > 0;
    if (inMailbox && !livesInMailbox(job)) {
        return refuse(job.id, "only a sip job with a recipient has a place in a mailbox",
                      std::move(done));
    }
    if (livesInMailbox(job) && &shardOf(job.id) != &shardOfBox(job.recipient)) {
        return refuse(
            job.id,
            fmt::format("its id belongs to another shard than the mailbox of {}; import it "
                        "into a store with as many shards as the one it came from",
                        job.recipient),
            std::move(done));
    }
    record_.clear();
    encodeRecord(job, record_);
    const auto place =
        view.position ? exactPlace(view) : approximatePlace(view, arrival_, clock_.now());
    const bool replaces = request.existing == ImportRequest::Existing::Replace;
    shardOf(job.id).add(script("import"), job.id,
                        {job.id, replaces ? "replace" : "keep", place.state, place.score,
                         place.failedAttempts, place.attemptOffset, place.arrival, place.next,
                         view.lastError, place.origin, request.actor, request.reason, record_},
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
