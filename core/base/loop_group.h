#pragma once

#include "core/base/event_loop.h"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace restante {

/// Objects of one kind, each on a loop of its own, and how anybody reaches one of them: by a call
/// that its own loop makes. *Any thread*, but join() and leave().
template <class Member>
class LoopGroup {
public:
    using Call = std::function<void(Member&)>;

    /// For `size` members, by the numbers 0 to `size` - 1.
    explicit LoopGroup(std::size_t size) : entries_(size) {}

    std::size_t size() const noexcept { return entries_.size(); }

    /// Calls reach `member` from now on. On its loop's thread.
    void join(std::size_t number, EventLoop& loop, Member& member)
    {
        const std::lock_guard lock(mutex_);
        entries_[number] = {&loop, std::make_shared<Member*>(&member)};
    }
    /// No call is made any more, not even those that are on their way. On its loop's thread, while
    /// the loop lives.
    void leave(std::size_t number) noexcept
    {
        const std::lock_guard lock(mutex_);
        entries_[number] = {};
    }

    /// False when that member is not there; it may leave before the call is made all the same.
    bool post(std::size_t number, Call call)
    {
        const std::lock_guard lock(mutex_);
        auto& entry = entries_[number];
        if (entry.loop == nullptr) {
            return false;
        }
        entry.loop->post([member = std::weak_ptr(entry.member), call = std::move(call)] {
            if (const auto living = member.lock()) {
                call(**living);
            }
        });
        return true;
    }
    void postToOthers(std::size_t self, const Call& call)
    {
        for (std::size_t number = 0; number < entries_.size(); ++number) {
            if (number != self) {
                post(number, call);
            }
        }
    }

private:
    struct Entry {
        EventLoop* loop = nullptr;  ///< null: nobody is there
        std::shared_ptr<Member*> member = nullptr;
    };

    std::mutex mutex_;
    std::vector<Entry> entries_;  ///< guarded by mutex_
};

}  // namespace restante
