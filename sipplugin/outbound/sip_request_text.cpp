#include "sipplugin/outbound/sip_request_text.h"

#include "sipplugin/message/request_writer.h"

#include <utility>

namespace restante::sip {

Result<std::string> printRequest(const OutgoingMessage& message, const DeliveryRoute& route)
{
    RequestWriter writer("MESSAGE", route.requestUri);
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
