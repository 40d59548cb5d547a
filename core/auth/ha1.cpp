#include "core/auth/ha1.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::auth {

namespace {

bool isAllowedInUserLine(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return c > ' ' && c != 0x7f && c != '"' && c != '\\';
    });
}

}  // namespace

std::string ha1Of(HashAlgorithm algorithm,
                  std::string_view user,
                  std::string_view realm,
                  std::string_view password)
{
    return hexHash(algorithm, fmt::format("{}:{}:{}", user, realm, password));
}

Result<UserLine> parseUserLine(std::string_view text)
{
    const auto first = text.find(':');
    const auto last = text.rfind(':');
    if (first == std::string_view::npos || first == last) {
        return invalid("is not of the form user:realm:hash");
    }
    UserLine line;
    line.user = text.substr(0, first);
    line.realm = text.substr(first + 1, last - first - 1);
    line.hash = lowered(text.substr(last + 1));
    if (!isAllowedInUserLine(line.user) || !isAllowedInUserLine(line.realm)) {
        return invalid("has a user or a realm that is empty or holds a space, a quote, a "
                       "backslash or a control character");
    }
    const auto algorithms = {HashAlgorithm::Sha256, HashAlgorithm::Md5};
    const auto* algorithm = std::ranges::find(algorithms, line.hash.size(), &hexLength);
    if (algorithm == algorithms.end() || !isHex(line.hash)) {
        return invalid("has no hash of 64 (SHA-256) or 32 (MD5) hex digits at its end");
    }
    line.algorithm = *algorithm;
    return line;
}

}  // namespace restante::auth
