// The part of MemoryJobStore that says what a mailbox may hold, and whose messages go to every
// device.

#include "core/queue/memory_job_store.h"

#include <algorithm>

namespace restante {

namespace {

/// After a lease, or for what expire() is about to take away.
constexpr Millis kGrace{1'000};
/// Who asked which devices lack messages has claimed by then, or has crashed.
constexpr Millis kClaimTurn{60'000};
/// Messages ended at a time, so that a full mailbox is not asked each time.
constexpr std::size_t kRoomMade = 100;
/// What a message takes besides its record, as in lib/mailbox_limits.lua.
constexpr std::size_t kBesideRecord = 512;

std::size_t sizeOf(const Job& job)
{
    std::size_t size = job.body.size() + job.contentType.size() + job.sender.size();
    for (const auto& [name, value] : job.headers) {
        size += name.size() + value.size();
    }
    return size;
}

}  // namespace

Result<void> MemoryJobStore::roomFor(const PushRequest& request)
{
    const auto& job = request.job;
    if (isFull(request) && request.makeRoom) {
        makeRoom(job.recipient);
    }
    if (isFull(request)) {
        return failure(ErrorCode::MailboxFull, "push {}: the mailbox of {} holds what it may",
                       job.id, job.recipient);
    }
    const auto isHeld = [](const auto& slot) {
        return slot.second.spot.place == JobState::Held || waitsAhead(slot.second);
    };
    std::size_t count = 1;
    std::size_t bytes = sizeOf(job);
    for (const auto& slot : jobs_) {
        if (isHeld(slot)) {
            ++count;
            bytes += sizeOf(slot.second.job);
        }
    }
    if ((request.heldLimit != 0 && count > request.heldLimit) ||
        (request.heldBytes != 0 && bytes + count * kBesideRecord > request.heldBytes)) {
        return failure(ErrorCode::Full, "push {}: as much is held as may be", job.id);
    }
    return {};
}

bool MemoryJobStore::isFull(const PushRequest& request) const
{
    std::size_t count = 0;
    std::size_t bytes = sizeOf(request.job);
    const auto add = [&](const std::string& id) {
        ++count;
        bytes += sizeOf(jobs_.at(id).job);
    };
    if (const auto box = mailboxes_.find(request.job.recipient); box != mailboxes_.end()) {
        for (const auto& [order, id] : box->second.ids) {
            add(id);
        }
    }
    const auto addAhead = [&](const SortedSet& set) {
        for (const auto& [at, order, id] : set) {
            const auto& entry = jobs_.at(id);
            if (waitsAhead(entry) && entry.job.recipient == request.job.recipient) {
                add(id);
            }
        }
    };
    for (const auto& [name, lane] : lanes_) {
        if (std::get<Channel>(name) == Channel::Sip) {
            addAhead(lane);
        }
    }
    addAhead(leases_);
    return (request.mailboxLimit != 0 && count >= request.mailboxLimit) ||
           (request.mailboxBytes != 0 && bytes > request.mailboxBytes);
}

void MemoryJobStore::makeRoom(const std::string& recipient)
{
    for (std::size_t ended = 0; ended < kRoomMade && mailboxes_.contains(recipient); ++ended) {
        auto& slot = slotOf(mailboxes_.at(recipient).ids.begin()->second);
        if (slot.second.spot.place != JobState::Held || slot.second.taken.value_or(0) == 0) {
            return;
        }
        complete(slot);
    }
}

std::size_t MemoryJobStore::countWithinBytes(const std::vector<std::string>& ids,
                                             std::size_t maxBytes) const
{
    std::size_t bytes = 0;
    for (std::size_t count = 0; count < ids.size(); ++count) {
        bytes += sizeOf(jobs_.at(ids[count]).job);
        if (maxBytes != 0 && count > 0 && bytes > maxBytes) {
            return count;
        }
    }
    return ids.size();
}

void MemoryJobStore::lackingDevices(DeviceQuery query, Done<std::vector<std::string>> done)
{
    std::vector<std::string> lacking;
    const auto box = mailboxes_.find(query.recipient);
    if (box == mailboxes_.end()) {
        return answer(std::move(done), std::move(lacking));
    }
    static const std::map<std::string, Device> kNone;
    const auto found = devices_.find(query.recipient);
    const auto& known = found == devices_.end() ? kNone : found->second;
    const bool atProxy = query.devices == std::vector<std::string>{""};
    if (query.devices.empty() || (atProxy && !known.empty())) {
        if (query.retryMailboxAt) {
            setNextAttempt(query.recipient, *query.retryMailboxAt);
        }
        return answer(std::move(done), std::move(lacking));
    }
    if (atProxy) {
        setNextAttempt(query.recipient, clock_.now() + kClaimTurn);
        return answer(std::move(done), std::move(query.devices));
    }
    auto next = TimePoint::max();
    for (const auto& name : query.devices) {
        const auto at = known.find(name);
        const auto its = at == known.end() ? Device{} : at->second;
        if (its.through >= box->second.ids.rbegin()->first) {
            continue;
        }
        if (its.leaseEnds > clock_.now()) {
            next = std::min(next, its.leaseEnds + kGrace);
        } else if (its.next > clock_.now()) {
            next = std::min(next, its.next);
        } else {
            lacking.push_back(name);
            next = std::min(next, clock_.now() + kClaimTurn);
        }
    }
    setNextAttempt(query.recipient, next);
    answer(std::move(done), std::move(lacking));
}

/// Whoever was put off is tried now, and who is being served is not put off when that ends.
void MemoryJobStore::resetDeviceBackOff(const std::string& recipient)
{
    const auto devices = devices_.find(recipient);
    if (devices == devices_.end()) {
        return;
    }
    for (auto& [name, its] : devices->second) {
        its.next = its.leaseEnds > clock_.now() ? clock_.now() : TimePoint{};
    }
}

DeviceBatch MemoryJobStore::batchFor(const DeviceClaim& claim)
{
    auto& its = devices_[claim.recipient][claim.device];
    const bool isLeased = its.leaseEnds > clock_.now();
    const auto box = mailboxes_.find(claim.recipient);
    if ((isLeased && its.token != claim.token) || box == mailboxes_.end()) {
        return {};
    }
    std::vector<std::string> ids;
    for (auto at = box->second.ids.upper_bound(its.through);
         at != box->second.ids.end() && ids.size() < claim.max; ++at) {
        const auto& entry = jobs_.at(at->second);
        if (entry.spot.place == JobState::Leased || quotaOf(entry.job.topic).room == 0) {
            break;
        }
        if (!hasExpired(entry.job)) {
            ids.push_back(at->second);
        }
    }
    its.leaseEnds = ids.empty() ? TimePoint{} : clock_.now() + claim.lease;
    if (ids.empty()) {
        return {};
    }
    ids.resize(countWithinBytes(ids, claim.maxBytes));
    DeviceBatch batch{++its.token, {}};
    for (const auto& id : ids) {
        batch.messages.push_back({jobs_.at(id).job, its.failures + 1, clock_.now(), its.leaseEnds});
    }
    its.next = TimePoint{};
    tryBy(claim.recipient, its.leaseEnds + kGrace);
    return batch;
}

void MemoryJobStore::tryBy(const std::string& recipient, TimePoint next)
{
    const auto box = mailboxes_.find(recipient);
    if (box != mailboxes_.end() && next < box->second.nextAttempt) {
        setNextAttempt(recipient, next);
    }
}

Result<TimePoint> MemoryJobStore::marked(const DeviceMark& mark)
{
    using Fate = DeviceMark::Fate;
    auto& its = devices_[mark.recipient][mark.device];
    if (its.token != mark.token) {
        return failure(ErrorCode::Stale, "mark {}: another delivery run serves the device",
                       mark.id);
    }
    its.leaseEnds = clock_.now() + mark.lease;
    const auto slot = jobs_.find(mark.id);
    const bool inMailbox = slot != jobs_.end() && slot->second.inMailbox;
    if (inMailbox && !mark.error.empty()) {
        slot->second.error = mark.error;
    }
    if (mark.fate == Fate::Taken || mark.fate == Fate::Refused) {
        its.failures = 0;
        if (inMailbox) {
            auto& entry = slot->second;
            its.through = std::max(its.through, entry.boxOrder);
            entry.taken = entry.taken.value_or(0) + (mark.fate == Fate::Taken ? 1 : 0);
            if (mark.fate == Fate::Taken && !entry.job.expires) {
                leave(*slot);
                entry.endsBy = entry.endsBy.value_or(clock_.now() + mark.keep);
                enter(*slot);
            }
        }
    } else if (mark.fate == Fate::GaveUp) {
        its.leaseEnds = TimePoint{};
        its.next = its.next != TimePoint{} ? its.next : mark.next.value_or(TimePoint{});
        its.failures += mark.error.empty() ? 0 : 1;
        if (its.next != TimePoint{}) {
            tryBy(mark.recipient, its.next);
        }
    }
    return its.leaseEnds;
}

void MemoryJobStore::expire(JobSlot& slot)
{
    auto& entry = slot.second;
    if (entry.taken.value_or(0) > 0) {
        return complete(slot);
    }
    entry.error = entry.taken ? "expired; refused by every device that was offered it" : "expired";
    end(slot, JobState::Dead);
}

void MemoryJobStore::complete(JobSlot& slot)
{
    if (settings_.retentionDone > Millis{0}) {
        end(slot, JobState::Done);
    } else {
        forget(slot);
    }
}

/// Devices are through with what was behind it, and none has it: at its place it would reach
/// nobody.
bool MemoryJobStore::isBehindDevicePosition(const JobSlot& slot) const
{
    const auto& entry = slot.second;
    const auto devices = devices_.find(entry.job.recipient);
    return !entry.taken && devices != devices_.end() &&
           std::ranges::any_of(devices->second, [&](const auto& device) {
               return device.second.through >= entry.boxOrder;
           });
}

}  // namespace restante
