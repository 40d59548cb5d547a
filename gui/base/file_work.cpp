#include "gui/base/file_work.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <deque>
#include <mutex>

namespace restante::gui {

/// Shared with the worker thread, which may outlive the FileWork.
struct FileWork::Queue : std::enable_shared_from_this<FileWork::Queue> {
    void add(std::function<void()> work)
    {
        {
            const std::scoped_lock lock(mutex);
            waiting.push_back(std::move(work));
            if (std::exchange(running, true)) {
                return;
            }
        }
        // The application has ended, and its thread pool with it.
        if (QCoreApplication::instance() == nullptr) {
            return runAll();
        }
        QThreadPool::globalInstance()->start([self = shared_from_this()] { self->runAll(); });
    }

    void runAll()
    {
        for (;;) {
            std::function<void()> next;
            {
                const std::scoped_lock lock(mutex);
                if (waiting.empty()) {
                    running = false;
                    return;
                }
                next = std::move(waiting.front());
                waiting.pop_front();
            }
            next();
        }
    }

    void clearWaiting()
    {
        const std::scoped_lock lock(mutex);
        waiting.clear();
    }

    std::mutex mutex;
    std::deque<std::function<void()>> waiting;
    bool running = false;
};

FileWork::FileWork() : queue_(std::make_shared<Queue>()) {}

FileWork::~FileWork()
{
    if (!isEnding_) {
        queue_->clearWaiting();
    }
}

void FileWork::start(std::function<void()> work, QObject* receiver, std::function<void()> done)
{
    // The receiver is checked on the thread of the window only.
    auto notify =
        callbackGuard_.guard([target = QPointer<QObject>(receiver), done = std::move(done)] {
            if (target != nullptr) {
                done();
            }
        });
    queue_->add([work = std::move(work), notify = std::move(notify)] {
        work();
        // Posted to the application: the receiver may be deleted while the call is queued.
        if (auto* application = QCoreApplication::instance()) {
            QMetaObject::invokeMethod(application, notify, Qt::QueuedConnection);
        }
    });
}

void FileWork::finishWith(std::function<void()> work)
{
    isEnding_ = true;
    callbackGuard_.expire();
    queue_->clearWaiting();
    queue_->add(std::move(work));
}

}  // namespace restante::gui
