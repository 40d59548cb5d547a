#include "core/redis/store/redis_job_store.h"

#include "core/base/log.h"
#include "core/job/job_id.h"
#include "core/redis/store/attempt_note.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/packed_map.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/slot_exchange.h"
#include "core/redis/store/store_answers.h"
#include "core/redis/store/store_fence.h"
#include "core/redis/store/wake_message.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::redis {

namespace {

std::string_view flag(bool set)
{
    return set ? "1" : "0";
}

std::string printMs(TimePoint at)
{
    return std::to_string(toEpochMs(at));
}

std::string endOf(const Lease& lease)
{
    return lease.ends ? printMs(*lease.ends) : std::string();
}

/// What unpackWho() of lib/outbox.lua reads; nothing for a worker.
std::string whoOf(const std::string& actor, const std::string& reason)
{
    return actor.empty() ? std::string() : PackedMap().add("by", actor).add("why", reason).bytes();
}

/// Answers with the outcome of `script`, which was about job `id`.
auto outcomeTo(Done<void> done, std::string id, std::string_view script)
{
    // The names of scripts are literals.
    return [done = std::move(done), id = std::move(id), script](const Result<Reply>& reply) {
        done(outcomeOf(reply, id, script));
    };
}

/// How long push is to remember the once key: at least 1 ms, because scripts divide by it.
std::uint64_t onceMs(const PushRequest& request)
{
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, request.onceFor.count()));
}

/// Each shard has an equal part of what may be held in all.
std::uint32_t heldLimitOf(const PushRequest& request, std::uint32_t shards)
{
    return request.heldLimit == 0 ? 0 : std::max(1U, request.heldLimit / shards);
}

void addRoom(PackedMap& wish, const PushRequest& request, std::uint32_t shards)
{
    wish.add("limit", request.mailboxLimit)
        .add("bytes", request.mailboxBytes)
        .add("total", heldLimitOf(request, shards))
        .addIf("makesRoom", request.makeRoom);
}

void addOperator(PackedMap& wish, const PushRequest& request)
{
    if (!request.actor.empty()) {
        wish.add("by", request.actor).add("why", request.reason);
    }
}

/// What push.lua is asked for; nothing for a plain job, so that it takes the fast path.
std::string wishOf(const PushRequest& request, std::uint32_t shards)
{
    PackedMap wish;
    wish.addIf("replace", request.replace).addIf("renew", request.renew);
    if (!request.onceKey.empty()) {
        wish.add("once", request.onceKey).add("ms", onceMs(request));
    }
    if (request.mailboxLimit != 0 || request.mailboxBytes != 0 || request.heldLimit != 0) {
        addRoom(wish.addIf("room", true), request, shards);
    }
    addOperator(wish, request);
    return wish.bytes();
}

/// What push_mailbox.lua is asked for: the same for most messages, whatever their once keys are.
std::string mailboxWishOf(const PushRequest& request, std::uint32_t shards)
{
    PackedMap wish;
    wish.addIf("replace", request.replace).add("ms", onceMs(request));
    addRoom(wish, request, shards);
    addOperator(wish, request);
    return wish.bytes();
}

/// Wake-ups may have been missed while nobody was connected.
void tellAllKinds(const std::function<void(const Wake&)>& onWake)
{
    using Kind = DueSource::Kind;
    for (const auto kind : {Kind::Lanes, Kind::Mailboxes, Kind::Leases, Kind::Expiry}) {
        if (onWake) {
            Wake wake;
            wake.kind = kind;
            onWake(wake);
        }
    }
}

}  // namespace

RedisJobStore::RedisJobStore(EventLoop& loop,
                             Connection& commands,
                             Connection* wakeUps,
                             const Clock& clock,
                             Settings settings)
    : loop_(loop),
      clock_(clock),
      wakeUps_(wakeUps),
      settings_(std::move(settings))
{
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        shards_.push_back(std::make_unique<ScriptQueue>(
            loop, commands, clock,
            ScriptQueue::Settings{shardPrefix(settings_.prefix, shard), settings_.eventsKept,
                                  settings_.fence, shard}));
    }
    if (settings_.shards > 1) {
        slots_ = std::make_shared<SlotExchange>(shards_);
    }
}

