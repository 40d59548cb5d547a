// The part of MemoryJobStore that enforces the limits of mailboxes and gives messages to every
// device.

#include "core/queue/memory_job_store.h"

#include <algorithm>

namespace restante {

namespace {

/// How long after the end of a device's lease its mailbox is tried again.
constexpr Millis kGraceAfterLease{1'000};
/// What a topic or somebody's lease holds up is tried again at least this often.
constexpr Millis kBlockedRetry{60'000};
/// By then a caller of lackingDevices() has claimed, or has crashed.
constexpr Millis kClaimTimeout{60'000};
/// Messages ended at a time, so that not every push to a full mailbox has to end some.
constexpr std::size_t kMaxEndedForRoom = 100;
/// Bytes that a message takes besides its record, as in lib/mailbox_room.lua.
constexpr std::size_t kBytesBesideRecord = 512;

std::size_t sizeOf(const Job& job)
{
    std::size_t size = job.body.size() + job.contentType.size() + job.sender.size();
    for (const auto& [name, value] : job.headers) {
        size += name.size() + value.size();
    }
    return size;
}

}  // namespace

Result<void> MemoryJobStore::ensureRoom(const PushRequest& request)
{
    const auto& job = request.job;
    if (isMailboxFull(request) && request.makeRoom) {
        makeRoom(job.recipient);
    }
    if (isMailboxFull(request)) {
        return failure(ErrorCode::MailboxFull, "push {}: the mailbox of {} holds what it may",
                       job.id, job.recipient);
    }
    const auto countsAsHeld = [](const auto& node) {
        return node.second.position.state == JobState::Held || waitsForMailbox(node.second);
    };
    std::size_t count = 1;
    std::size_t bytes = sizeOf(job);
    for (const auto& node : jobs_) {
        if (countsAsHeld(node)) {
            ++count;
            bytes += sizeOf(node.second.job);
        }
    }
    if ((request.heldLimit != 0 && count > request.heldLimit) ||
        (request.heldBytes != 0 && bytes + count * kBytesBesideRecord > request.heldBytes)) {
        return failure(ErrorCode::Full, "push {}: as much is held as may be", job.id);
    }
    return {};
}

bool MemoryJobStore::isMailboxFull(const PushRequest& request) const
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
    const auto addWaiting = [&](const SortedSet& set) {
        for (const auto& [at, order, id] : set) {
            const auto& entry = jobs_.at(id);
            if (waitsForMailbox(entry) && entry.job.recipient == request.job.recipient) {
                add(id);
            }
        }
    };
    for (const auto& [name, lane] : lanes_) {
        if (std::get<Channel>(name) == Channel::Sip) {
            addWaiting(lane);
        }
    }
    addWaiting(leases_);
    return (request.mailboxLimit != 0 && count >= request.mailboxLimit) ||
           (request.mailboxBytes != 0 && bytes > request.mailboxBytes);
}

void MemoryJobStore::makeRoom(const std::string& recipient)
{
    for (std::size_t ended = 0; ended < kMaxEndedForRoom && mailboxes_.contains(recipient);
         ++ended) {
        auto& node = nodeOf(mailboxes_.at(recipient).ids.begin()->second);
        if (node.second.position.state != JobState::Held ||
            node.second.devicesTaken.value_or(0) == 0) {
            return;
        }
        complete(node);
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
    const auto& devices = found == devices_.end() ? kNone : found->second;
    const bool isBehindProxy = query.devices == std::vector<std::string>{""};
    if (query.devices.empty() || (isBehindProxy && !devices.empty())) {
        if (query.retryMailboxAt) {
            setNextAttempt(query.recipient, *query.retryMailboxAt);
        }
        return answer(std::move(done), std::move(lacking));
    }
    if (isBehindProxy) {
        setNextAttempt(query.recipient, clock_.now() + kClaimTimeout);
        return answer(std::move(done), std::move(query.devices));
    }
    auto next = TimePoint::max();
    for (const auto& name : query.devices) {
        const auto at = devices.find(name);
        const auto device = at == devices.end() ? Device{} : at->second;
        if (device.lastArrivalDone >= box->second.ids.rbegin()->first) {
            continue;
        }
        if (device.leaseEnds > clock_.now()) {
            next = std::min(next, device.leaseEnds + kGraceAfterLease);
        } else if (device.nextAttempt > clock_.now()) {
            next = std::min(next, device.nextAttempt);
        } else {
            lacking.push_back(name);
            next = std::min(next, clock_.now() + kClaimTimeout);
        }
    }
    setNextAttempt(query.recipient, next);
    answer(std::move(done), std::move(lacking));
}

/// Devices that wait for a retry are tried now; those being served are tried when that ends.
void MemoryJobStore::makeDevicesDue(const std::string& recipient)
{
    const auto devices = devices_.find(recipient);
    if (devices == devices_.end()) {
        return;
    }
    for (auto& [name, device] : devices->second) {
        device.nextAttempt = device.leaseEnds > clock_.now() ? clock_.now() : TimePoint{};
    }
}

/// Null until the device has been given a message.
MemoryJobStore::Device* MemoryJobStore::findDevice(const std::string& recipient,
                                                   const std::string& name)
{
    const auto devices = devices_.find(recipient);
    if (devices == devices_.end()) {
        return nullptr;
    }
    const auto found = devices->second.find(name);
    return found == devices->second.end() ? nullptr : &found->second;
}

std::pair<std::vector<std::string>, std::optional<TimePoint>> MemoryJobStore::idsForDevice(
    const Mailbox& box, std::uint64_t lastArrivalDone, std::size_t max) const
{
    std::vector<std::string> ids;
    std::optional<TimePoint> retryAt;
    std::map<std::string, std::size_t> countsByTopic;
    for (auto at = box.ids.upper_bound(lastArrivalDone); at != box.ids.end() && ids.size() < max;
         ++at) {
        const auto& entry = jobs_.at(at->second);
        const auto quota = quotaOf(entry.job.topic);
        auto& count = countsByTopic[entry.job.topic];
        if (entry.position.state == JobState::Leased || quota.available <= count) {
            const auto latest = clock_.now() + kBlockedRetry;
            retryAt = std::min(quota.opensAt.value_or(latest), latest);
            break;
        }
        if (hasExpired(entry.job)) {
            retryAt = clock_.now() + kGraceAfterLease;  // it is about to be taken away
        } else {
            ids.push_back(at->second);
            ++count;
        }
    }
    return {std::move(ids), retryAt};
}

DeviceBatch MemoryJobStore::claimBatch(const DeviceClaim& claim)
{
    Device newDevice;
    auto* known = findDevice(claim.recipient, claim.device);
    auto& device = known != nullptr ? *known : newDevice;
    const bool isLeased = device.leaseEnds > clock_.now();
    const auto box = mailboxes_.find(claim.recipient);
    if ((isLeased && device.token != claim.token) || box == mailboxes_.end()) {
        return {};
    }
    auto [ids, retryAt] = idsForDevice(box->second, device.lastArrivalDone, claim.max);
    device.leaseEnds = ids.empty() ? TimePoint{} : clock_.now() + claim.lease;
    if (ids.empty()) {
        if (retryAt) {
            tryNoLaterThan(claim.recipient, *retryAt);
        }
        return {};
    }
    ids.resize(countWithinBytes(ids, claim.maxBytes));
    DeviceBatch batch{++device.token, {}};
    for (const auto& id : ids) {
        spendToken(jobs_.at(id).job.topic);
        batch.messages.push_back(
            {jobs_.at(id).job, device.failures + 1, clock_.now(), device.leaseEnds});
    }
    device.nextAttempt = TimePoint{};
    if (known == nullptr) {
        devices_[claim.recipient][claim.device] = device;
    }
    tryNoLaterThan(claim.recipient, device.leaseEnds + kGraceAfterLease);
    return batch;
}

void MemoryJobStore::tryNoLaterThan(const std::string& recipient, TimePoint next)
{
    const auto box = mailboxes_.find(recipient);
    if (box != mailboxes_.end() && next < box->second.nextAttempt) {
        setNextAttempt(recipient, next);
    }
}

Result<TimePoint> MemoryJobStore::applyMark(const DeviceMark& mark)
{
    using Status = DeviceMark::Status;
    auto* known = findDevice(mark.recipient, mark.device);
    if (known == nullptr || known->token != mark.token) {
        return failure(ErrorCode::Stale, "mark {}: another delivery run serves the device",
                       mark.id);
    }
    auto& device = *known;
    device.leaseEnds = clock_.now() + mark.lease;
    const auto node = jobs_.find(mark.id);
    const bool isThere =
        node != jobs_.end() && (!mark.created || node->second.job.created == *mark.created);
    const bool inMailbox = isThere && node->second.inMailbox;
    if (inMailbox && !mark.error.empty()) {
        node->second.error = mark.error;
    }
    if (mark.status == Status::Taken || mark.status == Status::Refused) {
        device.failures = 0;
        if (inMailbox) {
            auto& entry = node->second;
            device.lastArrivalDone = std::max(device.lastArrivalDone, entry.mailboxOrder);
            entry.devicesTaken =
                entry.devicesTaken.value_or(0) + (mark.status == Status::Taken ? 1 : 0);
            if (mark.status == Status::Taken && !entry.job.expires) {
                removeFromSets(*node);
                entry.expiryOnceTaken = entry.expiryOnceTaken.value_or(clock_.now() + mark.keep);
                addToSets(*node);
            }
        }
    } else if (mark.status == Status::Failed) {
        device.leaseEnds = TimePoint{};
        device.nextAttempt = device.nextAttempt != TimePoint{} ? device.nextAttempt
                                                               : mark.next.value_or(TimePoint{});
        device.failures += mark.error.empty() ? 0 : 1;
        if (device.nextAttempt != TimePoint{}) {
            tryNoLaterThan(mark.recipient, device.nextAttempt);
        }
    }
    return device.leaseEnds;
}

void MemoryJobStore::expire(JobNode& node)
{
    auto& entry = node.second;
    if (entry.devicesTaken.value_or(0) > 0) {
        return complete(node);
    }
    entry.error =
        entry.devicesTaken ? "expired; refused by every device that was offered it" : "expired";
    endAs(node, JobState::Dead);
}

void MemoryJobStore::complete(JobNode& node)
{
    if (settings_.retentionDone > Millis{0}) {
        endAs(node, JobState::Done);
    } else {
        forget(node);
    }
}

/// Whether a device that is through with later messages would skip this one at its old place, and
/// none has taken or refused it.
bool MemoryJobStore::wouldBeSkippedByDevices(const JobNode& node) const
{
    const auto& entry = node.second;
    const auto devices = devices_.find(entry.job.recipient);
    return !entry.devicesTaken && devices != devices_.end() &&
           std::ranges::any_of(devices->second, [&](const auto& device) {
               return device.second.lastArrivalDone >= entry.mailboxOrder;
           });
}

}  // namespace restante
