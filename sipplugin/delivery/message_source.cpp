#include "sipplugin/delivery/message_source.h"

#include <utility>

namespace restante::sip {

namespace {

/// Of a device. When a daemon crashes, the device waits so long for the next one; each message that
/// it is through with, and a touch every third of it, make it longer.
constexpr Millis kLease{15'000};

}  // namespace

void MailboxSource::claim(std::uint32_t max,
                          std::size_t maxBytes,
                          Done<std::vector<ClaimedJob>> done)
{
    queue_.store().claimMailbox({recipient_, max, maxBytes}, std::move(done));
}

void MailboxSource::delivered(const Lease& lease, Done<void> done)
{
    queue_.finish(lease, std::move(done));
}

void MailboxSource::refused(const Lease& lease, const std::string& reason, Done<void> done)
{
    queue_.bury(lease, reason, std::move(done));
}

void MailboxSource::expired(const Lease& lease, Done<void> done)
{
    queue_.bury(lease, "expired", std::move(done));
}

void MailboxSource::unreachable(const Lease& lease,
                                const std::string& error,
                                std::optional<TimePoint> next,
                                Done<void> done)
{
    if (next) {
        queue_.store().hold({lease, *next, error, true}, std::move(done));
    } else {
        queue_.bury(lease, "attempts used up: " + error, std::move(done));
    }
}

void MailboxSource::untried(const Lease& lease, TimePoint next, Done<void> done)
{
    queue_.store().hold({lease, next, "", false}, std::move(done));
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
    claim.lease = kLease;
    left_ = false;
    store_.claimForDevice(std::move(claim),
                          [token = token_, done = std::move(done)](Result<DeviceBatch> batch) {
                              if (!batch) {
                                  return done(tl::unexpected(batch.error()));
                              }
                              *token = batch->messages.empty() ? *token : batch->token;
                              done(std::move(batch->messages));
                          });
}

DeviceMark DeviceSource::markOf(const Lease& lease, DeviceMark::Fate fate) const
{
    DeviceMark mark;
    mark.recipient = settings_.recipient;
    mark.device = settings_.device;
    mark.token = *token_;
    mark.fate = fate;
    mark.id = lease.id;
    mark.keep = settings_.keep;
    mark.lease = kLease;
    mark.note = lease.note;
    return mark;
}

void DeviceSource::send(DeviceMark mark, Done<void> done)
{
    store_.mark(std::move(mark), [done = std::move(done)](const Result<TimePoint>& marked) {
        done(marked.map([](TimePoint) {}));
    });
}

void DeviceSource::delivered(const Lease& lease, Done<void> done)
{
    send(markOf(lease, DeviceMark::Fate::Taken), std::move(done));
}

void DeviceSource::refused(const Lease& lease, const std::string& reason, Done<void> done)
{
    auto mark = markOf(lease, DeviceMark::Fate::Refused);
    mark.error = reason;
    send(std::move(mark), std::move(done));
}

/// Its end is not ours: other devices may have it.
void DeviceSource::expired(const Lease& lease, Done<void> done)
{
    send(markOf(lease, DeviceMark::Fate::Waits), std::move(done));
}

void DeviceSource::unreachable(const Lease& lease,
                               const std::string& error,
                               std::optional<TimePoint> next,
                               Done<void> done)
{
    if (!next) {  // it goes past this message; the lease ends with what follows, or in time
        return refused(lease, "attempts used up: " + error, std::move(done));
    }
    left_ = true;
    auto mark = markOf(lease, DeviceMark::Fate::Left);
    mark.error = error;
    mark.next = next;
    send(std::move(mark), std::move(done));
}

void DeviceSource::untried(const Lease& lease, TimePoint next, Done<void> done)
{
    if (std::exchange(left_, true)) {
        return loop_.post([done = std::move(done)] { done({}); });
    }
    auto mark = markOf(lease, DeviceMark::Fate::Left);
    mark.next = next;
    send(std::move(mark), std::move(done));
}

/// The lease is the device's: one mark is good for all its messages.
void DeviceSource::touch(const Lease& lease, Millis, Done<TimePoint> done)
{
    touches_->push_back(std::move(done));
    if (touches_->size() > 1) {
        return;
    }
    store_.mark(markOf(lease, DeviceMark::Fate::Waits),
                [touches = touches_](const Result<TimePoint>& marked) {
                    for (auto& told : std::exchange(*touches, {})) {
                        told(marked);
                    }
                });
}

}  // namespace restante::sip
