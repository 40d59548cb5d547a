#include "core/redis/store/redis_job_store.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/packed_map.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/serving_gate.h"
#include "core/redis/store/slot_exchange.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::redis {

namespace {

std::string_view formatFlag(bool set)
{
    return set ? "1" : "0";
}

std::string formatMs(TimePoint at)
{
    return std::to_string(toEpochMs(at));
}

/// Empty when there is none.
std::string formatMs(const std::optional<TimePoint>& at)
{
    return at ? formatMs(*at) : std::string();
}

/// The note of an attempt, cut where it is too long for the stream: never in the middle of a
/// character.
std::string_view shortNote(std::string_view note) noexcept
{
    if (note.size() <= kLongestNote) {
        return note;
    }
    auto end = kLongestNote;
    while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return note.substr(0, end);
}

/// How long push is to remember the once key: at least 1 ms, because scripts divide by it.
std::uint64_t onceMs(const PushRequest& request)
{
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, request.onceFor.count()));
}

/// The limit of one shard: an equal part of the limit of the store.
std::uint32_t heldLimitOf(const PushRequest& request, std::uint32_t shards)
{
    return request.heldLimit == 0 ? 0 : std::max(1U, request.heldLimit / shards);
}

std::size_t heldBytesOf(const PushRequest& request, std::uint32_t shards)
{
    return request.heldBytes == 0 ? 0 : std::max(std::size_t{1}, request.heldBytes / shards);
}

bool hasHoldingLimits(const PushRequest& request)
{
    return request.mailboxLimit != 0 || request.mailboxBytes != 0 || request.heldLimit != 0 ||
           request.heldBytes != 0;
}

void addMailboxLimits(PackedMap& options, const PushRequest& request, std::uint32_t shards)
{
    options.add("limit", request.mailboxLimit)
        .add("bytes", request.mailboxBytes)
        .add("total", heldLimitOf(request, shards))
        .add("totalBytes", heldBytesOf(request, shards))
        .addIf("makesRoom", request.makeRoom);
}

void addOperator(PackedMap& options, const PushRequest& request)
{
    if (!request.actor.empty()) {
        options.add("by", request.actor).add("why", request.reason);
    }
}

/// The options of push.lua; empty for a plain job, so that it takes the fast path.
std::string pushOptionsOf(const PushRequest& request, std::uint32_t shards)
{
    PackedMap options;
    options.addIf("replace", request.replace).addIf("renew", request.renew);
    if (!request.onceKey.empty()) {
        options.add("once", request.onceKey).add("ms", onceMs(request));
    }
    if (hasHoldingLimits(request)) {
        addMailboxLimits(options.addIf("room", true), request, shards);
    }
    addOperator(options, request);
    return options.bytes();
}

/// The options of push_mailbox.lua: the same for most messages, whatever their once keys are, so
/// that they share a call.
std::string mailboxPushOptionsOf(const PushRequest& request, std::uint32_t shards)
{
    PackedMap options;
    options.addIf("replace", request.replace).add("ms", onceMs(request));
    addMailboxLimits(options, request, shards);
    addOperator(options, request);
    return options.bytes();
}

std::string_view wordOf(DeviceMark::Status status)
{
    static constexpr std::array<std::string_view, 4> kWords{"taken", "refused", "waits", "left"};
    return kWords[static_cast<std::size_t>(status)];
}

