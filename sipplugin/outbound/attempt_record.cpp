#include "sipplugin/outbound/attempt_record.h"

#include "core/delivery/attempt_line.h"

#include <algorithm>
#include <string_view>

namespace restante::sip {

namespace {

constexpr std::size_t kLongestUri = 160;
constexpr std::size_t kLongestPhrase = 80;

/// Printable ASCII, and not more than `most` of it.
std::string plain(std::string_view text, std::size_t most)
{
    std::string out{text.substr(0, most)};
    std::ranges::replace_if(
        out, [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
}

/// "10.0.0.7:5060" of "sip:10.0.0.7:5060;transport=udp".
std::string_view hostOf(std::string_view uri)
{
    uri.remove_prefix(std::min(uri.find(':') + 1, uri.size()));
    const auto at = uri.find('@');
    uri.remove_prefix(at == std::string_view::npos ? 0 : at + 1);
    return uri.substr(0, uri.find_first_of(";?>"));
}

}  // namespace

std::string printAttempt(const AttemptRecord& record, const DeviceAnswer& answer, Millis took)
{
    const auto host = hostOf(record.nextHop);
    delivery::AttemptLine line{.attempt = record.attempt, .sent = record.sent};
    line.request = plain(record.target, kLongestUri);
    if (host != hostOf(record.target)) {
        line.via = plain(host, kLongestUri / 2);
    }
    line.answer = plain(answer.print(), kLongestPhrase);
    line.answered = record.answered;
    line.took = took;
    return print(line);
}

}  // namespace restante::sip
