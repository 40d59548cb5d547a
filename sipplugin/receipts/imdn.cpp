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
/// Real ones have 16 to 40; a longer one would only be sent back to its sender.
constexpr std::size_t kLongestMessageId = 256;
/// Servers on the way that want to see the receipt.
constexpr std::size_t kMostRoutes = 20;

/// What cannot stand in XML, or is longer than any address, is taken for nothing.
std::string text(std::optional<std::string_view> value)
{
    constexpr std::size_t kLongest = 1'024;
    return value && value->size() <= kLongest && isUtf8(*value) ? std::string{*value} : "";
}

/// "positive-delivery, negative-delivery;x=y"; unknown words are for others.
void readWanted(std::string_view list, ReceiptRequest& asked)
{
    for (const auto item : split(list, ',')) {
        const auto word = trimmed(item.substr(0, item.find(';')));
        asked.processing = asked.processing || equalIgnoringCase(word, "processing");
        asked.positiveDelivery =
            asked.positiveDelivery || equalIgnoringCase(word, "positive-delivery");
        asked.negativeDelivery =
            asked.negativeDelivery || equalIgnoringCase(word, "negative-delivery");
    }
}

std::string element(std::string_view name, std::string_view value)
{
    return fmt::format("<{0}>{1}</{0}>\r\n", name, xmlEscaped(value));
}

std::string xmlOf(const ReceiptRequest& asked, const ReceiptNote& note)
{
    const auto recipient =
        asked.to.empty() ? note.recipient : std::string{uriOfCpimAddress(asked.to)};
    const auto* kind =
        note.what == Disposition::Stored ? "processing-notification" : "delivery-notification";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n"
           "<imdn xmlns=\"urn:ietf:params:xml:ns:imdn\">\r\n" +
           element("message-id", asked.messageId) +
           element("datetime", asked.dateTime.empty() ? printRfc3339(note.sent) : asked.dateTime) +
           element("recipient-uri", recipient) +
           element("original-recipient-uri",
                   asked.originalTo.empty() ? recipient : asked.originalTo) +
           fmt::format("<{0}><status><{1}/></status></{0}>\r\n", kind, name(note.what)) +
           "</imdn>\r\n";
}

}  // namespace

std::string_view name(Disposition what) noexcept
{
    switch (what) {
    case Disposition::Stored: return "stored";
    case Disposition::Delivered: return "delivered";
    case Disposition::Failed: break;
    }
    return "failed";
}

bool ReceiptRequest::asksFor(Disposition what) const noexcept
{
    switch (what) {
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
    const auto inner = mediaType(cpim->contentHeader("Content-Type").value_or(""));
    const auto id = cpim->header(kImdnNamespace, "Message-ID");
    if (equalIgnoringCase(inner, kImdnType) || equalIgnoringCase(inner, kComposingType) || !id ||
        id->empty() || id->size() > kLongestMessageId || !isUtf8(*id)) {
        return {};
    }
    ReceiptRequest asked;
    for (const auto& list : cpim->all(kImdnNamespace, "Disposition-Notification")) {
        readWanted(list, asked);
    }
    if (!asked.processing && !asked.positiveDelivery && !asked.negativeDelivery) {
        return {};
    }
    asked.messageId = text(id);
    asked.dateTime = text(cpim->header({}, "DateTime"));
    asked.from = text(cpim->header({}, "From"));
    asked.to = text(cpim->header({}, "To"));
    asked.originalTo =
        text(uriOfCpimAddress(cpim->header(kImdnNamespace, "Original-To").value_or("")));
    for (const auto& route : cpim->all(kImdnNamespace, "IMDN-Record-Route")) {
        if (auto whole = text(route); !whole.empty() && asked.recordRoute.size() < kMostRoutes) {
            asked.recordRoute.push_back(std::move(whole));
        }
    }
    return asked;
}

std::string printReceipt(const ReceiptRequest& asked, const ReceiptNote& note)
{
    CpimParts parts;
    parts.content = xmlOf(asked, note);
    parts.headers = {{"From", asked.to.empty() ? "<" + note.recipient + ">" : asked.to},
                     {"To", asked.from.empty() ? "<" + note.sender + ">" : asked.from},
                     {"NS", fmt::format("imdn <{}>", kImdnNamespace)},
                     {"imdn.Message-ID", note.messageId},
                     {"DateTime", printRfc3339(note.now)}};
    for (const auto& route : asked.recordRoute) {
        parts.headers.emplace_back("imdn.IMDN-Route", route);
    }
    parts.contentHeaders = {{"Content-Type", std::string{kImdnType}},
                            {"Content-Disposition", "notification"},
                            {"Content-Length", std::to_string(parts.content.size())}};
    return printCpim(parts);
}

}  // namespace restante::sip
