// The sets behind MemoryJobStore: how an id enters and leaves them, and who is woken by it. The
// transitions themselves are in memory_job_store.cpp.

#include "core/queue/memory_job_store.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante {

void MemoryJobStore::Entry::failed(const std::string& why, bool counted)
{
    past += counted ? 1 : 0;
    if (!why.empty()) {
        error = why;
    }
}

void MemoryJobStore::put(Slot& slot, Spot spot)
{
    leave(slot);
    auto& entry = slot.second;
    entry.spot = spot;
    entry.arrival = ++sequence_;
    if (spot.place == Place::Lane) {
        entry.endsBy.reset();
        entry.boxOrder = 0;  // from a lane a message returns to its mailbox's tail
    }
    enter(slot);
}

void MemoryJobStore::leave(const Slot& slot)
{
    const auto& [id, entry] = slot;
    const auto& [job, spot] = std::tie(entry.job, entry.spot);
    if (spot.place == Place::Lane) {
        lanes_[{job.channel, job.priority, job.topic}].erase({spot.score, entry.arrival, id});
    }
    if (spot.place == Place::Lease) {
        leases_.erase({spot.score, entry.arrival, id});
        leaveLease(job);
    }
    if (const auto ends = entry.ends()) {
        expiry_.erase({*ends, entry.arrival, id});
    }
}

void MemoryJobStore::enter(const Slot& slot)
{
    const auto& [id, entry] = slot;
    const auto& [job, spot] = std::tie(entry.job, entry.spot);
    const auto isHead = [](Line& line, TimePoint at, std::uint64_t arrival,
                           const std::string& who) {
        const auto place = line.emplace(at, arrival, who).first;
        return place == line.begin();
    };
    using Kind = DueSource::Kind;
    if (spot.place == Place::Lane &&
        isHead(lanes_[{job.channel, job.priority, job.topic}], spot.score, entry.arrival, id)) {
        wake({Kind::Lanes, job.channel, job.topic, spot.score});
    }
    if (spot.place == Place::Lease && isHead(leases_, spot.score, entry.arrival, id)) {
        wake({Kind::Leases, {}, {}, spot.score});
    }
    const bool canExpire = spot.place == Place::Lane || spot.place == Place::Held;
    const auto ends = entry.ends();
    if (ends && canExpire && isHead(expiry_, *ends, entry.arrival, id)) {
        wake({Kind::Expiry, {}, {}, *ends});
    }
}

void MemoryJobStore::putInMailbox(Slot& slot, std::optional<TimePoint> nextAttempt)
{
    auto& [id, entry] = slot;
    const auto& recipient = entry.job.recipient;
    auto [box, isNew] = mailboxes_.try_emplace(recipient);
    if (isNew) {
        // Nobody sleeps on it yet, so the first attempt wakes whoever does.
        box->second.nextAttempt = TimePoint::max();
        nextAttempt = nextAttempt.value_or(clock_.now());
    }
    if (!entry.boxed) {
        entry.boxOrder = entry.boxOrder == 0 ? ++sequence_ : entry.boxOrder;
        box->second.ids.emplace(entry.boxOrder, id);
        entry.boxed = true;
    }
    put(slot, {Place::Held, {}});
    if (nextAttempt) {
        setNextAttempt(recipient, *nextAttempt);
    }
}

