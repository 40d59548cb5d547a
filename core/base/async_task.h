#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace restante {

/// A function that each of `count` answers calls; the last call calls `onLast`. *One loop.*
inline std::function<void()> countDown(std::size_t count, std::function<void()> onLast)
{
    return [left = std::make_shared<std::size_t>(count), onLast = std::move(onLast)] {
        if (--*left == 0) {
            onLast();
        }
    };
}

/// The handler of a step: passes a failure on to `done`, and a success to `next`.
template <class Answer, class Next>
auto onSuccess(Done<Answer> done, Next next)
{
    return [done = std::move(done), next = std::move(next)](auto result) {
        if (!result) {
            return done(tl::unexpected(std::move(result.error())));
        }
        static_cast<void>(std::move(result).map(next));
    };
}

/// Work in asynchronous steps that ends with one answer; `Self` derives from this and is owned by a
/// shared_ptr. A step's handler is called with a success only, and no more once the work has ended
/// or `Self` has gone; a failure of a step is the answer. *One loop.*
template <class Self, class Answer>
class AsyncTask : public std::enable_shared_from_this<Self> {
protected:
    AsyncTask() = default;
    ~AsyncTask() = default;

    void begin(Done<Answer> done) { done_ = std::move(done); }
    bool isOver() const noexcept { return !done_; }
    void end(Result<Answer> answer)
    {
        if (auto done = std::exchange(done_, nullptr)) {
            done(std::move(answer));
        }
    }
    /// No answer is given any more.
    void abandon() noexcept { done_ = nullptr; }

    /// The handler of a step that yields a T: calls `next(self, value)`, or `next(self)` where T is
    /// void.
    template <class T, class Next>
    Done<T> then(Next next)
    {
        return [weak = this->weak_from_this(), next = std::move(next)](Result<T> result) {
            const auto self = weak.lock();
            if (!self || self->isOver()) {
                return;
            }
            if (!result) {
                return self->end(tl::unexpected(result.error()));
            }
            if constexpr (std::is_void_v<T>) {
                std::invoke(next, *self);
            } else {
                std::invoke(next, *self, std::move(*result));
            }
        };
    }

private:
    Done<Answer> done_;
};

}  // namespace restante
