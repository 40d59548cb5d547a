#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace restante::sip {

/// What one SUBSCRIBE of a reg-event subscription says. *Value.*
struct SubscribeRequest {
    std::string aor;      ///< whom it is about: the To, and the target while there is no dialog
    std::string watcher;  ///< our own address of record
    std::string contact;  ///< where NOTIFYs go, a URI
    std::string callId;
    std::string localTag;
    std::string remoteTag;            ///< empty as long as there is no dialog
    std::string target;               ///< the server's Contact; empty as long as there is none
    std::vector<std::string> routes;  ///< Route values, first = nearest
    std::uint32_t cseq = 1;
    std::chrono::seconds expires{3'600};  ///< 0 ends the subscription
};

/// The request but for the Via. Invalid as RequestWriter has it. *Pure function.*
Result<std::string> printSubscribe(const SubscribeRequest& request);

/// The final answer to a SUBSCRIBE. *Value.*
struct SubscribeAnswer {
    int status = 408;
    std::uint32_t repetitions = 0;  ///< sent so often again to log in, each with the next CSeq
    std::optional<Millis> retryAfter;
    std::optional<std::chrono::seconds> expires;     ///< of a 2xx
    std::optional<std::chrono::seconds> minExpires;  ///< of a 423
    std::string remoteTag;                           ///< of a 2xx
    std::string target;                              ///< its Contact, a URI
    std::vector<std::string> routes;                 ///< from its Record-Route, first = nearest
};

/// The value of Subscription-State, RFC 6665 section 8.4. *Value.*
struct SubscriptionState {
    bool ended = false;
    std::string reason;  ///< in lower case
    std::optional<std::chrono::seconds> expires;
    std::optional<std::chrono::seconds> retryAfter;
};
SubscriptionState parseSubscriptionState(std::string_view text);

/// When a subscription of that length is refreshed: early enough for a second try, and not more
/// often than every 10 s. *Pure function.*
Millis refreshAfter(std::chrono::seconds expires);

/// The pause before the next try after so many failures in a row (1 = the first): 5 s, doubled each
/// time, at most ten minutes; an hour where the server says that it cannot or will not (403, 404,
/// 405, 489, 501); what the server wants when that is longer, at most a day. *Pure function.*
Millis pauseAfter(int status, std::size_t failures, std::optional<Millis> retryAfter);

/// The same after the server has ended the subscription: at once (a second) where it asks for a new
/// one, else as above. *Pure function.*
Millis pauseAfter(const SubscriptionState& state, std::size_t failures);

}  // namespace restante::sip
