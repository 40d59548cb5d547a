#include "gui/base/file_work.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <deque>
#include <mutex>

namespace restante::gui {

/// Shared with the thread that works it off, which may be the last to need it.
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
        // What was on its way to an application that has ended: its threads have ended, too.
        if (QCoreApplication::instance() == nullptr) {
            return workOff();
        }
        QThreadPool::globalInstance()->start([self = shared_from_this()] { self->workOff(); });
    }

    void workOff()
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

    void drop()
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
        queue_->drop();
    }
}

void FileWork::start(std::function<void()> work, QObject* receiver, std::function<void()> done)
{
    // Looked at on the thread of the window only.
    auto answered =
        callbackGuard_.guard([waiting = QPointer<QObject>(receiver), done = std::move(done)] {
            if (waiting != nullptr) {
                done();
            }
        });
    queue_->add([work = std::move(work), answered = std::move(answered)] {
        work();
        // By way of the application: the receiver may die while this is on its way to it.
        if (auto* application = QCoreApplication::instance()) {
            QMetaObject::invokeMethod(application, answered, Qt::QueuedConnection);
        }
    });
}

void FileWork::endWith(std::function<void()> work)
{
    isEnding_ = true;
    callbackGuard_.expire();
    queue_->drop();
    queue_->add(std::move(work));
}

}  // namespace restante::gui
