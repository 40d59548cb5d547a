#include "core/redis/client/redis_url.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/try.h"

#include <algorithm>
#include <initializer_list>
#include <span>

namespace restante::redis {

namespace {

constexpr std::string_view kUnixScheme = "unix";
constexpr std::uint16_t kSentinelPort = 26'379;
constexpr std::string_view kAllowedOptions =
    "with unix also ?db=n&user=u&password=p, with rediss "
    "?ca=FILE&cert=FILE&key=FILE&sni=NAME&verify=off, with sentinels "
    "?sentinel_user=u&sentinel_password=p";

/// Never quotes the URL itself: it may hold a password.
tl::unexpected<Error> invalid(const std::string& what)
{
    return restante::invalid("redis URL: {}; allowed are {}; {}", what, kRedisUrlForms,
                             kAllowedOptions);
}

/// `text` split at the first `separator`; `after` is none when there is no separator.
struct Halves {
    std::string_view before;
    std::optional<std::string_view> after;
};
Halves split(std::string_view text, char separator)
{
    const auto at = text.find(separator);
    if (at == std::string_view::npos) {
        return {text, std::nullopt};
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

bool hasControlCharacter(std::string_view text)
{
    return std::ranges::any_of(text, isAsciiControl);
}

/// A password may have any byte.
Result<void> decodeSecretInto(std::string& field, std::string_view text)
{
    auto plain = percentDecoded(text, Nul::Allowed);
    if (!plain) {
        return invalid("% must be followed by two hexadecimal digits");
    }
    field = std::move(*plain);
    return {};
}

/// Anything else is printed: in logs, in messages, on a terminal.
Result<void> decodeInto(std::string& field, std::string_view text)
{
    TRY(decodeSecretInto(field, text));
    if (hasControlCharacter(field)) {
        return invalid("only a password may have control characters");
    }
    return {};
}

Result<void> readDatabase(RedisUrl& url, std::string_view /*name*/, std::string_view text)
{
    if (!readNumber(text, url.database)) {
        return invalid("the database must be a number");
    }
    return {};
}

Result<void> readCredentials(RedisUrl& url, std::string_view text)
{
    const auto [user, password] = split(text, ':');
    if (!password) {
        return invalid("a password must follow the user");
    }
    return decodeInto(url.user, user).and_then([&, secret = *password] {
        return decodeSecretInto(url.password, secret);
    });
}

Result<void> readAddress(std::string& host, std::uint16_t& port, std::string_view text)
{
    std::string_view portText;
    if (text.starts_with('[')) {  // an IPv6 address
        const auto [ipv6, rest] = split(text.substr(1), ']');
        if (!rest || (!rest->empty() && rest->front() != ':')) {
            return invalid("an IPv6 address ends with ] and perhaps a port");
        }
        host = ipv6;
        portText = rest->empty() ? *rest : rest->substr(1);
        text = *rest;
    } else {
        const auto [name, rest] = split(text, ':');
        host = name;
        portText = rest.value_or(std::string_view{});
    }
    if (host.empty()) {
        return invalid("the host is missing");
    }
    const bool hasPort = text.find(':') != std::string_view::npos;
    if (hasPort && (!readNumber(portText, port) || port == 0)) {
        return invalid("the port must be a number from 1 to 65535");
    }
    return {};
}

Result<void>
readAddresses(std::vector<NodeAddress>& addresses, std::uint16_t usualPort, std::string_view text)
{
    std::optional<std::string_view> rest = text;
    while (rest) {
        const auto [address, others] = split(*rest, ',');
        auto& node = addresses.emplace_back(NodeAddress{{}, usualPort});
        TRY(readAddress(node.host, node.port, address));
        rest = others;
    }
    return {};
}

/// An option of a URL, by name; the scheme decides which options are allowed.
struct Option {
    std::string_view name;
    Result<void> (*read)(RedisUrl&, std::string_view name, std::string_view text);
};
using Options = std::span<const Option>;

template <auto Field>
Result<void> readText(RedisUrl& url, std::string_view, std::string_view text)
{
    return decodeInto(url.*Field, text);
}

template <auto Field>
Result<void> readSecret(RedisUrl& url, std::string_view, std::string_view text)
{
    return decodeSecretInto(url.*Field, text);
}

template <auto Field>
Result<void> readFilePath(RedisUrl& url, std::string_view name, std::string_view text)
{
    auto& file = (*url.tls).*Field;
    auto read = decodeInto(file, text);
    if (read && !file.starts_with('/')) {
        return invalid(std::string(name) + " must be the absolute path of a file");
    }
    return read;
}

Result<void> readServerName(RedisUrl& url, std::string_view, std::string_view text)
{
    return decodeInto(url.tls->serverName, text);
}

Result<void> readVerify(RedisUrl& url, std::string_view, std::string_view text)
{
    if (text != "on" && text != "off") {
        return invalid("verify must be on or off");
    }
    url.tls->verify = text == "on" ? RedisUrl::Tls::Verify::Yes : RedisUrl::Tls::Verify::No;
    return {};
}

constexpr Option kUnixOptions[] = {
    {"db", readDatabase},
    {"user", readText<&RedisUrl::user>},
    {"password", readSecret<&RedisUrl::password>},
};

constexpr Option kTlsOptions[] = {
    {"ca", readFilePath<&RedisUrl::Tls::ca>},
    {"cert", readFilePath<&RedisUrl::Tls::certificate>},
    {"key", readFilePath<&RedisUrl::Tls::key>},
    {"sni", readServerName},
    {"verify", readVerify},
};

constexpr Option kSentinelOptions[] = {
    {"sentinel_user", readText<&RedisUrl::sentinelUser>},
    {"sentinel_password", readSecret<&RedisUrl::sentinelPassword>},
};

Result<void> readOption(RedisUrl& url, std::string_view text, std::initializer_list<Options> known)
{
    const auto [name, value] = split(text, '=');
    for (const auto& options : known) {
        for (const auto& option : options) {
            if (option.name == name) {
                return value && !value->empty() ? option.read(url, name, *value)
                                                : invalid(std::string(name) + " must have a value");
            }
        }
    }
    return invalid("the option \"" + std::string(name) + "\" is not one of this scheme");
}

Result<void> readOptions(RedisUrl& url,
                         std::optional<std::string_view> text,
                         std::initializer_list<Options> known)
{
    while (text && !text->empty()) {
        const auto [option, others] = split(*text, '&');
        TRY(readOption(url, option, known));
        text = others;
    }
    return {};
}

Result<void> readMaster(RedisUrl& url, std::optional<std::string_view> path)
{
    const auto [master, database] = split(path.value_or(std::string_view{}), '/');
    if (master.empty()) {
        return invalid("the name of the master must follow the sentinels");
    }
    auto read = decodeInto(url.master, master);
    if (read && database && !database->empty()) {
        read = readDatabase(url, {}, *database);
    }
    return read;
}

enum class Topology { Direct, Sentinels, Cluster };

Result<void> readTarget(RedisUrl& url, std::string_view rest, Topology topology)
{
    const auto [hosts, path] = split(rest, '/');
    if (topology == Topology::Sentinels) {
        return readAddresses(url.sentinels, kSentinelPort, hosts).and_then([&, path = path] {
            return readMaster(url, path);
        });
    }
    if (topology == Topology::Cluster) {
        if (path && !path->empty() && *path != "0") {
            return invalid("a Redis Cluster has no databases but 0");
        }
        return readAddresses(url.nodes, url.port, hosts);
    }
    auto read = readAddress(url.host, url.port, hosts);
    if (read && path && !path->empty()) {
        read = readDatabase(url, {}, *path);
    }
    return read;
}

Result<void> checkTls(const RedisUrl& url)
{
    if (url.tls && url.tls->certificate.empty() != url.tls->key.empty()) {
        return invalid("cert and key belong together");
    }
    return {};
}

/// Index of the '?' before the options, or the size; a '?' without "name=" after it belongs to a
/// password.
std::size_t beginOfOptions(std::string_view rest)
{
    for (auto at = rest.find('?'); at != std::string_view::npos; at = rest.find('?', at + 1)) {
        const auto behind = rest.substr(at + 1);
        const auto end = behind.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
        if (end != 0 && end != std::string_view::npos && behind[end] == '=') {
            return at;
        }
    }
    return rest.size();
}

Result<RedisUrl> parseTcp(RedisUrl url, std::string_view rest, Topology topology)
{
    // The last '@' before the options: a password may have one, and so may the name of a file.
    if (const auto at = rest.substr(0, beginOfOptions(rest)).rfind('@');
        at != std::string_view::npos) {
        TRY(readCredentials(url, rest.substr(0, at)));
        rest.remove_prefix(at + 1);
    }
    const auto [target, options] = split(rest, '?');
    const std::initializer_list<Options> known{
        url.tls ? Options(kTlsOptions) : Options(),
        topology == Topology::Sentinels ? Options(kSentinelOptions) : Options()};
    TRY(readTarget(url, target, topology));
    TRY(readOptions(url, options, known));
    TRY(checkTls(url));
    return url;
}

Result<RedisUrl> parseUnix(std::string_view rest)
{
    RedisUrl url;
    const auto [path, options] = split(rest, '?');
    TRY(decodeInto(url.socketPath, path));
    TRY(readOptions(url, options, {kUnixOptions}));
    if (!url.socketPath.starts_with('/')) {
        return invalid("the path of the socket must be absolute");
    }
    return url;
}

/// Not percent-encoded in the values of options and in the name of a master, so that they stay
/// readable.
constexpr std::string_view kUnescaped = "/.-_:";

/// A path that parseRedisUrl() reads back, and that stays as readable as it was: encoded is only
/// what has a meaning in the URL.
std::string formatPath(std::string_view path)
{
    std::string printed;
    for (const char character : path) {
        if (character == '%' || character == '?') {
            printed += character == '%' ? "%25" : "%3F";
        } else {
            printed += character;
        }
    }
    return printed;
}

std::string formatOptions(const RedisUrl& url)
{
    std::string printed;
    const auto add = [&printed](std::string_view name, std::string_view value) {
        if (!value.empty()) {
            printed += printed.empty() ? '?' : '&';
            printed.append(name).append("=").append(percentEncoded(value, kUnescaped));
        }
    };
    if (url.tls) {
        add("ca", url.tls->ca);
        add("cert", url.tls->certificate);
        add("key", url.tls->key);
        add("sni", url.tls->serverName);
        add("verify", url.tls->verify == RedisUrl::Tls::Verify::No ? "off" : "");
    }
    add("sentinel_user", url.sentinelUser);
    return printed;
}

}  // namespace

std::string formatAddresses(const std::vector<NodeAddress>& addresses, std::string_view separator)
{
    std::string printed;
    for (const auto& address : addresses) {
        printed.append(printed.empty() ? "" : separator);
        printed += address.toString();
    }
    return printed;
}

std::string formatAddress(std::string_view host, std::uint16_t port)
{
    const bool isIpv6 = host.find(':') != std::string_view::npos;
    const auto name = isIpv6 ? "[" + std::string(host) + "]" : std::string(host);
    return name + ":" + std::to_string(port);
}

std::string NodeAddress::toString() const
{
    return formatAddress(host, port);
}

std::string RedisUrl::toString() const
{
    const auto number = std::to_string(database);
    if (!socketPath.empty()) {
        return "unix://" + formatPath(socketPath) + (database == 0 ? "" : "?db=" + number);
    }
    std::string printed = tls ? "rediss" : "redis";
    printed += !nodes.empty() ? "+cluster://" : !sentinels.empty() ? "+sentinel://" : "://";
    printed += user.empty() ? "" : user + "@";
    if (!nodes.empty()) {
        printed += formatAddresses(nodes, ",");
    } else if (!sentinels.empty()) {
        printed += formatAddresses(sentinels, ",") + "/" + percentEncoded(master, kUnescaped);
    } else {
        printed += formatAddress(host, port);
    }
    return printed + (database == 0 ? "" : "/" + number) + formatOptions(*this);
}

std::string RedisUrl::location() const
{
    if (!socketPath.empty()) {
        return socketPath;
    }
    if (!nodes.empty()) {
        return "the cluster of " + formatAddresses(nodes, ", ");
    }
    return sentinels.empty() ? formatAddress(host, port)
                             : master + " of " + formatAddresses(sentinels, ", ");
}

Result<RedisUrl> parseRedisUrl(std::string_view url)
{
    if (hasControlCharacter(url)) {
        return invalid("a control character is in it; write one of a password as %0A");
    }
    const auto end = url.find("://");
    if (end == std::string_view::npos) {
        return invalid("it has no scheme");
    }
    const auto scheme = url.substr(0, end);
    const auto rest = url.substr(end + 3);
    if (scheme == kUnixScheme) {
        return parseUnix(rest);
    }
    const auto [base, kind] = split(scheme, '+');
    RedisUrl parsed;
    if (base == "rediss") {
        parsed.tls = RedisUrl::Tls{};
    }
    const bool isRedis = base == "redis" || base == "rediss";
    if (isRedis && (!kind || *kind == "sentinel" || *kind == "cluster")) {
        return parseTcp(std::move(parsed), rest,
                        !kind                 ? Topology::Direct
                        : *kind == "sentinel" ? Topology::Sentinels
                                              : Topology::Cluster);
    }
    return invalid("scheme \"" + std::string(scheme) + "\" is not supported");
}

}  // namespace restante::redis
