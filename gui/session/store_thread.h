#pragma once

#include <QObject>

#include <functional>
#include <mutex>
#include <utility>

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

/// Runs closures on the thread of the window, as long as somebody there wants them. *Any thread*,
/// but close() on the window's.
class GuiThreadInvoker {
public:
    explicit GuiThreadInvoker(QObject& receiver) : receiver_(&receiver) {}

    void operator()(std::function<void()> task)
    {
        const std::lock_guard lock(mutex_);
        if (receiver_ != nullptr) {
            QMetaObject::invokeMethod(receiver_, std::move(task), Qt::QueuedConnection);
        }
    }
    /// Nothing runs any more, not even what is on its way.
    void close()
    {
        const std::lock_guard lock(mutex_);
        receiver_ = nullptr;
    }

private:
    std::mutex mutex_;
    QObject* receiver_;  ///< by mutex_; pending closures die with it
};

}  // namespace restante::gui
