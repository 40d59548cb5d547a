#pragma once

#include <QObject>

#include <functional>
#include <memory>
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

/// An object that lives on a thread of its own, from start() to the end of this, and the way back
/// to the window. *Thread of the window.*
template <class Worker>
class WorkerThread {
public:
    /// `receiver` lives at least as long: what comes back runs on its thread.
    explicit WorkerThread(QObject& receiver)
        : window_(std::make_shared<Window>(receiver)),
          worker_(std::make_shared<std::unique_ptr<Worker>>())
    {
    }
    WorkerThread(const WorkerThread&) = delete;
    WorkerThread& operator=(const WorkerThread&) = delete;
    ~WorkerThread()
    {
        {
            // Nothing runs there any more, not even what is on its way.
            const std::lock_guard lock(window_->mutex);
            window_->receiver = nullptr;
        }
        thread_.post([worker = worker_] { worker->reset(); });
    }

    /// Once. `make` runs there.
    void start(std::function<std::unique_ptr<Worker>(EventLoop&)> make)
    {
        thread_.post([worker = worker_, loop = &thread_.loop(), make = std::move(make)] {
            *worker = make(*loop);
        });
    }
    void post(std::function<void(Worker&)> task)
    {
        thread_.post([worker = worker_, task = std::move(task)] {
            if (*worker) {
                task(**worker);
            }
        });
    }
    /// To be called on any thread: `told` runs with that on the thread of the window, unless this
    /// has gone by then.
    template <class T>
    std::function<void(T)> inWindow(std::function<void(const T&)> told) const
    {
        return [window = window_, told = std::move(told)](T value) {
            const std::lock_guard lock(window->mutex);
            if (window->receiver != nullptr) {
                QMetaObject::invokeMethod(
                    window->receiver, [told, value = std::move(value)] { told(value); },
                    Qt::QueuedConnection);
            }
        };
    }

private:
    /// *Any thread.*
    struct Window {
        explicit Window(QObject& who) : receiver(&who) {}

        std::mutex mutex;
        QObject* receiver;  ///< by mutex; pending closures die with it
    };

    std::shared_ptr<Window> window_;
    std::shared_ptr<std::unique_ptr<Worker>> worker_;  ///< what it holds: that thread's only
    StoreThread thread_;
};

}  // namespace restante::gui
