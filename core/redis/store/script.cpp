#include "core/redis/store/script.h"

#include <algorithm>
#include <cassert>

namespace restante::redis {

const Script& script(std::string_view name) noexcept
{
    const auto all = scripts();
    const auto found = std::lower_bound(
        all.begin(), all.end(), name,
        [](const Script& one, std::string_view wanted) { return one.name < wanted; });
    assert(found != all.end() && found->name == name);
    return *found;
}

}  // namespace restante::redis
