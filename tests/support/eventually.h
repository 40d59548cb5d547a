#pragma once

#include "core/base/clock.h"

#include <functional>

namespace restante::test {

/// Asks `reached` every few milliseconds until it is true; false when `timeout` is over. One that
/// throws is not yet true: what it asks does not answer; the last time it may throw. For what
/// happens in other processes and threads; a loop of this thread is driven with LoopFixture.
bool eventually(const std::function<bool()>& reached, Millis timeout = Millis{30'000});

/// Whether `reached` is true; false, too, when it throws.
bool isReached(const std::function<bool()>& reached);

}  // namespace restante::test
