#pragma once

#include "core/base/epoll_loop.h"
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>

namespace restante::test {

constexpr Millis kTimeout{10'000};

/// Runs `loop` until the call that `start` makes has been answered, and returns the answer. Fails
/// with Internal when none has come within `timeout`.
template <class T>
Result<T>
answerOf(EpollLoop& loop, const std::function<void(Done<T>)>& start, Millis timeout = kTimeout)
{
    // Shared with the callback, which may come after this has given up.
    auto answer = std::make_shared<std::optional<Result<T>>>();
    start([answer](Result<T> result) {
        EXPECT_FALSE(answer->has_value()) << "answered twice";
        *answer = std::move(result);
    });
    EXPECT_FALSE(answer->has_value()) << "answered from inside the call";
    if (!loop.runUntil([&] { return answer->has_value(); }, timeout)) {
        return failure(ErrorCode::Internal, "test: no answer in time");
    }
    return std::move(**answer);
}

/// A test with a loop of its own.
class LoopFixture : public ::testing::Test {
protected:
    template <class T>
    Result<T> await(const std::function<void(Done<T>)>& start, Millis timeout = kTimeout)
    {
        return answerOf<T>(loop_, start, timeout);
    }
    bool runUntil(const std::function<bool()>& reached, Millis timeout = kTimeout)
    {
        return loop_.runUntil(reached, timeout);
    }

    EpollLoop loop_;
};

}  // namespace restante::test
