#pragma once

#include "core/base/error.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/message/sip_response_policy.h"

#include <functional>
#include <string_view>

namespace restante::sip {

/// Takes the final answer of one request, exactly once.
using Respond = std::function<void(SipAnswer)>;

/// A reason phrase as it may stand in a status line (RFC 3261 section 25.1): blanks in place of
/// control characters, none at its ends, and no more than 256 bytes.
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
