#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <sys/resource.h>

namespace restante::daemon {

/// More than the time-out of a command, after which it is answered in any case.
inline constexpr Millis kLastAnswersTimeout{2'000};

/// Raises the soft limit of descriptors, usually 1,024 as meant for select(); how many are allowed.
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
