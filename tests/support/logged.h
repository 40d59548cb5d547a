#pragma once

#include <gtest/gtest.h>

#include <string>

namespace restante::test {

/// What the process writes to standard error, its log, while `act` runs. Not inside another.
template <class Act>
std::string loggedBy(const Act& act)
{
    testing::internal::CaptureStderr();
    act();
    return testing::internal::GetCapturedStderr();
}

}  // namespace restante::test