/// Reads the token and the messages; an empty batch when there are none.
DeviceBatch batchOf(const Reply& reply, Millis lease, std::vector<DamagedJob>& damaged)
{
    DeviceBatch batch;
    if (reply.size() != 2 || reply.at(0).text() == nullptr) {
        return batch;
    }
    batch.token = leadingNumber<std::uint64_t>(*reply.at(0).text());
    batch.messages = claimedJobsOf(reply.at(1), damaged);
    for (auto& claimed : batch.messages) {
        claimed.leaseEnds += lease - claimed.job.ttr;  // the device's, not the job's
    }
    return batch;
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
      settings_(std::move(settings)),
      shards_(shardQueues(loop,
                          commands,
                          clock,
                          settings_.prefix,
                          settings_.shards,
                          settings_.gate,
                          settings_.eventsKept))
{
    if (settings_.shards > 1) {
        slotExchange_ = SlotExchange::make(shards_);
    }
}

RedisJobStore::~RedisJobStore()
{
    isClosing_ = true;
    if (wakeHandler_ != nullptr) {
        *wakeHandler_ = {};
    }
}

std::string RedisJobStore::formatStates(const std::vector<JobState>& states)
{
    std::string text;
    for (const auto state : states) {
        text.append(text.empty() ? "" : " ").append(name(state));
    }
    return text;
}

ScriptQueue& RedisJobStore::shardOf(std::string_view id)
{
    return *shards_[shardOfId(id, settings_.shards)];
}

ScriptQueue& RedisJobStore::mailboxShardOf(std::string_view recipient)
{
    return *shards_[shardOfMailbox(recipient, settings_.shards)];
}

template <class T>
Done<T> RedisJobStore::onceCommitted(std::string_view id, Done<T> done) const
{
    const auto shard = shardOfId(id, settings_.shards);
    return [weak = std::weak_ptr(settings_.journal), shard, calls = shards_[shard].get(),
            living = callbackGuard_.watch(), done = std::move(done)](Result<T> result) {
        if (!result) {
            return done(std::move(result));
        }
        const auto journal = weak.lock();
        if (!journal) {
            return done(CommitWatch::downError());
        }
        // Who was answered before this one may have destroyed the store.
        const auto event = living.expired() ? std::nullopt : calls->appendedEvent();
        journal->await(shard, event,
                       [done, result = std::move(result)](const Result<void>& committed) {
                           done(committed ? result : tl::unexpected(committed.error()));
                       });
    };
}

template <class T>
bool RedisJobStore::confirmOrRefuse(Confirms call, std::string_view id, Done<T>& done)
{
    if (settings_.confirms < call) {
        return true;
    }
    if (settings_.journal->isDown(shardOfId(id, settings_.shards))) {
        answerLater(std::move(done), CommitWatch::downError());
        return false;
    }
    done = onceCommitted(id, std::move(done));
    return true;
}

// For redis_job_store_import.cpp.
template bool RedisJobStore::confirmOrRefuse(Confirms, std::string_view, Done<PushOutcome>&);

void RedisJobStore::refuse(std::string_view id, std::string_view why, Done<PushOutcome> done)
{
    answerLater(std::move(done), failure(ErrorCode::Invalid, fmt::format("job {}: {}", id, why)));
}

void RedisJobStore::push(PushRequest request, Done<PushOutcome> done)
{
    const Job& job = request.job;
    if (!confirmOrRefuse(Confirms::Pushes, job.id, done)) {
        return;
    }
    const bool goesToMailbox = request.placement == Placement::Mailbox;
    if (goesToMailbox && job.recipient.empty()) {
        return refuse(job.id, "a mailbox needs a recipient", std::move(done));
    }
    const bool mayNeedMailbox =
        goesToMailbox || (job.channel == Channel::Sip && !job.recipient.empty());
    if (mayNeedMailbox && &shardOf(job.id) != &mailboxShardOf(job.recipient)) {
        return refuse(job.id,
                      fmt::format("its id belongs to another shard than the mailbox of {}; leave "
                                  "the id to the queue",
                                  job.recipient),
                      std::move(done));
    }
    record_.clear();
    encodeRecord(job, record_);
    auto answer = answerOf(&pushOutcomeOf, job.id, std::move(done));
    auto& shard = shardOf(job.id);
    if (goesToMailbox) {
        const auto options = mailboxPushOptionsOf(request, settings_.shards);
        shard.add({script("push_mailbox"), options}, {job.id, job.recipient},
                  {job.id, formatMs(request.due), record_, request.onceKey}, std::move(answer));
        return;
    }
    shard.add(script("push"), {job.id, mayNeedMailbox ? job.recipient : std::string_view()},
              {job.id, laneScores_.nextScore(request.due), record_,
               pushOptionsOf(request, settings_.shards)},
              std::move(answer));
}

void RedisJobStore::buryDamaged(const std::vector<DamagedJob>& damaged)
{
    for (const auto& job : damaged) {
        log::error("redis", "buried: {}", job.reason);
        runScript("bury", job.id, {job.id, "0", "", job.reason, "", ""}, [](const auto&) {});
    }
}

/// A claim from one recipient's mailbox.
template <class T>
struct RedisJobStore::MailboxClaimRun {
    std::string_view script;
    std::string recipient;
    std::vector<std::string> arguments;
    std::function<T(const Reply&, std::vector<DamagedJob>&)> read;
    Done<T> done;
    int tries = 0;  ///< after slots were asked for
};

template <class T>
void RedisJobStore::claimFromMailbox(const std::shared_ptr<MailboxClaimRun<T>>& claim)
{
    mailboxShardOf(claim->recipient)
        .add(script(claim->script), ScriptSubject::ofMailbox(claim->recipient), claim->arguments,
             [this, claim](const Result<Reply>& reply) {
                 if (!reply) {
                     return claim->done(tl::unexpected(reply.error()));
                 }
                 std::vector<DamagedJob> damaged;
                 auto claimed = claim->read(*reply, damaged);
                 buryDamaged(damaged);
                 fetchSlots(reply, shardOfMailbox(claim->recipient, settings_.shards),
                            claim->tries++,
                            [this, claim, claimed = std::move(claimed)](bool again) mutable {
                                again ? claimFromMailbox(claim) : claim->done(std::move(claimed));
                            });
             });
}

void RedisJobStore::claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done)
{
    using Jobs = std::vector<ClaimedJob>;
    if (claim.max == 0) {
        return answerLater(std::move(done), Jobs{});
    }
    claimFromMailbox(std::make_shared<MailboxClaimRun<Jobs>>(
        MailboxClaimRun<Jobs>{"claim_mailbox", claim.recipient,
                              std::vector{claim.recipient, std::to_string(boundedCount(claim.max)),
                                          std::to_string(claim.maxBytes)},
                              &claimedJobsOf, std::move(done)}));
}

