#pragma once

#include "core/base/callback_guard.h"

#include <QObject>

#include <functional>
#include <memory>
#include <utility>

namespace restante::gui {

/// Runs file operations one after another on another thread, so that the window never waits
/// for a disk. *Thread of the window.* Destruction does not wait
/// either: queued work is dropped, running work ends by itself, and no callback is called.
class FileWork {
public:
    FileWork();
    FileWork(const FileWork&) = delete;
    FileWork& operator=(const FileWork&) = delete;
    ~FileWork();

    /// `work` owns whatever it uses. `done` gets its result on the thread of the window, unless
    /// `receiver` or this has been destroyed by then.
    template <class T>
    void run(QObject* receiver, std::function<T()> work, std::function<void(T)> done)
    {
        // Shared, because a closure must be copyable and an answer may be large.
        auto answer = std::make_shared<T>();
        start([work = std::move(work), answer] { *answer = work(); }, receiver,
              [done = std::move(done), answer] { done(std::move(*answer)); });
    }
    /// Drops what is queued and runs `work` last; no callback follows.
    void finishWith(std::function<void()> work);

private:
    struct Queue;
    void start(std::function<void()> work, QObject* receiver, std::function<void()> done);

    std::shared_ptr<Queue> queue_;
    bool isEnding_ = false;  ///< finishWith() was called
    CallbackGuard callbackGuard_;
};

}  // namespace restante::gui
