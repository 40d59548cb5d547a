#include "core/redis/client/redis_url.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <initializer_list>
#include <optional>
#include <span>

namespace restante::redis {

namespace {

constexpr std::string_view kUnix = "unix";
constexpr std::uint16_t kSentinelPort = 26'379;
constexpr std::string_view kAllowed =
    "allowed are redis[s]://[[user]:password@]host[:port][/db], "
    "redis[s]+sentinel://[[user]:password@]host[:port],.../master[/db], "
    "redis[s]+cluster://[[user]:password@]host[:port],... and "
    "unix:///path[?db=n&user=u&password=p]; with rediss also "
    "?ca=FILE&cert=FILE&key=FILE&sni=NAME&verify=off, with sentinels also "
    "?sentinel_user=u&sentinel_password=p";

/// Never quotes the URL itself: it may hold a password.
tl::unexpected<Error> invalid(const std::string& what)
{
    return failure(ErrorCode::Invalid, "redis URL: " + what + "; " + std::string(kAllowed));
}

/// Splits `text` at the first `mark`: what is before it, and what is after it if it is there.
struct Halves {
    std::string_view before;
    std::optional<std::string_view> after;
};
Halves split(std::string_view text, char mark)
{
    const auto at = text.find(mark);
    if (at == std::string_view::npos) {
        return {text, std::nullopt};
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

Result<void> readInto(std::string& field, std::string_view text)
{
    // A password may have any byte.
    auto plain = percentDecoded(text, Nul::Allowed);
    if (!plain) {
        return invalid("% must be followed by two hexadecimal digits");
    }
    field = std::move(*plain);
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
    return readInto(url.user, user).and_then([&, secret = *password] {
        return readInto(url.password, secret);
    });
}

Result<void> readAddress(std::string& name, std::uint16_t& number, std::string_view text)
{
    std::string_view port;
    if (text.starts_with('[')) {  // an IPv6 address
        const auto [host, rest] = split(text.substr(1), ']');
        if (!rest || (!rest->empty() && rest->front() != ':')) {
            return invalid("an IPv6 address ends with ] and perhaps a port");
        }
        name = host;
        port = rest->empty() ? *rest : rest->substr(1);
        text = *rest;
    } else {
        const auto [host, rest] = split(text, ':');
        name = host;
        port = rest.value_or(std::string_view{});
    }
    if (name.empty()) {
        return invalid("the host is missing");
    }
    const bool wanted = text.find(':') != std::string_view::npos;
    if (wanted && (!readNumber(port, number) || number == 0)) {
        return invalid("the port must be a number from 1 to 65535");
    }
    return {};
}

Result<void>
readAddresses(std::vector<NodeAddress>& places, std::uint16_t usualPort, std::string_view text)
{
    std::optional<std::string_view> rest = text;
    while (rest) {
        const auto [place, others] = split(*rest, ',');
        auto& one = places.emplace_back(NodeAddress{{}, usualPort});
        if (auto read = readAddress(one.host, one.port, place); !read) {
            return read;
        }
        rest = others;
    }
    return {};
}

/// What an option is called, and where it goes; which of them a URL may have depends on its scheme.
struct Option {
    std::string_view name;
    Result<void> (*read)(RedisUrl&, std::string_view name, std::string_view text);
};
using Options = std::span<const Option>;

template <auto Field>
Result<void> readText(RedisUrl& url, std::string_view, std::string_view text)
{
    return readInto(url.*Field, text);
}

template <auto Field>
Result<void> readFilePath(RedisUrl& url, std::string_view name, std::string_view text)
{
    auto& file = (*url.tls).*Field;
    auto read = readInto(file, text);
    if (read && !file.starts_with('/')) {
        return invalid(std::string(name) + " must be the absolute path of a file");
    }
    return read;
}

Result<void> readServerName(RedisUrl& url, std::string_view, std::string_view text)
{
    return readInto(url.tls->serverName, text);
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
    {"password", readText<&RedisUrl::password>},
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
    {"sentinel_password", readText<&RedisUrl::sentinelPassword>},
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
        if (auto read = readOption(url, option, known); !read) {
            return read;
        }
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
    auto read = readInto(url.master, master);
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

Result<RedisUrl> parseTcp(RedisUrl url, std::string_view rest, Topology topology)
{
    // The last one, as a password may hold it, too.
    if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
        if (auto read = readCredentials(url, rest.substr(0, at)); !read) {
            return tl::unexpected<Error>(std::move(read.error()));
        }
        rest.remove_prefix(at + 1);
    }
    const auto [target, options] = split(rest, '?');
    const std::initializer_list<Options> known{
        url.tls ? Options(kTlsOptions) : Options(),
        topology == Topology::Sentinels ? Options(kSentinelOptions) : Options()};
    return readTarget(url, target, topology)
        .and_then([&, options = options] { return readOptions(url, options, known); })
        .and_then([&] { return checkTls(url); })
        .map([&] { return std::move(url); });
}

Result<RedisUrl> parseUnix(std::string_view rest)
{
    RedisUrl url;
    const auto [path, options] = split(rest, '?');
    auto read = readInto(url.socketPath, path).and_then([&, options = options] {
        return readOptions(url, options, {kUnixOptions});
    });
    if (!read) {
        return tl::unexpected(std::move(read.error()));
    }
    if (!url.socketPath.starts_with('/')) {
        return invalid("the path of the socket must be absolute");
    }
    return url;
}

/// What stands for itself in the value of an option, and is easy to read.
constexpr std::string_view kPlain = "/.-_:";

std::string printOptions(const RedisUrl& url)
{
    std::string printed;
    const auto add = [&printed](std::string_view name, std::string_view value) {
        if (!value.empty()) {
            printed += printed.empty() ? '?' : '&';
            printed.append(name).append("=").append(percentEncoded(value, kPlain));
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

std::string printAddresses(const std::vector<NodeAddress>& places, std::string_view mark)
{
    std::string printed;
    for (const auto& place : places) {
        printed.append(printed.empty() ? "" : mark);
        printed += place.print();
    }
    return printed;
}

std::string printAddress(std::string_view host, std::uint16_t port)
{
    const bool isIpv6 = host.find(':') != std::string_view::npos;
    const auto name = isIpv6 ? "[" + std::string(host) + "]" : std::string(host);
    return name + ":" + std::to_string(port);
}

std::string NodeAddress::print() const
{
    return printAddress(host, port);
}

std::string RedisUrl::print() const
{
    const auto number = std::to_string(database);
    if (!socketPath.empty()) {
        return "unix://" + socketPath + (database == 0 ? "" : "?db=" + number);
    }
    std::string printed = tls ? "rediss" : "redis";
    printed += !nodes.empty() ? "+cluster://" : !sentinels.empty() ? "+sentinel://" : "://";
    printed += user.empty() ? "" : user + "@";
    if (!nodes.empty()) {
        printed += printAddresses(nodes, ",");
    } else if (!sentinels.empty()) {
        printed += printAddresses(sentinels, ",") + "/" + percentEncoded(master, kPlain);
    } else {
        printed += printAddress(host, port);
    }
    return printed + (database == 0 ? "" : "/" + number) + printOptions(*this);
}

std::string RedisUrl::place() const
{
    if (!socketPath.empty()) {
        return socketPath;
    }
    if (!nodes.empty()) {
        return "the cluster of " + printAddresses(nodes, ", ");
    }
    return sentinels.empty() ? printAddress(host, port)
                             : master + " of " + printAddresses(sentinels, ", ");
}

Result<RedisUrl> parseRedisUrl(std::string_view url)
{
    const auto end = url.find("://");
    if (end == std::string_view::npos) {
        return invalid("it has no scheme");
    }
    const auto scheme = url.substr(0, end);
    const auto rest = url.substr(end + 3);
    if (scheme == kUnix) {
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
