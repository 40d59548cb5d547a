#include "sipplugin/message/sip_message_codec.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/never_stored_headers.h"
#include "core/job/cpim.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/fingerprint.h"
#include "sipplugin/message/sip_date.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::sip {

namespace {

/// End-to-end headers that mean something to whoever reads the message: RFC 3261, 3323, 3325, 5436,
/// 6050, 6442, 8224 and 8262, MIME's, and the conversation headers of RCS.
constexpr HeaderNameSet kKeptHeaders{HeaderName::AcceptLanguage,
                                     HeaderName::AlertInfo,
                                     HeaderName::AutoSubmitted,
                                     HeaderName::CallInfo,
                                     HeaderName::ContentDisposition,
                                     HeaderName::ContentEncoding,
                                     HeaderName::ContentId,
                                     HeaderName::ContentLanguage,
                                     HeaderName::ContentTransferEncoding,
                                     HeaderName::ContributionId,
                                     HeaderName::ConversationId,
                                     HeaderName::Expires,
                                     HeaderName::Geolocation,
                                     HeaderName::Identity,
                                     HeaderName::IdentityInfo,
                                     HeaderName::InReplyTo,
                                     HeaderName::InReplyToContributionId,
                                     HeaderName::MimeVersion,
                                     HeaderName::Organization,
                                     HeaderName::PAssertedIdentity,
                                     HeaderName::PAssertedService,
                                     HeaderName::Priority,
                                     HeaderName::Privacy,
                                     HeaderName::ReplyTo,
                                     HeaderName::Server,
                                     HeaderName::Subject,
                                     HeaderName::UserAgent};

/// Headers that a network sets about its own users: kept only from a trusted peer (RFC 3325, RFC
/// 3323, RFC 6050; Remote-Party-ID is their predecessor).
constexpr HeaderNameSet kFromTrustedPeersOnly{
    HeaderName::PAssertedIdentity, HeaderName::PAssertedService, HeaderName::PPreferredIdentity,
    HeaderName::PPreferredService, HeaderName::Privacy,          HeaderName::RemotePartyId};

/// Keeps a sender from storing a message for ever; far above the lifetime of any real one.
constexpr std::chrono::hours kLongestLifetime{24 * 366};

constexpr std::string_view kIsComposingType = "application/im-iscomposing+xml";
constexpr std::string_view kPlainText = "text/plain;charset=UTF-8";

template <class Names>
bool containsName(const Names& names, std::string_view wanted)
{
    return std::ranges::any_of(
        names, [&](std::string_view one) { return equalIgnoringCase(one, wanted); });
}

bool isMediaType(std::string_view type)
{
    const auto slash = type.find('/');
    return slash != std::string_view::npos && isToken(trimmed(type.substr(0, slash))) &&
           isToken(trimmed(type.substr(slash + 1)));
}

Result<std::optional<std::chrono::seconds>> expiresOf(const ReceivedRequest& request)
{
    const auto text = request.header(HeaderName::Expires);
    if (!text) {
        return std::optional<std::chrono::seconds>{};
    }
    const auto seconds = deltaSeconds(*text);
    if (!seconds) {
        return invalid("Expires is not a number of seconds");
    }
    return std::optional{std::min<std::chrono::seconds>(*seconds, kLongestLifetime)};
}

Result<void> checkContentType(const ReceivedRequest& request)
{
    const auto type = request.header(HeaderName::ContentType);
    if (!type && !request.body.empty()) {
        return invalid("a body without Content-Type");
    }
    if (type && !isPrintableLine(*type)) {
        return invalid("Content-Type contains a control character");
    }
    if (type && !isMediaType(mediaType(*type))) {
        return invalid("Content-Type is not of the form type/subtype");
    }
    return {};
}

Result<void> copyHeaders(const ReceivedRequest& request, const CodecSettings& settings, Job& job)
{
    const bool trusted = settings.trustedPeer && request.authenticatedAor.empty();
    if (!request.authenticatedAor.empty()) {
        job.headers.emplace_back("P-Asserted-Identity",
                                 fmt::format("<{}>", request.authenticatedAor));
    }
    for (const auto& [header, headerName, value] : request.headers) {
        const bool wanted =
            kKeptHeaders.contains(header) ||
            (containsName(settings.extraHeaders, headerName) && !isNeverStored(headerName));
        const bool believed = trusted || !kFromTrustedPeersOnly.contains(header);
        if (!wanted || !believed || containsName(settings.droppedHeaders, headerName)) {
            continue;
        }
        if (!isPrintableLine(value)) {
            return invalid("{} contains a control character", headerName);
        }
        job.headers.emplace_back(headerName, value);
    }
    return {};
}

/// Sets From, To, sender and Date. Returns when the message was written.
Result<TimePoint> copyEnvelope(const ReceivedRequest& request, TimePoint now, Job& job)
{
    for (const auto header : {HeaderName::From, HeaderName::To}) {
        const auto text = request.header(header).value_or("");
        const auto& address = header == HeaderName::From ? request.from() : request.to();
        if (!address || !isPrintableLine(text)) {
            return invalid("{} is not an address", name(header));
        }
        job.headers.emplace_back(name(header), address->formatWithoutTag());
        if (header == HeaderName::From) {
            // A tel: or anonymous sender keeps the text it gave.
            job.sender = canonicalAor(address->uri).value_or(address->uri);
        }
    }
    const auto date = request.header(HeaderName::Date);
    if (!date) {
        job.headers.emplace_back("Date", formatSipDate(now));
        return now;
    }
    job.headers.emplace_back("Date", *date);
    return parseSipDate(*date);
}

constexpr std::uint32_t kMaxForwards = 70;  // RFC 3261 section 8.1.1.6
constexpr std::string_view kMaxForwardsHeader = "Max-Forwards";

/// Nothing when it is not a number from 1 to 255.
std::optional<std::uint32_t> parseMaxForwards(std::string_view text)
{
    const auto hops = wholeNumber<std::uint32_t>(text);
    return hops && *hops >= 1 && *hops <= 255 ? hops : std::nullopt;
}

bool isCallId(std::string_view text)
{
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Result<Job> jobOf(const ReceivedRequest& request, TimePoint now, const CodecSettings& settings)
{
    auto recipient = TRY(request.target().and_then(aorOf));
    Job job;
    job.topic = kSipTopic;
    job.channel = Channel::Sip;
    job.recipient = std::move(recipient);
    job.body = request.body;
    job.contentType = request.header(HeaderName::ContentType).value_or("");
    job.bizKey = request.header(HeaderName::CallId).value_or("");
    job.created = now;
    if (!isCallId(job.bizKey)) {
        return invalid("Call-ID is missing or has a space");
    }
    const auto writtenAt =
        TRY(checkContentType(request).and_then([&] { return copyEnvelope(request, now, job); }));
    TRY(copyHeaders(request, settings, job));
    if (const auto hops = parseMaxForwards(request.header(HeaderName::MaxForwards).value_or(""))
                              .value_or(kMaxForwards);
        hops != kMaxForwards) {
        job.headers.emplace_back(kMaxForwardsHeader, std::to_string(hops));
    }
    const auto expires = TRY(expiresOf(request));
    // RFC 3428 section 4: Expires counts from Date; a clock that is ahead must not lengthen it.
    // A clock may be centuries behind, and the store has no time before its epoch.
    constexpr TimePoint kEarliest{Millis{1}};
    job.expires = expires ? std::max(std::min(writtenAt, now) + *expires, kEarliest)
                          : now + settings.lifetime;
    return job;
}

bool isTransient(const ReceivedRequest& request)
{
    auto type = mediaType(request.header(HeaderName::ContentType).value_or(""));
    const auto wrapped =
        equalIgnoringCase(type, kCpimType) ? CpimMessage::parse(request.body) : std::nullopt;
    if (wrapped) {
        type = mediaType(wrapped->contentHeader("Content-Type").value_or(""));
    }
    if (equalIgnoringCase(type, kIsComposingType)) {
        return true;
    }
    const auto expires = expiresOf(request);
    return expires && *expires && **expires == std::chrono::seconds{0};
}

std::string onceKeyOf(const ReceivedRequest& request, std::string_view aor)
{
    const auto* tag = request.from() ? request.from()->param("tag") : nullptr;
    const auto print =
        fingerprint({request.header(HeaderName::CallId).value_or(""),
                     request.header(HeaderName::CSeq).value_or(""),
                     tag != nullptr ? std::string_view{*tag} : std::string_view{}, aor});
    return std::string{print.bytes()};
}

OutgoingMessage
outgoingMessageOf(const Job& job, std::uint32_t attempt, std::string_view ownAddress)
{
    OutgoingMessage message;
    bool wasMessage = false;
    bool hasDate = false;
    std::optional<std::uint32_t> hops;
    for (const auto& [headerName, value] : job.headers) {
        if (!isToken(headerName) || !isPrintableLine(value)) {
            continue;  // a job pushed by other means must not inject header lines
        }
        if (equalIgnoringCase(headerName, "From")) {
            message.from = value;
            wasMessage = true;
        } else if (equalIgnoringCase(headerName, "To")) {
            message.to = value;
        } else if (equalIgnoringCase(headerName, kMaxForwardsHeader)) {
            hops = parseMaxForwards(value);
        } else if (!isNeverStored(headerName)) {
            hasDate = hasDate || equalIgnoringCase(headerName, "Date");
            message.headers.emplace_back(headerName, value);
        }
    }
    if (!hasDate) {
        message.headers.emplace_back("Date", formatSipDate(job.created));
    }
    message.headers.emplace_back(kJobHeader, job.id);
    if (message.from.empty()) {
        message.from = fmt::format("<{}>", canonicalAor(job.sender) ? job.sender : ownAddress);
    }
    const auto jobHash = fingerprint(job.id).hex();
    message.from.append(";tag=").append(jobHash, 0, 16);
    if (message.to.empty()) {
        message.to = fmt::format("<{}>", job.recipient);
    }
    message.callId =
        wasMessage && isCallId(job.bizKey) ? job.bizKey : fmt::format("{}@restante", jobHash);
    message.cseq = std::max<std::uint32_t>(1, attempt);
    message.contentType = job.contentType;
    if (message.contentType.empty() && !job.body.empty()) {
        message.contentType = kPlainText;
    }
    message.body = job.body;
    message.jobId = job.id;
    message.created = job.created;
    message.recipient = job.recipient;
    message.attempt = message.cseq;
    message.maxForwards = wasMessage ? hops.value_or(kMaxForwards) - 1 : kMaxForwards;
    return message;
}

}  // namespace restante::sip
