#include "sipplugin/receipts/imdn.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/job/cpim.h"

#include <fmt/format.h>

namespace restante::sip {

namespace {

constexpr std::string_view kImdnType = "message/imdn+xml";
constexpr std::string_view kComposingType = "application/im-iscomposing+xml";
/// Real ones have 16 to 40 characters; longer ones get no receipt.
constexpr std::size_t kLongestMessageId = 256;
/// The most servers that a receipt is routed through.
constexpr std::size_t kMostRoutes = 20;

/// The value, or "" when it is not allowed in XML or is longer than any address.
std::string textOrEmpty(std::optional<std::string_view> value)
{
    constexpr std::size_t kLongest = 1'024;
    return value && value->size() <= kLongest && isUtf8(*value) ? std::string{*value} : "";
}

/// Reads "positive-delivery, negative-delivery;x=y"; ignores unknown words.
void readDispositionNotification(std::string_view list, ReceiptRequest& request)
{
    for (const auto item : split(list, ',')) {
        const auto word = trimmed(item.substr(0, item.find(';')));
        request.processing = request.processing || equalIgnoringCase(word, "processing");
        request.positiveDelivery =
            request.positiveDelivery || equalIgnoringCase(word, "positive-delivery");
        request.negativeDelivery =
            request.negativeDelivery || equalIgnoringCase(word, "negative-delivery");
    }
}

std::string element(std::string_view name, std::string_view value)
{
    return fmt::format("<{0}>{1}</{0}>\r\n", name, xmlEscaped(value));
}

std::string xmlOf(const ReceiptRequest& request, const ReceiptDetails& details)
{
    const auto recipient =
        request.to.empty() ? details.recipient : std::string{uriOfCpimAddress(request.to)};
    const auto* kind = details.disposition == Disposition::Stored ? "processing-notification"
                                                                  : "delivery-notification";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n"
           "<imdn xmlns=\"urn:ietf:params:xml:ns:imdn\">\r\n" +
           element("message-id", request.messageId) +
           element("datetime",
                   request.dateTime.empty() ? formatRfc3339(details.sent) : request.dateTime) +
           element("recipient-uri", recipient) +
           element("original-recipient-uri",
                   request.originalTo.empty() ? recipient : request.originalTo) +
           fmt::format("<{0}><status><{1}/></status></{0}>\r\n", kind, name(details.disposition)) +
           "</imdn>\r\n";
}

}  // namespace

std::string_view name(Disposition disposition) noexcept
{
    switch (disposition) {
    case Disposition::Stored: return "stored";
    case Disposition::Delivered: return "delivered";
    case Disposition::Failed: break;
    }
    return "failed";
}

bool ReceiptRequest::asksFor(Disposition disposition) const noexcept
{
    switch (disposition) {
    case Disposition::Stored: return processing;
    case Disposition::Delivered: return positiveDelivery;
    case Disposition::Failed: break;
    }
    return negativeDelivery;
}

bool isImdn(std::string_view contentType, std::string_view body)
{
    if (equalIgnoringCase(mediaType(contentType), kImdnType)) {
        return true;
    }
    const auto cpim = equalIgnoringCase(mediaType(contentType), kCpimType)
                          ? CpimMessage::parse(body)
                          : std::nullopt;
    return cpim && equalIgnoringCase(mediaType(cpim->contentHeader("Content-Type").value_or("")),
                                     kImdnType);
}

std::optional<ReceiptRequest> receiptRequestOf(std::string_view contentType, std::string_view body)
{
    if (!equalIgnoringCase(mediaType(contentType), kCpimType)) {
        return {};
    }
    const auto cpim = CpimMessage::parse(body);
    if (!cpim) {
        return {};
    }
    const auto innerType = mediaType(cpim->contentHeader("Content-Type").value_or(""));
    const auto id = cpim->header(kImdnNamespace, "Message-ID");
    if (equalIgnoringCase(innerType, kImdnType) || equalIgnoringCase(innerType, kComposingType) ||
        !id || id->empty() || id->size() > kLongestMessageId || !isUtf8(*id)) {
        return {};
    }
    ReceiptRequest request;
    for (const auto& list : cpim->headers(kImdnNamespace, "Disposition-Notification")) {
        readDispositionNotification(list, request);
    }
    if (!request.processing && !request.positiveDelivery && !request.negativeDelivery) {
        return {};
    }
    request.messageId = textOrEmpty(id);
    request.dateTime = textOrEmpty(cpim->header({}, "DateTime"));
    request.from = textOrEmpty(cpim->header({}, "From"));
    request.to = textOrEmpty(cpim->header({}, "To"));
    request.originalTo =
        textOrEmpty(uriOfCpimAddress(cpim->header(kImdnNamespace, "Original-To").value_or("")));
    for (const auto& route : cpim->headers(kImdnNamespace, "IMDN-Record-Route")) {
        if (auto routeText = textOrEmpty(route);
            !routeText.empty() && request.recordRoute.size() < kMostRoutes) {
            request.recordRoute.push_back(std::move(routeText));
        }
    }
    return request;
}

std::string formatReceipt(const ReceiptRequest& request, const ReceiptDetails& details)
{
    CpimParts parts;
    parts.content = xmlOf(request, details);
    parts.headers = {{"From", request.to.empty() ? "<" + details.recipient + ">" : request.to},
                     {"To", request.from.empty() ? "<" + details.sender + ">" : request.from},
                     {"NS", fmt::format("imdn <{}>", kImdnNamespace)},
                     {"imdn.Message-ID", details.messageId},
                     {"DateTime", formatRfc3339(details.now)}};
    for (const auto& route : request.recordRoute) {
        parts.headers.emplace_back("imdn.IMDN-Route", route);
    }
    parts.contentHeaders = {{"Content-Type", std::string{kImdnType}},
                            {"Content-Disposition", "notification"},
                            {"Content-Length", std::to_string(parts.content.size())}};
    return formatCpim(parts);
}

}  // namespace restante::sip
