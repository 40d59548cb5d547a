#include "sipplugin/outbound/sip_request_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace restante::sip {

namespace {

bool isOneLine(std::string_view text) noexcept
{
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

/// Writes header lines and remembers the first that would be more than one.
class RequestWriter {
public:
    void line(std::string_view name, std::string_view value)
    {
        if (!isOneLine(name) || !isOneLine(value)) {
            broken_ = broken_.empty() ? std::string{name} : broken_;
        }
        text_.append(name).append(": ").append(value).append("\r\n");
    }
    void requestLine(std::string_view uri)
    {
        if (!isOneLine(uri) || uri.find(' ') != std::string_view::npos) {
            broken_ = "Request-URI";
        }
        text_.append("MESSAGE ").append(uri).append(" SIP/2.0\r\n");
    }
    Result<std::string> finish(std::string_view body) &&
    {
        if (!broken_.empty()) {
            return failure(ErrorCode::Invalid, "the message cannot be sent: its " + broken_ +
                                                   " holds a line break, a NUL or a space");
        }
        line("Content-Length", std::to_string(body.size()));
        text_.append("\r\n").append(body);
        return std::move(text_);
    }

private:
    std::string text_;
    std::string broken_;
};

}  // namespace

Result<std::string> printRequest(const WireMessage& message, const DeliveryRoute& route)
{
    RequestWriter writer;
    writer.requestLine(route.requestUri);
    for (const auto& hop : route.routes) {
        writer.line("Route", hop);
    }
    writer.line("Max-Forwards", std::to_string(message.maxForwards));
    writer.line("From", message.from);
    writer.line("To", message.to);
    writer.line("Call-ID", message.callId);
    writer.line("CSeq", std::to_string(message.cseq) + " MESSAGE");
    for (const auto& [name, value] : message.headers) {
        writer.line(name, value);
    }
    if (!message.contentType.empty()) {
        writer.line("Content-Type", message.contentType);
    }
    return std::move(writer).finish(message.body);
}

}  // namespace restante::sip
