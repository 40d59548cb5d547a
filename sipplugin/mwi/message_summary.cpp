#include "sipplugin/mwi/message_summary.h"

#include "core/base/text.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/cpim.h"
#include "sipplugin/message/request_text.h"
#include "sipplugin/message/sip_date.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::sip {

namespace {

constexpr std::string_view kEvent = "message-summary";
constexpr std::string_view kType = "application/simple-message-summary";
constexpr std::chrono::seconds kShortest{60};
constexpr std::chrono::seconds kLongest{3'600};
/// Of a Call-ID or a tag: several times what phones make.
constexpr std::size_t kLongestName = 256;
/// Of all that is kept of a SUBSCRIBE: a long contact, and a handful of servers that record.
constexpr std::size_t kMostKept = 8'192;

bool takesSummaries(const ReceivedRequest& request)
{
    const auto takes = [](std::string_view item) {
        const auto type = mediaType(item);
        return equalIgnoringCase(type, kType) || type == "*/*" ||
               equalIgnoringCase(type, "application/*");
    };
    const auto lines = request.all("Accept");
    return lines.empty() || std::ranges::any_of(lines, [&](std::string_view line) {
               return std::ranges::any_of(split(line, ','), takes);
           });
}

/// Nothing when it cannot be read.
std::optional<std::chrono::seconds> wantedExpiry(const ReceivedRequest& request)
{
    const auto text = request.header("Expires");
    return text ? deltaSeconds(*text) : kLongest;
}

/// Sets event id and expiry, or says why they will not do.
std::optional<SipAnswer> readTerms(const ReceivedRequest& request, SummaryRequest& wanted)
{
    const auto params = split(request.header("Event").value_or(""), ';');
    if (!equalIgnoringCase(trimmed(params.front()), kEvent)) {
        return SipAnswer{489, "Bad Event", {{"Allow-Events", std::string{kEvent}}}};
    }
    for (const auto param : params) {
        const auto equals = std::min(param.find('='), param.size());
        if (equalIgnoringCase(trimmed(param.substr(0, equals)), "id")) {
            wanted.eventId = trimmed(param.substr(std::min(equals + 1, param.size())));
        }
    }
    if (!takesSummaries(request)) {
        return SipAnswer{406, "Not Acceptable", {{"Accept", std::string{kType}}}};
    }
    const auto expires = wantedExpiry(request);
    if (!expires) {
        return refusal(400, "Bad Request", "Expires is not a number of seconds");
    }
    if (expires->count() > 0 && *expires < kShortest) {
        return SipAnswer{
            423, "Interval Too Brief", {{"Min-Expires", std::to_string(kShortest.count())}}};
    }
    wanted.expires = std::min(*expires, kLongest);
    return {};
}

/// Sets the dialog, or says why there can be none.
std::optional<SipAnswer> readDialog(const ReceivedRequest& request, SummaryRequest& wanted)
{
    const auto from = parseNameAddr(request.header("From").value_or(""));
    const auto to = parseNameAddr(request.header("To").value_or(""));
    const auto cseq = parseCSeq(request.header("CSeq").value_or(""));
    const auto* tag = from ? from->param("tag") : nullptr;
    if (tag == nullptr || !to || !cseq || !request.header("Call-ID")) {
        return refusal(400, "Bad Request", "From needs a tag, and To, Call-ID and CSeq must stand");
    }
    const auto* toTag = to->param("tag");
    wanted.owner = canonicalAor(from->uri).value_or("");
    wanted.callId = *request.header("Call-ID");
    wanted.fromTag = *tag;
    wanted.toTag = toTag != nullptr ? *toTag : "";
    wanted.from = *request.header("From");
    wanted.to = to->printWithoutTag();
    wanted.cseq = cseq->number;
    return {};
}

std::optional<SipAnswer> readRoute(const ReceivedRequest& request, SummaryRequest& wanted)
{
    const auto contact = parseNameAddr(request.header("Contact").value_or(""));
    Binding device;
    if (contact) {
        device.contact = contact->uri;
    }
    for (const auto hop : request.listed("Record-Route")) {
        device.path.emplace_back(hop);
    }
    device.source = sourceOf(request);
    device.flow = isDirect(request) ? request.flow : "";
    device.behindNat = isBehindNat(request);
    device.transport = name(request.transport);
    auto route = routeToDevice(device);
    if (!route) {
        return refusal(400, "Bad Contact", route.error().message);
    }
    wanted.route = std::move(*route);
    return {};
}

bool isTooLong(const SummaryRequest& wanted)
{
    auto kept = wanted.aor.size() + wanted.from.size() + wanted.to.size() + wanted.eventId.size() +
                wanted.route.requestUri.size() + wanted.route.nextHop.size();
    for (const auto& hop : wanted.route.routes) {
        kept += hop.size();
    }
    return wanted.callId.size() > kLongestName || wanted.fromTag.size() > kLongestName ||
           kept > kMostKept;
}

}  // namespace

tl::expected<SummaryRequest, SipAnswer> readSummaryRequest(const ReceivedRequest& request)
{
    SummaryRequest wanted;
    const auto aor = canonicalAor(request.requestUri);
    if (!aor) {
        return tl::unexpected(refusal(404, "Not Found", "the Request-URI names no user"));
    }
    wanted.aor = *aor;
    for (const auto read : {readTerms, readDialog, readRoute}) {
        if (auto refused = read(request, wanted)) {
            return tl::unexpected(std::move(*refused));
        }
    }
    if (isTooLong(wanted)) {
        return tl::unexpected(refusal(400, "Bad Request",
                                      fmt::format("Call-ID or tag has more than {} bytes, or the "
                                                  "dialog more than {}",
                                                  kLongestName, kMostKept)));
    }
    for (const auto& text :
         {wanted.from, wanted.to, wanted.callId, wanted.eventId, wanted.route.requestUri}) {
        if (!isOneLine(text)) {
            return tl::unexpected(refusal(400, "Bad Request", "a header holds a line break"));
        }
    }
    return wanted;
}

Result<std::string> printSummaryNotify(const SummaryRequest& subscription,
                                       const SummaryNotice& notice)
{
    const auto body =
        fmt::format("Messages-Waiting: {}\r\nMessage-Account: {}\r\n"
                    "Text-Message: {}/0\r\n",
                    notice.waiting > 0 ? "yes" : "no", subscription.aor, notice.waiting);
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(notice.remaining).count();
    RequestWriter writer("NOTIFY", subscription.route.requestUri);
    for (const auto& hop : subscription.route.routes) {
        writer.line("Route", hop);
    }
    writer.line("Max-Forwards", "70");
    writer.line("From", fmt::format("{};tag={}", subscription.to, notice.tag));
    writer.line("To", subscription.from);
    writer.line("Call-ID", subscription.callId);
    writer.line("CSeq", fmt::format("{} NOTIFY", notice.cseq));
    writer.line("Contact", fmt::format("<{}>", notice.contact));
    writer.line("Event", subscription.eventId.empty()
                             ? std::string{kEvent}
                             : fmt::format("{};id={}", kEvent, subscription.eventId));
    writer.line("Subscription-State", notice.remaining > Millis{0}
                                          ? fmt::format("active;expires={}", seconds)
                                          : "terminated;reason=timeout");
    writer.line("Content-Type", kType);
    return std::move(writer).finish(body);
}

}  // namespace restante::sip
