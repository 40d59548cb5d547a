#pragma once

#include <chrono>
#include <optional>

namespace restante {

/// What the kernel's scheduler has counted for a thread since it began. *Value.*
struct ThreadTimes {
    std::chrono::nanoseconds running{};
    std::chrono::nanoseconds waiting{};  ///< it could have run, but other threads had the cores
};

/// Of the calling thread; needs no privilege. None when the kernel does not tell (it was built
/// without CONFIG_SCHED_INFO, or /proc is not there). *Any thread.*
std::optional<ThreadTimes> threadTimes();

}  // namespace restante
