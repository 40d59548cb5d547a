#include "core/queue/memory_job_store.h"

#include <algorithm>
#include <cassert>

namespace restante {

namespace {

/// A mailbox whose messages have all expired is looked at again when expire() has had its turn.
constexpr Millis kExpiryTurn{1'000};
/// So often are the remembered ids looked through for those whose time is over.
constexpr std::size_t kPruned = 1'024;

/// Whether it goes into a mailbox, now or when it is due, that has limits.
bool limitsRoom(const PushRequest& request)
{
    return request.mailboxLimit != 0 || request.mailboxBytes != 0 || request.heldLimit != 0 ||
           request.heldBytes != 0;
}

}  // namespace

/// What docs/redis-schema.md calls the same content: a client's retry may bring another created,
/// expires and ttr.
bool MemoryJobStore::hasSameContent(const Job& a, const Job& b)
{
    auto other = b;
    other.created = a.created;
    other.expires = a.expires;
    other.ttr = a.ttr;
    other.findByKey = a.findByKey;
    other.findBySender = a.findBySender;
    other.rememberId = a.rememberId;
    return a == other;
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

Result<PushOutcome> MemoryJobStore::pushed(PushRequest request)
{
    const auto& job = request.job;
    assert(request.placement == Placement::Lane || (hasMailbox(job) && !request.renew));
    const auto once = once_.find(request.onceKey);
    if (once != once_.end() && clock_.now() < once->second.until) {
        return PushOutcome{PushStatus::AlreadyThere, once->second.id};
    }
    const auto existing = jobs_.find(job.id);
    const bool renews = existing != jobs_.end() && request.renew && existing->second.hasEnded();
    if (existing != jobs_.end() && !request.replace && !renews) {
        if (hasSameContent(existing->second.job, job)) {
            return PushOutcome{PushStatus::AlreadyThere, job.id};
        }
        return failure(
            ErrorCode::Conflict,
            "push {}: the id exists with other content; choose another id or ask for replace",
            job.id);
    }
    if (existing == jobs_.end() && !request.replace) {
        if (auto answer = finishedAnswer(job)) {
            return std::move(*answer);
        }
    }
    const auto room = limitsRoom(request) ? roomFor(request) : Result<void>{};
    return room.map([&] { return stored(std::move(request)); });
}

std::optional<Result<PushOutcome>> MemoryJobStore::finishedAnswer(const Job& job) const
{
    const auto its = finished_.find(job.id);
    if (!job.rememberId || its == finished_.end() || its->second.until <= clock_.now()) {
        return std::nullopt;
    }
    if (hasSameContent(its->second.job, job)) {
        return PushOutcome{PushStatus::AlreadyThere, job.id};
    }
    return failure(ErrorCode::Conflict,
                   "push {}: it was finished a short while ago with other content; choose another "
                   "id or ask for replace",
                   job.id);
}

PushOutcome MemoryJobStore::stored(PushRequest request)
{
    const auto id = request.job.id;
    if (request.job.rememberId) {
        finished_.erase(id);
    }
    auto [slot, isNew] = jobs_.try_emplace(id);
    auto& entry = slot->second;
    if (!isNew) {
        leave(*slot);
        leaveMailbox(*slot);
        // The count goes on, so that a worker of the replaced job never holds the current attempt.
        entry.failedAttempts += entry.spot.place == JobState::Leased ? 1 : 0;
        if (request.renew && entry.hasEnded()) {
            entry.failedAttempts = 0;
            entry.attemptOffset = 0;
        }
        entry.boxOrder = 0;
        entry.error.clear();
        entry.origins.clear();
    }
    entry.countsTowardMailbox = request.placement == Placement::Lane && limitsRoom(request);
    entry.job = std::move(request.job);
    if (!request.onceKey.empty()) {
        once_[request.onceKey] = {id, clock_.now() + request.onceFor, request.onceFor};
    }
    if (request.placement == Placement::Lane) {
        put(*slot, {JobState::Scheduled, request.due});
        return {PushStatus::Stored, id};
    }
    const auto box = mailboxes_.find(entry.job.recipient);
    const bool isFirst = box == mailboxes_.end();
    putInMailbox(*slot, isFirst ? request.due : std::min(request.due, box->second.nextAttempt));
    return {PushStatus::Stored, id};
}

void MemoryJobStore::claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done)
{
    std::vector<ClaimedJob> claimed;
    for (const auto& id : claimable(request)) {
        claimed.push_back(leaseOut(slotOf(id)));
    }
    answer(std::move(done), std::move(claimed));
}

std::vector<std::string> MemoryJobStore::claimable(const ClaimRequest& request) const
{
    std::vector<std::tuple<int, TimePoint, std::uint64_t, std::string>> due;
    for (const auto& [lane, line] : lanes_) {
        const auto& [channel, priority, topic] = lane;
        if (channel != request.channel || !isWanted(request.topics, topic)) {
            continue;
        }
        for (const auto& [at, arrival, id] : line) {
            if (at > clock_.now()) {
                break;
            }
            if (!hasExpired(jobs_.at(id).job)) {
                due.emplace_back(priority, at, arrival, id);
            }
        }
    }
    std::ranges::sort(due);
    std::vector<std::string> ids;
    for (auto& one : due) {
        ids.push_back(std::move(std::get<std::string>(one)));
    }
    return admitted(ids, request.max);
}

std::vector<ClaimedJob> MemoryJobStore::claimedFrom(const MailboxClaim& claim)
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
        if (entry.spot.place == JobState::Leased) {
            busyUntil = std::max(busyUntil, entry.spot.score);
        } else if (!hasExpired(entry.job)) {
            ids.push_back(id);
        }
    }
    if (busyUntil != TimePoint::min()) {
        setNextAttempt(recipient, busyUntil);
        return {};
    }
    auto let = admitted(ids, claim.max);
    if (let.empty()) {
        setNextAttempt(recipient,
                       ids.empty() ? clock_.now() + kExpiryTurn : parkMailbox(recipient, ids));
        return {};
    }
    let.resize(countWithinBytes(let, claim.maxBytes));
    box->second.releasedSinceClaim = false;
    std::vector<ClaimedJob> claimed;
    for (const auto& id : let) {
        claimed.push_back(leaseOut(slotOf(id)));
        busyUntil = std::max(busyUntil, claimed.back().leaseEnds);
    }
    setNextAttempt(recipient, busyUntil);
    return claimed;
}

