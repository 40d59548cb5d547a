#pragma once

#include "core/base/clock.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace restante::journal {

/// A thread for blocking work. *Any thread.*
class TaskThread {
public:
    /// Runs on the thread and returns a function that reports the result; that is called unless the
    /// thread has been abandoned.
    using Task = std::function<std::function<void()>()>;

    /// When a running task is given up.
    struct Limit {
        Millis timeout;       ///< how long the destructor waits for it
        std::string warning;  ///< what it then logs
    };

    /// Without a limit the destructor waits until the running task has ended.
    explicit TaskThread(std::optional<Limit> limit = {});
    /// Tasks that have not begun are dropped.
    ~TaskThread();

    void post(Task task);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the thread, which may outlive this
    std::optional<Limit> limit_;
    std::thread thread_;
};

}  // namespace restante::journal
