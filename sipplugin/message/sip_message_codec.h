#pragma once

#include "core/job/job.h"
#include "sipplugin/message/received_request.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace restante::sip {

/// The topic of the jobs that are SIP messages.
inline constexpr std::string_view kSipTopic = "sip";

/// The id of the job that we deliver, by which a copy that comes back is recognised.
inline constexpr std::string_view kJobHeader = "X-Restante-Job";

/// Marks a message that a program wrote (RFC 3834): it leads to no notice.
inline constexpr std::string_view kAutoSubmitted = "Auto-Submitted";

/// How jobOf() converts a message.
struct CodecSettings {
    Millis lifetime{std::chrono::hours{24 * 7}};   ///< of a message without Expires
    std::vector<std::string> extraHeaders;         ///< end-to-end headers kept besides the built-in
    bool trustedPeer = true;                       ///< P-Asserted-Identity is believed
    std::vector<std::string> droppedHeaders = {};  ///< headers not to be kept
};

/// A received MESSAGE as a job without id: byte-exact body, Content-Type as written, From and To
/// with display name and parameters, and the end-to-end headers (the built-in list and
/// `extraHeaders`); Date defaults to `now`. The recipient is the canonical AoR
/// of the Request-URI, the biz_key the Call-ID, `expires` = Date, at most `now`, + Expires, or
/// `now` + lifetime.
/// Max-Forwards is kept unless 70. Invalid names the header that is wrong. *Pure function.*
Result<Job> jobOf(const ReceivedRequest& request, TimePoint now, const CodecSettings& settings);

/// True when the message must not be stored: isComposing (RFC 3994) or `Expires: 0`.
bool isTransient(const ReceivedRequest& request);

/// 16 bytes that identify a request: a hash of Call-ID, CSeq, From-tag and recipient.
std::string onceKeyOf(const ReceivedRequest& request, std::string_view aor);

/// The MESSAGE of one delivery, without Request-URI, Via and Route. *Value.*
struct OutgoingMessage {
    std::string from;  ///< with the tag
    std::string to;    ///< without tag
    std::string callId;
    std::uint32_t cseq = 1;
    std::string contentType;  ///< empty only when the body is
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::string jobId;
    TimePoint created{};  ///< of the job
    std::string recipient;
    std::uint32_t attempt = 1;
    std::uint32_t maxForwards = 70;
};

/// The reverse of jobOf(), also for jobs that never were a MESSAGE (reminders): `From` is then the
/// sender, or `ownAddress`. Call-ID and From-tag stay the same, so that a client recognises a
/// repetition; CSeq grows with the attempt (RFC 3261 section 8.1.3.5), and Max-Forwards is one less
/// than in the received message, so that a loop ends. *Pure function.*
OutgoingMessage
outgoingMessageOf(const Job& job, std::uint32_t attempt, std::string_view ownAddress);

}  // namespace restante::sip
