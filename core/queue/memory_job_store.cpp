#include "core/queue/memory_job_store.h"

#include <algorithm>
#include <cassert>

namespace restante {

namespace {

/// When a mailbox whose messages have all expired is tried again: expire() has run by then.
constexpr Millis kRetryAfterExpiry{1'000};

/// Whether the push goes into a mailbox, now or when it is due, and a limit of that mailbox or of
/// all of them applies.
bool hasHoldingLimits(const PushRequest& request)
{
    return request.mailboxLimit != 0 || request.mailboxBytes != 0 || request.heldLimit != 0 ||
           request.heldBytes != 0;
}

}  // namespace

/// As docs/redis-schema.md defines it: a client's retry may have other values of created, expires
/// and ttr, and other flags (what it is found by, whether its id is remembered).
bool MemoryJobStore::hasSameContent(const Job& a, const Job& b)
{
    auto comparable = b;
    comparable.created = a.created;
    comparable.expires = a.expires;
    comparable.ttr = a.ttr;
    comparable.findByKey = a.findByKey;
    comparable.findBySender = a.findBySender;
    comparable.rememberId = a.rememberId;
    return a == comparable;
}

/// A job that is leased, or that a device has, is left to whoever has it: replaced it would be done
/// twice, and of a repetition `expires` may be another.
bool MemoryJobStore::isRepetition(const Entry& stored, const PushRequest& request)
{
    const auto& job = request.job;
    if (!request.replace || !hasSameContent(stored.job, job)) {
        return hasSameContent(stored.job, job);
    }
    const bool hasSameTimes = stored.job.ttr == job.ttr && stored.job.expires == job.expires;
    const bool somebodyHasIt = stored.position.state == JobState::Leased ||
                               (stored.position.state == JobState::Held && stored.devicesTaken);
    return !stored.hasEnded() && (somebodyHasIt || hasSameTimes);
}

MemoryJobStore::MemoryJobStore(EventLoop& loop, const Clock& clock)
    : MemoryJobStore(loop, clock, Settings{})
{
}

MemoryJobStore::MemoryJobStore(EventLoop& loop, const Clock& clock, Settings settings)
    : loop_(loop),
      clock_(clock),
      settings_(settings),
      wakeHandler_(std::make_shared<std::function<void(const Wake&)>>())
{
}

Result<PushOutcome> MemoryJobStore::pushOrRefuse(PushRequest request)
{
    const auto& job = request.job;
    assert(request.placement == Placement::Lane || (hasMailbox(job) && !request.renew));
    const auto once = once_.find(request.onceKey);
    if (once != once_.end() && clock_.now() < once->second.until) {
        return PushOutcome{PushStatus::AlreadyThere, once->second.id};
    }
    const auto existing = jobs_.find(job.id);
    const bool renews = existing != jobs_.end() && request.renew && existing->second.hasEnded();
    if (existing != jobs_.end() && !renews) {
        if (isRepetition(existing->second, request)) {
            return PushOutcome{PushStatus::AlreadyThere, job.id};
        }
        if (!request.replace) {
            return failure(
                ErrorCode::Conflict,
                "push {}: the id exists with other content; choose another id or ask for replace",
                job.id);
        }
    }
    if (existing == jobs_.end() && !request.replace) {
        if (auto answer = answerIfFinished(job)) {
            return std::move(*answer);
        }
    }
    const auto room = hasHoldingLimits(request) ? ensureRoom(request) : Result<void>{};
    return room.map([&] { return storePushed(std::move(request)); });
}

std::optional<Result<PushOutcome>> MemoryJobStore::answerIfFinished(const Job& job) const
{
    const auto finished = finished_.find(job.id);
    if (!job.rememberId || finished == finished_.end() || finished->second.until <= clock_.now()) {
        return std::nullopt;
    }
    if (hasSameContent(finished->second.job, job)) {
        return PushOutcome{PushStatus::AlreadyThere, job.id};
    }
    return failure(ErrorCode::Conflict,
                   "push {}: it was finished a short while ago with other content; choose another "
                   "id or ask for replace",
                   job.id);
}

PushOutcome MemoryJobStore::storePushed(PushRequest request)
{
    const auto id = request.job.id;
    if (request.job.rememberId) {
        finished_.erase(id);
    }
    auto [node, isNew] = jobs_.try_emplace(id);
    auto& entry = node->second;
    if (!isNew) {
        removeFromSets(*node);
        leaveMailbox(*node);
        // The count goes on, so that a worker of the replaced job never holds the current attempt.
        entry.failedAttempts += entry.position.state == JobState::Leased ? 1 : 0;
        if (request.renew && entry.hasEnded()) {
            entry.failedAttempts = 0;
        }
        // None of them was an attempt of the new job.
        entry.attemptOffset = entry.failedAttempts;
        entry.mailboxOrder = 0;
        entry.error.clear();
        entry.origins.clear();
        entry.devicesTaken.reset();
        entry.expiryOnceTaken.reset();
    }
    entry.countsTowardMailbox = request.placement == Placement::Lane && hasHoldingLimits(request);
    entry.job = std::move(request.job);
    if (!request.onceKey.empty()) {
        pruneBeforeGrowth(once_);
        once_[request.onceKey] = {id, clock_.now() + request.onceFor, request.onceFor};
    }
    if (request.placement == Placement::Lane) {
        moveTo(*node, {JobState::Scheduled, request.due});
        return {PushStatus::Stored, id};
    }
    const auto box = mailboxes_.find(entry.job.recipient);
    const bool isFirst = box == mailboxes_.end();
    putInMailbox(*node, isFirst ? request.due : std::min(request.due, box->second.nextAttempt));
    return {PushStatus::Stored, id};
}

void MemoryJobStore::claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done)
{
    std::vector<ClaimedJob> claimed;
    for (const auto& id : claimableIds(request)) {
        claimed.push_back(leaseOut(nodeOf(id)));
    }
    answer(std::move(done), std::move(claimed));
}

std::vector<std::string> MemoryJobStore::claimableIds(const ClaimRequest& request) const
{
    std::vector<std::tuple<int, TimePoint, std::uint64_t, std::string>> due;
    for (const auto& [lane, sortedIds] : lanes_) {
        const auto& [channel, priority, topic] = lane;
        if (channel != request.channel || !isWanted(request.topics, topic)) {
            continue;
        }
        for (const auto& [at, order, id] : sortedIds) {
            if (at > clock_.now()) {
                break;
            }
            if (!hasExpired(jobs_.at(id).job)) {
                due.emplace_back(priority, at, order, id);
            }
        }
    }
    std::ranges::sort(due);
    std::vector<std::string> ids;
    for (auto& one : due) {
        ids.push_back(std::move(std::get<std::string>(one)));
    }
    return withinQuotas(ids, request.max);
}

std::vector<ClaimedJob> MemoryJobStore::claimFromMailbox(const MailboxClaim& claim)
{
    const auto& recipient = claim.recipient;
    const auto box = mailboxes_.find(recipient);
    if (box == mailboxes_.end()) {
        return {};
    }
    auto busyUntil = TimePoint::min();
    std::vector<std::string> ids;
    for (const auto& [order, id] : box->second.ids) {
        const auto& entry = jobs_.at(id);
        if (entry.position.state == JobState::Leased) {
            busyUntil = std::max(busyUntil, entry.position.score);
        } else if (!hasExpired(entry.job)) {
            ids.push_back(id);
        }
    }
    if (busyUntil != TimePoint::min()) {
        setNextAttempt(recipient, busyUntil);
        return {};
    }
    auto admittedIds = withinQuotas(ids, claim.max);
    if (admittedIds.empty()) {
        setNextAttempt(recipient, ids.empty() ? clock_.now() + kRetryAfterExpiry
                                              : parkMailbox(recipient, ids));
        return {};
    }
    admittedIds.resize(countWithinBytes(admittedIds, claim.maxBytes));
    box->second.releasedSinceClaim = false;
    std::vector<ClaimedJob> claimed;
    for (const auto& id : admittedIds) {
        claimed.push_back(leaseOut(nodeOf(id)));
        parkedMailboxes_[claimed.back().job.topic].erase(recipient);
        busyUntil = std::max(busyUntil, claimed.back().leaseEnds);
    }
    setNextAttempt(recipient, busyUntil);
    return claimed;
}

ClaimedJob MemoryJobStore::leaseOut(JobNode& node)
{
    auto& entry = node.second;
    const auto due = viewOf(entry).due;
    moveTo(node, {JobState::Leased, clock_.now() + entry.job.ttr});
    spendToken(entry.job.topic);
    return {entry.job, entry.failedAttempts + 1, due, entry.position.score, entry.attemptOffset};
}

void MemoryJobStore::finish(Lease lease, Done<std::uint64_t> done)
{
    answer(std::move(done), findLeased(lease).map([&](JobNode* node) {
        endAsFinished(*node);
        const auto box = mailboxes_.find(lease.recipient);
        return box == mailboxes_.end() ? std::uint64_t{0} : box->second.ids.size();
    }));
}

void MemoryJobStore::finishLate(Lease lease, Done<void> done)
{
    answer(std::move(done),
           findByLastAttempt(lease).map([&](JobNode* node) { endAsFinished(*node); }));
}

void MemoryJobStore::endAsFinished(JobNode& node)
{
    if (node.second.job.rememberId) {
        pruneBeforeGrowth(finished_);
        finished_[node.first] = {node.second.job, clock_.now() + kFinishedIdLifetime};
    }
    complete(node);
}

void MemoryJobStore::retry(RetryRequest request, Done<void> done)
{
    answer(std::move(done), findLeased(request.lease).map([&](JobNode* node) {
        node->second.recordFailure(request.error, request.counted);
        leaveMailbox(*node);
        moveTo(*node, {JobState::Scheduled, request.due});
    }));
}

void MemoryJobStore::touch(Lease lease, Millis ttr, Done<TimePoint> done)
{
    answer(std::move(done), findLeased(lease).map([&](JobNode* node) {
        const auto length = ttr == Millis{0} ? node->second.job.ttr : ttr;
        moveTo(*node, {JobState::Leased, clock_.now() + length});
        return node->second.position.score;
    }));
}

void MemoryJobStore::bury(Lease lease, std::string reason, Done<void> done)
{
    const auto node = lease.attempt == 0
                          ? findForTransition(lease.id, Transition::Bury, lease.onlyIn)
                          : findLeased(lease);
    answer(std::move(done), node.map([&](JobNode* found) {
        found->second.recordFailure(reason, found->second.position.state == JobState::Leased);
        endAs(*found, JobState::Dead);
    }));
}

void MemoryJobStore::hold(HoldRequest request, Done<void> done)
{
    const auto& lease = request.lease;
    const auto node = lease.attempt == 0
                          ? findForTransition(lease.id, Transition::Hold, {}, lease.ends)
                          : findLeased(lease);
    answer(std::move(done), node.map([&](JobNode* found) {
        auto& entry = found->second;
        entry.recordFailure(request.error,
                            request.counted && entry.position.state == JobState::Leased);
        if (entry.inMailbox || (hasMailbox(entry.job) && !lease.recipient.empty())) {
            auto next = request.nextAttempt;
            putInMailbox(*found, next ? nowIfReleased(*found, *next) : next);
            return;
        }
        const auto due =
            entry.position.state == JobState::Scheduled ? entry.position.score : TimePoint::max();
        moveTo(*found, {JobState::Held, request.nextAttempt.value_or(due)});
    }));
}

void MemoryJobStore::release(OperatorAction action, Done<void> done)
{
    answer(std::move(done),
           findForTransition(action.id, Transition::Release, action.onlyIn).map([&](JobNode* node) {
               const auto keptDue = node->second.position.score;
               makeDue(*node, keptDue == TimePoint::max() ? clock_.now() : keptDue);
           }));
}

void MemoryJobStore::releaseMailbox(std::string recipient, Done<std::uint64_t> done)
{
    const auto box = mailboxes_.find(recipient);
    std::uint64_t messages = 0;
    if (box != mailboxes_.end()) {
        messages = box->second.ids.size();
        makeMailboxDue(recipient);
    }
    answer(std::move(done), messages);
}

void MemoryJobStore::expire(std::uint32_t max, Done<std::vector<std::string>> done)
{
    std::vector<std::string> ids;
    for (const auto& [expires, order, id] : expiry_) {
        if (expires > clock_.now() || ids.size() == max) {
            break;
        }
        ids.push_back(id);
    }
    for (const auto& id : ids) {
        expire(nodeOf(id));
    }
    answer(std::move(done), std::move(ids));
}

void MemoryJobStore::runNow(OperatorAction action, Done<void> done)
{
    answer(std::move(done),
           findForTransition(action.id, Transition::RunNow, action.onlyIn).map([&](JobNode* node) {
               makeDue(*node, clock_.now());
           }));
}

void MemoryJobStore::makeMailboxDue(const std::string& recipient)
{
    mailboxes_.at(recipient).releasedSinceClaim = true;
    makeDevicesDue(recipient);
    setNextAttempt(recipient, clock_.now());
}

/// A message stays in its mailbox, which keeps the order: the whole mailbox becomes due.
void MemoryJobStore::makeDue(JobNode& node, TimePoint due)
{
    if (node.second.inMailbox) {
        return makeMailboxDue(node.second.job.recipient);
    }
    node.second.origins.clear();
    moveTo(node, {JobState::Scheduled, due});
}

void MemoryJobStore::reschedule(OperatorAction action, NewTime time, Done<void> done)
{
    const auto node =
        findForTransition(action.id, Transition::Reschedule, action.onlyIn, time.onlyIfDue);
    answer(std::move(done), node.map([&](JobNode* found) {
        auto& entry = found->second;
        entry.attemptOffset =
            std::min(time.attemptOffset.value_or(entry.attemptOffset), entry.failedAttempts);
        leaveMailbox(*found);
        entry.origins.clear();
        moveTo(*found, {JobState::Scheduled, time.due});
    }));
}

void MemoryJobStore::trash(OperatorAction action, Done<void> done)
{
    const auto node = findForTransition(action.id, Transition::Trash, action.onlyIn);
    answer(std::move(done), node.map([&](JobNode* found) {
        found->second.recordFailure({}, found->second.position.state == JobState::Leased);
        endAs(*found, JobState::Trashed);
    }));
}

void MemoryJobStore::restore(OperatorAction action, Done<void> done)
{
    answer(std::move(done),
           findForTransition(action.id, Transition::Restore, action.onlyIn).map([&](JobNode* node) {
               putBack(*node);
           }));
}

void MemoryJobStore::purge(OperatorAction action, Done<void> done)
{
    answer(std::move(done),
           findForTransition(action.id, Transition::Purge, action.onlyIn).map([&](JobNode* node) {
               forget(*node);
           }));
}

void MemoryJobStore::lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done)
{
    std::vector<ClaimedJob> lapsed;
    for (const auto& [deadline, order, id] : leases_) {
        if (deadline > clock_.now() || lapsed.size() == max) {
            break;
        }
        const auto& entry = jobs_.at(id);
        lapsed.push_back(
            {entry.job, entry.failedAttempts + 1, TimePoint{}, deadline, entry.attemptOffset});
    }
    answer(std::move(done), std::move(lapsed));
}

