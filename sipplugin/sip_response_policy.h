#pragma once

#include "core/base/clock.h"

#include <optional>
#include <string>

namespace restante::sip {

/// What came of offering one message to one device or proxy. *Value.*
struct DeviceAnswer {
    /// Final SIP status; 408 also when nobody answered in time, 503 also when no connection could
    /// be made (RFC 3261 section 8.1.3.1).
    int status = 408;
    std::string phrase;  ///< the peer's reason phrase
    std::optional<Millis> retryAfter;

    /// "480 Temporarily Unavailable": what becomes last_error.
    std::string print() const;
};

enum class Verdict {
    Delivered,    ///< the message has arrived
    Unreachable,  ///< the recipient cannot be reached now: the mailbox waits, in order
    Refused,      ///< this message is refused for good: dead, the rest of the mailbox goes on
};

/// What an answer means for the message. Pure; docs/sip-behaviour.md has the table and the reasons.
/// An unknown status counts as the x00 of its class (RFC 3261 section 8.1.3.2).
Verdict judge(const DeviceAnswer& answer) noexcept;

/// The wait that the peer asks for, bounded to a day: a device must not be able to lock its own
/// mailbox for years. Zero when it asks for nothing.
Millis wantedPause(const DeviceAnswer& answer) noexcept;

}  // namespace restante::sip
