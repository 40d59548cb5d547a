#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <sys/resource.h>

namespace restante::daemon {

/// Longer than the time-out of a command, by which every command has been answered.
inline constexpr Millis kLastAnswersTimeout{2'000};

/// Raises the soft limit of descriptors, usually 1,024 because of select(). Returns the limit;
/// `wanted` when it cannot be read.
inline rlim_t raiseDescriptorLimit(rlim_t wanted)
{
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return wanted;
    }
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = std::min(wanted, limit.rlim_max);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur;
}

}  // namespace restante::daemon
