#pragma once

#include "core/base/clock.h"

namespace restante::test {

/// How long what comes after a failure may take: two busy cores are shared with many others.
inline constexpr Millis kSoon{60'000};

}  // namespace restante::test
