#pragma once

#include <QObject>

#include <functional>
#include <mutex>
#include <utility>

namespace restante::gui {

/// Runs closures on the thread of the window, as long as somebody there wants them. *Any thread*,
/// but close() on the window's.
class GuiThreadInvoker {
public:
    explicit GuiThreadInvoker(QObject& receiver) : receiver_(&receiver) {}

    void operator()(std::function<void()> task)
    {
        const std::lock_guard lock(mutex_);
        if (receiver_ != nullptr) {
            QMetaObject::invokeMethod(receiver_, std::move(task), Qt::QueuedConnection);
        }
    }
    /// Nothing runs any more, not even what is on its way.
    void close()
    {
        const std::lock_guard lock(mutex_);
        receiver_ = nullptr;
    }

private:
    std::mutex mutex_;
    QObject* receiver_;  ///< by mutex_; pending closures die with it
};

}  // namespace restante::gui