ClaimedJob MemoryJobStore::leaseOut(JobSlot& slot)
{
    auto& entry = slot.second;
    const auto due = viewOf(entry).due;
    put(slot, {JobState::Leased, clock_.now() + entry.job.ttr});
    spendToken(entry.job.topic);
    return {entry.job, entry.failedAttempts + 1, due, entry.spot.score, entry.attemptOffset};
}

void MemoryJobStore::finish(Lease lease, Done<std::uint64_t> done)
{
    answer(std::move(done), leased(lease).map([&](JobSlot* slot) {
        endWell(*slot);
        const auto box = mailboxes_.find(lease.recipient);
        return box == mailboxes_.end() ? std::uint64_t{0} : box->second.ids.size();
    }));
}

void MemoryJobStore::finishLate(Lease lease, Done<void> done)
{
    answer(std::move(done), slotOfLastAttempt(lease).map([&](JobSlot* slot) { endWell(*slot); }));
}

void MemoryJobStore::endWell(JobSlot& slot)
{
    if (slot.second.job.rememberId) {
        if (finished_.size() >= kPruned && finished_.size() % kPruned == 0) {
            std::erase_if(finished_, [now = clock_.now()](const auto& one) {
                return one.second.until <= now;
            });
        }
        finished_[slot.first] = {slot.second.job, clock_.now() + kFinishedFor};
    }
    complete(slot);
}

