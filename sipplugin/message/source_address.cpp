#include "sipplugin/message/source_address.h"

#include <fmt/format.h>

namespace restante::sip {

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
    const auto via = request.header("Via").value_or("");
    auto sentBy = via.substr(0, via.find_first_of(";,"));
    sentBy = sentBy.substr(0, sentBy.find_last_not_of(" \t") + 1);
    sentBy = sentBy.substr(sentBy.find_last_of(" \t") + 1);
    const auto source = sourceOf(request);
    return sentBy != source && fmt::format("{}:5060", sentBy) != source;
}

}  // namespace restante::sip