/// `next`, or now if the mailbox was released after its last claim.
TimePoint MemoryJobStore::nowIfReleased(const JobNode& node, TimePoint next) const
{
    const auto box = mailboxes_.find(node.second.job.recipient);
    return box != mailboxes_.end() && box->second.releasedSinceClaim ? clock_.now() : next;
}

Result<void> MemoryJobStore::applyVerdict(const ReapVerdict& verdict)
{
    const auto found = findLeased(verdict.lease);
    if (!found) {
        return tl::unexpected(found.error());
    }
    auto& node = **found;
    if (node.second.position.score > clock_.now()) {
        return failure(ErrorCode::Stale, "reap {}: its lease has been extended", node.first);
    }
    node.second.recordFailure(verdict.reason, true);
    if (verdict.action == ReapVerdict::Action::Dead) {
        endAs(node, JobState::Dead);
    } else if (verdict.action == ReapVerdict::Action::Hold && hasMailbox(node.second.job)) {
        putInMailbox(node, nowIfReleased(node, verdict.next));
    } else {
        const bool isHeld = verdict.action == ReapVerdict::Action::Hold;
        leaveMailbox(node);
        moveTo(node, {isHeld ? JobState::Held : JobState::Scheduled, verdict.next});
    }
    return {};
}

void MemoryJobStore::dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done)
{
    std::set<std::pair<TimePoint, std::string>> due;
    for (const auto& [recipient, box] : mailboxes_) {
        if (box.nextAttempt <= clock_.now()) {
            due.emplace(box.nextAttempt, recipient);
        }
    }
    std::vector<std::string> recipients;
    for (const auto& [at, recipient] : due) {
        if (recipients.size() < max) {
            recipients.push_back(recipient);
        }
    }
    answer(std::move(done), std::move(recipients));
}

