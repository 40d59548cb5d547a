#include "sipplugin/message/header_name.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace restante::sip {

namespace {

/// In the order of HeaderName.
constexpr std::array<std::string_view, kHeaderNameCount> kNames{"",
                                                                "Accept-Language",
                                                                "Alert-Info",
                                                                "Authorization",
                                                                "Auto-Submitted",
                                                                "Call-ID",
                                                                "Call-Info",
                                                                "Contact",
                                                                "Content-Disposition",
                                                                "Content-Encoding",
                                                                "Content-ID",
                                                                "Content-Language",
                                                                "Content-Length",
                                                                "Content-Transfer-Encoding",
                                                                "Content-Type",
                                                                "Contribution-ID",
                                                                "Conversation-ID",
                                                                "CSeq",
                                                                "Date",
                                                                "Event",
                                                                "Expires",
                                                                "From",
                                                                "Geolocation",
                                                                "Identity",
                                                                "Identity-Info",
                                                                "In-Reply-To",
                                                                "InReplyTo-Contribution-ID",
                                                                "Max-Forwards",
                                                                "MIME-Version",
                                                                "Organization",
                                                                "P-Asserted-Identity",
                                                                "P-Asserted-Service",
                                                                "Path",
                                                                "P-Preferred-Identity",
                                                                "P-Preferred-Service",
                                                                "Priority",
                                                                "Privacy",
                                                                "Proxy-Authorization",
                                                                "Proxy-Require",
                                                                "Record-Route",
                                                                "Remote-Party-ID",
                                                                "Reply-To",
                                                                "Require",
                                                                "Route",
                                                                "Server",
                                                                "Subject",
                                                                "Supported",
                                                                "Timestamp",
                                                                "To",
                                                                "User-Agent",
                                                                "Via"};

constexpr std::array<std::pair<char, std::string_view>, 20> kCompactForms{
    std::pair<char, std::string_view>{'a', "Accept-Contact"},
    {'b', "Referred-By"},
    {'c', "Content-Type"},
    {'d', "Request-Disposition"},
    {'e', "Content-Encoding"},
    {'f', "From"},
    {'i', "Call-ID"},
    {'j', "Reject-Contact"},
    {'k', "Supported"},
    {'l', "Content-Length"},
    {'m', "Contact"},
    {'n', "Identity-Info"},
    {'o', "Event"},
    {'r', "Refer-To"},
    {'s', "Subject"},
    {'t', "To"},
    {'u', "Allow-Events"},
    {'v', "Via"},
    {'x', "Session-Expires"},
    {'y', "Identity"}};

/// More than twice the number of names, so that most are found at the first index.
constexpr std::size_t kTableSize = 128;

constexpr std::size_t tableIndexOf(std::string_view text) noexcept
{
    const auto letterAt = [text](std::size_t position) {
        return static_cast<std::size_t>(static_cast<unsigned char>(toLower(text[position])));
    };
    return (text.size() * 37 + letterAt(0) * 5 + letterAt(text.size() / 2) * 11 +
            letterAt(text.size() - 1)) %
           kTableSize;
}

constexpr auto kTable = [] {
    std::array<HeaderName, kTableSize> table{};
    for (std::size_t i = 1; i < kHeaderNameCount; ++i) {
        auto index = tableIndexOf(kNames[i]);
        while (table[index] != HeaderName::Other) {
            index = (index + 1) % kTableSize;
        }
        table[index] = static_cast<HeaderName>(i);
    }
    return table;
}();

}  // namespace

HeaderName headerNamed(std::string_view longName) noexcept
{
    if (longName.empty()) {
        return HeaderName::Other;
    }
    auto index = tableIndexOf(longName);
    while (kTable[index] != HeaderName::Other &&
           !equalIgnoringCase(name(kTable[index]), longName)) {
        index = (index + 1) % kTableSize;
    }
    return kTable[index];
}

std::string_view name(HeaderName header) noexcept
{
    return kNames[static_cast<std::size_t>(header)];
}

std::string_view longHeaderName(std::string_view name) noexcept
{
    if (name.size() == 1) {
        const char letter = toLower(name.front());
        const auto* found =
            std::ranges::find(kCompactForms, letter, [](const auto& form) { return form.first; });
        if (found != kCompactForms.end()) {
            return found->second;
        }
    }
    return name;
}

}  // namespace restante::sip
