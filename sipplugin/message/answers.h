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

/// The result of offering one message to one device or proxy. *Value.*
struct DeviceAnswer {
    /// Final SIP status; 408 also when nobody answered in time, 503 also when no connection could
    /// be made (RFC 3261 section 8.1.3.1).
    int status = 408;
    std::string phrase;  ///< the peer's reason phrase, or why there is no answer
    std::optional<Millis> retryAfter;
    /// A line for each request that was sent (formatAttempt()), for people.
    std::string attemptRecords = {};

    /// "480 Temporarily Unavailable", as in last_error.
    std::string toString() const
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
    /// `rules` are those of `sip.outcomes`. A narrower rule wins over a wider one, and of equally
    /// wide ones the later; a 2xx is always a delivery.
    explicit ResponsePolicy(std::vector<SipOutcome> rules);

    Verdict verdictOn(const DeviceAnswer& answer) const noexcept;
    /// A copy that applies `rule` where no rule of this one matches.
    ResponsePolicy orElse(SipOutcome rule) const;

private:
    std::vector<SipOutcome> rules_;  ///< the first that matches decides
};

/// The peer's Retry-After, at most a day, so that no device locks its mailbox; zero without one.
Millis wantedPause(const DeviceAnswer& answer) noexcept;

/// Takes the final answer of one request, exactly once.
using Respond = std::function<void(SipAnswer)>;

/// `written` made fit for a status line (RFC 3261 section 25.1): one line of at most 256 bytes.
std::string reasonPhrase(std::string_view written);

/// An answer with the reason in `Warning: 399`, for people.
SipAnswer refusal(int status, std::string phrase, std::string_view why);

/// 503 that asks to come again in `seconds`.
SipAnswer tryLater(std::string_view why, int seconds);

/// The answer to the sender that passes on a device's answer.
SipAnswer relayedAnswer(const DeviceAnswer& answer);

/// The answer that reports a failure of the store or of our own checks: 503 with Retry-After for a
/// temporary one and for Denied, 480 for a full mailbox, 400 for wrong input, else 500; never a
/// 2xx.
SipAnswer answerTo(const Error& error);

}  // namespace restante::sip
