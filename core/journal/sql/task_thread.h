#pragma once

#include "core/base/clock.h"

#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace restante::journal {

/// A thread for blocking work. *Any thread.*
class TaskThread {
public:
    /// Runs on the thread and returns a function that reports the result; that is called unless the
    /// thread has been abandoned.
    using Task = std::function<std::function<void()>()>;

    /// `timeout`: how long the destructor waits for the running task; none: until it has ended.
    explicit TaskThread(std::optional<Millis> timeout = {});
    /// Tasks that have not begun are dropped.
    ~TaskThread();

    void post(Task task);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the thread, which may outlive this
    std::optional<Millis> timeout_;
    std::thread thread_;
};

}  // namespace restante::journal
