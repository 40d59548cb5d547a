#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/outbound/delivery_route.h"

#include <tl/expected.hpp>

namespace restante::sip {

/// A SUBSCRIBE to the message-summary of somebody's mailbox (RFC 6665, RFC 3842), taken apart.
/// *Value.*
struct SummaryRequest {
    std::string aor;    ///< of the Request-URI, canonical: the mailbox, unless it is a refresh
    std::string owner;  ///< of From, canonical: who asks
    std::string callId;
    std::string fromTag;
    std::string toTag;    ///< of the subscription that is refreshed; empty = a new one
    std::string from;     ///< as written, with the tag: To of what we send
    std::string to;       ///< without tag: From of what we send
    std::string eventId;  ///< `id` of Event, or empty
    std::uint32_t cseq = 0;
    Millis expires{0};    ///< as it will be granted; 0 = once, and the end
    DeliveryRoute route;  ///< to the device

    /// What tells it from others: the dialog, as far as the device makes it.
    std::string key() const { return callId + "\n" + fromTag; }
};

/// The answer says what is wrong: 489 another event, 406 another body, 423 too brief, 400, 404.
/// Call-ID and tag above 256 bytes, or a dialog above 8 KiB, are 400. *Pure function.*
tl::expected<SummaryRequest, SipAnswer> readSummaryRequest(const ReceivedRequest& request);

/// What one NOTIFY says. *Value.*
struct SummaryNotice {
    std::uint64_t waiting = 0;
    Millis remaining{0};  ///< of the subscription; 0 = it has ended
    std::string tag;      ///< ours
    std::uint32_t cseq = 1;
    std::string contact;  ///< our URI in this dialog
};

/// The NOTIFY as it goes out, but for the Via. Invalid as RequestWriter has it. *Pure function.*
Result<std::string> printSummaryNotify(const SummaryRequest& subscription,
                                       const SummaryNotice& notice);

}  // namespace restante::sip
