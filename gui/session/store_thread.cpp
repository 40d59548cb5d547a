#include "gui/session/store_thread.h"

#include "gui/session/qt_loop.h"

#include <QSemaphore>
#include <QThread>

namespace restante::gui {

namespace {

/// Nothing on the thread blocks but the end of a database connection.
constexpr int kEndsWithinMs = 3'000;

}  // namespace

class StoreThread::Thread : public QThread {
public:
    void begin()
    {
        setObjectName(QStringLiteral("store"));
        start();
        ready_.acquire();
    }
    QtLoop& loop() noexcept { return *loop_; }

protected:
    void run() override
    {
        QtLoop loop;
        loop_ = &loop;
        ready_.release();
        exec();
    }

private:
    QSemaphore ready_;
    QtLoop* loop_ = nullptr;
};

StoreThread::StoreThread() : thread_(new Thread)
{
    thread_->begin();
}

StoreThread::~StoreThread()
{
    auto* thread = thread_;
    post([thread] { thread->quit(); });
    if (thread->wait(kEndsWithinMs)) {
        delete thread;
    } else {
        QObject::connect(thread, &QThread::finished, thread, &QObject::deleteLater);
    }
}

EventLoop& StoreThread::loop() noexcept
{
    return thread_->loop();
}

void StoreThread::post(std::function<void()> task)
{
    thread_->loop().post(std::move(task));
}

}  // namespace restante::gui
