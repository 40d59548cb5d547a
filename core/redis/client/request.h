#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// Appends one command in RESP to `out`. Arguments are any bytes.
void appendRequest(std::string& out, std::span<const std::string_view> args);

/// A copy of the words of a command, in two allocations however many they are. *Value.*
struct PackedWords {
    std::string bytes;              ///< of all of them, one after the other
    std::vector<std::size_t> ends;  ///< of each in `bytes`

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
