#include "core/base/text.h"

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
