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

/// What has become of a message in one run. *Value.*
struct MessageFate {
    enum class Kind {
        Delivered,
        Refused,  ///< for good
        Expired,
        Unreachable,  ///< the attempt has failed
        Untried,      ///< and not counted as an attempt
    };
    Kind kind = Kind::Delivered;
    std::string error = {};              ///< why it is Refused or Unreachable
    std::optional<TimePoint> next = {};  ///< Untried, Unreachable: tried again then; else never
};

/// In a mailbox, after a message of it was recorded.
using MessagesLeft = std::optional<std::uint64_t>;

/// Messages of one mailbox. Calls are answered once, never from inside. *One loop.*
class MessageSource {
public:
    virtual ~MessageSource() = default;

    /// The oldest messages, in order; none when there is none or somebody else has them.
    virtual void
    claim(std::uint32_t max, std::size_t maxBytes, Done<std::vector<ClaimedJob>> done) = 0;
    /// Whether a message that is Refused has ended: nobody else is asked.
    virtual bool refusalIsFinal() const noexcept = 0;
    /// Answers how many messages wait behind it or are in somebody's hand; none = that is not
    /// known.
    virtual void record(const Lease& lease, const MessageFate& fate, Done<MessagesLeft> done) = 0;
    /// Keeps it for `length`; answers until when.
    virtual void touch(const Lease& lease, Millis length, Done<TimePoint> done) = 0;
};

/// A whole mailbox: what one device has taken is finished. *One loop.*
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
    void record(const Lease& lease, const MessageFate& fate, Done<MessagesLeft> done) override;
    void touch(const Lease& lease, Millis length, Done<TimePoint> done) override;

private:
    DelayQueue& queue_;
    std::string recipient_;
};

/// What one device lacks of a mailbox (docs/decisions/0012), leased as a whole. *One loop.*
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
    void record(const Lease& lease, const MessageFate& fate, Done<MessagesLeft> done) override;
    void touch(const Lease& lease, Millis length, Done<TimePoint> done) override;

private:
    DeviceMark markOf(const Lease& lease) const;

    EventLoop& loop_;
    JobStore& store_;
    Settings settings_;
    /// Of the last batch; shared with the answer that brings it.
    std::shared_ptr<std::uint64_t> token_ = std::make_shared<std::uint64_t>(0);
    /// One mark answers them all; shared with its answer.
    std::shared_ptr<std::vector<Done<TimePoint>>> touches_ =
        std::make_shared<std::vector<Done<TimePoint>>>();
    bool leaseReleased_ = false;  ///< the lease of the device has been given up
};

}  // namespace restante::sip
