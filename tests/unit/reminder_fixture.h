#pragma once

#include "core/base/timestamp.h"
#include "core/queue/memory_job_store.h"
#include "core/reminder/reminders.h"
#include "tests/support/manual_loop.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace restante::reminder {

/// Reminders in a store without Redis, at a time that only the test moves.
class ReminderFixture : public testing::Test {
protected:
    struct Setup {
        const char* now = "2026-03-01T00:00:00Z";
        MemoryJobStore::Settings store = {};
        DelayQueue::Settings queue = {};
    };
    ReminderFixture() : ReminderFixture(Setup{}) {}
    explicit ReminderFixture(const Setup& setup)
        : clock_(parseTimestamp(setup.now).value()),
          store_(loop_, clock_, setup.store),
          queue_(store_, clock_, setup.queue)
    {
    }

    template <class T>
    Result<T> await(const std::function<void(Done<T>)>& call)
    {
        std::optional<Result<T>> answer;
        call([&](Result<T> result) { answer = std::move(result); });
        loop_.settle();
        EXPECT_TRUE(answer) << "not answered";
        return answer.value_or(failure(ErrorCode::Internal, "not answered"));
    }
    std::vector<JobView> jobs(std::optional<JobState> state = {})
    {
        JobQuery query;
        query.state = state;
        query.limit = 1'000;
        return await<JobPage>([&](auto done) { store_.list(query, std::move(done)); })->jobs;
    }
    /// "03-02T09:00", of a moment in UTC.
    static std::string shown(TimePoint at) { return formatRfc3339(at).substr(5, 11); }

    test::ManualClock clock_;
    test::ManualLoop loop_{clock_};
    MemoryJobStore store_;
    DelayQueue queue_;
    Settings settings_;
};

}  // namespace restante::reminder
