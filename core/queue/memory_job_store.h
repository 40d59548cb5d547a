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

/// The store without Redis: for tests and for programs that may forget. The same semantics as
/// RedisJobStore, which tests/contract proves; nothing survives its end. Each call happens at once
/// and is answered in a later turn of the loop. Borrows loop and clock. *One loop.*
class MemoryJobStore : public JobStore, public JobInspector {
public:
    struct Settings {
        Millis retentionDone{0};  ///< 0 = a finished job is forgotten at once
    };

    MemoryJobStore(EventLoop& loop, const Clock& clock);
    MemoryJobStore(EventLoop& loop, const Clock& clock, Settings settings);

    void push(PushRequest request, Done<PushOutcome> done) override
    {
        answer(std::move(done), pushed(std::move(request)));
    }
    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done) override;
    void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) override
    {
        answer(std::move(done), claimedFrom(claim));
    }
    void lackingDevices(DeviceQuery query, Done<std::vector<std::string>> done) override;
    void claimForDevice(DeviceClaim claim, Done<DeviceBatch> done) override
    {
        answer(std::move(done), batchFor(claim));
    }
    void mark(DeviceMark mark, Done<TimePoint> done) override
    {
        answer(std::move(done), marked(mark));
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
        answer(std::move(done), imported(std::move(request)));
    }
    void importOnce(OnceKey once, Done<PushOutcome> done) override;
    void lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done) override;
    void reap(ReapVerdict verdict, Done<void> done) override
    {
        answer(std::move(done), reaped(verdict));
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
    void onceKeys(std::function<void(std::vector<OnceKey>)> some, Done<void> done) override;
    void topics(Done<std::vector<TopicView>> done) override;
    void mailboxes(MailboxQuery query, Done<MailboxPage> done) override;
    void mailbox(MailboxRequest request, Done<MailboxContent> done) override;

private:
    struct SetPosition {
        /// Where an id is: one of the sets of docs/redis-schema.md, so what is in its lane is
        /// Scheduled here, never Ready.
        JobState place = JobState::Scheduled;
        /// Due, deadline, or when it ended. Held by itself: when it is due again, max() = nobody
        /// knows; in a mailbox of no use.
        TimePoint score{};
    };

    /// Where restore puts a dead, trashed or done job back.
    struct Origin {
        SetPosition spot;
        bool inMailbox = false;
    };

    struct Entry {
        Job job;
        SetPosition spot;
        std::uint64_t arrival = 0;   ///< orders a lane's jobs of one due time
        std::uint64_t boxOrder = 0;  ///< place in the mailbox, kept while the job is out of it
        bool inMailbox = false;      ///< in its mailbox: held there, or leased out of it
        bool countsTowardMailbox = false;  ///< its limits count it though it is in its lane
        std::uint32_t failedAttempts = 0;  ///< attempts that ended without success
        std::uint32_t attemptOffset = 0;   ///< of them, those that count no longer
        std::string error;
        /// Devices that have it; none = nobody was asked.
        std::optional<std::uint32_t> taken = {};
        std::optional<TimePoint> endsBy = {};  ///< without an expiry, once a device has it
        std::vector<Origin> origins;           ///< the last is where it was before it ended

        /// An attempt, if it counts, and its error, if there is one.
        void failed(const std::string& why, bool counted);
        std::optional<TimePoint> ends() const { return job.expires ? job.expires : endsBy; }
        bool hasEnded() const noexcept { return !isLive(spot.place); }
    };
    using JobSlot = std::map<std::string, Entry>::value_type;

    /// Ids by moment, then arrival: one sorted set.
    using SortedSet = std::set<std::tuple<TimePoint, std::uint64_t, std::string>>;
    using LaneName = std::tuple<Channel, int, std::string>;  ///< channel, priority, topic

    struct Mailbox {
        std::map<std::uint64_t, std::string> ids;  ///< by arrival number
        TimePoint nextAttempt{};
        bool releasedSinceClaim = false;  ///< by releaseMailbox(), after its last claim
    };

    /// How far one device of a recipient is.
    struct Device {
        std::uint64_t through = 0;  ///< the arrival number of the last message it is done with
        std::uint64_t token = 0;
        TimePoint leaseEnds{};
        TimePoint next{};
        std::uint32_t failures = 0;
    };

    struct Limited {
        TopicLimits limits;
        double busyUntil = 0;  ///< us: the last job given out keeps its rate busy so long
    };

    struct Once {
        std::string id;
        TimePoint until{};
        Millis onceFor{1};
    };

    /// A finished job whose id is remembered.
    struct Finished {
        Job job;
        TimePoint until{};
    };

    // Every move goes through put(), which keeps the sets and wakes the sleepers.
    void put(JobSlot& slot, SetPosition spot);
    void putInMailbox(JobSlot& slot, std::optional<TimePoint> nextAttempt);
    TimePoint nowIfReleased(const JobSlot& slot, TimePoint next) const;
    void putBack(JobSlot& slot);
    void end(JobSlot& slot, JobState place);
    void leave(const JobSlot& slot);
    void enter(const JobSlot& slot);
    void leaveMailbox(JobSlot& slot);
    void setNextAttempt(const std::string& recipient, TimePoint at);
    void forget(JobSlot& slot);

    // Exports: memory_job_import.cpp.
    Result<PushOutcome> imported(ImportRequest request);
    void enterImported(const std::string& id, Entry entry, const JobView& view, bool inMailbox);
    void readOrigins(Entry& entry, std::string_view text);
    static std::string printed(const Entry& entry, const Origin& origin);
    JobPosition exactPlaceOf(const Entry& entry) const;
    static bool hasSameContent(const Job& a, const Job& b);

    Result<PushOutcome> pushed(PushRequest request);
    /// What a repeated push is told of a job that was finished lately; none = it is new.
    std::optional<Result<PushOutcome>> finishedAnswer(const Job& job) const;
    PushOutcome stored(PushRequest request);
    /// In its mailbox the mailbox is due now.
    void makeDue(JobSlot& slot, TimePoint due);
    Result<void> reaped(const ReapVerdict& verdict);
    std::vector<ClaimedJob> claimedFrom(const MailboxClaim& claim);
    ClaimedJob leaseOut(JobSlot& slot);

    // Quotas, and messages that go to every device: memory_job_devices.cpp.
    Result<void> roomFor(const PushRequest& request);
    bool isFull(const PushRequest& request) const;
    /// It waits for its time, and then for its recipient.
    static bool waitsAhead(const Entry& entry) noexcept
    {
        return entry.countsTowardMailbox && !entry.inMailbox &&
               (entry.spot.place == JobState::Scheduled || entry.spot.place == JobState::Leased);
    }
    void makeRoom(const std::string& recipient);
    /// How many of `ids` fit into so many bytes, at least one of them; 0 = all.
    std::size_t countWithinBytes(const std::vector<std::string>& ids, std::size_t maxBytes) const;
    DeviceBatch batchFor(const DeviceClaim& claim);
    Result<TimePoint> marked(const DeviceMark& mark);
    void expire(JobSlot& slot);
    void complete(JobSlot& slot);
    void resetDeviceBackOff(const std::string& recipient);
    bool isBehindDevicePosition(const JobSlot& slot) const;
    void tryBy(const std::string& recipient, TimePoint next);

    // Topics: memory_job_topics.cpp.
    /// How many jobs of a topic may be given out now, and when, if none, more may.
    struct TopicQuota {
        std::size_t room = 0;
        std::optional<TimePoint> opensAt = {};  ///< none: when it is resumed
    };
    TopicQuota quotaOf(const std::string& topic) const;
    TopicQuota concurrencyQuota(const std::string& topic, const TopicLimits& limits) const;
    /// A job of the topic is given out: a token of its rate is used up.
    void spendToken(const std::string& topic);
    /// The first `max` of `ids` that their topics' quotas admit.
    std::vector<std::string> admitted(const std::vector<std::string>& ids, std::size_t max) const;
    std::vector<TopicCounts> topicCounts() const;
    void wakeTopic(const std::string& topic);
    void unparkMailboxes(const std::string& topic, std::size_t max);
    void freeTopicSlot(const Job& job);

    Result<JobSlot*> found(const std::string& id);
    Result<JobSlot*> leased(const Lease& lease);
    Result<JobSlot*> slotOfLastAttempt(const Lease& lease);
    void endWell(JobSlot& slot);
    /// With `due`: if the job is in its lane and due then.
    Result<JobSlot*> findForTransition(const std::string& id,
                                       Transition transition,
                                       std::optional<TimePoint> due = {});
    JobSlot& slotOf(const std::string& id) { return *jobs_.find(id); }
    std::vector<std::string> claimable(const ClaimRequest& request) const;
    /// Makes the mailbox wait for the topics of its messages, none of which may be given out now;
    /// answers when it is tried again.
    TimePoint parkMailbox(const std::string& recipient, const std::vector<std::string>& ids);
    /// When a job of this lane may be given out; none = nobody knows.
    std::optional<TimePoint> nextOf(const std::string& topic, const SortedSet& lane) const;
    std::optional<TimePoint> earliestOf(const DueSource& source) const;
    std::optional<TimePoint> earliestLane(const DueSource& source) const;
    std::optional<TimePoint> earliestMailbox() const;
    JobState stateOf(const Entry& entry) const;
    JobView viewOf(const Entry& entry) const;
    MailboxView viewOfMailbox(const std::string& recipient) const;
    /// The jobs of the states behind the cursor, each with its place in the order.
    std::vector<std::pair<std::string, JobView>> ordered(const JobSearch& search) const;
    template <class Page, class Take>
    void look(const JobSearch& search, Page& page, std::size_t most, Take take) const;
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
    std::map<std::string, Once> once_;
    std::map<std::string, Finished> finished_;
    std::map<std::string, TopicPause> pauses_;
    std::map<std::string, Limited> limits_;
    std::map<std::string, std::set<std::string>> parkedMailboxes_;  ///< by the topic they wait for
    std::uint64_t sequence_ = 0;
    /// Shared so that a wake-up on its way finds out that the store has gone.
    std::shared_ptr<std::function<void(const Wake&)>> wakeHandler_;
};

}  // namespace restante