void RedisJobStore::claimForDevice(DeviceClaim claim, Done<DeviceBatch> done)
{
    claimFromMailbox(std::make_shared<MailboxClaimRun<DeviceBatch>>(MailboxClaimRun<DeviceBatch>{
        "claim_for_device", claim.recipient,
        std::vector{claim.recipient, claim.device, std::to_string(claim.token),
                    std::to_string(boundedCount(claim.max)), std::to_string(claim.maxBytes),
                    std::to_string(claim.lease.count()), std::to_string(claim.keep.count())},
        [lease = claim.lease](const Reply& reply, std::vector<DamagedJob>& damaged) {
            return batchOf(reply, lease, damaged);
        },
        std::move(done)}));
}

void RedisJobStore::lackingDevices(DeviceQuery query, Done<std::vector<std::string>> done)
{
    std::vector<std::string> arguments{query.recipient, formatMs(query.retryMailboxAt),
                                       std::to_string(query.devices.size())};
    arguments.insert(arguments.end(), query.devices.begin(), query.devices.end());
    mailboxShardOf(query.recipient)
        .add(script("lacking_devices"), ScriptSubject::ofMailbox(query.recipient), arguments,
             mapped<Reply>(std::move(done), textsOf));
}

void RedisJobStore::mark(DeviceMark mark, Done<TimePoint> done)
{
    // The subject is the mailbox, so that it does not overtake a claim of the same device.
    mailboxShardOf(mark.recipient)
        .add(script("mark"), ScriptSubject::ofMailbox(mark.recipient),
             {mark.id, mark.recipient, formatMs(mark.created), mark.device,
              std::to_string(mark.token), wordOf(mark.status), mark.error, formatMs(mark.next),
              std::to_string(mark.lease.count()), std::to_string(mark.keep.count()),
              shortNote(mark.note)},
             answerOf(&deadlineOf, mark.id, std::move(done)));
}

/// If the shard wants slots of a topic, fetches some. Answers true when the claim should be
/// repeated.
void RedisJobStore::fetchSlots(const Result<Reply>& reply,
                               std::uint32_t shard,
                               int tries,
                               std::function<void(bool)> done)
{
    // Another claim may take a fetched slot before ours is repeated; the end of its lease wakes us.
    constexpr int kMostTries = 3;
    const auto wanted =
        reply && slotExchange_ && tries < kMostTries ? wantedSlotsOf(*reply) : std::nullopt;
    if (!wanted) {
        return done(false);
    }
    slotExchange_->fetch(wanted->topic, shard, wanted->count, std::move(done));
}

