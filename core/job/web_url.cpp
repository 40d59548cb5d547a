#include "core/job/web_url.h"

#include "core/base/network.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante {

namespace {

constexpr std::size_t kLongestHostName = 253;  // RFC 1035, 2.3.4, as text
constexpr std::size_t kLongestLabel = 63;      // RFC 1035, 2.3.4
constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

tl::unexpected<Error> refusal(std::string_view why)
{
    return invalid("{}; write http://host[:port]/path or https://host[:port]/path", why);
}

bool isUrlText(std::string_view text)
{
    // Characters that RFC 3986 does not allow; some parsers take a backslash for a slash.
    constexpr std::string_view kForbidden = "\"<>\\^`{|}";
    return std::ranges::all_of(text, [&](char c) {
        return c > ' ' && c < '\x7f' && kForbidden.find(c) == std::string_view::npos;
    });
}

bool isHostName(std::string_view host)
{
    if (host.ends_with('.')) {
        host.remove_suffix(1);
    }
    if (host.empty() || host.size() > kLongestHostName) {
        return false;
    }
    std::size_t labelLength = 0;
    for (const char c : host) {
        const bool isAllowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                               c == '_' || (c == '.' && labelLength > 0);
        labelLength = c == '.' ? 0 : labelLength + 1;
        if (!isAllowed || labelLength > kLongestLabel) {
            return false;
        }
    }
    return labelLength > 0;
}

/// Reads "host", "host:port" or "[address]:port" into `url`.
Result<void> readAuthority(std::string_view text, WebUrl& url)
{
    if (text.find('@') != std::string_view::npos) {
        return refusal("a URL with a user name or a password is not allowed");
    }
    const bool isBracketed = text.starts_with('[');
    const auto close = text.find(']');
    const auto end = isBracketed && close != std::string_view::npos ? close + 1 : text.find(':');
    const auto host = text.substr(0, end);
    url.host = lowered(isBracketed && host.size() > 2 ? host.substr(1, host.size() - 2) : host);
    const bool isV6 = url.host.find(':') != std::string::npos && addressBytes(url.host);
    if (isBracketed ? close == std::string_view::npos || !isV6 : !isHostName(url.host)) {
        return refusal("its host is neither a name nor an address");
    }
    if (end >= text.size()) {
        return {};
    }
    const auto port = text.substr(end + 1);
    url.port = wholeNumber<std::uint16_t>(port).value_or(0);
    if (text[end] != ':' || url.port == 0) {
        return refusal("its port is not a number from 1 to 65535");
    }
    return {};
}

}  // namespace

std::string WebUrl::authority() const
{
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

bool WebUrl::isAddress() const noexcept
{
    return addressBytes(host).has_value();
}

Result<WebUrl> parseWebUrl(std::string_view text, std::size_t longest)
{
    if (text.size() > longest || !isUrlText(text)) {
        return refusal(fmt::format(
            "a URL is at most {} printable ASCII characters without spaces, quotes, <>, \\, ^, `, "
            "{{|}} (others as %XX, a host in other letters as xn--...)",
            longest));
    }
    WebUrl url;
    const auto start = lowered(text.substr(0, kHttps.size()));
    url.tls = start == kHttps;
    if (!url.tls && !start.starts_with(kHttp)) {
        return refusal("a URL starts with http:// or https://");
    }
    if (text.find('#') != std::string_view::npos) {
        return refusal("a URL with a #fragment is not allowed: it would never be sent");
    }
    constexpr std::uint16_t kHttpPort = 80;
    constexpr std::uint16_t kHttpsPort = 443;
    url.port = url.tls ? kHttpsPort : kHttpPort;
    text.remove_prefix(url.tls ? kHttps.size() : kHttp.size());
    const auto end = std::min(text.find_first_of("/?"), text.size());
    url.target = text.substr(end);
    if (!url.target.starts_with('/')) {
        url.target.insert(0, 1, '/');
    }
    return readAuthority(text.substr(0, end), url).map([&] { return url; });
}

}  // namespace restante
