#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"

#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace restante::journal {

/// Brings answers to loops of other threads as long as those exist. *Any thread.*
class LoopRelay {
public:
    /// A `done` that may be called on any thread, and calls the given one on `loop`, later.
    template <class T>
    Done<T> to(EventLoop& loop, Done<T> done)
    {
        return [state = state_, &loop, done = std::move(done)](Result<T> result) {
            const std::lock_guard guard(state->lock);
            if (!state->gone.contains(&loop)) {
                auto shared = std::make_shared<Result<T>>(std::move(result));
                loop.post([shared, done] { done(std::move(*shared)); });
            }
        };
    }
    /// From now on nothing is posted there.
    void close(EventLoop& loop)
    {
        const std::lock_guard guard(state_->lock);
        state_->gone.insert(&loop);
    }

private:
    struct State {
        std::mutex lock;
        std::set<const EventLoop*> gone;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace restante::journal
