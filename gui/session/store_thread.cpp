#include "gui/session/store_thread.h"

#include "gui/session/qt_loop.h"

#include <QCoreApplication>
#include <QSemaphore>
#include <QThread>

#include <vector>

namespace restante::gui {

namespace {

/// Only closing a database connection blocks the thread; the window waits for it at most this long,
/// which is not noticed.
constexpr int kWindowWaitMs = 20;
/// How long the program waits for each such thread when it ends.
constexpr int kExitWaitMs = 3'000;

/// Threads that had not ended when the window stopped waiting for them.
std::vector<QThread*>& endingThreads()
{
    static std::vector<QThread*> threads;
    return threads;
}

void deleteEnded(int waitMs)
{
    std::erase_if(endingThreads(), [waitMs](QThread* thread) {
        const bool ended = thread->wait(waitMs);
        if (ended) {
            delete thread;
        }
        return ended;
    });
}

void awaitEndingThreads()
{
    deleteEnded(kExitWaitMs);
}

}  // namespace

class StoreThread::Thread : public QThread {
public:
    void startAndWait()
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
    thread_->startAndWait();
}

StoreThread::~StoreThread()
{
    auto* thread = thread_;
    post([thread] { thread->quit(); });
    if (thread->wait(kWindowWaitMs)) {
        delete thread;
    } else {
        if (endingThreads().empty()) {
            qAddPostRoutine(&awaitEndingThreads);  // when the application ends
        }
        endingThreads().push_back(thread);
    }
    deleteEnded(0);
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
