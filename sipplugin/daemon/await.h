#pragma once

#include "core/base/result.h"
#include "sipplugin/sofia/su_loop.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
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

/// Turns the loop until `reached` is true; false when `timeout` is over. For the start.
inline bool turnUntil(sip::SuLoop& loop, const std::function<bool()>& reached, Millis timeout)
{
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (!reached()) {
        const auto left = std::chrono::ceil<Millis>(end - std::chrono::steady_clock::now());
        if (left <= Millis{0}) {
            return false;
        }
        loop.turn(left);
    }
    return true;
}

/// Makes one call and turns the loop until it is answered.
template <class T>
Result<T>
await(sip::SuLoop& loop, const std::function<void(Done<T>)>& call, Millis timeout = Millis{10'000})
{
    // Shared with the callback, which may come after the timeout.
    auto answer = std::make_shared<std::optional<Result<T>>>();
    call([answer](Result<T> result) { *answer = std::move(result); });
    if (!turnUntil(
            loop, [&] { return answer->has_value(); }, timeout)) {
        return failure(ErrorCode::Unavailable, "no answer in time");
    }
    return std::move(**answer);
}

}  // namespace restante::daemon
