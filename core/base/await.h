#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace restante {

/// Makes one call and turns `loop` until it is answered; Unavailable, which says `late`, when that
/// takes longer than `timeout`. For a start and for programs of one task.
template <class T, class Loop>
Result<T> await(Loop& loop,
                Millis timeout,
                const std::function<void(Done<T>)>& call,
                std::string late = "no answer in time")
{
    // Shared with the callback, which may come after the timeout.
    const auto answer = std::make_shared<std::optional<Result<T>>>();
    call([answer](Result<T> result) { *answer = std::move(result); });
    if (!loop.runUntil([&] { return answer->has_value(); }, timeout)) {
        return failure(ErrorCode::Unavailable, std::move(late));
    }
    return std::move(**answer);
}

}  // namespace restante
