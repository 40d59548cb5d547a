#pragma once

#include "core/config/config_keys.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How one word of configuration becomes a value of type T and back: the building blocks of the
/// catalogue in config_keys.cpp.
namespace restante::codec {

template <class T>
struct Codec {
    std::string allowed;  ///< ends the sentence "... is not allowed; write "
    std::function<std::optional<T>(std::string_view)> read;
    std::function<std::string(const T&)> format;
    bool quoted = true;  ///< in TOML: a string, not a number or a bool
    /// Says what is wrong with a word that is not read, where it must not be repeated: it may hold
    /// a password. Empty: the word is repeated.
    std::function<std::string(std::string_view)> why = {};
};

/// Text without control characters that `accepts` allows; without `accepts`, any such text.
Codec<std::string> text(std::string allowed, std::function<bool(std::string_view)> accepts = {});
/// The URL of an SQL database, `otherWord`, or nothing. A word that is refused is not repeated.
Codec<std::string> databaseUrl(std::string allowed, std::string otherWord = {});
Codec<std::filesystem::path> path();
Codec<bool> flag();
template <class T>
Codec<T> number(std::uint64_t least, std::uint64_t most);
Codec<Millis> duration(Millis least, Millis most);
/// A duration in these bounds, or 0 for never.
Codec<Millis> durationOrNever(Millis least, Millis most);
Codec<SipListen> sipListen();
/// A socket address; "off" = none.
Codec<std::optional<SocketAddress>> optionalAddress();

bool isHostNameOrAddress(std::string_view text);
/// A name made of RFC 3261's token characters.
bool isToken(std::string_view text);
bool isSipUri(std::string_view text);
/// A URL of an SQL database.
bool isDatabaseUrl(std::string_view text);
/// Whether AddressPolicy::allowing() accepts it.
bool isNetworkOrHost(std::string_view text);

/// A codec that uses T::parse() and T::toString().
template <class T>
Codec<T> parsed(std::string allowed)
{
    auto read = [](std::string_view word) -> std::optional<T> {
        auto value = T::parse(word);
        return value ? std::optional<T>{std::move(*value)} : std::nullopt;
    };
    return {std::move(allowed), read, [](const T& value) { return value.toString(); }};
}

/// One of a few words.
template <class T>
Codec<T> choice(std::vector<std::pair<std::string, T>> words)
{
    std::string allowed;
    for (const auto& [word, value] : words) {
        allowed += (allowed.empty() ? "" : &word == &words.back().first ? " or " : ", ") + word;
    }
    auto read = [words](std::string_view text) -> std::optional<T> {
        for (const auto& [word, value] : words) {
            if (word == text) {
                return value;
            }
        }
        return {};
    };
    auto format = [words](const T& wanted) {
        return std::ranges::find_if(words, [&](auto& w) { return w.second == wanted; })->first;
    };
    return {allowed, read, format};
}

}  // namespace restante::codec
