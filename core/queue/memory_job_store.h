#pragma once

#include "core/base/event_loop.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_search.h"
#include "core/queue/job_store.h"
#include "core/queue/mailbox.h"
#include "core/queue/topic_view.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace restante {

/// The store without Redis: for tests, and for programs that may lose their jobs. It has the
/// semantics of RedisJobStore (tests/contract proves it), but nothing survives its end. Each call
/// takes effect at once and is answered in a later turn of the loop. Borrows loop and clock.
/// *One loop.*
class MemoryJobStore : public JobStore, public JobInspector {
public:
    struct Settings {
        Millis retentionDone{0};  ///< 0 = a finished job is forgotten at once
    };

    MemoryJobStore(EventLoop& loop, const Clock& clock);
    MemoryJobStore(EventLoop& loop, const Clock& clock, Settings settings);

    void push(PushRequest request, Done<PushOutcome> done) override
    {
        answer(std::move(done), pushOrRefuse(std::move(request)));
    }
    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done) override;
    void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) override
    {
        answer(std::move(done), claimFromMailbox(claim));
    }
    void lackingDevices(DeviceQuery query, Done<std::vector<std::string>> done) override;
    void claimForDevice(DeviceClaim claim, Done<DeviceBatch> done) override
    {
        answer(std::move(done), claimBatch(claim));
    }
    void mark(DeviceMark mark, Done<TimePoint> done) override
    {
        answer(std::move(done), applyMark(mark));
    }
    void finish(Lease lease, Done<std::uint64_t> done) override;
    void finishLate(Lease lease, Done<void> done) override;
    void retry(RetryRequest request, Done<void> done) override;
    void touch(Lease lease, Millis ttr, Done<TimePoint> done) override;
    void bury(Lease lease, std::string reason, Done<void> done) override;
    void hold(HoldRequest request, Done<void> done) override;
    void release(OperatorAction action, Done<void> done) override;
    void releaseMailbox(std::string recipient, Done<std::uint64_t> done) override;
    void expire(std::uint32_t max, Done<std::vector<std::string>> done) override;
    void runNow(OperatorAction action, Done<void> done) override;
    void reschedule(OperatorAction action, NewTime time, Done<void> done) override;
    void trash(OperatorAction action, Done<void> done) override;
    void restore(OperatorAction action, Done<void> done) override;
    void purge(OperatorAction action, Done<void> done) override;
    void importJob(ImportRequest request, Done<PushOutcome> done) override
    {
        answer(std::move(done), importOrRefuse(std::move(request)));
    }
    void importOnce(OnceKey once, Done<PushOutcome> done) override;
    void lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done) override;
    void reap(ReapVerdict verdict, Done<void> done) override
    {
        answer(std::move(done), applyVerdict(verdict));
    }
    void pauseTopic(TopicAction action, Done<void> done) override;
    void resumeTopic(TopicAction action, Done<void> done) override;
    void limitTopic(TopicAction action, TopicLimits limits, Done<void> done) override;
    void dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done) override;
    void earliest(DueSource source, Done<std::optional<TimePoint>> done) override
    {
        answer(std::move(done), earliestOf(source));
    }
    void onWake(std::function<void(const Wake&)> handler) override;

    void show(std::string id, Done<JobView> done) override;
    void list(JobQuery query, Done<JobPage> done) override;
    void counts(Done<StoreCounts> done) override;
    void search(JobSearch search, Done<SearchPage> done) override;
    void ranked(RankQuery query, Done<RankPage> done) override;
    void count(JobSearch search, Done<JobCount> done) override;
    void indexed(IndexQuery query, Done<JobPage> done) override;
    void countIndexed(IndexQuery::Kind kind, std::string value, Done<std::uint64_t> done) override;
    void onceKeys(std::function<void(std::vector<OnceKey>)> onBatch, Done<void> done) override;
    void topics(Done<std::vector<TopicView>> done) override;
    void mailboxes(MailboxQuery query, Done<MailboxPage> done) override;
    void mailbox(MailboxRequest request, Done<MailboxContent> done) override;