void MemoryJobStore::retry(RetryRequest request, Done<void> done)
{
    answer(std::move(done), leased(request.lease).map([&](JobSlot* slot) {
        slot->second.failed(request.error, request.counted);
        leaveMailbox(*slot);
        put(*slot, {JobState::Scheduled, request.due});
    }));
}

void MemoryJobStore::touch(Lease lease, Millis ttr, Done<TimePoint> done)
{
    answer(std::move(done), leased(lease).map([&](JobSlot* slot) {
        const auto length = ttr == Millis{0} ? slot->second.job.ttr : ttr;
        put(*slot, {JobState::Leased, clock_.now() + length});
        return slot->second.spot.score;
    }));
}

void MemoryJobStore::bury(Lease lease, std::string reason, Done<void> done)
{
    const auto slot =
        lease.attempt == 0 ? findForTransition(lease.id, Transition::Bury) : leased(lease);
    answer(std::move(done), slot.map([&](JobSlot* found) {
        found->second.failed(reason, found->second.spot.place == JobState::Leased);
        end(*found, JobState::Dead);
    }));
}

void MemoryJobStore::hold(HoldRequest request, Done<void> done)
{
    const auto& lease = request.lease;
    const auto slot = lease.attempt == 0 ? findForTransition(lease.id, Transition::Hold, lease.ends)
                                         : leased(lease);
    answer(std::move(done), slot.map([&](JobSlot* found) {
        auto& entry = found->second;
        entry.failed(request.error, request.counted && entry.spot.place == JobState::Leased);
        if (entry.inMailbox || (hasMailbox(entry.job) && !lease.recipient.empty())) {
            auto next = request.nextAttempt;
            putInMailbox(*found, next ? nowIfReleased(*found, *next) : next);
            return;
        }
        const auto due =
            entry.spot.place == JobState::Scheduled ? entry.spot.score : TimePoint::max();
        put(*found, {JobState::Held, request.nextAttempt.value_or(due)});
    }));
}

void MemoryJobStore::release(OperatorAction action, Done<void> done)
{
    answer(std::move(done),
           findForTransition(action.id, Transition::Release).map([&](JobSlot* slot) {
               const auto kept = slot->second.spot.score;
               makeDue(*slot, kept == TimePoint::max() ? clock_.now() : kept);
           }));
}

void MemoryJobStore::releaseMailbox(std::string recipient, Done<std::uint64_t> done)
{
    const auto box = mailboxes_.find(recipient);
    std::uint64_t messages = 0;
    if (box != mailboxes_.end()) {
        messages = box->second.ids.size();
        box->second.releasedSinceClaim = true;
        resetDeviceBackOff(recipient);
        setNextAttempt(recipient, clock_.now());
    }
    answer(std::move(done), messages);
}

void MemoryJobStore::expire(std::uint32_t max, Done<std::vector<std::string>> done)
{
    std::vector<std::string> ids;
    for (const auto& [expires, arrival, id] : expiry_) {
        if (expires > clock_.now() || ids.size() == max) {
            break;
        }
        ids.push_back(id);
    }
    for (const auto& id : ids) {
        expire(slotOf(id));
    }
    answer(std::move(done), std::move(ids));
}

void MemoryJobStore::runNow(OperatorAction action, Done<void> done)
{
    answer(std::move(done),
           findForTransition(action.id, Transition::RunNow).map([&](JobSlot* slot) {
               makeDue(*slot, clock_.now());
           }));
}

/// Held in a mailbox it stays there, because its order is the mailbox's: the whole mailbox is due.
void MemoryJobStore::makeDue(JobSlot& slot, TimePoint due)
{
    if (slot.second.inMailbox) {
        resetDeviceBackOff(slot.second.job.recipient);
        setNextAttempt(slot.second.job.recipient, clock_.now());
        return;
    }
    slot.second.origins.clear();
    put(slot, {JobState::Scheduled, due});
}

