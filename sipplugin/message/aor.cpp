#include "sipplugin/message/aor.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "sipplugin/message/socket_name.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fmt/format.h>

namespace restante::sip {

namespace {

/// See foldUsers(): read by every thread, HTTP's too.
std::atomic<bool> usersAreFolded{false};

/// Besides letters and digits: `unreserved` and `user-unreserved` of RFC 3261 section 25.1, which
/// may stand unescaped in a user.
constexpr std::string_view kUnescapedInUser = "-_.!~*'()&=+$,;?/";

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

/// Whether `c` is not allowed in an address between < and >.
bool isForbiddenInAddrSpec(char c)
{
    return isBlank(c) || c == '"' || c == '<' || c == '>';
}

/// The position of the first `wanted` outside quotes and angle brackets.
std::size_t findOutside(std::string_view text, char wanted, std::size_t from = 0)
{
    bool inQuotes = false;
    bool inBrackets = false;
    for (auto i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (inQuotes && c == '\\') {
            ++i;
        } else if (c == '"' && !inBrackets) {
            inQuotes = !inQuotes;
        } else if (!inQuotes && c == wanted && !inBrackets) {
            return i;
        } else if (!inQuotes && (c == '<' || c == '>')) {
            inBrackets = c == '<';
        }
    }
    return std::string_view::npos;
}

std::vector<std::pair<std::string, std::string>> parseParams(std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> params;
    while (!text.empty()) {
        const auto end = findOutside(text, ';');
        const auto param = text.substr(0, end);
        const auto equals = param.find('=');
        const auto paramName = lowered(trimmed(param.substr(0, equals)));
        if (!paramName.empty()) {
            params.emplace_back(paramName, equals == std::string_view::npos
                                               ? ""
                                               : trimmed(param.substr(equals + 1)));
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return params;
}

const std::string* findParam(const std::vector<std::pair<std::string, std::string>>& params,
                             std::string_view wanted)
{
    const auto found = std::ranges::find(params, wanted,
                                         [](const auto& p) -> std::string_view { return p.first; });
    return found == params.end() ? nullptr : &found->second;
}

tl::unexpected<Error> badUri(std::string_view text, std::string_view why)
{
    return invalid("SIP address \"{}\": {}", text, why);
}

/// Takes the host off the front of `rest`; empty when there is none, or none that is valid.
std::string takeHost(std::string_view& rest)
{
    if (rest.starts_with('[')) {
        const auto end = rest.find(']');
        if (end == std::string_view::npos) {
            return {};
        }
        const auto name = socketNameOf(std::string{rest.substr(1, end - 1)}, 0);
        rest.remove_prefix(end + 1);
        return name.family() == AF_INET6 ? bracketed(addressOf(name, Transport::Udp).host) : "";
    }
    const auto end = std::ranges::find_if_not(
        rest, [](char c) { return isAlphanumeric(c) || c == '-' || c == '.' || c == '_'; });
    auto host = lowered({rest.data(), static_cast<std::size_t>(end - rest.begin())});
    rest.remove_prefix(host.size());
    if (host.size() > 1 && host.ends_with('.')) {
        host.pop_back();  // the root of the DNS, spelled out
    }
    const bool hasEmptyLabel =
        host.starts_with('.') || host.ends_with('.') || host.find("..") != std::string::npos;
    return hasEmptyLabel ? std::string{} : host;
}

Result<std::string> canonicalUser(std::string_view user)
{
    if (consistsOf(user, kUnescapedInUser)) {
        return std::string{user};
    }
    const auto bytes = percentDecoded(user, Nul::Allowed);
    if (!bytes) {
        return badUri(user, "% is not followed by two hexadecimal digits");
    }
    return percentEncoded(*bytes, kUnescapedInUser);
}

/// The display name as section 25.1 requires it: quoted, or tokens with blanks between them.
std::string quotedDisplayName(const std::string& name)
{
    std::string withoutBlanks;
    std::ranges::remove_copy_if(name, std::back_inserter(withoutBlanks), isBlank);
    if (withoutBlanks.empty() || withoutBlanks.front() == '"' || isToken(withoutBlanks)) {
        return name;
    }
    std::string quoted = "\"";
    for (const char c : name) {
        quoted.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
    }
    return quoted + '"';
}

}  // namespace

const std::string* SipUri::param(std::string_view wanted) const
{
    return findParam(params, wanted);
}

Result<SipUri> parseSipUri(std::string_view text)
{
    if (std::ranges::any_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
        return invalid("a SIP address contains a space or a control character");
    }
    const auto colon = text.find(':');
    SipUri uri;
    uri.scheme = lowered(text.substr(0, colon));
    if (colon == std::string_view::npos || (uri.scheme != "sip" && uri.scheme != "sips")) {
        return badUri(text, "does not begin with sip: or sips:");
    }
    auto rest = text.substr(colon + 1);
    if (const auto at = rest.find('@'); at != std::string_view::npos) {
        uri.user = rest.substr(0, std::min(at, rest.find(':')));
        rest.remove_prefix(at + 1);
        if (uri.user.empty()) {
            return badUri(text, "has no user before the @");
        }
    }
    uri.host = takeHost(rest);
    if (uri.host.empty()) {
        return badUri(text, "has no host name or address");
    }
    if (rest.starts_with(':')) {
        const auto* end = rest.data() + rest.size();
        const auto [stop, error] = std::from_chars(rest.data() + 1, end, uri.port);
        if (error != std::errc{} || uri.port == 0) {
            return badUri(text, "has no port from 1 to 65535 after the host");
        }
        rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    }
    if (!rest.empty() && rest.front() != ';' && rest.front() != '?') {
        return badUri(text, "goes on after the host with something else than ; or ?");
    }
    const auto question = rest.find('?');
    uri.params = parseParams(rest.substr(0, question));
    if (question != std::string_view::npos) {
        uri.headers = rest.substr(question + 1);
    }
    return uri;
}

void foldUsers(bool fold) noexcept
{
    usersAreFolded = fold;
}

Result<std::string> canonicalAor(std::string_view text)
{
    return aorOf(TRY(parseSipUri(text)));
}

Result<std::string> aorOf(const SipUri& uri)
{
    if (uri.user.empty()) {
        return badUri(fmt::format("{}:{}", uri.scheme, uri.host), "names no user");
    }
    return canonicalUser(uri.user).map([&](const std::string& user) {
        std::string aor = "sip:";
        aor.reserve(aor.size() + user.size() + 1 + uri.host.size());
        aor.append(user);
        if (usersAreFolded) {
            std::ranges::transform(aor, aor.begin(), toLower);
        }
        return aor.append("@").append(uri.host);
    });
}

std::string_view hostOfAor(std::string_view aor)
{
    const auto at = aor.find('@');
    return at == std::string_view::npos ? std::string_view{} : aor.substr(at + 1);
}

bool isToken(std::string_view text) noexcept
{
    return consistsOf(text, "-.!%*_+`'~");
}

const std::string* NameAddr::param(std::string_view wanted) const
{
    return findParam(params, wanted);
}

std::string NameAddr::formatWithoutTag() const
{
    std::string out = quotedDisplayName(displayName);
    if (!out.empty()) {
        out += ' ';
    }
    out.append("<").append(uri).append(">");
    for (const auto& [paramName, value] : params) {
        if (paramName != "tag") {
            out.append(";").append(paramName);
            out.append(value.empty() ? "" : "=").append(value);
        }
    }
    return out;
}

Result<NameAddr> parseNameAddr(std::string_view text)
{
    NameAddr address;
    text = trimmed(text);
    std::string_view rest;
    if (const auto open = findOutside(text, '<'); open != std::string_view::npos) {
        const auto close = text.find('>', open);
        if (close == std::string_view::npos) {
            return invalid("an address has < without >");
        }
        address.displayName = trimmed(text.substr(0, open));
        address.uri = trimmed(text.substr(open + 1, close - open - 1));
        rest = text.substr(close + 1);
    } else {
        // Without brackets, parameters belong to the header (RFC 3261 section 20).
        address.uri = trimmed(text.substr(0, text.find(';')));
        rest = text.substr(std::min(text.size(), address.uri.size()));
    }
    rest = trimmed(rest);
    const bool isAddrSpec = std::ranges::none_of(address.uri, isForbiddenInAddrSpec);
    if (address.uri.empty() || !isAddrSpec || (!rest.empty() && rest.front() != ';')) {
        return invalid("an address is not of the form \"name\" <uri>;parameters");
    }
    address.params = parseParams(rest);
    return address;
}

std::string tagOf(std::string_view header)
{
    const auto address = parseNameAddr(header);
    const auto* tag = address ? address->param("tag") : nullptr;
    return tag != nullptr ? *tag : "";
}

std::vector<std::string_view> splitAddresses(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (true) {
        const auto comma = findOutside(text, ',');
        if (const auto part = trimmed(text.substr(0, comma)); !part.empty()) {
            parts.push_back(part);
        }
        if (comma == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(comma + 1);
    }
}

}  // namespace restante::sip