RedisJobStore::~RedisJobStore()
{
    if (onWake_ != nullptr) {
        *onWake_ = {};
    }
}

ScriptQueue& RedisJobStore::shardOf(std::string_view id)
{
    return *shards_[shardOfId(id, settings_.shards)];
}

ScriptQueue& RedisJobStore::shardOfBox(std::string_view recipient)
{
    return *shards_[shardOfMailbox(recipient, settings_.shards)];
}

void RedisJobStore::push(PushRequest request, Done<PushOutcome> done)
{
    const Job& job = request.job;
    const bool mailbox = request.placement == Placement::Mailbox;
    if (mailbox && job.recipient.empty()) {
        return answerLater<PushOutcome>(
            std::move(done), failure(ErrorCode::Invalid,
                                     fmt::format("job {}: a mailbox needs a recipient", job.id)));
    }
    const bool mayNeedMailbox = mailbox || (job.channel == Channel::Sip && !job.recipient.empty());
    if (mayNeedMailbox && &shardOf(job.id) != &shardOfBox(job.recipient)) {
        return answerLater<PushOutcome>(
            std::move(done),
            failure(ErrorCode::Invalid,
                    fmt::format("job {}: its id belongs to another shard than the mailbox of {}; "
                                "leave the id to the queue",
                                job.id, job.recipient)));
    }
    record_.clear();
    encodeRecord(job, record_);
    auto answer = [id = job.id, done = std::move(done)](const Result<Reply>& reply) {
        done(pushOutcomeOf(reply, id));
    };
    auto& shard = shardOf(job.id);
    if (mailbox) {
        shard.add(script("push_mailbox"), job.id,
                  {job.id, printMs(request.due), record_, mailboxWishOf(request, settings_.shards),
                   request.onceKey},
                  std::move(answer));
        return;
    }
    shard.add(script("push"), job.id,
              {job.id, arrival_.score(request.due), record_, wishOf(request, settings_.shards)},
              std::move(answer));
}

void RedisJobStore::bury(const std::vector<DamagedJob>& damaged)
{
    for (const auto& job : damaged) {
        log::error("redis", "buried: {}", job.reason);
        shardOf(job.id).add(script("bury"), job.id, {job.id, "0", job.reason, "", ""},
                            [](const auto&) {});
    }
}

void RedisJobStore::claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done)
{
    if (claim.max == 0) {
        return answerLater<std::vector<ClaimedJob>>(std::move(done), {});
    }
    claimFromMailbox(std::move(claim), 0, std::move(done));
}

void RedisJobStore::claimFromMailbox(MailboxClaim claim,
                                     int tries,
                                     Done<std::vector<ClaimedJob>> done)
{
    const std::string count = std::to_string(bounded(claim.max));
    const std::string bytes = std::to_string(claim.maxBytes);
    const std::string recipient = claim.recipient;
    shardOfBox(recipient).add(
        script("claim_mailbox"), {}, {recipient, count, bytes},
        [this, claim = std::move(claim), tries,
         done = std::move(done)](const Result<Reply>& reply) mutable {
            if (!reply) {
                return done(tl::unexpected(reply.error()));
            }
            std::vector<DamagedJob> damaged;
            auto jobs = claimedJobsOf(*reply, damaged);
            bury(damaged);
            const auto shard = shardOfMailbox(claim.recipient, settings_.shards);
            fetchSlots(reply, shard, tries,
                       [this, claim = std::move(claim), tries, jobs = std::move(jobs),
                        done = std::move(done)](bool again) mutable {
                           again ? claimFromMailbox(std::move(claim), tries + 1, std::move(done))
                                 : done(std::move(jobs));
                       });
        });
}

