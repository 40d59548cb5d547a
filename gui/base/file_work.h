#pragma once

#include "core/base/callback_guard.h"

#include <QObject>

#include <functional>
#include <memory>
#include <utility>

namespace restante::gui {

/// Work on files, one piece after another, on a thread that is not the window's: a disk may take
/// its time, and the window never waits for it. *Thread of the window.* Destroying it does not wait
/// either: what has not begun is dropped, what runs ends by itself, and nobody is told of it.
class FileWork {
public:
    FileWork();
    FileWork(const FileWork&) = delete;
    FileWork& operator=(const FileWork&) = delete;
    ~FileWork();

    /// `work` owns whatever it uses. `done` is given what it answers, on the thread of the window,
    /// unless `receiver` or this has died by then.
    template <class T>
    void run(QObject* receiver, std::function<T()> work, std::function<void(T)> done)
    {
        // Shared, because a closure must be copyable and an answer may be large.
        auto answer = std::make_shared<T>();
        start([work = std::move(work), answer] { *answer = work(); }, receiver,
              [done = std::move(done), answer] { done(std::move(*answer)); });
    }
    /// Drops what is queued but for this, which nobody waits for.
    void endWith(std::function<void()> work);

private:
    struct Queue;
    void start(std::function<void()> work, QObject* receiver, std::function<void()> done);

    std::shared_ptr<Queue> queue_;
    bool isEnding_ = false;  ///< endWith() has said what is still to be done
    CallbackGuard callbackGuard_;
};

}  // namespace restante::gui
