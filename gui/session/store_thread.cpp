#include "gui/session/store_thread.h"

#include "gui/session/qt_loop.h"

#include <QCoreApplication>
#include <QSemaphore>
#include <QThread>

#include <vector>

namespace restante::gui {

namespace {

/// Nothing on the thread blocks but the end of a database connection; the window waits for that no
/// longer than is noticed ...
constexpr int kNoticedMs = 20;
/// ... and the program, when it ends, no longer than this.
constexpr int kThreadEndsWithinMs = 3'000;

/// Threads that were still ending when nobody wanted to wait any more.
std::vector<QThread*>& stragglers()
{
    static std::vector<QThread*> threads;
    return threads;
}

void forgetEnded(int waitMs)
{
    std::erase_if(stragglers(), [waitMs](QThread* thread) {
        const bool ended = thread->wait(waitMs);
        if (ended) {
            delete thread;
        }
        return ended;
    });
}

void awaitStragglers()
{
    forgetEnded(kThreadEndsWithinMs);
}

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
    if (thread->wait(kNoticedMs)) {
        delete thread;
    } else {
        if (stragglers().empty()) {
            qAddPostRoutine(&awaitStragglers);  // when the application ends
        }
        stragglers().push_back(thread);
    }
    forgetEnded(0);
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
