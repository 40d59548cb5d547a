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

/// A thread with an event loop, for work that must not block the window. *Thread of the window*,
/// but post() and loop().post() on any thread.
class StoreThread {
public:
    StoreThread();
    StoreThread(const StoreThread&) = delete;
    StoreThread& operator=(const StoreThread&) = delete;
    /// Lets the thread run what was posted, then ends it. If that takes too long (a database that
    /// does not answer) the thread ends by itself later, and the program waits for it at its exit.
    ~StoreThread();

    EventLoop& loop() noexcept;
    void post(std::function<void()> task);

private:
    class Thread;
    Thread* thread_;
};

/// Runs an object on its own thread, from start() to the destruction of this, and passes its
/// results to the window. *Thread of the window.*
template <class Worker>
class WorkerThread {
public:
    /// Callbacks run on the thread of `receiver`, which must outlive this.
    explicit WorkerThread(QObject& receiver)
        : windowReceiver_(std::make_shared<WindowReceiver>(receiver)),
          worker_(std::make_shared<std::unique_ptr<Worker>>())
    {
    }
    WorkerThread(const WorkerThread&) = delete;
    WorkerThread& operator=(const WorkerThread&) = delete;
    ~WorkerThread()
    {
        {
            // From here on no callback is queued; those that are end with the receiver.
            const std::lock_guard lock(windowReceiver_->mutex);
            windowReceiver_->receiver = nullptr;
        }
        thread_.post([worker = worker_] { worker->reset(); });
    }

    /// Call it once. `make` runs on the new thread.
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
    /// Wraps `callback` so that it can be called on any thread: it runs on the thread of the
    /// window in a later turn, unless the receiver is destroyed by then; dropped once this is.
    template <class T>
    std::function<void(T)> inWindow(std::function<void(const T&)> callback) const
    {
        return [windowReceiver = windowReceiver_, callback = std::move(callback)](T value) {
            const std::lock_guard lock(windowReceiver->mutex);
            if (windowReceiver->receiver != nullptr) {
                QMetaObject::invokeMethod(
                    windowReceiver->receiver,
                    [callback, value = std::move(value)] { callback(value); },
                    Qt::QueuedConnection);
            }
        };
    }

private:
    /// *Any thread.*
    struct WindowReceiver {
        explicit WindowReceiver(QObject& target) : receiver(&target) {}

        std::mutex mutex;
        QObject* receiver;  ///< by mutex; pending closures die with it
    };

    std::shared_ptr<WindowReceiver> windowReceiver_;
    std::shared_ptr<std::unique_ptr<Worker>> worker_;  ///< the worker is used on its thread only
    StoreThread thread_;
};

}  // namespace restante::gui