private:
    /// The sorted set of docs/redis-schema.md that has an id, and its score there.
    struct SetPosition {
        JobState state = JobState::Scheduled;  ///< never Ready: a lane has both
        /// Due time, deadline, or when it ended. Held outside a mailbox: when it is due
        /// again, max() = unknown. In a mailbox it is not used.
        TimePoint score{};
    };

    /// Where restore puts back a dead, trashed or done job.
    struct Origin {
        SetPosition position;
        bool inMailbox = false;
    };

    struct Entry {
        Job job;
        SetPosition position;
        std::uint64_t setOrder = 0;  ///< orders the jobs of a sorted set that have the same score
        std::uint64_t mailboxOrder =
            0;                   ///< arrival number in the mailbox; kept until it goes to a lane
        bool inMailbox = false;  ///< in its mailbox: held there, or leased out of it
        bool countsTowardMailbox = false;  ///< the mailbox's limits count it while it is in a lane
        std::uint32_t failedAttempts = 0;  ///< attempts that ended without success
        std::uint32_t attemptOffset = 0;   ///< how many failed attempts count no longer
        std::string error;
        /// How many devices have it; none = no device was asked.
        std::optional<std::uint32_t> devicesTaken = {};
        /// Set once a device has a message that has no expiry of its own.
        std::optional<TimePoint> expiryOnceTaken = {};
        std::vector<Origin> origins;  ///< the last is where it was before it ended

        /// Counts the attempt if `counted`, and keeps `why` unless it is empty.
        void recordFailure(const std::string& why, bool counted);
        std::optional<TimePoint> expiry() const
        {
            return job.expires ? job.expires : expiryOnceTaken;
        }
        bool hasEnded() const noexcept { return !isLive(position.state); }
    };
    using JobNode = std::map<std::string, Entry>::value_type;

    /// One sorted set: ids by score, then Entry::setOrder.
    using SortedSet = std::set<std::tuple<TimePoint, std::uint64_t, std::string>>;
    using LaneName = std::tuple<Channel, int, std::string>;  ///< channel, priority, topic

    struct Mailbox {
        std::map<std::uint64_t, std::string> ids;  ///< by arrival number
        TimePoint nextAttempt{};
        bool releasedSinceClaim = false;  ///< it, or a message of it, after its last claim
    };

    /// The progress of one device of a recipient.
    struct Device {
        std::uint64_t lastArrivalDone = 0;  ///< arrival number of the last message it is done with
        std::uint64_t token = 0;
        TimePoint leaseEnds{};
        TimePoint nextAttempt{};
        std::uint32_t failures = 0;
    };

    struct LimitedTopic {
        TopicLimits limits;
        double busyUntilMicros = 0;  ///< when the next job is due at an even pace of the rate
    };

    struct RememberedOnce {
        std::string id;
        TimePoint until{};
        Millis onceFor{1};
    };

    /// A finished job whose id is remembered.
    struct FinishedJob {
        Job job;
        TimePoint until{};
    };

    // A job changes its place by moveTo(), which updates the sets and publishes wake-ups, or ends
    // by forget().
    void moveTo(JobNode& node, SetPosition position);
    void putInMailbox(JobNode& node, std::optional<TimePoint> nextAttempt);
    TimePoint nowIfReleased(const JobNode& node, TimePoint next) const;
    void putBack(JobNode& node);
    void endAs(JobNode& node, JobState state);
    void removeFromSets(const JobNode& node);
    void addToSets(const JobNode& node);
    void leaveMailbox(JobNode& node);
    void setNextAttempt(const std::string& recipient, TimePoint at);
    void forget(JobNode& node);

    // Exports and imports: memory_job_import.cpp.
    Result<PushOutcome> importOrRefuse(ImportRequest request);
    void enterImported(const std::string& id, Entry entry, const JobView& view, bool inMailbox);
    void readOrigins(Entry& entry, std::string_view text);
    static std::string formatOrigin(const Entry& entry, const Origin& origin);
    JobPosition positionOf(const Entry& entry) const;
    static bool hasSameContent(const Job& a, const Job& b);

    Result<PushOutcome> pushOrRefuse(PushRequest request);
    /// Whether the push asks for nothing but what is stored already.
    static bool isRepetition(const Entry& stored, const PushRequest& request);
    /// The answer to a repeated push of a job that was finished lately; none = it is new.
    std::optional<Result<PushOutcome>> answerIfFinished(const Job& job) const;
    PushOutcome storePushed(PushRequest request);
    /// Makes the job due at `due`; of a message in a mailbox, the mailbox at once.
    void makeDue(JobNode& node, TimePoint due);
    /// Due now, also when a delivery run that has messages of it leased would postpone it.
    void makeMailboxDue(const std::string& recipient);
    Result<void> applyVerdict(const ReapVerdict& verdict);
    std::vector<ClaimedJob> claimFromMailbox(const MailboxClaim& claim);
    ClaimedJob leaseOut(JobNode& node);

    // Limits of mailboxes, and messages that go to every device: memory_job_devices.cpp.
    Result<void> ensureRoom(const PushRequest& request);
    bool isMailboxFull(const PushRequest& request) const;
    /// Whether it is in its lane, or leased out of it, and has yet to go into its mailbox.
    static bool waitsForMailbox(const Entry& entry) noexcept
    {
        return entry.countsTowardMailbox && !entry.inMailbox &&
               (entry.position.state == JobState::Scheduled ||
                entry.position.state == JobState::Leased);
    }
    void makeRoom(const std::string& recipient);
    /// How many of `ids` fit into `maxBytes` (0 = no limit), at least one.
    std::size_t countWithinBytes(const std::vector<std::string>& ids, std::size_t maxBytes) const;
    Device* findDevice(const std::string& recipient, const std::string& name);
    /// The messages behind `lastArrivalDone` that may be given out, and if there are none, when
    /// those that are there are tried again.
    std::pair<std::vector<std::string>, std::optional<TimePoint>>
    idsForDevice(const Mailbox& box, std::uint64_t lastArrivalDone, std::size_t max) const;
    DeviceBatch claimBatch(const DeviceClaim& claim);
    Result<TimePoint> applyMark(const DeviceMark& mark);
    void expire(JobNode& node);
    void complete(JobNode& node);
    void makeDevicesDue(const std::string& recipient);
    bool wouldBeSkippedByDevices(const JobNode& node) const;
    void tryNoLaterThan(const std::string& recipient, TimePoint next);

    // Topics: memory_job_topics.cpp.
    /// How many jobs of a topic may be given out now, and if none, when some may.
    struct TopicQuota {
        std::size_t available = 0;
        std::optional<TimePoint> opensAt = {};  ///< none: when the topic is resumed
    };
    TopicQuota quotaOf(const std::string& topic) const;
    TopicQuota concurrencyQuota(const std::string& topic, const TopicLimits& limits) const;
    /// Uses up a token of the topic's rate: one of its jobs is given out.
    void spendToken(const std::string& topic);
    /// The first `max` of `ids` that their topics' quotas admit.
    std::vector<std::string> withinQuotas(const std::vector<std::string>& ids,
                                          std::size_t max) const;
    std::vector<TopicCounts> topicCounts() const;
    void wakeTopic(const std::string& topic);
    void unparkMailboxes(const std::string& topic, std::size_t max);
    void wakeForFreedSlot(const Job& job);

    Result<JobNode*> findJob(const std::string& id);
    Result<JobNode*> findLeased(const Lease& lease);
    Result<JobNode*> findByLastAttempt(const Lease& lease);
    void endAsFinished(JobNode& node);
    /// Removes from time to time what need not be remembered any more.
    template <class Remembered>
    void pruneBeforeGrowth(std::map<std::string, Remembered>& remembered) const
    {
        constexpr std::size_t kPruneEvery = 1'024;
        if (remembered.size() >= kPruneEvery && remembered.size() % kPruneEvery == 0) {
            std::erase_if(remembered, [now = clock_.now()](const auto& one) {
                return one.second.until <= now;
            });
        }
    }
    /// With `onlyIn`: only if the job is in one of these states. With `due`: only if it is in its
    /// lane and due then.
    Result<JobNode*> findForTransition(const std::string& id,
                                       Transition transition,
                                       const std::vector<JobState>& onlyIn,
                                       std::optional<TimePoint> due = {});
    JobNode& nodeOf(const std::string& id) { return *jobs_.find(id); }
    std::vector<std::string> claimableIds(const ClaimRequest& request) const;
    /// Makes the mailbox wait for the topics of `ids`, because no message of it may be given out
    /// now. Result: when it is tried again.
    TimePoint parkMailbox(const std::string& recipient, const std::vector<std::string>& ids);
    /// When a job of this lane may be given out; none = not known, or it has no job to give out.
    std::optional<TimePoint> nextClaimTime(const std::string& topic, const SortedSet& lane) const;
    std::optional<TimePoint> earliestOf(const DueSource& source) const;
    std::optional<TimePoint> earliestLane(const DueSource& source) const;
    std::optional<TimePoint> earliestMailbox() const;
    JobState stateOf(const Entry& entry) const;
    JobView viewOf(const Entry& entry) const;
    MailboxView viewOfMailbox(const std::string& recipient) const;
    /// The jobs of the wanted states that come after the search's cursor, in order, each with its
    /// own cursor.
    std::vector<std::pair<std::string, JobView>> jobsBehindCursor(const JobSearch& search) const;
    template <class Page, class Take>
    void forEachMatch(const JobSearch& search, Page& page, std::size_t most, Take take) const;
    bool hasExpired(const Job& job) const { return job.expires && *job.expires <= clock_.now(); }

    void wake(Wake wake);
    template <class T>
    void answer(Done<T> done, std::type_identity_t<Result<T>> result)
    {
        loop_.post([done = std::move(done), result = std::move(result)] { done(result); });
    }

    EventLoop& loop_;
    const Clock& clock_;
    Settings settings_;
    std::map<std::string, Entry> jobs_;
    std::map<LaneName, SortedSet> lanes_;
    SortedSet leases_;
    SortedSet expiry_;
    std::map<std::string, Mailbox> mailboxes_;
    std::map<std::string, std::map<std::string, Device>> devices_;  ///< by recipient, name
    std::map<std::string, RememberedOnce> once_;
    std::map<std::string, FinishedJob> finished_;
    std::map<std::string, TopicPause> pauses_;
    std::map<std::string, LimitedTopic> limits_;
    std::map<std::string, std::set<std::string>> parkedMailboxes_;  ///< by the topic they wait for
    std::uint64_t sequence_ = 0;
    /// Shared, so that a posted wake-up can see that the store has been destroyed.
    std::shared_ptr<std::function<void(const Wake&)>> wakeHandler_;
};

}  // namespace restante
