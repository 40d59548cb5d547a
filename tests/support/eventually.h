#pragma once

#include "core/base/clock.h"

#include <functional>

namespace restante::test {

/// Asks `reached` every few milliseconds until it is true; false when `patience` is over. For what
/// happens in other processes and threads; a loop of this thread is driven with LoopFixture.
bool eventually(const std::function<bool()>& reached, Millis patience = Millis{5'000});

}  // namespace restante::test
