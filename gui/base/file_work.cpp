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

FileWork::FileWork() : queue_(std::make_shared<Queue>()), alive_(std::make_shared<int>(0)) {}

FileWork::~FileWork()
{
    // Unless endWith() has said what is still to be done.
    if (alive_) {
        queue_->drop();
    }
}

void FileWork::start(std::function<void()> work, QObject* receiver, std::function<void()> done)
{
    const auto told = [guard = QPointer<QObject>(receiver), alive = std::weak_ptr(alive_),
                       done = std::move(done)] {
        if (guard != nullptr && alive.lock()) {
            done();
        }
    };
    queue_->add([work = std::move(work), told] {
        work();
        // By way of the application: the receiver may die while this is on its way to it.
        if (auto* application = QCoreApplication::instance()) {
            QMetaObject::invokeMethod(application, told, Qt::QueuedConnection);
        }
    });
}

void FileWork::endWith(std::function<void()> work)
{
    alive_.reset();
    queue_->drop();
    queue_->add(std::move(work));
}

}  // namespace restante::gui
