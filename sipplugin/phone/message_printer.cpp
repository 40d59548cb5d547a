#include "sipplugin/phone/message_printer.h"

#include "core/base/encoding.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::phone {

std::string printForPeople(const sip::ReceivedRequest& message)
{
    return fmt::format("From: {}  Date: {}\n{}\n", message.header("From").value_or("-"),
                       message.header("Date").value_or("-"), message.body);
}

std::string printAsJson(const sip::ReceivedRequest& message)
{
    nlohmann::ordered_json json;
    const auto add = [&](const char* key, std::string_view header) {
        if (auto value = message.header(header)) {
            json[key] = *value;
        }
    };
    add("from", "From");
    add("to", "To");
    add("date", "Date");
    add("call_id", "Call-ID");
    add("content_type", "Content-Type");
    json["body"] = message.body;
    try {
        return json.dump() + "\n";
    } catch (const nlohmann::json::type_error&) {  // not UTF-8
        json.erase("body");
        json["body_base64"] = toBase64(message.body);
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace restante::phone
