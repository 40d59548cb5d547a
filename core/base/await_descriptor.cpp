#include "core/base/await_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <poll.h>

namespace restante {

bool awaitDescriptor(int descriptor, short events, std::chrono::steady_clock::time_point deadline)
{
    using std::chrono::milliseconds;
    using std::chrono::steady_clock;
    constexpr std::int64_t kLongestPoll = 60'000;  // any that an int can say
    for (;;) {
        const std::int64_t left =
            std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
        if (left <= 0) {
            return false;
        }
        pollfd waiting{descriptor, events, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(left, kLongestPoll)));
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

}  // namespace restante
