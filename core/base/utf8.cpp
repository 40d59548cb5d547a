#include "core/base/utf8.h"

#include <cstddef>

namespace restante {

namespace {

/// What may follow a first byte: how many bytes, and the bounds of the first of them.
struct Tail {
    std::size_t length;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
};

constexpr std::size_t kIllFormed = 99;

/// Table 3-7 of the Unicode standard.
Tail tailOf(unsigned char first) noexcept
{
    if (first < 0x80) {
        return {0};
    }
    if (first >= 0xc2 && first <= 0xdf) {
        return {1};
    }
    if (first >= 0xe0 && first <= 0xef) {
        return {2, static_cast<unsigned char>(first == 0xe0 ? 0xa0 : 0x80),
                static_cast<unsigned char>(first == 0xed ? 0x9f : 0xbf)};
    }
    if (first >= 0xf0 && first <= 0xf4) {
        return {3, static_cast<unsigned char>(first == 0xf0 ? 0x90 : 0x80),
                static_cast<unsigned char>(first == 0xf4 ? 0x8f : 0xbf)};
    }
    return {kIllFormed};
}

}  // namespace

bool isUtf8(std::string_view text) noexcept
{
    while (!text.empty()) {
        const auto tail = tailOf(static_cast<unsigned char>(text.front()));
        text.remove_prefix(1);
        if (tail.length > text.size()) {
            return false;
        }
        for (std::size_t n = 0; n < tail.length; ++n) {
            const auto byte = static_cast<unsigned char>(text[n]);
            if (byte < (n == 0 ? tail.low : 0x80) || byte > (n == 0 ? tail.high : 0xbf)) {
                return false;
            }
        }
        text.remove_prefix(tail.length);
    }
    return true;
}

}  // namespace restante
