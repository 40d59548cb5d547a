#include "core/base/thread_times.h"

#include <cstdint>
#include <fstream>

namespace restante {

std::optional<ThreadTimes> threadTimes()
{
    // "ns on a core, ns ready to run, number of times on a core", sched-stats of the kernel
    std::ifstream file("/proc/thread-self/schedstat");
    std::int64_t running = 0;
    std::int64_t waiting = 0;
    if (!(file >> running >> waiting)) {
        return std::nullopt;
    }
    return ThreadTimes{std::chrono::nanoseconds(running), std::chrono::nanoseconds(waiting)};
}

}  // namespace restante
