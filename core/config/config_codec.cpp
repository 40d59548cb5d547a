#include "core/config/config_codec.h"

#include "core/base/address_policy.h"
#include "core/base/duration.h"
#include "core/base/text.h"

#include <cctype>
#include <fmt/format.h>

namespace restante::codec {

namespace {
bool hasNoControlCharacters(std::string_view text)
{
    return std::ranges::none_of(text, isAsciiControl);
}
}  // namespace

Codec<std::string> text(std::string allowed, std::function<bool(std::string_view)> accepts)
{
    auto read = [accepts =
                     std::move(accepts)](std::string_view word) -> std::optional<std::string> {
        if (!hasNoControlCharacters(word) || (accepts && !accepts(word))) {
            return {};
        }
        return std::string(word);
    };
    return {std::move(allowed), read, [](const std::string& value) { return value; }};
}

Codec<std::string> databaseUrl(std::string allowed, std::string otherWord)
{
    auto codec = text(std::move(allowed), [otherWord = std::move(otherWord)](auto word) {
        return word.empty() || word == otherWord || isDatabaseUrl(word);
    });
    codec.why = [allowed = codec.allowed](std::string_view word) {
        const auto scheme = word.substr(0, word.find("://"));
        // What is no scheme may be a password.
        const bool isOtherKind = scheme.size() < word.size() && consistsOf(scheme, "+") &&
                                 !isOneOf(scheme, "sqlite mysql postgresql postgres");
        const auto fault = isOtherKind ? fmt::format("\"{}\" is no database that is known", scheme)
                                       : std::string("this is no URL of a database");
        return fmt::format("{}; write {}", fault, allowed);
    };
    return codec;
}

Codec<std::filesystem::path> path()
{
    auto read = [](std::string_view word) -> std::optional<std::filesystem::path> {
        if (!hasNoControlCharacters(word) || (!word.empty() && word.front() != '/')) {
            return {};
        }
        return std::filesystem::path(word);
    };
    return {"an absolute path", read, [](const auto& value) { return value.string(); }};
}

Codec<bool> flag()
{
    auto codec = choice<bool>({{"true", true}, {"false", false}});
    codec.quoted = false;
    return codec;
}

template <class T>
Codec<T> number(std::uint64_t least, std::uint64_t most)
{
    auto read = [=](std::string_view word) -> std::optional<T> {
        const auto value = wholeNumber<std::uint64_t>(word);
        if (!value || *value < least || *value > most) {
            return {};
        }
        return static_cast<T>(*value);
    };
    return {fmt::format("a whole number from {} to {}", least, most), read,
            [](const T& value) { return std::to_string(value); }, false};
}
template Codec<std::uint32_t> number(std::uint64_t, std::uint64_t);
template Codec<std::size_t> number(std::uint64_t, std::uint64_t);

Codec<Millis> duration(Millis least, Millis most)
{
    auto read = [=](std::string_view word) -> std::optional<Millis> {
        const auto value = parseDuration(word);
        return value && *value >= least && *value <= most ? std::optional{*value} : std::nullopt;
    };
    return {fmt::format("a duration from {} to {}, such as 90s, 1h30m or 15d",
                        formatDuration(least), formatDuration(most)),
            read, [](const Millis& value) { return formatDuration(value); }};
}

Codec<Millis> durationOrNever(Millis least, Millis most)
{
    auto read = [=](std::string_view word) -> std::optional<Millis> {
        const auto value = parseDuration(word);
        const bool fits = value && (*value == Millis{0} || (*value >= least && *value <= most));
        return fits ? std::optional{*value} : std::nullopt;
    };
    return {
        fmt::format("0s, or a duration from {} to {}", formatDuration(least), formatDuration(most)),
        read, [](const Millis& value) { return formatDuration(value); }};
}

Codec<SipListen> sipListen()
{
    auto read = [](std::string_view word) -> std::optional<SipListen> {
        SipListen listen;
        const auto transport = word.substr(0, std::min<std::size_t>(word.size(), 4));
        if (transport == "udp:" || transport == "tcp:" || transport == "tls:") {
            listen.udp = transport == "udp:";
            listen.tcp = transport == "tcp:";
            listen.tls = transport == "tls:";
            word.remove_prefix(transport.size());
        }
        auto address = SocketAddress::parse(word);
        if (!address) {
            // SIP's own ports.
            address = SocketAddress::parse(std::string(word) + (listen.tls ? ":5061" : ":5060"));
        }
        if (!address) {
            return {};
        }
        listen.address = std::move(*address);
        return listen;
    };
    auto format = [](const SipListen& value) {
        const std::string transport = value.tls                ? "tls:"
                                      : value.udp == value.tcp ? ""
                                      : value.udp              ? "udp:"
                                                               : "tcp:";
        return transport + value.address.toString();
    };
    return {"127.0.0.1:5060 or [::1]:5060 (UDP and TCP), udp:ADDRESS:PORT, tcp:ADDRESS:PORT or "
            "tls:ADDRESS:PORT; port 0 is any free port",
            read, format};
}

Codec<std::optional<SocketAddress>> optionalAddress()
{
    using Optional = std::optional<SocketAddress>;
    auto read = [](std::string_view word) -> std::optional<Optional> {
        if (word == "off") {
            return Optional{};
        }
        auto address = SocketAddress::parse(word);
        return address ? std::optional<Optional>{std::move(*address)} : std::nullopt;
    };
    return {"off, 127.0.0.1:9277 or [::1]:9277; port 0 is any free port", read,
            [](const Optional& value) { return value ? value->toString() : "off"; }};
}

bool isHostNameOrAddress(std::string_view text)
{
    constexpr std::size_t kLongestName = 253;  // RFC 1035, 2.3.4, as text
    return text.size() <= kLongestName && consistsOf(text, ".-_:[]");
}

bool isToken(std::string_view text)
{
    return consistsOf(text, "-.!%*_+`'~");
}

bool isSipUri(std::string_view text)
{
    const auto scheme = text.find(':');
    return (text.starts_with("sip:") || text.starts_with("sips:")) && scheme + 1 < text.size() &&
           std::ranges::none_of(text, [](unsigned char c) {
               return std::isspace(c) != 0 || c == '<' || c == '>' || c == '"' || c == ',';
           });
}

bool isDatabaseUrl(std::string_view text)
{
    return text.starts_with("sqlite:///") || text.starts_with("mysql://") ||
           text.starts_with("postgresql://") || text.starts_with("postgres://");
}

bool isNetworkOrHost(std::string_view text)
{
    return AddressPolicy::allowing({std::string(text)}).has_value();
}

}  // namespace restante::codec
