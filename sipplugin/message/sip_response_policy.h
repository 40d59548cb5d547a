#pragma once

#include "core/base/clock.h"
#include "core/config/config.h"

#include <optional>
#include <string>
#include <vector>

namespace restante::sip {

/// What came of offering one message to one device or proxy. *Value.*
struct DeviceAnswer {
    /// Final SIP status; 408 also when nobody answered in time, 503 also when no connection could
    /// be made (RFC 3261 section 8.1.3.1).
    int status = 408;
    std::string phrase;  ///< the peer's reason phrase
    std::optional<Millis> retryAfter;
    /// For people: a line for each request that was sent, when, to whom, what came back and after
    /// how long. One line a peer, whatever the peer wrote; may be empty.
    std::string ladder = {};

    /// "480 Temporarily Unavailable": what becomes last_error.
    std::string print() const;
};

/// Delivered: the message has arrived. Retry: the recipient cannot be reached now, and the mailbox
/// waits for the schedule, in order. Hold: only a registration changes that, and the mailbox waits
/// for it. Dead: this message is refused for good; the rest of the mailbox goes on.
using Verdict = SipOutcome::Verdict;

/// What an answer means for the message: docs/sip-behaviour.md has the table and the reasons. An
/// unknown status counts as the x00 of its class (RFC 3261 section 8.1.3.2). *Value.*
class ResponsePolicy {
public:
    ResponsePolicy() = default;
    /// `rules` are those of `sip.outcomes`. A rule for one status wins over one for more, and a
    /// later one over an earlier one; a 2xx is a delivery whatever they say.
    explicit ResponsePolicy(std::vector<SipOutcome> rules);

    Verdict judge(const DeviceAnswer& answer) const noexcept;
    /// The same, but for what `rule` says where no rule of the operator's does.
    ResponsePolicy orElse(SipOutcome rule) const;

private:
    std::vector<SipOutcome> rules_;  ///< the first that fits decides
};

/// What the peer asks for, at most a day, so that no device locks its mailbox; else zero.
Millis wantedPause(const DeviceAnswer& answer) noexcept;

}  // namespace restante::sip
