#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace restante::journal {

/// Posts answers to loops of other threads while those exist. Whoever is answered stays with its
/// loop, and is called and destroyed there only: it may own what belongs to that thread, as an HTTP
/// call does. *Any thread.*
class LoopRelay {
public:
    /// A `done` that may be called and destroyed on any thread, and calls the given one on `loop`,
    /// later. Call it on the thread of `loop`.
    template <class T>
    Done<T> relayTo(EventLoop& loop, Done<T> done)
    {
        const auto number = state_->keep(loop, std::make_shared<Done<T>>(std::move(done)));
        return [state = state_, &loop, number](Result<T> result) {
            state->post(loop, [state, &loop, number,
                               shared = std::make_shared<Result<T>>(std::move(result))] {
                if (const auto kept = state->take(loop, number)) {
                    (*std::static_pointer_cast<Done<T>>(kept))(std::move(*shared));
                }
            });
        };
    }
    /// Nothing is posted to the loop any more; who waited there is destroyed. Call it on the thread
    /// of `loop`, or when that has ended.
    void close(EventLoop& loop) { state_->close(loop); }

private:
    class State {
    public:
        std::uint64_t keep(EventLoop& loop, std::shared_ptr<void> done)
        {
            const std::lock_guard guard(mutex_);
            if (!closedLoops_.contains(&loop)) {
                waiting_[&loop].emplace(++lastNumber_, std::move(done));
            }
            return lastNumber_;
        }
        /// Null: it has been answered, or the loop was closed.
        std::shared_ptr<void> take(EventLoop& loop, std::uint64_t number)
        {
            const std::lock_guard guard(mutex_);
            const auto ofLoop = waiting_.find(&loop);
            if (ofLoop == waiting_.end()) {
                return nullptr;
            }
            const auto taken = ofLoop->second.extract(number);
            return taken.empty() ? nullptr : taken.mapped();
        }
        void post(EventLoop& loop, EventLoop::Task task)
        {
            const std::lock_guard guard(mutex_);
            if (!closedLoops_.contains(&loop)) {
                loop.post(std::move(task));
            }
        }
        void close(EventLoop& loop)
        {
            Waiting dropped;  // destroyed without the lock, because it may ask again
            const std::lock_guard guard(mutex_);
            closedLoops_.insert(&loop);
            dropped.swap(waiting_[&loop]);
            waiting_.erase(&loop);
        }

    private:
        using Waiting = std::map<std::uint64_t, std::shared_ptr<void>>;

        std::mutex mutex_;
        std::uint64_t lastNumber_ = 0;
        std::map<const EventLoop*, Waiting> waiting_;
        std::set<const EventLoop*> closedLoops_;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace restante::journal