std::optional<TimePoint> MemoryJobStore::earliestOf(const DueSource& source) const
{
    const auto head = [](const SortedSet& set) {
        return set.empty() ? std::nullopt : std::optional{std::get<TimePoint>(*set.begin())};
    };
    switch (source.kind) {
    case DueSource::Kind::Lanes: return earliestLane(source);
    case DueSource::Kind::Mailboxes: return earliestMailbox();
    case DueSource::Kind::Leases: return head(leases_);
    case DueSource::Kind::Expiry: return head(expiry_);
    }
    return std::nullopt;
}

std::optional<TimePoint> MemoryJobStore::earliestLane(const DueSource& source) const
{
    std::optional<TimePoint> first;
    for (const auto& [lane, sortedIds] : lanes_) {
        const auto& [channel, priority, topic] = lane;
        if (channel == source.channel && isWanted(source.topics, topic) && !sortedIds.empty()) {
            const auto next = nextClaimTime(topic, sortedIds);
            first = next ? std::min(first.value_or(*next), *next) : first;
        }
    }
    return first;
}

std::optional<TimePoint> MemoryJobStore::earliestMailbox() const
{
    std::optional<TimePoint> first;
    for (const auto& [recipient, box] : mailboxes_) {
        first = std::min(first.value_or(box.nextAttempt), box.nextAttempt);
    }
    return first;
}

