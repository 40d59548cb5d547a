// Blocking work on a thread of its own, which its owner does not wait for without end.

#include "core/journal/sql/task_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

namespace restante::journal {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A task that has begun, and ends when it is told to.
class Hanging {
public:
    TaskThread::Task task()
    {
        return [gates = gates_] {
            gates->begun.set_value();
            gates->end.get_future().wait();
            return [gates] { gates->isReported = true; };
        };
    }
    void awaitBegin() const { gates_->begun.get_future().wait(); }
    void end() const { gates_->end.set_value(); }
    bool isReported() const { return gates_->isReported; }

private:
    struct Gates {
        std::promise<void> begun;
        std::promise<void> end;
        bool isReported = false;
    };
    std::shared_ptr<Gates> gates_ = std::make_shared<Gates>();
};

}  // namespace

TEST(TaskThread, saysInItsOwnersWordsWhatItLeavesAlone)
{
    Hanging hanging;
    testing::internal::CaptureStderr();
    {
        TaskThread thread(TaskThread::Limit{Millis{1}, "the copying is left alone"});
        thread.post(hanging.task());
        hanging.awaitBegin();
    }
    const auto log = testing::internal::GetCapturedStderr();
    hanging.end();
    EXPECT_THAT(log, HasSubstr("the copying is left alone"));
    EXPECT_THAT(log, testing::Not(HasSubstr("database")));
}

TEST(TaskThread, waitsWithoutALimitUntilTheTaskHasEnded)
{
    Hanging hanging;
    testing::internal::CaptureStderr();
    {
        TaskThread thread;
        thread.post(hanging.task());
        hanging.awaitBegin();
        hanging.end();
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
    EXPECT_TRUE(hanging.isReported());
}

}  // namespace restante::journal
