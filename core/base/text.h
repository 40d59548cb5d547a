#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace restante {

/// Text functions for protocols and configuration. Letters are those of ASCII whatever the locale
/// says, and a NUL is a character like any other. *Pure functions*; a view that is returned borrows
/// from the text that was given.

constexpr char toLower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The text in lower-case letters.
std::string lowered(std::string_view text);

constexpr bool equalIgnoringCase(std::string_view a, std::string_view b) noexcept
{
    return std::ranges::equal(a, b, {}, toLower, toLower);
}

constexpr bool startsWithIgnoringCase(std::string_view text, std::string_view front) noexcept
{
    return equalIgnoringCase(text.substr(0, front.size()), front);
}

inline constexpr std::string_view kBlanks = " \t";

/// Without the `blanks` at its end.
constexpr std::string_view trimmedAtEnd(std::string_view text,
                                        std::string_view blanks = kBlanks) noexcept
{
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Without the `blanks` at both ends.
constexpr std::string_view trimmed(std::string_view text,
                                   std::string_view blanks = kBlanks) noexcept
{
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return trimmedAtEnd(text, blanks);
}

constexpr bool isDigit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

constexpr bool isAlphanumeric(char c) noexcept
{
    return isDigit(c) || (toLower(c) >= 'a' && toLower(c) <= 'z');
}

constexpr bool isAsciiControl(char c) noexcept
{
    return (c >= '\0' && c < ' ') || c == '\x7f';
}

/// Whether it is one or more decimal digits and nothing else.
constexpr bool isDigits(std::string_view text) noexcept
{
    return !text.empty() && std::ranges::all_of(text, isDigit);
}

/// Whether it is one or more letters, digits and `signs`, and nothing else.
constexpr bool consistsOf(std::string_view text, std::string_view signs) noexcept
{
    return !text.empty() && std::ranges::all_of(text, [signs](char c) {
        return isAlphanumeric(c) || signs.find(c) != std::string_view::npos;
    });
}

/// Whether it may be the name of an HTTP field or method: RFC 9110 section 5.6.2.
constexpr bool isHttpToken(std::string_view text) noexcept
{
    return consistsOf(text, "!#$%&'*+-.^_`|~");
}

/// The parts between the separators, also empty ones: always one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The parts between any of the separators, without empty ones.
std::vector<std::string_view> splitWords(std::string_view text, std::string_view separators);

/// Whether `word` is one of `words`, which stand between single spaces; compared without case.
constexpr bool isOneOf(std::string_view word, std::string_view words) noexcept
{
    while (!words.empty()) {
        const auto one = words.substr(0, words.find(' '));
        if (equalIgnoringCase(one, word)) {
            return true;
        }
        words.remove_prefix(std::min(words.size(), one.size() + 1));
    }
    return false;
}

/// The number that the whole text is: digits and, of a signed type, a `-` before them; of a
/// floating type also what std::from_chars takes (fraction, exponent, "inf"). None when anything
/// else is in it, or when the type cannot hold it.
template <class Number>
std::optional<Number> wholeNumber(std::string_view text, int base = 10) noexcept
{
    Number number{};
    const auto* const end = text.data() + text.size();
    std::from_chars_result read{};
    if constexpr (std::is_integral_v<Number>) {
        read = std::from_chars(text.data(), end, number, base);
    } else {
        read = std::from_chars(text.data(), end, number);
    }
    return read.ec == std::errc{} && read.ptr == end ? std::optional{number} : std::nullopt;
}

/// Sets `number` to what wholeNumber() reads; leaves it unchanged and returns false when there is
/// none.
template <class Number>
bool readNumber(std::string_view text, Number& number) noexcept
{
    const auto read = wholeNumber<Number>(text);
    number = read.value_or(number);
    return read.has_value();
}

/// The number that the text starts with; 0 when there is none or the type cannot hold it. For what
/// our own scripts and statements have written, and, as a double, for scores of Redis: those may
/// be +inf, and have a point for their fraction whatever the locale says.
template <class Number>
Number leadingNumber(std::string_view text, int base = 10) noexcept
{
    Number number{};
    if constexpr (std::is_integral_v<Number>) {
        std::from_chars(text.data(), text.data() + text.size(), number, base);
    } else {
        text.remove_prefix(text.starts_with('+') ? 1 : 0);
        std::from_chars(text.data(), text.data() + text.size(), number);
    }
    return number;
}

/// Removes the first code point from `text`, which is not empty, and returns it; none, and nothing
/// is removed, when it is not UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
/// U+10FFFF).
std::optional<char32_t> nextCodePoint(std::string_view& text) noexcept;

/// Whether all of it is well-formed UTF-8.
bool isUtf8(std::string_view text) noexcept;

/// Whether the whole of `text` matches `pattern`, in which `*` stands for any run of characters,
/// also none. Takes time proportional to the product of both lengths at most.
bool matchesPattern(std::string_view pattern, std::string_view text) noexcept;

}  // namespace restante
