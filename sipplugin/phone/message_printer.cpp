#include "sipplugin/phone/message_printer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

namespace restante::phone {

namespace {

std::string base64(std::string_view bytes)
{
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                       static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

}  // namespace

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
        json["body_base64"] = base64(message.body);
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace restante::phone
