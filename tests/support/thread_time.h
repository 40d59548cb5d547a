#pragma once

#include <chrono>
#include <ctime>

namespace restante::test {

/// CPU time that the calling thread has used, independent of other load on the machine.
inline std::chrono::nanoseconds threadTime()
{
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

}  // namespace restante::test