void MemoryJobStore::onWake(std::function<void(const Wake&)> handler)
{
    *wakeHandler_ = std::move(handler);
}

// The sets: how an id enters and leaves them, and which wake-ups that publishes.

void MemoryJobStore::Entry::recordFailure(const std::string& why, bool counted)
{
    failedAttempts += counted ? 1 : 0;
    if (!why.empty()) {
        error = why;
    }
}

void MemoryJobStore::moveTo(JobNode& node, SetPosition position)
{
    removeFromSets(node);
    auto& entry = node.second;
    entry.position = position;
    entry.setOrder = ++sequence_;
    if (position.state == JobState::Scheduled) {
        entry.expiryOnceTaken.reset();
        entry.mailboxOrder = 0;  // a message comes from a lane to the end of its mailbox
    }
    addToSets(node);
}

void MemoryJobStore::removeFromSets(const JobNode& node)
{
    const auto& [id, entry] = node;
    const auto& [job, position] = std::tie(entry.job, entry.position);
    if (position.state == JobState::Scheduled) {
        lanes_[{job.channel, job.priority, job.topic}].erase({position.score, entry.setOrder, id});
    }
    if (position.state == JobState::Leased) {
        leases_.erase({position.score, entry.setOrder, id});
        wakeForFreedSlot(job);
    }
    if (const auto ends = entry.expiry()) {
        expiry_.erase({*ends, entry.setOrder, id});
    }
}

