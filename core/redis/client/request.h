#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// Appends one command in RESP to `out`. Arguments are any bytes.
inline void appendRequest(std::string& out, std::span<const std::string_view> args)
{
    const auto appendHeader = [&out](char mark, std::size_t count) {
        const fmt::format_int digits(count);
        out.append(1, mark).append(digits.data(), digits.size()).append("\r\n");
    };
    appendHeader('*', args.size());
    for (const auto arg : args) {
        appendHeader('$', arg.size());
        out.append(arg).append("\r\n");
    }
}

/// A copy of the words of a command, in two blocks of memory however many they are. *Value.*
struct PackedWords {
    std::string bytes;              ///< all words, concatenated
    std::vector<std::size_t> ends;  ///< end of each word in `bytes`

    void add(std::span<const std::string_view> words)
    {
        for (const auto word : words) {
            bytes.append(word);
            ends.push_back(bytes.size());
        }
    }
    /// Borrows from this.
    void appendTo(std::vector<std::string_view>& words) const
    {
        std::size_t begin = 0;
        for (const auto end : ends) {
            words.emplace_back(bytes.data() + begin, end - begin);
            begin = end;
        }
    }
};

}  // namespace restante::redis