void MemoryJobStore::reschedule(OperatorAction action, NewTime time, Done<void> done)
{
    const auto slot = findForTransition(action.id, Transition::Reschedule, time.onlyIfDue);
    answer(std::move(done), slot.map([&](JobSlot* found) {
        auto& entry = found->second;
        entry.attemptOffset =
            std::min(time.attemptOffset.value_or(entry.attemptOffset), entry.failedAttempts);
        leaveMailbox(*found);
        entry.origins.clear();
        put(*found, {JobState::Scheduled, time.due});
    }));
}

void MemoryJobStore::trash(OperatorAction action, Done<void> done)
{
    answer(std::move(done), findForTransition(action.id, Transition::Trash).map([&](JobSlot* slot) {
        slot->second.failed({}, slot->second.spot.place == JobState::Leased);
        end(*slot, JobState::Trashed);
    }));
}

void MemoryJobStore::restore(OperatorAction action, Done<void> done)
{
    answer(std::move(done),
           findForTransition(action.id, Transition::Restore).map([&](JobSlot* slot) {
               putBack(*slot);
           }));
}

void MemoryJobStore::purge(OperatorAction action, Done<void> done)
{
    answer(std::move(done), findForTransition(action.id, Transition::Purge).map([&](JobSlot* slot) {
        forget(*slot);
    }));
}

void MemoryJobStore::lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done)
{
    std::vector<ClaimedJob> lapsed;
    for (const auto& [deadline, arrival, id] : leases_) {
        if (deadline > clock_.now() || lapsed.size() == max) {
            break;
        }
        const auto& entry = jobs_.at(id);
        lapsed.push_back(
            {entry.job, entry.failedAttempts + 1, TimePoint{}, deadline, entry.attemptOffset});
    }
    answer(std::move(done), std::move(lapsed));
}

/// When a mailbox is tried again that was to be put off until `next`.
TimePoint MemoryJobStore::nowIfReleased(const JobSlot& slot, TimePoint next) const
{
    const auto box = mailboxes_.find(slot.second.job.recipient);
    return box != mailboxes_.end() && box->second.releasedSinceClaim ? clock_.now() : next;
}

