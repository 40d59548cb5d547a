#include "core/base/metrics.h"
#include "core/journal/recorder/shard_recorder.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "tests/integration/journal/journal_fixture.h"

namespace restante::test {

namespace {

constexpr int kMayWait = 20;

/// One recorder, on whose core another thread always wants to run.
class PausingRecorder : public JournalFixture {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(SqlKind::Sqlite));
        openQueue();
        sql_.emplace(journal::parseJournalUrl(url_).value());
        connection_.emplace(loop_, redis::Connection::Settings{.url = redis_->url(), .name = "t"});
        journal::ShardRecorder::Settings settings;
        settings.url = redis_->url();
        settings.owner = "test";
        settings.process = "test/1";
        // Neither its age nor the end of a pause lets an event be recorded.
        settings.pace = {24h, kMayWait, 1'000'000'000, 1ms, 24h};
        settings.threadTimes = [times = ThreadTimes{}]() mutable {
            times.running += 1h;
            times.waiting += 1h;
            return std::optional(times);
        };
        bool isRecording = false;
        journal::ShardRecorder::Handlers handlers;
        handlers.onRecordingAssured = [&] { isRecording = true; };
        handlers.onCompared = [](const auto&) {};
        handlers.onForeignJournal = [](const auto&) {};
        recorder_ = journal::ShardRecorder::start({loop_, clock_, *sql_, *connection_}, settings,
                                                  std::move(handlers));
        ASSERT_TRUE(runUntil([&] { return isRecording; }));
        push(order());  // its commit is followed by a pause
        ASSERT_TRUE(runUntil([&] { return isRecorded(); }));
    }

    static double waiting()
    {
        return metrics::gauge("restante_journal_lag_entries", {"0"}).value();
    }

    SystemClock clock_;
    std::optional<journal::SqlThread> sql_;
    std::optional<redis::Connection> connection_;
    std::shared_ptr<journal::ShardRecorder> recorder_;
};

}  // namespace

TEST_F(PausingRecorder, leavesEventsInTheStreamUntilTooManyWait)
{
    for (int n = 1; n < kMayWait; ++n) {
        push(order());
    }
    EXPECT_TRUE(runUntil([&] { return waiting() == kMayWait - 1; }))
        << "it looks at the stream and goes on pausing";
    EXPECT_FALSE(isRecorded());
    push(order());
    EXPECT_TRUE(runUntil([&] { return isRecorded(); }));
}

TEST_F(PausingRecorder, ownsNothingWhileRedisIsAway)
{
    ASSERT_TRUE(recorder_->isOwner());
    redis_->kill9();
    EXPECT_TRUE(runUntil([&] { return !recorder_->isOwner(); }));
    redis_->restart();
    EXPECT_TRUE(runUntil([&] { return recorder_->isOwner(); }));
}

TEST_F(PausingRecorder, recordsBeforeItEndsWhatAPauseHasLeft)
{
    const auto id = push(order());
    ASSERT_TRUE(runUntil([&] { return waiting() == 1; }));
    ASSERT_FALSE(isRecorded());
    bool isStopped = false;
    recorder_->stop([&] { isStopped = true; });
    ASSERT_TRUE(runUntil([&] { return isStopped; }));
    EXPECT_TRUE(isRecorded());
    recorder_.reset();
    openJournal("another");
    EXPECT_EQ(moves(id, 1).size(), 1U) << "once";
}

}  // namespace restante::test