void MemoryJobStore::addToSets(const JobNode& node)
{
    const auto& [id, entry] = node;
    const auto& [job, position] = std::tie(entry.job, entry.position);
    const auto insertAndCheckHead = [](SortedSet& set, TimePoint at, std::uint64_t order,
                                       const std::string& jobId) {
        const auto added = set.emplace(at, order, jobId).first;
        return added == set.begin();  // not in one expression: begin() must be asked afterwards
    };
    using Kind = DueSource::Kind;
    if (position.state == JobState::Scheduled &&
        insertAndCheckHead(lanes_[{job.channel, job.priority, job.topic}], position.score,
                           entry.setOrder, id)) {
        wake({Kind::Lanes, job.channel, job.topic, position.score});
    }
    if (position.state == JobState::Leased &&
        insertAndCheckHead(leases_, position.score, entry.setOrder, id)) {
        wake({Kind::Leases, {}, {}, position.score});
    }
    const bool canExpire =
        position.state == JobState::Scheduled || position.state == JobState::Held;
    const auto ends = entry.expiry();
    if (ends && canExpire && insertAndCheckHead(expiry_, *ends, entry.setOrder, id)) {
        wake({Kind::Expiry, {}, {}, *ends});
    }
}

void MemoryJobStore::putInMailbox(JobNode& node, std::optional<TimePoint> nextAttempt)
{
    auto& [id, entry] = node;
    const auto& recipient = entry.job.recipient;
    auto [box, isNew] = mailboxes_.try_emplace(recipient);
    if (isNew) {
        // max(), so that setting the first attempt publishes a wake-up.
        box->second.nextAttempt = TimePoint::max();
        nextAttempt = nextAttempt.value_or(clock_.now());
    }
    if (!entry.inMailbox) {
        entry.mailboxOrder = entry.mailboxOrder == 0 ? ++sequence_ : entry.mailboxOrder;
        box->second.ids.emplace(entry.mailboxOrder, id);
        entry.inMailbox = true;
    }
    moveTo(node, {JobState::Held, {}});
    if (nextAttempt) {
        setNextAttempt(recipient, *nextAttempt);
    }
}