/// Answers true when the shard wanted slots of a topic and may have got some since: it is worth
/// asking once more.
void RedisJobStore::fetchSlots(const Result<Reply>& reply,
                               std::uint32_t shard,
                               int tries,
                               std::function<void(bool)> done)
{
    // A slot that has come may be somebody else's before we ask again; their lease's end wakes us.
    constexpr int kMostTries = 3;
    const auto wanted =
        reply && slots_ && tries < kMostTries ? wantedSlotsOf(*reply) : std::nullopt;
    if (!wanted) {
        return done(false);
    }
    slots_->fetch(wanted->topic, shard, wanted->count, std::move(done));
}

void RedisJobStore::finish(Lease lease, Done<void> done)
{
    const auto attempt = std::to_string(lease.attempt);
    const auto who = whoOf(lease.actor, lease.reason);
    const auto chosen = flag(mayBeChosen(lease.id, settings_.shards));
    shardOf(lease.id).add(script("finish"), lease.id,
                          {lease.id, attempt, lease.recipient, flag(settings_.keepDone), chosen,
                           shortNote(lease.note), who},
                          outcomeTo(std::move(done), lease.id, "finish"));
}

void RedisJobStore::finishLate(Lease lease, Done<void> done)
{
    shardOf(lease.id).add(
        script("finish_late"), lease.id,
        {lease.id, std::to_string(lease.attempt), flag(settings_.keepDone), shortNote(lease.note)},
        outcomeTo(std::move(done), lease.id, "finish_late"));
}

void RedisJobStore::retry(RetryRequest request, Done<void> done)
{
    const Lease& lease = request.lease;
    shardOf(lease.id).add(script("retry"), lease.id,
                          {lease.id, std::to_string(lease.attempt), endOf(lease),
                           arrival_.score(request.due), flag(request.counted), request.error,
                           shortNote(lease.note)},
                          outcomeTo(std::move(done), lease.id, "retry"));
}

void RedisJobStore::touch(Lease lease, Millis ttr, Done<TimePoint> done)
{
    shardOf(lease.id).add(script("touch"), lease.id,
                          {lease.id, std::to_string(lease.attempt), std::to_string(ttr.count())},
                          [done = std::move(done), id = lease.id](const Result<Reply>& reply) {
                              done(deadlineOf(reply, id));
                          });
}

void RedisJobStore::bury(Lease lease, std::string reason, Done<void> done)
{
    shardOf(lease.id).add(
        script("bury"), lease.id,
        {lease.id, std::to_string(lease.attempt), reason, shortNote(lease.note), lease.actor},
        outcomeTo(std::move(done), lease.id, "bury"));
}

void RedisJobStore::hold(HoldRequest request, Done<void> done)
{
    const Lease& lease = request.lease;
    shardOf(lease.id).add(script("hold"), lease.id,
                          {lease.id, std::to_string(lease.attempt), endOf(lease), lease.recipient,
                           request.nextAttempt ? printMs(*request.nextAttempt) : std::string(),
                           flag(request.counted), request.error, shortNote(lease.note), lease.actor,
                           lease.reason},
                          outcomeTo(std::move(done), lease.id, "hold"));
}

void RedisJobStore::move(std::string_view name, const OperatorAction& action, Done<void> done)
{
    shardOf(action.id).add(script(name), action.id, {action.id, action.actor, action.reason},
                           outcomeTo(std::move(done), action.id, name));
}

void RedisJobStore::moveTo(std::string_view name,
                           const OperatorAction& action,
                           TimePoint due,
                           Done<void> done)
{
    shardOf(action.id).add(script(name), action.id,
                           {action.id, arrival_.score(due), action.actor, action.reason},
                           outcomeTo(std::move(done), action.id, name));
}

