#include "core/http/server/token_grant.h"

#include "core/base/text.h"

#include <algorithm>

namespace restante::http {

namespace {

bool covers(const std::vector<std::string>& patterns, std::string_view text) noexcept
{
    return patterns.empty() ||
           std::any_of(patterns.begin(), patterns.end(), [text](const std::string& pattern) {
               return matchesPattern(pattern, text);
           });
}

}  // namespace

bool TokenGrant::coversTopic(std::string_view topic) const noexcept
{
    return covers(topics, topic);
}

bool TokenGrant::coversSender(std::string_view sender) const noexcept
{
    return covers(senders, sender);
}

}  // namespace restante::http