void MemoryJobStore::leaveMailbox(Slot& slot)
{
    auto& entry = slot.second;
    if (!entry.boxed) {
        return;
    }
    entry.boxed = false;
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

void MemoryJobStore::end(Slot& slot, Place place)
{
    auto& entry = slot.second;
    Origin origin{entry.spot, entry.boxed};
    if (entry.boxed) {
        origin.spot = {Place::Held, mailboxes_.at(entry.job.recipient).nextAttempt};
    } else if (entry.spot.place == Place::Lease) {
        // A lease cannot be given back to somebody; it was due, so it is due again.
        origin.spot = {Place::Lane, clock_.now()};
    }
    leaveMailbox(slot);
    entry.origins.push_back(origin);
    put(slot, {place, clock_.now()});
}

void MemoryJobStore::putBack(Slot& slot)
{
    auto& entry = slot.second;
    const auto origin = entry.origins.back();
    entry.origins.pop_back();
    if (!origin.boxed) {
        put(slot, origin.spot);
        return;
    }
    entry.boxOrder = isPassed(slot) ? 0 : entry.boxOrder;
    const auto box = mailboxes_.find(entry.job.recipient);
    const bool isEmpty = box == mailboxes_.end();
    putInMailbox(slot, isEmpty ? std::optional{origin.spot.score} : std::nullopt);
}

void MemoryJobStore::forget(Slot& slot)
{
    leave(slot);
    leaveMailbox(slot);
    jobs_.erase(jobs_.find(slot.first));
}

Result<MemoryJobStore::Slot*> MemoryJobStore::found(const std::string& id)
{
    const auto slot = jobs_.find(id);
    if (slot == jobs_.end()) {
        return failure(ErrorCode::NotFound, fmt::format("job {}: there is none of this id", id));
    }
    return &*slot;
}

Result<MemoryJobStore::Slot*> MemoryJobStore::leased(const Lease& lease)
{
    const auto slot = found(lease.id);
    if (!slot) {
        return slot;
    }
    const auto& entry = (*slot)->second;
    const bool isLeased = entry.spot.place == Place::Lease;
    const bool another = lease.ends && *lease.ends != entry.spot.score;
    if (lease.attempt != 0 && (!isLeased || lease.attempt != entry.past + 1 || another)) {
        return failure(ErrorCode::Stale,
                       fmt::format("job {}: attempt {} is over", lease.id, lease.attempt));
    }
    if (!isLeased) {
        return failure(ErrorCode::Conflict, fmt::format("job {}: nobody has it; it is {}", lease.id,
                                                        name(stateOf(entry))));
    }
    return slot;
}

Result<MemoryJobStore::Slot*> MemoryJobStore::asTheAttemptLeftIt(const Lease& lease)
{
    const auto slot = found(lease.id);
    if (!slot) {
        return slot;
    }
    const auto& entry = (*slot)->second;
    const auto place = entry.spot.place;
    if (lease.attempt == 0 || place == Place::Trash || place == Place::Done) {
        return failure(ErrorCode::Conflict,
                       fmt::format("job {}: no attempt of it can have been late", lease.id));
    }
    if (lease.attempt != entry.past + (place == Place::Lease ? 1 : 0)) {
        return failure(ErrorCode::Stale,
                       fmt::format("job {}: attempt {} was not the last", lease.id, lease.attempt));
    }
    return slot;
}

Result<MemoryJobStore::Slot*>
MemoryJobStore::fitting(const std::string& id, Transition transition, std::optional<TimePoint> due)
{
    const auto slot = found(id);
    if (!slot) {
        return slot;
    }
    const auto& entry = (*slot)->second;
    const auto state = stateOf(entry);
    const bool isHeldInItsLane = transition == Transition::Hold && due;
    if (!isLegal(transition, state) || (isHeldInItsLane && entry.spot.place != Place::Lane)) {
        return failure(ErrorCode::Conflict,
                       fmt::format("job {}: {}", id, refusalOf(transition, state)));
    }
    if (!due) {
        return slot;
    }
    if (entry.spot.place != Place::Lane || entry.spot.score != *due) {
        return failure(ErrorCode::Conflict,
                       fmt::format("{} {}: it is due at another time by now: somebody else has "
                                   "moved it",
                                   name(transition), id));
    }
    return slot;
}

JobState MemoryJobStore::stateOf(const Entry& entry) const
{
    switch (entry.spot.place) {
    case Place::Lane:
        return entry.spot.score <= clock_.now() ? JobState::Ready : JobState::Scheduled;
    case Place::Lease: return JobState::Leased;
    case Place::Held: return JobState::Held;
    case Place::Dead: return JobState::Dead;
    case Place::Trash: return JobState::Trashed;
    case Place::Done: return JobState::Done;
    }
    return JobState::Scheduled;
}

JobView MemoryJobStore::viewOf(const Entry& entry) const
{
    const bool isLeased = entry.spot.place == Place::Lease;
    const bool isInMailbox = entry.spot.place == Place::Held && entry.boxed;
    return {entry.job,
            stateOf(entry),
            isInMailbox ? mailboxes_.at(entry.job.recipient).nextAttempt : entry.spot.score,
            entry.past + (isLeased ? 1 : 0),
            entry.error,
            entry.taken.value_or(0),
            entry.forgotten,
            exactPlaceOf(entry),
            entry.spot.place == Place::Held && !entry.boxed};
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