void MemoryJobStore::leaveMailbox(JobNode& node)
{
    auto& entry = node.second;
    if (!entry.inMailbox) {
        return;
    }
    entry.inMailbox = false;
    const auto box = mailboxes_.find(entry.job.recipient);
    box->second.ids.erase(entry.mailboxOrder);
    if (box->second.ids.empty()) {
        mailboxes_.erase(box);
    }
}

void MemoryJobStore::setNextAttempt(const std::string& recipient, TimePoint at)
{
    auto& box = mailboxes_.at(recipient);
    box.nextAttempt = TimePoint::max();
    const bool isHead = at < earliestMailbox();
    box.nextAttempt = at;
    if (isHead) {
        wake({DueSource::Kind::Mailboxes, {}, {}, at});
    }
}

void MemoryJobStore::endAs(JobNode& node, JobState state)
{
    auto& entry = node.second;
    Origin origin{entry.position, entry.inMailbox};
    if (entry.inMailbox) {
        origin.position = {JobState::Held, mailboxes_.at(entry.job.recipient).nextAttempt};
    } else if (entry.position.state == JobState::Leased) {
        // A lease cannot be restored; the job was due, so it is due again.
        origin.position = {JobState::Scheduled, clock_.now()};
    }
    leaveMailbox(node);
    entry.origins.push_back(origin);
    moveTo(node, {state, clock_.now()});
}

void MemoryJobStore::putBack(JobNode& node)
{
    auto& entry = node.second;
    const auto origin = entry.origins.back();
    entry.origins.pop_back();
    if (!origin.inMailbox) {
        moveTo(node, origin.position);
        return;
    }
    entry.mailboxOrder = wouldBeSkippedByDevices(node) ? 0 : entry.mailboxOrder;
    const auto box = mailboxes_.find(entry.job.recipient);
    const bool isEmpty = box == mailboxes_.end();
    putInMailbox(node, isEmpty ? std::optional{origin.position.score} : std::nullopt);
}

void MemoryJobStore::forget(JobNode& node)
{
    removeFromSets(node);
    leaveMailbox(node);
    jobs_.erase(jobs_.find(node.first));
}

