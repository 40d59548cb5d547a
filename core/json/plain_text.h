#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace restante::json {

/// The same where `char` is unsigned (arm64) as where it is signed.
constexpr bool isAscii(char c) noexcept
{
    return static_cast<unsigned char>(c) < 0x80;
}

/// Whether the character stands for itself in a JSON string and is ASCII.
constexpr bool isPlain(char c) noexcept
{
    return isAscii(c) && c >= ' ' && c != '"' && c != '\\';
}

/// How many characters at the front of `text` are plain: most texts are nothing else, so eight are
/// looked at together. *Pure function.*
inline std::size_t plainPrefix(std::string_view text) noexcept
{
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHighBits = kOnes * 0x80U;
    // A mask with the high bit of each byte of `x` that is 0. One that follows such a byte may be
    // taken for 0, too, and is then looked at alone.
    const auto zeroBytes = [](std::uint64_t x) { return (x - kOnes) & ~x; };
    std::size_t count = 0;
    for (std::uint64_t eight = 0; text.size() - count >= sizeof(eight); count += sizeof(eight)) {
        std::memcpy(&eight, text.data() + count, sizeof(eight));
        const auto controls = (eight - kOnes * ' ') & ~eight;
        const auto quotes = zeroBytes(eight ^ (kOnes * '"'));
        const auto backslashes = zeroBytes(eight ^ (kOnes * '\\'));
        if (((eight | controls | quotes | backslashes) & kHighBits) != 0) {
            break;
        }
    }
    while (count < text.size() && isPlain(text[count])) {
        ++count;
    }
    return count;
}

}  // namespace restante::json
