#include "sipplugin/delivery/message_source.h"

#include <cassert>
#include <utility>

namespace restante::sip {

namespace {

/// The lease of a device. After a daemon's crash the device waits so long for the next one. Each
/// recorded message extends it, and so does a touch every third of it.
constexpr Millis kDeviceLease{15'000};

/// A handler for moves that do not return how many messages are left.
template <class T>
Done<T> withoutMessagesLeft(Done<MessagesLeft> done)
{
    return [done = std::move(done)](const Result<T>& moved) {
        moved ? done(MessagesLeft{}) : done(tl::unexpected(moved.error()));
    };
}

/// The reason recorded for a message that has no further attempt.
std::string usedUpReason(const DeliveryResult& result)
{
    return "attempts used up: " + result.error;
}

}  // namespace

void MailboxSource::claim(std::uint32_t max,
                          std::size_t maxBytes,
                          Done<std::vector<ClaimedJob>> done)
{
    queue_.store().claimMailbox({recipient_, max, maxBytes}, std::move(done));
}

void MailboxSource::record(const Lease& lease,
                           const DeliveryResult& result,
                           Done<MessagesLeft> done)
{
    using Kind = DeliveryResult::Kind;
    const bool isCounted = result.kind == Kind::Unreachable;
    switch (result.kind) {
    case Kind::Delivered:
        return queue_.store().finish(lease, [done = std::move(done)](
                                                const Result<std::uint64_t>& messagesLeft) {
            done(messagesLeft.map([](std::uint64_t messages) { return MessagesLeft{messages}; }));
        });
    case Kind::Refused:
        return queue_.bury(lease, result.error, withoutMessagesLeft<void>(std::move(done)));
    case Kind::Expired:
        return queue_.bury(lease, "expired", withoutMessagesLeft<void>(std::move(done)));
    case Kind::Unreachable:
    case Kind::Untried: break;
    }
    assert(result.kind != Kind::Untried || result.next);
    if (!result.next) {
        return queue_.bury(lease, usedUpReason(result), withoutMessagesLeft<void>(std::move(done)));
    }
    queue_.store().hold({lease, *result.next, result.error, isCounted},
                        withoutMessagesLeft<void>(std::move(done)));
}

void MailboxSource::touch(const Lease& lease, Millis length, Done<TimePoint> done)
{
    queue_.touch(lease, length, std::move(done));
}

void DeviceSource::claim(std::uint32_t max,
                         std::size_t maxBytes,
                         Done<std::vector<ClaimedJob>> done)
{
    DeviceClaim claim{settings_.recipient, settings_.device, *token_, max, maxBytes};
    claim.keep = settings_.keep;
    claim.lease = kDeviceLease;
    leaseReleased_ = false;
    store_.claimForDevice(std::move(claim),
                          [token = token_, done = std::move(done)](Result<DeviceBatch> batch) {
                              if (!batch) {
                                  return done(tl::unexpected(batch.error()));
                              }
                              *token = batch->messages.empty() ? *token : batch->token;
                              done(std::move(batch->messages));
                          });
}

DeviceMark DeviceSource::markOf(const Lease& lease) const
{
    DeviceMark mark;
    mark.recipient = settings_.recipient;
    mark.device = settings_.device;
    mark.token = *token_;
    mark.id = lease.id;
    mark.created = lease.created;
    mark.keep = settings_.keep;
    mark.lease = kDeviceLease;
    mark.note = lease.note;
    return mark;
}

void DeviceSource::record(const Lease& lease, const DeliveryResult& result, Done<MessagesLeft> done)
{
    using Kind = DeliveryResult::Kind;
    auto mark = markOf(lease);
    mark.error = result.error;
    if (result.kind == Kind::Delivered) {
        mark.status = DeviceMark::Status::Taken;
    } else if (result.kind == Kind::Refused) {
        mark.status = DeviceMark::Status::Refused;
    } else if (result.kind == Kind::Expired) {
        mark.status =
            DeviceMark::Status::Pending;  // other devices may still get it: the store ends it
    } else if (!result.next) {
        assert(result.kind != Kind::Untried);
        // The device skips this message; a later mark ends its lease, or it lapses.
        mark.status = DeviceMark::Status::Refused;
        mark.error = usedUpReason(result);
    } else {
        if (std::exchange(leaseReleased_, true) && result.kind == Kind::Untried) {
            return loop_.post([done = std::move(done)] { done(MessagesLeft{}); });
        }
        mark.status = DeviceMark::Status::Failed;
        mark.next = result.next;
    }
    store_.mark(std::move(mark), withoutMessagesLeft<TimePoint>(std::move(done)));
}

/// The lease covers the device: one mark extends it for all its messages.
void DeviceSource::touch(const Lease& lease, Millis, Done<TimePoint> done)
{
    touchCallbacks_->push_back(std::move(done));
    if (touchCallbacks_->size() > 1) {
        return;
    }
    store_.mark(markOf(lease), [touchCallbacks = touchCallbacks_](const Result<TimePoint>& marked) {
        for (auto& callback : std::exchange(*touchCallbacks, {})) {
            callback(marked);
        }
    });
}

}  // namespace restante::sip
