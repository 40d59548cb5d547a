#include "core/base/text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace restante {

std::string lowered(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), toLower);
    return lower;
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string_view> splitWords(std::string_view text, std::string_view separators)
{
    std::vector<std::string_view> words;
    for (auto start = text.find_first_not_of(separators); start != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(separators, start), text.size());
        words.push_back(text.substr(start, end - start));
        start = text.find_first_not_of(separators, end);
    }
    return words;
}

std::optional<char32_t> nextCodePoint(std::string_view& text) noexcept
{
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t size = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
    if (size == 0 || text.size() < size) {
        return {};
    }
    constexpr std::array<unsigned, 5> kPayloadMasks{0, 0x7f, 0x1f, 0x0f, 0x07};
    char32_t point = first & kPayloadMasks[size];
    for (std::size_t i = 1; i < size; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80U) {
            return {};
        }
        point = point << 6U | (next & 0x3fU);
    }
    constexpr std::array<char32_t, 5> kSmallestCodePoints{0, 0, 0x80, 0x800, 0x10000};
    if (point < kSmallestCodePoints[size] || point > 0x10ffff ||
        (point >= 0xd800 && point <= 0xdfff)) {
        return {};
    }
    text.remove_prefix(size);
    return point;
}

bool isUtf8(std::string_view text) noexcept
{
    constexpr std::uint64_t kHighBits = 0x8080808080808080U;
    while (!text.empty()) {
        std::uint64_t eight = kHighBits;
        if (text.size() >= sizeof(eight)) {
            std::memcpy(&eight, text.data(), sizeof(eight));
        }
        if ((eight & kHighBits) == 0) {
            text.remove_prefix(sizeof(eight));  // all ASCII, as in most texts
            continue;
        }
        if (!nextCodePoint(text)) {
            return false;
        }
    }
    return true;
}

bool matchesPattern(std::string_view pattern, std::string_view text) noexcept
{
    std::size_t textIndex = 0;
    std::size_t patternIndex = 0;
    auto lastStar = std::string_view::npos;  // index of the last star passed
    std::size_t starMatchEnd = 0;            // end of the text that this star matches
    while (textIndex < text.size()) {
        if (patternIndex < pattern.size() && pattern[patternIndex] == '*') {
            lastStar = patternIndex++;
            starMatchEnd = textIndex;
        } else if (patternIndex < pattern.size() && pattern[patternIndex] == text[textIndex]) {
            ++patternIndex;
            ++textIndex;
        } else if (lastStar != std::string_view::npos) {
            patternIndex = lastStar + 1;
            textIndex = ++starMatchEnd;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', patternIndex) == std::string_view::npos;
}

}  // namespace restante
