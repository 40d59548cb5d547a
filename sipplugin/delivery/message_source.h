#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace restante::sip {

/// The result for one message in one run. *Value.*
struct DeliveryResult {
    enum class Kind {
        Delivered,
        Refused,  ///< for good
        Expired,
        Unreachable,  ///< the attempt has failed
        Untried,      ///< no attempt was made, and none is counted
    };
    Kind kind = Kind::Delivered;
    std::string error = {};  ///< why it is Refused or Unreachable
    std::optional<TimePoint> next =
        {};  ///< when Untried or Unreachable is tried again; nothing = never
};

/// How many messages a mailbox holds after one of it was recorded; nothing = unknown.
using MessagesLeft = std::optional<std::uint64_t>;

/// Messages of one mailbox. Each `done` is called once, never from inside the call. *One loop.*
class MessageSource {
public:
    virtual ~MessageSource() = default;

    /// Leases the oldest messages, in order; none when there are none or another has them.
    virtual void
    claim(std::uint32_t max, std::size_t maxBytes, Done<std::vector<ClaimedJob>> done) = 0;
    /// Whether a Refused message has ended, because it is offered to nobody else.
    virtual bool refusalIsFinal() const noexcept = 0;
    /// Records the result; `done` gets how many messages the mailbox still holds.
    virtual void
    record(const Lease& lease, const DeliveryResult& result, Done<MessagesLeft> done) = 0;
    /// Extends the lease, to `length` from now where the source has no length of its own; `done`
    /// gets its new end.
    virtual void touch(const Lease& lease, Millis length, Done<TimePoint> done) = 0;
};

/// A whole mailbox: a message that one device has taken is finished. *One loop.*
class MailboxSource final : public MessageSource {
public:
    MailboxSource(DelayQueue& queue, std::string recipient)
        : queue_(queue),
          recipient_(std::move(recipient))
    {
    }

    void
    claim(std::uint32_t max, std::size_t maxBytes, Done<std::vector<ClaimedJob>> done) override;
    bool refusalIsFinal() const noexcept override { return true; }
    void record(const Lease& lease, const DeliveryResult& result, Done<MessagesLeft> done) override;
    void touch(const Lease& lease, Millis length, Done<TimePoint> done) override;

private:
    DelayQueue& queue_;
    std::string recipient_;
};

/// The messages of a mailbox that one device lacks (docs/decisions/0012), under one lease. *One
/// loop.*
class DeviceSource final : public MessageSource {
public:
    struct Settings {
        std::string recipient;
        std::string device;
        Millis keep{};  ///< of a message without an expiry, once a device has it
    };

    DeviceSource(EventLoop& loop, JobStore& store, Settings settings)
        : loop_(loop),
          store_(store),
          settings_(std::move(settings))
    {
    }

    void
    claim(std::uint32_t max, std::size_t maxBytes, Done<std::vector<ClaimedJob>> done) override;
    bool refusalIsFinal() const noexcept override { return false; }
    void record(const Lease& lease, const DeliveryResult& result, Done<MessagesLeft> done) override;
    void touch(const Lease& lease, Millis length, Done<TimePoint> done) override;

private:
    DeviceMark markOf(const Lease& lease) const;

    EventLoop& loop_;
    JobStore& store_;
    Settings settings_;
    /// The fencing token of the last batch; shared with the callback that sets it.
    std::shared_ptr<std::uint64_t> token_ = std::make_shared<std::uint64_t>(0);
    /// Callbacks that the answer to one mark is for; shared with the callback of that mark.
    std::shared_ptr<std::vector<Done<TimePoint>>> touchCallbacks_ =
        std::make_shared<std::vector<Done<TimePoint>>>();
    bool leaseReleased_ = false;  ///< the lease of the device has been given up
};

}  // namespace restante::sip
