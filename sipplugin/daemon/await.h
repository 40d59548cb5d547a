#pragma once

#include "core/base/result.h"
#include "sipplugin/sofia/su_loop.h"

#include <chrono>
#include <memory>
#include <optional>

namespace restante::daemon {

/// More than the time-out of a command, after which it is answered in any case.
inline constexpr Millis kLastAnswers{2'000};

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
