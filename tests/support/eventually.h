#pragma once

#include "core/base/clock.h"

#include <functional>

namespace restante::test {

/// Calls `reached` every few milliseconds until it is true; false after `timeout`. An exception
/// counts as not yet true, but that of the last call passes through. For events in other processes
/// and threads; a loop of this thread is driven with LoopFixture.
bool eventually(const std::function<bool()>& reached, Millis timeout = Millis{30'000});

/// Whether `reached` is true; false when it throws.
bool isReached(const std::function<bool()>& reached);

}  // namespace restante::test
