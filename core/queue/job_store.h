#pragma once

#include "core/base/interface.h"
#include "core/base/result.h"
#include "core/job/job.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace restante {

struct TopicAction;
struct TopicLimits;

/// How long, or up to twice that, the id of a finished job with Job::rememberId is remembered: a
/// push of the same content is AlreadyThere, of other content a Conflict.
inline constexpr Millis kFinishedIdLifetime{900'000};

/// The set that a pushed job goes into.
enum class Placement {
    Lane,     ///< into its lane, due at `due` (scheduled or ready)
    Mailbox,  ///< behind the other messages of its recipient (held); `due` = first fall-back
              ///< attempt
};

/// A push for the store, made from PushOptions that have been checked.
struct PushRequest {
    Job job;  ///< id set, validated
    TimePoint due{};
    Placement placement = Placement::Lane;
    bool replace = false;            ///< overwrite a job of the same id: one of other content, of
                                     ///< another ttr or expires, or that has ended. While it is
                                     ///< leased only one of other content
    bool renew = false;              ///< in a lane: overwrite a job of the same id that has ended
                                     ///< (dead, trashed, done), and forget its attempts
    std::string onceKey = {};        ///< when set: a second push with this key stores nothing
    Millis onceFor{0};               ///< how long onceKey is remembered, or up to twice that
    std::uint32_t mailboxLimit = 0;  ///< messages a mailbox may hold, 0 = no limit
    std::size_t mailboxBytes = 0;    ///< bytes of its records, 0 = no limit
    std::uint32_t heldLimit = 0;     ///< messages that may be held in all mailboxes, 0 = no limit
    std::size_t heldBytes = 0;       ///< bytes that they may take: 512 each besides the record
    bool makeRoom =
        false;  ///< end the oldest messages of a full mailbox that a device has (mark())
    /// An operator who stores it, and why; kept with the event (audit). Empty = a program.
    std::string actor = {};
    std::string reason = {};
};

/// A once key that push() remembers: `id` was stored under it in the span of `onceFor` that begins
/// at `since`. *Value.*
struct OnceKey {
    std::string key = {};
    std::string id = {};
    Millis onceFor{1};
    TimePoint since{};
};

enum class PushStatus {
    Stored,
    AlreadyThere,  ///< the same id with the same content, or the same onceKey
};

struct PushOutcome {
    PushStatus status = PushStatus::Stored;
    std::string id;  ///< of the job that is stored (with onceKey: the first one's)
};

/// A job that is leased until `leaseEnds`. `attempt` is the fencing token.
struct ClaimedJob {
    Job job;
    std::uint32_t attempt = 1;
    TimePoint due{};  ///< when it was due, for lateness; not set by lapsed()
    TimePoint leaseEnds{};
    std::uint32_t attemptOffset = 0;  ///< attempts that count no longer (as in JobView)

    /// The number of the attempt in its retry schedule.
    std::uint32_t countedAttempts() const noexcept
    {
        return attempt > attemptOffset ? attempt - attemptOffset : 1;
    }
};

struct ClaimRequest {
    Channel channel = Channel::Pull;
    std::vector<std::string> topics = {};
    std::uint32_t max = 1;
    /// An operator who takes them, and why; kept with the event (audit). Empty = a worker.
    std::string actor = {};
    std::string reason = {};
};

/// A claim of the oldest messages of one mailbox.
struct MailboxClaim {
    std::string recipient = {};
    std::uint32_t max = 1;
    std::size_t maxBytes = 0;  ///< of their records, 0 = any; one message is given out in any case
};

/// With delivery to every device: asks which of a recipient's devices lack messages.
struct DeviceQuery {
    std::string recipient = {};
    /// The names of all devices that can be reached now. A single empty name stands for the devices
    /// behind a proxy, whose names are unknown: it lacks messages until a named device has been
    /// given one.
    std::vector<std::string> devices = {};
    /// When no device can be reached: the mailbox's next attempt; none = leave it as it is.
    std::optional<TimePoint> retryMailboxAt = {};
};

/// Asks for the messages that one device lacks. `token` is that of its last batch, to continue it,
/// or 0. A message without an expiry is kept for `keep` once a device has it.
struct DeviceClaim {
    std::string recipient = {};
    std::string device = {};
    std::uint64_t token = 0;
    std::uint32_t max = 1;
    std::size_t maxBytes = 0;
    Millis lease{60'000};
    Millis keep{std::chrono::hours{24 * 7}};
};

/// Messages to deliver to one device; they stay held. Their attempts count how often this device
/// could not be reached.
struct DeviceBatch {
    std::uint64_t token = 0;  ///< names the lease of the device
    std::vector<ClaimedJob> messages = {};
};

/// The result of delivering a message to one device.
struct DeviceMark {
    enum class Status {
        Taken,    ///< the device has it
        Refused,  ///< the device will never take it
        Pending,  ///< nothing yet: only the lease is extended
        Failed,   ///< it could not be reached, or the run ends: the lease ends
    };
    std::string recipient = {};
    std::string device = {};
    std::uint64_t token = 0;
    Status status = Status::Pending;
    std::string id = {};  ///< of the message
    /// When that was created: what became of a message says nothing of one that has replaced it.
    /// Unset: whichever has the id.
    std::optional<TimePoint> created = {};
    std::string error = {};              ///< becomes its last_error; with Failed the attempt counts
    std::optional<TimePoint> next = {};  ///< with Failed: when the device is tried again
    Millis lease{60'000};
    Millis keep{std::chrono::hours{24 * 7}};
    std::string note = {};  ///< as Lease::note
};

/// Names one attempt. A transition that carries a Lease is refused as Stale when the job has been
/// claimed again since, and as NotFound when there is no such job.
struct Lease {
    std::string id = {};
    std::uint32_t attempt = 0;  ///< 0 = whichever attempt is leased now (classic HTTP `finish`)
    /// Set for a job of a mailbox, so that the mailbox is updated, too; else empty.
    std::string recipient = {};
    /// The worker's description of the attempt, for people: UTF-8, cut after kLongestNote bytes.
    /// finish, finishLate, retry, hold, bury and mark write it to the job's history.
    std::string note = {};
    /// Set: refused as Stale, too, when the lease does not end then. It is for a retry or hold that
    /// does not count and is repeated because its answer was lost: the first one may have been
    /// executed, and another worker may have the same attempt by now. With attempt 0, for hold:
    /// refused as Conflict unless the job is in its lane and due then.
    std::optional<TimePoint> ends = {};
    /// An operator who does this instead of a worker, and why; kept with the event. Used by finish,
    /// hold, and bury, which has its own reason.
    std::string actor = {};
    std::string reason = {};
    /// As OperatorAction::onlyIn, for bury with attempt 0.
    std::vector<JobState> onlyIn = {};
    /// For finishLate: refused as Conflict when the job was created at another time, because
    /// another one has taken its place, whose attempts go on from its number. Becomes
    /// DeviceMark::created.
    std::optional<TimePoint> created = {};
};

/// Whether a transition was refused because somebody else has moved the job: no failure of ours.
inline bool hasMovedOn(ErrorCode code)
{
    return code == ErrorCode::NotFound || code == ErrorCode::Conflict || code == ErrorCode::Stale;
}

/// Bytes; enough for the answers of a few devices.
inline constexpr std::size_t kLongestNote = 2'048;

/// The lease of this claim. It has the recipient of every sip job, because the job may be in a
/// mailbox or may be put into one.
inline Lease leaseOf(const ClaimedJob& claimed)
{
    const auto& job = claimed.job;
    return {.id = job.id,
            .attempt = claimed.attempt,
            .recipient = job.channel == Channel::Sip ? job.recipient : std::string{},
            .created = job.created};
}

struct RetryRequest {
    Lease lease = {};
    TimePoint due{};
    std::string error = {};  ///< becomes last_error
    bool counted = true;     ///< false: the attempt was not really made and does not use one up
};

struct HoldRequest {
    /// Attempt 0: the job is not leased (scheduled, ready). Without a recipient it is held
    /// outside any mailbox, also a message: nothing but release(), runNow() and reschedule() sets
    /// it going.
    Lease lease = {};
    /// When its mailbox is tried again; none = unchanged, and now if the mailbox was empty. For a
    /// job held outside a mailbox: when release() makes it due; none = its current due time.
    std::optional<TimePoint> nextAttempt = {};
    std::string error = {};
    bool counted = true;
};

/// What reap() does with a lapsed lease.
struct ReapVerdict {
    enum class Action { Retry, Hold, Dead };
    Lease lease = {};
    Action action = Action::Retry;
    TimePoint next{};  ///< Retry: due; Hold: next mailbox attempt
    std::string reason = {};
};

/// A job, the operator who changes it, and why; the event stream records both (audit).
struct OperatorAction {
    std::string id = {};
    std::string actor = {};
    std::string reason = {};
    /// Not empty: refused as Conflict unless the job is in one of these states then. For whoever
    /// has looked at it first: somebody may have moved it since, and a worker may have claimed it.
    std::vector<JobState> onlyIn = {};
};

/// The new due time of a job, and what changes with it.
struct NewTime {
    /// For `attemptOffset`: as if it had never been tried.
    static constexpr std::uint32_t kEveryAttempt = 0xffff'ffff;

    TimePoint due{};
    /// How many of its attempts count no longer, at most all; none = unchanged.
    std::optional<std::uint32_t> attemptOffset = {};
    /// Refused as Conflict unless the job is in its lane and due then, so that nobody has moved it.
    std::optional<TimePoint> onlyIfDue = {};
};

/// A job as an export has it, and what to do with an existing one.
struct ImportRequest {
    enum class Existing {
        Keep,     ///< the same content is AlreadyThere, other content a Conflict
        Replace,  ///< it is replaced, including its state
    };
    JobView view = {};
    Existing existing = Existing::Keep;
    std::string actor = {};
    std::string reason = {};
    /// Not empty, with Replace: as OperatorAction::onlyIn of the job that is replaced, and NotFound
    /// when there is none.
    std::vector<JobState> onlyIn = {};
    /// Set, with Replace: refused as Conflict unless the job that is replaced was created then, and
    /// NotFound when there is none. For whoever changes a job that they have seen: the change has
    /// another `created`, so that a second one which is based on the same is refused.
    std::optional<TimePoint> onlyIfCreated = {};
};

/// A set of jobs with a next due time. The due watcher sleeps until the earliest of them.
struct DueSource {
    enum class Kind { Lanes, Mailboxes, Leases, Expiry };
    Kind kind = Kind::Lanes;
    Channel channel = Channel::Pull;    ///< for Lanes
    std::vector<std::string> topics{};  ///< for Lanes; empty = every topic of the channel

    friend bool operator==(const DueSource&, const DueSource&) = default;
};

/// Published by a script when the earliest entry of a set has become earlier.
struct Wake {
    DueSource::Kind kind = DueSource::Kind::Lanes;
    Channel channel = Channel::Pull;
    std::string topic;  ///< for Lanes
    TimePoint due{};
};

/// The interface to a store of jobs: RedisJobStore, or MemoryJobStore (tests, the console's
/// --demo). Both pass tests/contract. One method = one Lua script = one row of
/// docs/job-lifecycle.md.
///
/// Every call is atomic, fenced and answered exactly once through `done`, on the loop's thread,
/// never from inside the call. A success means stored. `Unavailable` means that nothing is known:
/// a repeated push with the same id, or a repeated fenced move, is safe. Calls made in one turn of
/// the loop, and those that arrive while one is in flight, travel together (group commit) and keep
/// their order. *One loop.*
class JobStore : public Interface {
public:
    /// Errors: Conflict (same id, other content, no `replace`), MailboxFull (mailboxLimit,
    /// mailboxBytes), Full (heldLimit, heldBytes, or the store has no memory left), and the store's
    /// own.
    virtual void push(PushRequest request, Done<PushOutcome> done) = 0;
    /// ready -> leased. By priority, then due, then arrival; at most `max`, fewer when fewer are
    /// due. Skips what has expired.
    virtual void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done) = 0;
    /// held -> leased for the oldest `max` of one mailbox; none while one of its messages is
    /// leased, so that order holds and a recipient has one delivery run among all daemons. Pushes
    /// the mailbox's next attempt behind the lease.
    virtual void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) = 0;
    /// The devices of `query` that lack messages, that nobody serves and whose next attempt has
    /// come, in its order. The mailbox's next attempt becomes that of its devices; releasing the
    /// mailbox forgets theirs.
    virtual void lackingDevices(DeviceQuery query, Done<std::vector<std::string>> done) = 0;
    /// The oldest messages that the device lacks, in order; none while another delivery run serves
    /// it. They stay held, and the device is leased: its mark() names the batch's token.
    virtual void claimForDevice(DeviceClaim claim, Done<DeviceBatch> done) = 0;
    /// Records the result of one message for the device; answers until when the device is leased.
    /// Stale when another delivery run serves it since. A message that a device has ends as done
    /// when its lifetime is over.
    virtual void mark(DeviceMark mark, Done<TimePoint> done) = 0;
    /// leased -> done. Answers how many messages the lease's recipient still has in the mailbox,
    /// those included that are leased; 0 for a job that is in none. Works when the store is out of
    /// memory.
    virtual void finish(Lease lease, Done<std::uint64_t> done) = 0;
    /// leased, scheduled, ready, held or dead -> done: the attempt succeeded although it had been
    /// given up. Stale when another one has been made since or is under way, Conflict when another
    /// job has its id by now (Lease::created).
    virtual void finishLate(Lease lease, Done<void> done) = 0;
    /// leased -> scheduled at `due`.
    virtual void retry(RetryRequest request, Done<void> done) = 0;
    /// Extends the lease to now + `ttr` (0 = the job's own); answers the new deadline.
    virtual void touch(Lease lease, Millis ttr, Done<TimePoint> done) = 0;
    /// leased (or, with attempt 0, any live state, or those of Lease::onlyIn) -> dead.
    virtual void bury(Lease lease, std::string reason, Done<void> done) = 0;
    /// leased, scheduled or ready -> held. One that waits for its time keeps it (JobView::due).
    virtual void hold(HoldRequest request, Done<void> done) = 0;
    /// held -> scheduled or ready, as its own due time says; at once when it has none. A message in
    /// a mailbox makes its whole mailbox due.
    virtual void release(OperatorAction action, Done<void> done) = 0;
    /// The recipient can be reached: the mailbox is due now. Answers how many it holds (0 = no
    /// mailbox).
    virtual void releaseMailbox(std::string recipient, Done<std::uint64_t> done) = 0;
    /// scheduled, ready or held, and past its `expires`, at most `max`: -> dead with reason
    /// "expired"; a message that a device has (mark()) -> done. Answers the ids of both.
    virtual void expire(std::uint32_t max, Done<std::vector<std::string>> done) = 0;
    /// scheduled, held or dead -> ready.
    virtual void runNow(OperatorAction action, Done<void> done) = 0;
    /// scheduled, ready, held or dead -> scheduled at `time.due`.
    virtual void reschedule(OperatorAction action, NewTime time, Done<void> done) = 0;
    /// Any state but trashed -> trashed; a worker that leases it becomes stale, unless
    /// OperatorAction::onlyIn leaves it to its worker. Works when the store is out of memory.
    virtual void trash(OperatorAction action, Done<void> done) = 0;
    /// trashed, dead or done -> where it was: state, due, attempts and mailbox order.
    virtual void restore(OperatorAction action, Done<void> done) = 0;
    /// Any state -> gone for good. Works when the store is out of memory.
    virtual void purge(OperatorAction action, Done<void> done) = 0;
    /// Puts a job, in one step, where an export says that it was: state, due, attempts, last error,
    /// place in its lane or mailbox, where restore puts it back. Without JobView::position (an
    /// earlier version wrote it) what is leased becomes ready, its attempt used up, a message goes
    /// behind the others of its mailbox, and one that has ended is restored to be due at once.
    virtual void importJob(ImportRequest request, Done<PushOutcome> done) = 0;
    /// The key is remembered as if it had been pushed then; AlreadyThere when it is remembered, or
    /// when its time is over. Of the shard of its id.
    virtual void importOnce(OnceKey once, Done<PushOutcome> done) = 0;
    /// Leases past their deadline, oldest first.
    virtual void lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done) = 0;
    /// lapsed -> what the verdict says. Stale when it was touched or claimed in the meantime,
    /// NotFound when it was finished.
    virtual void reap(ReapVerdict verdict, Done<void> done) = 0;

    /// From now on nothing of the topic is given out, on no channel; what is leased goes on, and
    /// pushes go on. Paused already: a success that only changes who and why. A topic that has no
    /// jobs yet may be paused. When one of several shards cannot be reached the call fails and the
    /// others have done it: repeat it.
    virtual void pauseTopic(TopicAction action, Done<void> done) = 0;
    /// The topic's jobs are given out again, at once; whoever sleeps is woken. A success as well
    /// when it was not paused.
    virtual void resumeTopic(TopicAction action, Done<void> done) = 0;
    /// Sets both limits of the topic (0 = none). A concurrency limit counts what is leased already;
    /// its slots go to the shards that have work for them, so it may be below their number.
    virtual void limitTopic(TopicAction action, TopicLimits limits, Done<void> done) = 0;

    /// Mailboxes whose next attempt is due, earliest first.
    virtual void dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done) = 0;
    /// The next moment of a source, none when it is empty; an earlier one when a part of the store
    /// cannot be asked, so that it is soon asked again.
    virtual void earliest(DueSource source, Done<std::optional<TimePoint>> done) = 0;
    /// Called for every wake-up from now on, and once with `Wake{}` (epoch 0) for every kind after
    /// a reconnection, when some may have been missed. One handler; an empty one ends it.
    virtual void onWake(std::function<void(const Wake&)> handler) = 0;
};

}  // namespace restante
