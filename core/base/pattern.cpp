#include "core/base/pattern.h"

namespace restante {

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
