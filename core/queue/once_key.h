#pragma once

#include "core/base/clock.h"

#include <string>

namespace restante {

/// What push() remembers of a once key: in the span of `onceFor` that begins at `since`, `id` was
/// stored under it. *Value.*
struct OnceKey {
    std::string key = {};
    std::string id = {};
    Millis onceFor{1};
    TimePoint since{};
};

}  // namespace restante
