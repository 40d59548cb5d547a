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
    constexpr std::array<unsigned, 5> kPayload{0, 0x7f, 0x1f, 0x0f, 0x07};
    char32_t point = first & kPayload[size];
    for (std::size_t i = 1; i < size; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80U) {
            return {};
        }
        point = point << 6U | (next & 0x3fU);
    }
    constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    if (point < kLeast[size] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
        return {};
    }
    text.remove_prefix(size);
    return point;
}

bool isUtf8(std::string_view text) noexcept
{
    constexpr std::uint64_t kHigh = 0x8080808080808080U;
    while (!text.empty()) {
        std::uint64_t eight = kHigh;
        if (text.size() >= sizeof(eight)) {
            std::memcpy(&eight, text.data(), sizeof(eight));
        }
        if ((eight & kHigh) == 0) {
            text.remove_prefix(sizeof(eight));  // of ASCII, which most texts are
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
    std::size_t at = 0;
    std::size_t next = 0;
    auto star = std::string_view::npos;  // the last one that was met
    std::size_t taken = 0;               // how far into the text it reaches
    while (at < text.size()) {
        if (next < pattern.size() && pattern[next] == '*') {
            star = next++;
            taken = at;
        } else if (next < pattern.size() && pattern[next] == text[at]) {
            ++next;
            ++at;
        } else if (star != std::string_view::npos) {
            next = star + 1;
            at = ++taken;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', next) == std::string_view::npos;
}

}  // namespace restante