Result<void> MemoryJobStore::reaped(const ReapVerdict& verdict)
{
    const auto found = leased(verdict.lease);
    if (!found) {
        return tl::unexpected(found.error());
    }
    auto& slot = **found;
    if (slot.second.spot.score > clock_.now()) {
        return failure(ErrorCode::Stale, "reap {}: its lease has been extended", slot.first);
    }
    slot.second.failed(verdict.reason, true);
    if (verdict.fate == ReapVerdict::Fate::Dead) {
        end(slot, JobState::Dead);
    } else if (verdict.fate == ReapVerdict::Fate::Hold && hasMailbox(slot.second.job)) {
        putInMailbox(slot, nowIfReleased(slot, verdict.next));
    } else {
        const bool isHeld = verdict.fate == ReapVerdict::Fate::Hold;
        leaveMailbox(slot);
        put(slot, {isHeld ? JobState::Held : JobState::Scheduled, verdict.next});
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
    const auto head = [](const SortedSet& line) {
        return line.empty() ? std::nullopt : std::optional{std::get<TimePoint>(*line.begin())};
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
    for (const auto& [lane, line] : lanes_) {
        const auto& [channel, priority, topic] = lane;
        if (channel == source.channel && isWanted(source.topics, topic) && !line.empty()) {
            const auto next = nextOf(topic, line);
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

// The sets behind it: how an id enters and leaves them, and who is woken by it.

void MemoryJobStore::Entry::failed(const std::string& why, bool counted)
{
    failedAttempts += counted ? 1 : 0;
    if (!why.empty()) {
        error = why;
    }
}

void MemoryJobStore::put(JobSlot& slot, SetPosition spot)
{
    leave(slot);
    auto& entry = slot.second;
    entry.spot = spot;
    entry.arrival = ++sequence_;
    if (spot.place == JobState::Scheduled) {
        entry.endsBy.reset();
        entry.boxOrder = 0;  // from a lane a message returns to its mailbox's tail
    }
    enter(slot);
}

void MemoryJobStore::leave(const JobSlot& slot)
{
    const auto& [id, entry] = slot;
    const auto& [job, spot] = std::tie(entry.job, entry.spot);
    if (spot.place == JobState::Scheduled) {
        lanes_[{job.channel, job.priority, job.topic}].erase({spot.score, entry.arrival, id});
    }
    if (spot.place == JobState::Leased) {
        leases_.erase({spot.score, entry.arrival, id});
        freeTopicSlot(job);
    }
    if (const auto ends = entry.ends()) {
        expiry_.erase({*ends, entry.arrival, id});
    }
}

void MemoryJobStore::enter(const JobSlot& slot)
{
    const auto& [id, entry] = slot;
    const auto& [job, spot] = std::tie(entry.job, entry.spot);
    const auto isHead = [](SortedSet& line, TimePoint at, std::uint64_t arrival,
                           const std::string& who) {
        const auto place = line.emplace(at, arrival, who).first;
        return place == line.begin();
    };
    using Kind = DueSource::Kind;
    if (spot.place == JobState::Scheduled &&
        isHead(lanes_[{job.channel, job.priority, job.topic}], spot.score, entry.arrival, id)) {
        wake({Kind::Lanes, job.channel, job.topic, spot.score});
    }
    if (spot.place == JobState::Leased && isHead(leases_, spot.score, entry.arrival, id)) {
        wake({Kind::Leases, {}, {}, spot.score});
    }
    const bool canExpire = spot.place == JobState::Scheduled || spot.place == JobState::Held;
    const auto ends = entry.ends();
    if (ends && canExpire && isHead(expiry_, *ends, entry.arrival, id)) {
        wake({Kind::Expiry, {}, {}, *ends});
    }
}

void MemoryJobStore::putInMailbox(JobSlot& slot, std::optional<TimePoint> nextAttempt)
{
    auto& [id, entry] = slot;
    const auto& recipient = entry.job.recipient;
    auto [box, isNew] = mailboxes_.try_emplace(recipient);
    if (isNew) {
        // Nobody sleeps on it yet, so the first attempt wakes whoever does.
        box->second.nextAttempt = TimePoint::max();
        nextAttempt = nextAttempt.value_or(clock_.now());
    }
    if (!entry.inMailbox) {
        entry.boxOrder = entry.boxOrder == 0 ? ++sequence_ : entry.boxOrder;
        box->second.ids.emplace(entry.boxOrder, id);
        entry.inMailbox = true;
    }
    put(slot, {JobState::Held, {}});
    if (nextAttempt) {
        setNextAttempt(recipient, *nextAttempt);
    }
}

void MemoryJobStore::leaveMailbox(JobSlot& slot)
{
    auto& entry = slot.second;
    if (!entry.inMailbox) {
        return;
    }
    entry.inMailbox = false;
    const auto box = mailboxes_.find(entry.job.recipient);
    box->second.ids.erase(entry.boxOrder);
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

void MemoryJobStore::end(JobSlot& slot, JobState place)
{
    auto& entry = slot.second;
    Origin origin{entry.spot, entry.inMailbox};
    if (entry.inMailbox) {
        origin.spot = {JobState::Held, mailboxes_.at(entry.job.recipient).nextAttempt};
    } else if (entry.spot.place == JobState::Leased) {
        // A lease cannot be given back to somebody; it was due, so it is due again.
        origin.spot = {JobState::Scheduled, clock_.now()};
    }
    leaveMailbox(slot);
    entry.origins.push_back(origin);
    put(slot, {place, clock_.now()});
}

void MemoryJobStore::putBack(JobSlot& slot)
{
    auto& entry = slot.second;
    const auto origin = entry.origins.back();
    entry.origins.pop_back();
    if (!origin.inMailbox) {
        put(slot, origin.spot);
        return;
    }
    entry.boxOrder = isBehindDevicePosition(slot) ? 0 : entry.boxOrder;
    const auto box = mailboxes_.find(entry.job.recipient);
    const bool isEmpty = box == mailboxes_.end();
    putInMailbox(slot, isEmpty ? std::optional{origin.spot.score} : std::nullopt);
}

void MemoryJobStore::forget(JobSlot& slot)
{
    leave(slot);
    leaveMailbox(slot);
    jobs_.erase(jobs_.find(slot.first));
}

Result<MemoryJobStore::JobSlot*> MemoryJobStore::found(const std::string& id)
{
    const auto slot = jobs_.find(id);
    if (slot == jobs_.end()) {
        return failure(ErrorCode::NotFound, "job {}: there is none of this id", id);
    }
    return &*slot;
}

Result<MemoryJobStore::JobSlot*> MemoryJobStore::leased(const Lease& lease)
{
    const auto slot = found(lease.id);
    if (!slot) {
        return slot;
    }
    const auto& entry = (*slot)->second;
    const bool isLeased = entry.spot.place == JobState::Leased;
    const bool another = lease.ends && *lease.ends != entry.spot.score;
    if (lease.attempt != 0 && (!isLeased || lease.attempt != entry.failedAttempts + 1 || another)) {
        return failure(ErrorCode::Stale, "job {}: attempt {} is over", lease.id, lease.attempt);
    }
    if (!isLeased) {
        return failure(ErrorCode::Conflict, "job {}: nobody has it; it is {}", lease.id,
                       name(stateOf(entry)));
    }
    return slot;
}

Result<MemoryJobStore::JobSlot*> MemoryJobStore::slotOfLastAttempt(const Lease& lease)
{
    const auto slot = found(lease.id);
    if (!slot) {
        return slot;
    }
    const auto& entry = (*slot)->second;
    const auto place = entry.spot.place;
    if (lease.attempt == 0 || place == JobState::Trashed || place == JobState::Done) {
        return failure(ErrorCode::Conflict, "job {}: no attempt of it can have been late",
                       lease.id);
    }
    if (lease.attempt != entry.failedAttempts + (place == JobState::Leased ? 1 : 0)) {
        return failure(ErrorCode::Stale, "job {}: attempt {} was not the last", lease.id,
                       lease.attempt);
    }
    return slot;
}

Result<MemoryJobStore::JobSlot*> MemoryJobStore::findForTransition(const std::string& id,
                                                                   Transition transition,
                                                                   std::optional<TimePoint> due)
{
    const auto slot = found(id);
    if (!slot) {
        return slot;
    }
    const auto& entry = (*slot)->second;
    const auto state = stateOf(entry);
    const bool isHeldInItsLane = transition == Transition::Hold && due;
    if (!isLegal(transition, state) ||
        (isHeldInItsLane && entry.spot.place != JobState::Scheduled)) {
        return failure(ErrorCode::Conflict, "job {}: {}", id, refusalOf(transition, state));
    }
    if (!due) {
        return slot;
    }
    if (entry.spot.place != JobState::Scheduled || entry.spot.score != *due) {
        return failure(ErrorCode::Conflict,
                       "{} {}: it is due at another time by now: somebody else has moved it",
                       name(transition), id);
    }
    return slot;
}

JobState MemoryJobStore::stateOf(const Entry& entry) const
{
    const bool isReady =
        entry.spot.place == JobState::Scheduled && entry.spot.score <= clock_.now();
    return isReady ? JobState::Ready : entry.spot.place;
}

JobView MemoryJobStore::viewOf(const Entry& entry) const
{
    const bool isLeased = entry.spot.place == JobState::Leased;
    const bool isInMailbox = entry.spot.place == JobState::Held && entry.inMailbox;
    return {entry.job,
            stateOf(entry),
            isInMailbox ? mailboxes_.at(entry.job.recipient).nextAttempt : entry.spot.score,
            entry.failedAttempts + (isLeased ? 1 : 0),
            entry.error,
            entry.taken.value_or(0),
            entry.attemptOffset,
            exactPlaceOf(entry),
            entry.spot.place == JobState::Held && !entry.inMailbox};
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