/// Calls the script `name`, a literal, on the shard of the job.
void RedisJobStore::runScript(std::string_view name,
                              ScriptSubject subject,
                              Arguments arguments,
                              Done<void> done)
{
    const auto read = [name](const Reply& reply, std::string_view about) {
        return outcomeOf(reply, about, name);
    };
    shardOf(subject.job)
        .add(script(name), subject, arguments,
             answerOf(read, std::string(subject.job), std::move(done)));
}

/// For calls that end an attempt: they are executed even if the journal is down, but confirmed only
/// by the journal.
template <class T>
Done<T> RedisJobStore::whenConfirmed(const Lease& lease, Done<T> done) const
{
    return settings_.confirms == Confirms::Everything ? onceCommitted(lease.id, std::move(done))
                                                      : std::move(done);
}

void RedisJobStore::endAttempt(std::string_view name,
                               const Lease& lease,
                               Arguments arguments,
                               Done<void> done)
{
    runScript(name, {lease.id, lease.recipient}, arguments, whenConfirmed(lease, std::move(done)));
}

void RedisJobStore::finish(Lease lease, Done<std::uint64_t> done)
{
    shardOf(lease.id).add(
        script("finish"), ScriptSubject::ofLeased(lease.id, lease.recipient),
        {lease.id, std::to_string(lease.attempt), lease.recipient, formatFlag(settings_.keepDone),
         formatFlag(mayBeCallersId(lease.id, settings_.shards)), shortNote(lease.note),
         packActor(lease.actor, lease.reason)},
        answerOf(&messagesLeftOf, lease.id, whenConfirmed(lease, std::move(done))));
}

void RedisJobStore::finishLate(Lease lease, Done<void> done)
{
    endAttempt("finish_late", lease,
               {lease.id, std::to_string(lease.attempt), formatMs(lease.created),
                formatFlag(settings_.keepDone), shortNote(lease.note)},
               std::move(done));
}

void RedisJobStore::retry(RetryRequest request, Done<void> done)
{
    const Lease& lease = request.lease;
    endAttempt("retry", lease,
               {lease.id, std::to_string(lease.attempt), formatMs(lease.ends),
                laneScores_.nextScore(request.due), formatFlag(request.counted), request.error,
                shortNote(lease.note)},
               std::move(done));
}

void RedisJobStore::touch(Lease lease, Millis ttr, Done<TimePoint> done)
{
    shardOf(lease.id).add(script("touch"), {lease.id, lease.recipient},
                          {lease.id, std::to_string(lease.attempt), std::to_string(ttr.count())},
                          answerOf(&deadlineOf, lease.id, std::move(done)));
}

void RedisJobStore::bury(Lease lease, std::string reason, Done<void> done)
{
    endAttempt("bury", lease,
               {lease.id, std::to_string(lease.attempt), formatStates(lease.onlyIn), reason,
                shortNote(lease.note), lease.actor},
               std::move(done));
}

void RedisJobStore::hold(HoldRequest request, Done<void> done)
{
    const Lease& lease = request.lease;
    endAttempt("hold", lease,
               {lease.id, std::to_string(lease.attempt), formatMs(lease.ends), lease.recipient,
                formatMs(request.nextAttempt), formatFlag(request.counted), request.error,
                shortNote(lease.note), lease.actor, lease.reason},
               std::move(done));
}

/// Calls a script for an operator: refused while the journal that has to confirm it is down.
void RedisJobStore::runForOperator(std::string_view name,
                                   std::string_view id,
                                   Arguments arguments,
                                   Done<void> done)
{
    if (confirmOrRefuse(Confirms::Everything, id, done)) {
        runScript(name, id, arguments, std::move(done));
    }
}

void RedisJobStore::release(OperatorAction action, Done<void> done)
{
    runForOperator("release", action.id,
                   {action.id, laneScores_.nextScore(clock_.now()), formatStates(action.onlyIn),
                    action.actor, action.reason},
                   std::move(done));
}

void RedisJobStore::runNow(OperatorAction action, Done<void> done)
{
    runForOperator("run_now", action.id,
                   {action.id, laneScores_.nextScore(clock_.now()), formatStates(action.onlyIn),
                    action.actor, action.reason},
                   std::move(done));
}

