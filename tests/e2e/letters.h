#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace restante::test {

/// So many texts of messages, no two the same.
inline std::vector<std::string> numbered(std::size_t count)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
        texts.push_back("letter " + std::to_string(i));
    }
    return texts;
}

}  // namespace restante::test
