#include "core/redis/redis_url.h"

#include <charconv>
#include <optional>

namespace restante::redis {

namespace {

constexpr std::string_view kTcp = "redis://";
constexpr std::string_view kUnix = "unix://";
constexpr std::string_view kAllowed = "allowed are redis://[[user]:password@]host[:port][/db] and "
                                      "unix:///path[?db=n&user=u&password=p]";

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

template <class Number>
bool readNumber(std::string_view text, Number& number)
{
    const auto* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end;
}

Result<std::string> decode(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        unsigned char byte = 0;
        const auto* const digits = text.data() + i + 1;
        if (i + 2 >= text.size() ||
            std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
            return invalid("% must be followed by two hexadecimal digits");
        }
        plain += static_cast<char>(byte);
        i += 2;
    }
    return plain;
}

Result<void> readInto(std::string& field, std::string_view text)
{
    auto plain = decode(text);
    if (!plain) {
        return tl::unexpected<Error>(std::move(plain.error()));
    }
    field = std::move(*plain);
    return {};
}

Result<void> readDatabase(RedisUrl& url, std::string_view text)
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

Result<void> readHost(RedisUrl& url, std::string_view text)
{
    std::string_view port;
    if (text.starts_with('[')) {  // an IPv6 address
        const auto [host, rest] = split(text.substr(1), ']');
        if (!rest || (!rest->empty() && rest->front() != ':')) {
            return invalid("an IPv6 address ends with ] and perhaps a port");
        }
        url.host = host;
        port = rest->empty() ? *rest : rest->substr(1);
        text = *rest;
    } else {
        const auto [host, rest] = split(text, ':');
        url.host = host;
        port = rest.value_or(std::string_view{});
    }
    if (url.host.empty()) {
        return invalid("the host is missing");
    }
    const bool wanted = text.find(':') != std::string_view::npos;
    if (wanted && (!readNumber(port, url.port) || url.port == 0)) {
        return invalid("the port must be a number from 1 to 65535");
    }
    return {};
}

Result<void> readOption(RedisUrl& url, std::string_view option)
{
    const auto [key, value] = split(option, '=');
    const auto text = value.value_or(std::string_view{});
    if (key == "db") {
        return readDatabase(url, text);
    }
    if (key == "user") {
        return readInto(url.user, text);
    }
    if (key == "password") {
        return readInto(url.password, text);
    }
    return invalid("unknown option \"" + std::string(key) + "\"");
}

Result<RedisUrl> parseTcp(std::string_view rest)
{
    RedisUrl url;
    if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
        if (auto read = readCredentials(url, rest.substr(0, at)); !read) {
            return tl::unexpected<Error>(std::move(read.error()));
        }
        rest.remove_prefix(at + 1);
    }
    const auto [host, database] = split(rest, '/');
    auto read = readHost(url, host);
    if (read && database && !database->empty()) {
        read = readDatabase(url, *database);
    }
    if (!read) {
        return tl::unexpected<Error>(std::move(read.error()));
    }
    return url;
}

Result<RedisUrl> parseUnix(std::string_view rest)
{
    RedisUrl url;
    auto [path, options] = split(rest, '?');
    auto read = readInto(url.socketPath, path);
    while (read && options && !options->empty()) {
        const auto [option, others] = split(*options, '&');
        read = readOption(url, option);
        options = others;
    }
    if (!read) {
        return tl::unexpected<Error>(std::move(read.error()));
    }
    if (!url.socketPath.starts_with('/')) {
        return invalid("the path of the socket must be absolute");
    }
    return url;
}

}  // namespace

std::string RedisUrl::print() const
{
    const auto number = std::to_string(database);
    if (!socketPath.empty()) {
        return "unix://" + socketPath + (database == 0 ? "" : "?db=" + number);
    }
    const bool isIpv6 = host.find(':') != std::string::npos;
    return "redis://" + (user.empty() ? "" : user + "@") + (isIpv6 ? "[" + host + "]" : host) +
           ":" + std::to_string(port) + (database == 0 ? "" : "/" + number);
}

Result<RedisUrl> parseRedisUrl(std::string_view url)
{
    if (url.starts_with(kTcp)) {
        return parseTcp(url.substr(kTcp.size()));
    }
    if (url.starts_with(kUnix)) {
        return parseUnix(url.substr(kUnix.size()));
    }
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) {
        return invalid("it has no scheme");
    }
    return invalid("scheme \"" + std::string(url.substr(0, scheme)) + "\" is not supported");
}

}  // namespace restante::redis
