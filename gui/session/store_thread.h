#pragma once

#include <functional>

namespace restante {
class EventLoop;
}

namespace restante::gui {

/// A thread with an event loop, for what must not hold up the window. *Thread of the window*, but
/// post() and loop().post() on any thread.
class StoreThread {
public:
    StoreThread();
    StoreThread(const StoreThread&) = delete;
    StoreThread& operator=(const StoreThread&) = delete;
    /// Has it run what was posted and end. If that takes longer than is noticed (a database that
    /// does not answer), the thread is left to end by itself, and the program waits for it at its
    /// end.
    ~StoreThread();

    EventLoop& loop() noexcept;
    void post(std::function<void()> task);

private:
    class Thread;
    Thread* thread_;
};

}  // namespace restante::gui
