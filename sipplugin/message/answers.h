#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "sipplugin/message/received_request.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace restante::sip {

/// What came of offering one message to one device or proxy. *Value.*
struct DeviceAnswer {
    /// Final SIP status; 408 also when nobody answered in time, 503 also when no connection could
    /// be made (RFC 3261 section 8.1.3.1).
    int status = 408;
    std::string phrase;  ///< the peer's reason phrase
    std::optional<Millis> retryAfter;
    /// For people: a line for each request that was sent, whatever the peer wrote.
    std::string attemptRecords = {};

    /// "480 Temporarily Unavailable": what becomes last_error.
    std::string print() const
    {
        return std::to_string(status) + (phrase.empty() ? "" : " " + phrase);
    }
};

constexpr bool isSuccess(int status) noexcept
{
    return status >= 200 && status < 300;
}

constexpr bool isRedirection(int status) noexcept
{
    return status >= 300 && status < 400;
}

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

/// Takes the final answer of one request, exactly once.
using Respond = std::function<void(SipAnswer)>;

/// As it may stand in a status line (RFC 3261 section 25.1): one line of 256 bytes.
std::string reasonPhrase(std::string_view written);

/// `Warning: 399` carries the reason, for people.
SipAnswer refusal(int status, std::string phrase, std::string_view why);

/// 503 that asks to come again in `seconds`.
SipAnswer tryLater(std::string_view why, int seconds);

/// A device's answer as that to the sender.
SipAnswer passedOn(const DeviceAnswer& answer);

/// What a failure of the store or of our own checks is to the peer: a temporary one 503 with
/// Retry-After, a full mailbox 480, wrong input 400, anything else 500; never a 2xx.
SipAnswer answerTo(const Error& error);

}  // namespace restante::sip
