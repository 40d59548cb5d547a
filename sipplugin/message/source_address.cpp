#include "sipplugin/message/source_address.h"

#include "sipplugin/message/socket_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace restante::sip {

namespace {

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

/// What follows the transport in the topmost Via, without blanks: "host", "host:port",
/// "[v6]:port".
std::string sentByOf(std::string_view via)
{
    via = via.substr(0, via.find_first_of(";,"));
    via.remove_prefix(std::min(via.size(), via.rfind('/') + 1));
    via.remove_prefix(std::min(via.size(), via.find_first_not_of(" \t")));
    via.remove_prefix(std::min(via.size(), via.find_first_of(" \t")));
    std::string sentBy;
    std::ranges::remove_copy_if(via, std::back_inserter(sentBy), isBlank);
    return sentBy;
}

}  // namespace

std::string sourceOf(const ReceivedRequest& request)
{
    const bool v6 = request.sourceHost.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", v6 ? "[" : "", request.sourceHost, v6 ? "]" : "",
                       request.sourcePort);
}

bool isDirect(const ReceivedRequest& request)
{
    return request.count("Via") == 1 &&
           request.header("Via").value_or("").find(',') == std::string_view::npos;
}

bool isBehindNat(const ReceivedRequest& request)
{
    const auto sentBy = sentByOf(request.header("Via").value_or(""));
    const bool v6 = sentBy.starts_with('[');
    const auto end = v6 ? sentBy.find(']') : sentBy.find(':');
    if (v6 && end == std::string::npos) {
        return true;  // it says nothing that could be believed
    }
    const auto host =
        canonicalHost(std::string_view{sentBy}.substr(v6 ? 1 : 0, end - (v6 ? 1 : 0)));
    const auto port = end == std::string::npos ? "" : sentBy.substr(v6 ? end + 1 : end);
    return host != request.sourceHost ||
           (port.empty() ? ":5060" : port) != fmt::format(":{}", request.sourcePort);
}

}  // namespace restante::sip
