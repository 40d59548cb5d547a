#include "core/sms/sms_size.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace restante::sms {

namespace {

/// The default alphabet but for ASCII's letters and digits, and the extension table (TS 23.038,
/// 6.2.1), without its form feed, which no text message has. Sorted by code point.
constexpr std::u32string_view kAsciiSymbols = U"\n\r !\"#$%&'()*+,-./:;<=>?@_";
constexpr std::u32string_view kNonAsciiCharacters =
    U"\u00a1\u00a3\u00a4\u00a5\u00a7\u00bf\u00c4\u00c5\u00c6\u00c7\u00c9\u00d1\u00d6\u00d8\u00dc"
    U"\u00df\u00e0\u00e4\u00e5\u00e6\u00e8\u00e9\u00ec\u00f1\u00f2\u00f6\u00f8\u00f9\u00fc"
    U"\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a6\u03a8\u03a9";
constexpr std::u32string_view kExtension = U"[\\]^{|}~\u20ac";

/// How many septets or UTF-16 units fit into a single message, and into each part of a
/// concatenated one.
struct PartCapacity {
    std::size_t single;
    std::size_t concatenated;
};
constexpr PartCapacity kGsm7Capacity{160, 153};
constexpr PartCapacity kUcs2Capacity{70, 67};

bool contains(std::u32string_view set, char32_t c)
{
    return set.find(c) != std::u32string_view::npos;
}

bool isAlphanumeric(char32_t c)
{
    return (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z');
}

/// Septets of a character, 0 when the alphabet lacks it.
std::size_t septetsOf(char32_t c)
{
    if (isAlphanumeric(c) || contains(kAsciiSymbols, c) || contains(kNonAsciiCharacters, c)) {
        return 1;
    }
    return contains(kExtension, c) ? 2 : 0;
}

std::size_t unitsOf(char32_t c)
{
    return c > 0xffff ? 2 : 1;
}

/// Counts the parts, one character after the other; `cost` returns the units of a character.
template <class Cost>
SmsSize countParts(Coding coding, PartCapacity capacity, std::u32string_view text, Cost cost)
{
    SmsSize result{coding, 0, 1};
    std::size_t inPart = 0;
    for (const char32_t c : text) {
        const auto size = cost(c);
        result.units += size;
        if (inPart + size > capacity.concatenated) {
            ++result.parts;
            inPart = 0;
        }
        inPart += size;
    }
    if (result.units <= capacity.single) {
        result.parts = 1;
    }
    return result;
}

bool isForbidden(char32_t c)
{
    return (c < U' ' && c != U'\n' && c != U'\r' && c != U'\t') || c == 0x7f;
}

}  // namespace

Result<SmsSize> measure(std::string_view utf8)
{
    if (utf8.empty()) {
        return invalidField("body", "is empty; a text message says something");
    }
    std::u32string text;
    for (auto rest = utf8; !rest.empty();) {
        const auto offset = utf8.size() - rest.size();
        const auto point = nextCodePoint(rest);
        if (!point) {
            return invalidField("body", "is not UTF-8 at byte {}; a text message is UTF-8", offset);
        }
        if (isForbidden(*point)) {
            return invalidField("body",
                                "has the control character {} at byte {}; a text message has none "
                                "but line feed, carriage return and tab",
                                static_cast<std::uint32_t>(*point), offset);
        }
        text += *point;
    }
    const bool isGsm7 = std::ranges::all_of(text, [](char32_t c) { return septetsOf(c) != 0; });
    return isGsm7 ? countParts(Coding::Gsm7, kGsm7Capacity, text, septetsOf)
                  : countParts(Coding::Ucs2, kUcs2Capacity, text, unitsOf);
}

}  // namespace restante::sms