void RedisJobStore::release(OperatorAction action, Done<void> done)
{
    moveTo("release", action, clock_.now(), std::move(done));
}

void RedisJobStore::runNow(OperatorAction action, Done<void> done)
{
    moveTo("run_now", action, clock_.now(), std::move(done));
}

void RedisJobStore::reschedule(OperatorAction action, NewTime time, Done<void> done)
{
    const auto only = time.onlyIfDue ? printMs(*time.onlyIfDue) : std::string();
    const auto forgotten = time.forgotten ? std::to_string(*time.forgotten) : std::string();
    shardOf(action.id).add(
        script("reschedule"), action.id,
        {action.id, arrival_.score(time.due), only, forgotten, action.actor, action.reason},
        outcomeTo(std::move(done), action.id, "reschedule"));
}

void RedisJobStore::trash(OperatorAction action, Done<void> done)
{
    move("trash", action, std::move(done));
}

void RedisJobStore::restore(OperatorAction action, Done<void> done)
{
    move("restore", action, std::move(done));
}

void RedisJobStore::purge(OperatorAction action, Done<void> done)
{
    move("purge", action, std::move(done));
}

void RedisJobStore::releaseMailbox(std::string recipient, Done<std::uint64_t> done)
{
    shardOfBox(recipient).add(script("release_mailbox"), {}, {recipient},
                              [done = std::move(done)](const Result<Reply>& reply) {
                                  if (!reply) {
                                      return done(tl::unexpected(reply.error()));
                                  }
                                  const auto* count = reply->integer();
                                  done(static_cast<std::uint64_t>(count != nullptr ? *count : 0));
                              });
}

void RedisJobStore::reap(ReapVerdict verdict, Done<void> done)
{
    const Lease& lease = verdict.lease;
    std::string_view fate = "retry";
    std::string next = printMs(verdict.next);
    switch (verdict.fate) {
    case ReapVerdict::Fate::Retry: next = arrival_.score(verdict.next); break;
    case ReapVerdict::Fate::Hold: fate = "hold"; break;
    case ReapVerdict::Fate::Dead: fate = "dead"; break;
    }
    shardOf(lease.id).add(
        script("reap"), lease.id,
        {lease.id, std::to_string(lease.attempt), fate, lease.recipient, next, verdict.reason},
        outcomeTo(std::move(done), lease.id, "reap"));
}

void RedisJobStore::lookAtAll()
{
    tellAllKinds(*onWake_);
    if (slots_) {
        slots_->settleAll();
    }
}

void RedisJobStore::onWake(std::function<void(const Wake&)> handler)
{
    const bool subscribed = onWake_ != nullptr;
    if (subscribed || wakeUps_ == nullptr) {
        if (subscribed) {
            *onWake_ = std::move(handler);
        }
        return;
    }
    onWake_ = std::make_shared<WakeHandler>(std::move(handler));
    std::vector<std::string> channels;
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        channels.push_back(wakeChannel(shardPrefix(settings_.prefix, shard)));
    }
    wakeUps_->onReady([this, weak = std::weak_ptr(onWake_)](bool ready) {
        if (ready && !weak.expired()) {
            lookAtAll();
        }
    });
    if (settings_.fence != nullptr) {
        // Who was refused while the store was closed looks again.
        settings_.fence->onChange([this, fence = settings_.fence, weak = std::weak_ptr(onWake_)] {
            if (!weak.expired() && fence->allOpen()) {
                lookAtAll();
            }
        });
    }
    wakeUps_->subscribe(std::move(channels), [onWake = onWake_, slots = std::weak_ptr(slots_)](
                                                 auto, std::string_view message) {
        if (const auto wake = parseWake(message); wake && *onWake) {
            (*onWake)(*wake);
        }
        const auto exchange = slots.lock();
        if (const auto topic = parseSlots(message); topic && exchange) {
            exchange->settle(std::string(*topic));
        }
    });
}

}  // namespace restante::redis
