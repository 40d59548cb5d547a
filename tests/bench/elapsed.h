#pragma once

#include <chrono>
#include <cstdint>

namespace restante::bench {

using SteadyClock = std::chrono::steady_clock;

inline double secondsSince(SteadyClock::time_point begin)
{
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

/// Of `jobs` that were done since `begin`: jobs a second.
inline double rateSince(SteadyClock::time_point begin, std::uint32_t jobs)
{
    return jobs / secondsSince(begin);
}

}  // namespace restante::bench
