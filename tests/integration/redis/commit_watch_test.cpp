// Who is answered when something is committed: as Redis says, and as a recorder of this process
// does.

#include "core/redis/store/commit_notices.h"
#include "core/redis/store/commit_watch.h"
#include "core/redis/store/serving_gate.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace restante::test {
namespace {

using redis::CommitNotices;
using redis::CommitWatch;
using redis::ServingGate;
using redis::StreamId;
using testing::HasSubstr;

/// A shard whose stream ends with 7-0, without a recorder in Redis.
class CommitWatchTest : public StoreFixture {
protected:
    void SetUp() override
    {
        StoreFixture::SetUp();
        send({"FLUSHALL"});
        send({"XADD", "rst:{s0}:events", "7-0", "t", "push"});
        gate_ = std::make_unique<ServingGate>(loop_, *connection_, clock_, ServingGate::Settings{});
        serveUnder("one");
        notices_.begin("one", {6, 0});
        CommitWatch::Settings settings;
        settings.url = server_->url();
        settings.gate = gate_.get();
        settings.notices = &notices_;
        settings.timeout = 20s;
        settings.recorderTimeout = recorderTimeout_;
        watch_ = CommitWatch::make(loop_, *connection_, std::move(settings));
        ASSERT_TRUE(runUntil([&] {
            return number({"PUBLISH", "rst:{s0}:committed", "6-0 one"}) == 1;
        })) << "it does not listen";
    }
    void TearDown() override
    {
        watch_.reset();
        gate_.reset();
        send({"FLUSHALL"});
    }

    /// As after a comparison with the journal.
    void serveUnder(const std::string& token)
    {
        send({"EVAL",
              "local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') "
              "redis.call('HSET', 'rst:{s0}:store', 'token', ARGV[1], 'run', run) "
              "redis.call('SET', 'rst:{s0}:serving:' .. ARGV[1], '1')",
              "0", token});
        ASSERT_TRUE(runUntil([&] { return gate_->tokenKey(0) == "rst:{s0}:serving:" + token; }));
    }
    void waitForCommit()
    {
        answer_.reset();
        watch_->await(0, std::nullopt,
                      [this](Result<void> committed) { answer_ = std::move(committed); });
    }
    void waitForEvent(StreamId id, const std::string& token)
    {
        answer_.reset();
        watch_->await(0, redis::AppendedEvent{id, "rst:{s0}:serving:" + token},
                      [this](Result<void> committed) { answer_ = std::move(committed); });
    }
    std::int64_t queriesOfTheStream() const
    {
        const std::string stats = text({"INFO", "commandstats"});
        const std::string key = "cmdstat_xrevrange:calls=";
        const auto at = stats.find(key);
        return at == std::string::npos ? 0 : std::stoll(stats.substr(at + key.size()));
    }
    /// Nothing in Redis says that anything is committed, so only a notice or a message can answer.
    bool isAnswered()
    {
        return runUntil([&] { return answer_.has_value(); });
    }
    /// There is no answer while the watch asks for the end of the stream, and waits.
    bool waits()
    {
        return !runUntil([&] { return answer_.has_value(); }, 60ms);
    }

    Millis recorderTimeout_ = CommitWatch::Settings{}.recorderTimeout;
    CommitNotices notices_;
    std::unique_ptr<ServingGate> gate_;
    std::shared_ptr<CommitWatch> watch_;
    std::optional<Result<void>> answer_;
};

}  // namespace

TEST_F(CommitWatchTest, answersAsSoonAsTheRecorderOfThisProcessTells)
{
    waitForCommit();
    ASSERT_TRUE(waits());
    notices_.tell("one", {7, 0});
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(*answer_);
}

TEST_F(CommitWatchTest, answersAtOnceWhatWasCommittedBefore)
{
    notices_.tell("one", {7, 0});
    waitForCommit();
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(*answer_);
}

TEST_F(CommitWatchTest, waitsForTheNewestEntry)
{
    waitForCommit();
    ASSERT_TRUE(waits());
    notices_.tell("one", {6, 9});
    EXPECT_TRUE(waits());
    notices_.tell("one", {8, 0});
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(*answer_);
}

