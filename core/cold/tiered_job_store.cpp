#include "core/cold/tiered_job_store.h"

#include "core/base/async_task.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/queue/topic.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <fmt/format.h>
#include <random>
#include <utility>

namespace restante::cold {

namespace {

/// A move between Redis and SQL takes some tens of milliseconds.
constexpr Millis kCrossingRetryDelay{50};
constexpr int kMostTries = 60;
/// Longer than a push takes between its reservation and its end.
constexpr Millis kReservationTime{60'000};
constexpr std::size_t kContentOffset = 18;  // bytes before the content of a record (lib/base.lua)
constexpr std::size_t kTimesOffset = 2;     // bytes before its ttr and its expires (lib/insert.lua)
constexpr std::size_t kTimesLength = 10;

Error crossingError(std::string_view id)
{
    return failure(ErrorCode::Unavailable,
                   fmt::format("job {}: it is just being moved between Redis and the journal's "
                               "database; try again",
                               id))
        .value();
}

/// Compares from the lane on: the times before it may differ when a push is repeated.
bool hasSameContent(const std::string& a, const std::string& b)
{
    return a.size() == b.size() && a.size() >= kContentOffset &&
           a.compare(kContentOffset, std::string::npos, b, kContentOffset, std::string::npos) == 0;
}

/// For records with the same content: whether ttr and expires are the same, too.
bool hasSameTimes(const std::string& a, const std::string& b)
{
    return a.compare(kTimesOffset, kTimesLength, b, kTimesOffset, kTimesLength) == 0;
}

std::string attemptsOf(const ColdRow& row)
{
    return std::to_string(row.attempts);
}

Result<std::string> statusOf(const Result<redis::Reply>& reply)
{
    return reply.map([](const redis::Reply& answer) {
        return answer.text() != nullptr ? *answer.text() : std::string();
    });
}

/// Distinguishes the marks of this process from those of others.
std::uint64_t randomToken()
{
    std::random_device random;
    return (std::uint64_t{random()} << 32U) | random();
}

}  // namespace

void warmRow(const redis::ShardQueues& scripts, const ColdRow& row, Done<std::string> done)
{
    scripts[row.shard]->add(
        redis::script("warm"), row.id,
        std::vector<std::string>{row.id, std::to_string(row.version), scoreOf(row), attemptsOf(row),
                                 std::to_string(row.attemptOffset), row.lastError, row.record},
        [done = std::move(done)](const Result<redis::Reply>& reply) { done(statusOf(reply)); });
}

bool hasEntered(std::int64_t version, std::string_view mark)
{
    constexpr std::string_view kIn = "in ";
    return mark.starts_with(kIn) && leadingNumber<std::int64_t>(mark.substr(kIn.size())) >= version;
}

void checkRowOutdated(const redis::ShardQueues& scripts, const ColdRow& row, Done<bool> done)
{
    const bool isEntering = row.state == ColdState::Entering;
    scripts[row.shard]->add(redis::script("crossing"), row.id, {row.id},
                            [isEntering, version = row.version,
                             done = std::move(done)](const Result<redis::Reply>& reply) {
                                done(reply.map([isEntering, version](const redis::Reply& answer) {
                                    const auto mark = answer.at(1).textOrEmpty();
                                    return answer.at(0).textOrEmpty() == "1" ||
                                           (isEntering ? hasEntered(version, mark)
                                                       : !mark.starts_with("out "));
                                }));
                            });
}

TieredJobStore::TieredJobStore(EventLoop& loop,
                               const Clock& clock,
                               JobStore& hot,
                               const redis::ShardQueues& scripts,
                               ColdJobs& cold,
                               Settings settings)
    : loop_(loop),
      clock_(clock),
      hot_(hot),
      scripts_(scripts),
      cold_(cold),
      settings_(settings),
      nextToken_(randomToken())
{
}

// Pushes.

/// A push with an id of the caller's own, from its reservation to its answer.
struct TieredJobStore::OwnIdPush {
    PushRequest request;
    Done<PushOutcome> done;
    std::string reservation;  ///< the mark of its id in Redis: "push <until ms> <token>"
    std::string record;
    int tries = 0;
    bool goesToCold = false;
};

bool TieredJobStore::goesToCold(const PushRequest& request) const
{
    const Job& job = request.job;
    return settings_.horizon > Millis{0} && request.due > clock_.now() + settings_.horizon &&
           request.placement == Placement::Lane && job.channel != Channel::Sip &&
           request.onceKey.empty() && request.actor.empty() && !job.findBySender &&
           checkNotReserved(job.topic) && (!job.expires || *job.expires > request.due);
}

ColdRow TieredJobStore::rowOf(const PushRequest& request)
{
    ColdRow row;
    row.id = request.job.id;
    row.shard = shardOfId(row.id, settings_.shards);
    setScore(row, laneScores_.nextScore(request.due));
    redis::encodeRecord(request.job, row.record);
    row.version = toEpochMs(clock_.now());
    return row;
}

void TieredJobStore::push(PushRequest request, Done<PushOutcome> done)
{
    // The caller's own id may have the shape of a generated one.
    const bool hasOwnId = request.replace || request.renew || request.job.rememberId ||
                          mayBeCallersId(request.job.id, settings_.shards);
    if (request.placement == Placement::Mailbox || request.job.channel == Channel::Sip) {
        return hot_.push(std::move(request), std::move(done));  // such jobs are never cold
    }
    if (hasOwnId) {
        return reserve(
            std::make_shared<OwnIdPush>(OwnIdPush{std::move(request), std::move(done), {}, {}}));
    }
    if (!goesToCold(request)) {
        return hot_.push(std::move(request), std::move(done));
    }
    insert(request, std::move(done));
}

/// For a generated id, which no other job has.
void TieredJobStore::insert(const PushRequest& request, Done<PushOutcome> done)
{
    auto row = rowOf(request);
    const auto id = row.id;
    cold_.insert(
        std::move(row), [id, done = std::move(done)](const Result<std::optional<ColdRow>>& before) {
            done(before.map([&id](const auto& existing) {
                return PushOutcome{existing ? PushStatus::AlreadyThere : PushStatus::Stored, id};
            }));
        });
}

void TieredJobStore::reserve(const OwnIdPushPtr& push)
{
    const auto& job = push->request.job;
    if (push->record.empty()) {
        redis::encodeRecord(job, push->record);
    }
    push->reservation =
        fmt::format("push {} {:x}", toEpochMs(clock_.now() + kReservationTime), nextToken_++);
    scripts_[shardOfId(job.id, settings_.shards)]->add(
        redis::script("reserve_id"), job.id,
        std::vector<std::string>{job.id, push->reservation,
                                 push->request.replace ? std::string() : push->record},
        guard_.guard([this, push](const Result<redis::Reply>& reply) {
            const auto status = statusOf(reply);
            status ? onReserveAnswer(push, *status) : push->done(tl::unexpected(status.error()));
        }));
}

void TieredJobStore::onReserveAnswer(const OwnIdPushPtr& push, const std::string& status)
{
    const auto& id = push->request.job.id;
    if (status == "there") {
        return pushHot(push);
    }
    if (status == "ok") {
        return insertOrFindRow(push);
    }
    if (status == "crossing") {
        return retryLater(push);
    }
    push->done(status.starts_with("same ")
                   ? Result<PushOutcome>(PushOutcome{PushStatus::AlreadyThere, id})
                   : tl::unexpected(redis::errorOf(status, id, "push")));
}

void TieredJobStore::retryLater(const OwnIdPushPtr& push)
{
    if (++push->tries >= kMostTries) {
        return push->done(tl::unexpected(crossingError(push->request.job.id)));
    }
    loop_.armTimer(kCrossingRetryDelay, guard_.guard([this, push] { reserve(push); }));
}

/// The row is being moved, and the reservation blocks that.
void TieredJobStore::retryWhenMoved(const OwnIdPushPtr& push)
{
    releaseReservation(*push);
    retryLater(push);
}

void TieredJobStore::releaseReservation(const OwnIdPush& push)
{
    const auto& id = push.request.job.id;
    scripts_[shardOfId(id, settings_.shards)]->add(redis::script("crossed"), id,
                                                   std::vector<std::string>{id, push.reservation},
                                                   [](const auto&) {});
}

/// Redis has no such job, and none is being moved there: a job that is due beyond the horizon
/// becomes a row, unless there is one; another is only looked for.
void TieredJobStore::insertOrFindRow(const OwnIdPushPtr& push)
{
    const auto onRow = guard_.guard([this, push](const Result<std::optional<ColdRow>>& row) {
        if (!row) {
            return finishPush(push, tl::unexpected(row.error()));
        }
        if (*row) {
            return compareWithRow(push, **row);
        }
        if (push->goesToCold) {
            return finishPush(push, PushOutcome{PushStatus::Stored, push->request.job.id});
        }
        pushHot(push);
    });
    push->goesToCold = goesToCold(push->request);
    if (!push->goesToCold) {
        return cold_.find(push->request.job.id, onRow);
    }
    auto row = rowOf(push->request);
    row.mayReuseId = true;
    cold_.insert(std::move(row), onRow);
}

void TieredJobStore::compareWithRow(const OwnIdPushPtr& push, const ColdRow& row)
{
    const auto& request = push->request;
    if (row.state != ColdState::Cold) {
        return retryWhenMoved(push);
    }
    if (hasSameContent(row.record, push->record) &&
        (!request.replace || hasSameTimes(row.record, push->record))) {
        return finishPush(push, PushOutcome{PushStatus::AlreadyThere, row.id});
    }
    if (!request.replace) {
        return finishPush(push, tl::unexpected(redis::errorOf("conflict", row.id, "push")));
    }
    moveToRedis(row.id, guard_.guard([this, push](const Result<EntryStatus>& entry) {
        if (!entry) {
            return finishPush(push, tl::unexpected(entry.error()));
        }
        *entry == EntryStatus::Crossing ? retryWhenMoved(push) : pushHot(push);
    }));
}

void TieredJobStore::pushHot(const OwnIdPushPtr& push)
{
    hot_.push(push->request, guard_.guard([this, push](Result<PushOutcome> outcome) {
        finishPush(push, std::move(outcome));
    }));
}

void TieredJobStore::finishPush(const OwnIdPushPtr& push, Result<PushOutcome> outcome)
{
    // If it is unknown whether the row was written, it may still appear: then the reservation is
    // left to lapse.
    const bool isDecided = !push->goesToCold || outcome || !isTemporary(outcome.error().code);
    if (isDecided) {
        releaseReservation(*push);
    }
    push->done(std::move(outcome));
}

// Transitions, and the way of a cold job into Redis.

void TieredJobStore::moveToRedis(std::string id, Done<EntryStatus> done)
{
    cold_.claim(std::move(id), clock_.now(),
                guard_.guard([this, done = std::move(done)](const Result<RowClaim>& claim) {
                    if (!claim) {
                        return done(tl::unexpected(claim.error()));
                    }
                    switch (claim->status) {
                    case RowClaim::Status::Claimed: return warm(claim->row, done);
                    case RowClaim::Status::Absent: return done(EntryStatus::Absent);
                    case RowClaim::Status::Crossing:
                        return checkRowOutdated(
                            scripts_, claim->row, [done](const Result<bool>& isOutdated) {
                                done(isOutdated.map([](bool isStale) {
                                    return isStale ? EntryStatus::Absent : EntryStatus::Crossing;
                                }));
                            });
                    }
                }));
}

void TieredJobStore::warm(const ColdRow& row, Done<EntryStatus> done)
{
    warmRow(scripts_, row,
            guard_.guard([this, id = row.id, version = row.version,
                          done = std::move(done)](const Result<std::string>& status) {
                if (status && (*status == "ok" || *status == "there")) {
                    return done(EntryStatus::Entered);
                }
                // A refusal means that nothing was done; after a lost connection that is unknown.
                const bool isRefusal = status || status.error().code == ErrorCode::Full ||
                                       status.error().code == ErrorCode::ReadOnly;
                if (isRefusal) {
                    cold_.giveBack(id, version, [](const auto&) {});
                }
                if (!status) {
                    return done(tl::unexpected(status.error()));
                }
                // Only a claim that came too late may have more success the next time.
                done(tl::unexpected(*status == "late" ? crossingError(id)
                                                      : redis::errorOf(*status, id, "warm")));
            }));
}

template <class T>
void TieredJobStore::transitionHotOrCold(std::string id,
                                         HotTransition<T> transition,
                                         Done<T> done,
                                         int tries)
{
    const auto onEntry =
        guard_.guard([this, id, transition, done, tries](const Result<EntryStatus>& entry) {
            if (!entry) {
                return done(tl::unexpected(entry.error()));
            }
            if (*entry != EntryStatus::Crossing) {
                return transition(done);
            }
            if (tries >= kMostTries) {
                return done(tl::unexpected(crossingError(id)));
            }
            loop_.armTimer(kCrossingRetryDelay, guard_.guard([this, id, transition, done, tries] {
                transitionHotOrCold<T>(id, transition, done, tries + 1);
            }));
        });
    transition(guard_.guard([this, id, done, onEntry](Result<T> result) {
        if (result || result.error().code != ErrorCode::NotFound) {
            return done(std::move(result));
        }
        moveToRedis(id, onEntry);
    }));
}

void TieredJobStore::finish(Lease lease, Done<std::uint64_t> done)
{
    if (lease.attempt != 0) {
        return hot_.finish(std::move(lease), std::move(done));
    }
    transitionHotOrCold<std::uint64_t>(
        lease.id,
        [this, lease](Done<std::uint64_t> ended) { hot_.finish(lease, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::finishLate(Lease lease, Done<void> done)
{
    transitionHotOrCold<void>(
        lease.id, [this, lease](Done<void> ended) { hot_.finishLate(lease, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::bury(Lease lease, std::string reason, Done<void> done)
{
    if (lease.attempt != 0) {
        return hot_.bury(std::move(lease), std::move(reason), std::move(done));
    }
    transitionHotOrCold<void>(
        lease.id,
        [this, lease, reason](Done<void> ended) { hot_.bury(lease, reason, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::hold(HoldRequest request, Done<void> done)
{
    if (request.lease.attempt != 0) {
        return hot_.hold(std::move(request), std::move(done));
    }
    transitionHotOrCold<void>(
        request.lease.id,
        [this, request](Done<void> ended) { hot_.hold(request, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::release(OperatorAction action, Done<void> done)
{
    transitionHotOrCold<void>(
        action.id, [this, action](Done<void> ended) { hot_.release(action, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::runNow(OperatorAction action, Done<void> done)
{
    transitionHotOrCold<void>(
        action.id, [this, action](Done<void> ended) { hot_.runNow(action, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::reschedule(OperatorAction action, NewTime time, Done<void> done)
{
    transitionHotOrCold<void>(
        action.id,
        [this, action, time](Done<void> ended) { hot_.reschedule(action, time, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::trash(OperatorAction action, Done<void> done)
{
    transitionHotOrCold<void>(
        action.id, [this, action](Done<void> ended) { hot_.trash(action, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::restore(OperatorAction action, Done<void> done)
{
    transitionHotOrCold<void>(
        action.id, [this, action](Done<void> ended) { hot_.restore(action, std::move(ended)); },
        std::move(done));
}

void TieredJobStore::purge(OperatorAction action, Done<void> done)
{
    transitionHotOrCold<void>(
        action.id, [this, action](Done<void> ended) { hot_.purge(action, std::move(ended)); },
        std::move(done));
}

/// Imports into Redis, from where the mover takes the job out again. A cold job of the id is
/// brought in first, so that the import finds it.
void TieredJobStore::importJob(ImportRequest request, Done<PushOutcome> done)
{
    importAfterEntry(request, std::move(done), 0);
}

void TieredJobStore::importAfterEntry(const ImportRequest& request,
                                      Done<PushOutcome> done,
                                      int tries)
{
    const auto& id = request.view.job.id;
    moveToRedis(id, guard_.guard([this, request, done, tries](const Result<EntryStatus>& entry) {
        if (!entry) {
            return done(tl::unexpected(entry.error()));
        }
        if (*entry != EntryStatus::Crossing) {
            return hot_.importJob(request, done);
        }
        if (tries >= kMostTries) {
            return done(tl::unexpected(crossingError(request.view.job.id)));
        }
        loop_.armTimer(kCrossingRetryDelay, guard_.guard([this, request, done, tries] {
            importAfterEntry(request, done, tries + 1);
        }));
    }));
}

void TieredJobStore::pauseTopic(TopicAction action, Done<void> done)
{
    hot_.pauseTopic(std::move(action), std::move(done));
}

void TieredJobStore::resumeTopic(TopicAction action, Done<void> done)
{
    hot_.resumeTopic(std::move(action), std::move(done));
}

void TieredJobStore::limitTopic(TopicAction action, TopicLimits limits, Done<void> done)
{
    hot_.limitTopic(std::move(action), limits, std::move(done));
}

}  // namespace restante::cold
