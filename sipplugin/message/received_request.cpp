#include "sipplugin/message/received_request.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>

namespace restante::sip {

std::optional<std::string_view> ReceivedRequest::header(std::string_view wanted) const
{
    const auto found = std::ranges::find_if(
        headers, [&](const HeaderLine& line) { return equalIgnoringCase(line.name, wanted); });
    return found == headers.end() ? std::nullopt : std::optional{found->value};
}

std::vector<std::string_view> ReceivedRequest::all(std::string_view wanted) const
{
    std::vector<std::string_view> values;
    for (const auto& line : headers) {
        if (equalIgnoringCase(line.name, wanted)) {
            values.push_back(line.value);
        }
    }
    return values;
}

std::size_t ReceivedRequest::count(std::string_view wanted) const
{
    return static_cast<std::size_t>(std::ranges::count_if(
        headers, [&](const HeaderLine& line) { return equalIgnoringCase(line.name, wanted); }));
}

std::optional<CSeq> parseCSeq(std::string_view text)
{
    CSeq cseq;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, cseq.number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    auto method = text.substr(static_cast<std::size_t>(stop - text.data()));
    const auto start = method.find_first_not_of(" \t");
    if (start == 0 || start == std::string_view::npos) {
        return std::nullopt;
    }
    cseq.method = method.substr(start);
    return cseq;
}

}  // namespace restante::sip