TEST_F(CommitWatchTest, takesNothingFromTheCommitsOfAnotherStore)
{
    notices_.begin("two", {6, 0});
    waitForCommit();
    ASSERT_TRUE(waits());
    notices_.tell("two", {9, 0});
    EXPECT_TRUE(waits());
}

TEST_F(CommitWatchTest, waitsForAnEventThatIsNamedWithoutAskingForTheEndOfTheStream)
{
    const auto before = queriesOfTheStream();
    waitForEvent({6, 5}, "one");
    ASSERT_TRUE(waits());
    notices_.tell("one", {6, 4});
    EXPECT_TRUE(waits());
    notices_.tell("one", {6, 5});
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(*answer_);
    EXPECT_EQ(queriesOfTheStream(), before);
}

TEST_F(CommitWatchTest, answersWithANamedEventThatWasCommittedBefore)
{
    waitForEvent({5, 0}, "one");
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(*answer_);
}

TEST_F(CommitWatchTest, answersWhoeverNamesAnEventAlsoFromRedis)
{
    notices_.end("one");
    waitForEvent({7, 0}, "one");
    ASSERT_TRUE(waits());
    send({"PUBLISH", "rst:{s0}:committed", "7-0 one"});
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(*answer_);
}

/// What is committed under another token says nothing about it.
TEST_F(CommitWatchTest, tellsWhoNamesAnEventOfAnotherStoreThatItIsLost)
{
    serveUnder("two");
    notices_.end("one");
    notices_.begin("two", {9, 0});
    waitForEvent({7, 0}, "one");
    ASSERT_TRUE(waits());
    send({"PUBLISH", "rst:{s0}:committed", "9-0 two"});
    ASSERT_TRUE(isAnswered());
    ASSERT_FALSE(*answer_);
    EXPECT_THAT(answer_->error().message, HasSubstr("lost or changed"));
}

TEST_F(CommitWatchTest, refusesToWaitForANamedEventWhileTheJournalIsDown)
{
    send({"PUBLISH", "rst:{s0}:committed", "down"});
    ASSERT_TRUE(runUntil([&] { return watch_->isDown(0); }));
    waitForEvent({7, 0}, "one");
    ASSERT_TRUE(isAnswered());
    ASSERT_FALSE(*answer_);
    EXPECT_EQ(answer_->error().code, ErrorCode::Unavailable);
}

class SilentRecorder : public CommitWatchTest {
protected:
    SilentRecorder() { recorderTimeout_ = 1s; }
};

/// It has been heard of by then, though it has published nothing: a database that is opened for
/// longer than the time-out would else have the first calls refused.
TEST_F(SilentRecorder, isNotDownWhenItHasOpenedTheShard)
{
    ASSERT_TRUE(runUntil([&] { return watch_->isDown(0); }));
    serveUnder("two");
    EXPECT_TRUE(runUntil([&] { return !watch_->isDown(0); }));
    EXPECT_TRUE(runUntil([&] { return watch_->isDown(0); })) << "it is silent again";
}

/// What was called under the token before is not known to be in the store that is there now.
TEST_F(CommitWatchTest, tellsThoseWhoWaitUnderAnotherTokenThatTheStoreIsLost)
{
    waitForCommit();
    ASSERT_TRUE(waits());
    serveUnder("two");
    send({"PUBLISH", "rst:{s0}:committed", "9-0 two"});
    ASSERT_TRUE(isAnswered());
    ASSERT_FALSE(*answer_);
    EXPECT_THAT(answer_->error().message, HasSubstr("lost or changed"));
}

TEST_F(CommitWatchTest, hearsOfARecorderInAnotherProcessFromRedis)
{
    notices_.end("one");
    waitForCommit();
    ASSERT_TRUE(waits());
    send({"PUBLISH", "rst:{s0}:committed", "7-0 one"});
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(*answer_);
}

TEST_F(CommitWatchTest, mayBeDestroyedByWhoIsAnswered)
{
    watch_->await(0, std::nullopt, [this](Result<void> committed) {
        answer_ = std::move(committed);
        watch_.reset();
    });
    ASSERT_TRUE(waits());
    notices_.tell("one", {7, 0});
    ASSERT_TRUE(isAnswered());
    EXPECT_EQ(notices_.listeners(), 0U);
}

}  // namespace restante::test