void RedisJobStore::reschedule(OperatorAction action, NewTime time, Done<void> done)
{
    const auto offset = time.attemptOffset ? std::to_string(*time.attemptOffset) : std::string();
    runForOperator("reschedule", action.id,
                   {action.id, laneScores_.nextScore(time.due), formatMs(time.onlyIfDue),
                    formatStates(action.onlyIn), offset, action.actor, action.reason},
                   std::move(done));
}

void RedisJobStore::trash(OperatorAction action, Done<void> done)
{
    runForOperator("trash", action.id,
                   {action.id, formatStates(action.onlyIn), action.actor, action.reason},
                   std::move(done));
}

void RedisJobStore::restore(OperatorAction action, Done<void> done)
{
    runForOperator("restore", action.id,
                   {action.id, formatStates(action.onlyIn), action.actor, action.reason},
                   std::move(done));
}

void RedisJobStore::purge(OperatorAction action, Done<void> done)
{
    runForOperator("purge", action.id,
                   {action.id, formatStates(action.onlyIn), action.actor, action.reason},
                   std::move(done));
}

void RedisJobStore::releaseMailbox(std::string recipient, Done<std::uint64_t> done)
{
    mailboxShardOf(recipient).add(script("release_mailbox"), ScriptSubject::ofMailbox(recipient),
                                  {recipient}, mapped<Reply>(std::move(done), numberOf));
}

void RedisJobStore::reap(ReapVerdict verdict, Done<void> done)
{
    const Lease& lease = verdict.lease;
    std::string_view action = "retry";
    std::string next = formatMs(verdict.next);
    switch (verdict.action) {
    case ReapVerdict::Action::Retry: next = laneScores_.nextScore(verdict.next); break;
    case ReapVerdict::Action::Hold: action = "hold"; break;
    case ReapVerdict::Action::Dead: action = "dead"; break;
    }
    runScript(
        "reap", {lease.id, lease.recipient},
        {lease.id, std::to_string(lease.attempt), action, lease.recipient, next, verdict.reason},
        std::move(done));
}

/// Calls the handler for all sources, because wake-ups may have been missed.
void RedisJobStore::wakeAll()
{
    using Kind = DueSource::Kind;
    const auto onWake = wakeHandler_;
    for (const auto kind : {Kind::Lanes, Kind::Mailboxes, Kind::Leases, Kind::Expiry}) {
        if (*onWake) {
            Wake wake;
            wake.kind = kind;
            (*onWake)(wake);
        }
    }
    if (slotExchange_) {
        slotExchange_->settleAll();
    }
}

void RedisJobStore::onWake(std::function<void(const Wake&)> handler)
{
    const bool subscribed = wakeHandler_ != nullptr;
    if (subscribed || wakeUps_ == nullptr) {
        if (subscribed) {
            *wakeHandler_ = std::move(handler);
        }
        return;
    }
    wakeHandler_ = std::make_shared<WakeHandler>(std::move(handler));
    std::vector<std::string> channels;
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        channels.push_back(wakeChannel(shardPrefix(settings_.prefix, shard)));
    }
    // The subscription keeps the handler when the store has gone, which has emptied it.
    const auto isLive = [](const std::weak_ptr<WakeHandler>& weak) {
        const auto shared = weak.lock();
        return shared != nullptr && *shared != nullptr;
    };
    wakeUps_->onReady([this, isLive, weak = std::weak_ptr(wakeHandler_)](bool ready) {
        if (ready && isLive(weak)) {
            wakeAll();
        }
    });
    if (settings_.gate != nullptr) {
        // Callers that were refused while the store was closed try again.
        settings_.gate->onChange(
            [this, isLive, gate = settings_.gate, weak = std::weak_ptr(wakeHandler_)] {
                if (isLive(weak) && gate->allOpen()) {
                    wakeAll();
                }
            });
    }
    wakeUps_->subscribe(std::move(channels),
                        [onWake = wakeHandler_,
                         slots = std::weak_ptr(slotExchange_)](auto, std::string_view message) {
                            if (const auto wake = parseWake(message); wake && *onWake) {
                                (*onWake)(*wake);
                            }
                            const auto exchange = slots.lock();
                            if (const auto topic = parseSlotTopic(message); topic && exchange) {
                                exchange->settle(std::string(*topic), {});
                            }
                        });
}

}  // namespace restante::redis