Result<MemoryJobStore::JobNode*> MemoryJobStore::findJob(const std::string& id)
{
    const auto node = jobs_.find(id);
    if (node == jobs_.end()) {
        return failure(ErrorCode::NotFound, "job {}: there is none of this id", id);
    }
    return &*node;
}

Result<MemoryJobStore::JobNode*> MemoryJobStore::findLeased(const Lease& lease)
{
    const auto node = findJob(lease.id);
    if (!node) {
        return node;
    }
    const auto& entry = (*node)->second;
    const bool isLeased = entry.position.state == JobState::Leased;
    const bool isAnotherLease = lease.ends && *lease.ends != entry.position.score;
    if (lease.attempt != 0 &&
        (!isLeased || lease.attempt != entry.failedAttempts + 1 || isAnotherLease)) {
        return failure(ErrorCode::Stale, "job {}: attempt {} is over", lease.id, lease.attempt);
    }
    if (!isLeased) {
        return failure(ErrorCode::Conflict, "job {}: nobody has it; it is {}", lease.id,
                       name(stateOf(entry)));
    }
    return node;
}

Result<MemoryJobStore::JobNode*> MemoryJobStore::findByLastAttempt(const Lease& lease)
{
    const auto node = findJob(lease.id);
    if (!node) {
        return node;
    }
    const auto& entry = (*node)->second;
    const auto state = entry.position.state;
    if (lease.attempt == 0 || state == JobState::Trashed || state == JobState::Done) {
        return failure(ErrorCode::Conflict, "job {}: no attempt of it can have been late",
                       lease.id);
    }
    if (lease.created && *lease.created != entry.job.created) {
        return failure(ErrorCode::Conflict, "job {}: another one has taken its place", lease.id);
    }
    if (lease.attempt != entry.failedAttempts + (state == JobState::Leased ? 1 : 0)) {
        return failure(ErrorCode::Stale, "job {}: attempt {} was not the last", lease.id,
                       lease.attempt);
    }
    return node;
}

Result<MemoryJobStore::JobNode*>
MemoryJobStore::findForTransition(const std::string& id,
                                  Transition transition,
                                  const std::vector<JobState>& onlyIn,
                                  std::optional<TimePoint> due)
{
    const auto node = findJob(id);
    if (!node) {
        return node;
    }
    const auto& entry = (*node)->second;
    const auto state = stateOf(entry);
    const bool holdsFromLane = transition == Transition::Hold && due;
    if (!isLegal(transition, state) || !isWanted(onlyIn, state) ||
        (holdsFromLane && entry.position.state != JobState::Scheduled)) {
        return failure(ErrorCode::Conflict, "job {}: {}", id, refusalOf(transition, state));
    }
    if (!due) {
        return node;
    }
    if (entry.position.state != JobState::Scheduled || entry.position.score != *due) {
        return failure(ErrorCode::Conflict,
                       "{} {}: it is due at another time by now: somebody else has moved it",
                       name(transition), id);
    }
    return node;
}

JobState MemoryJobStore::stateOf(const Entry& entry) const
{
    const bool isReady =
        entry.position.state == JobState::Scheduled && entry.position.score <= clock_.now();
    return isReady ? JobState::Ready : entry.position.state;
}

JobView MemoryJobStore::viewOf(const Entry& entry) const
{
    const bool isLeased = entry.position.state == JobState::Leased;
    const bool isInMailbox = entry.position.state == JobState::Held && entry.inMailbox;
    return {entry.job,
            stateOf(entry),
            isInMailbox ? mailboxes_.at(entry.job.recipient).nextAttempt : entry.position.score,
            entry.failedAttempts + (isLeased ? 1 : 0),
            entry.error,
            entry.devicesTaken.value_or(0),
            entry.attemptOffset,
            positionOf(entry),
            entry.position.state == JobState::Held && !entry.inMailbox};
}

void MemoryJobStore::wake(Wake wake)
{
    loop_.post([weak = std::weak_ptr(wakeHandler_), wake = std::move(wake)] {
        const auto handler = weak.lock();
        if (handler && *handler) {
            (*handler)(wake);
        }
    });
}

}  // namespace restante
