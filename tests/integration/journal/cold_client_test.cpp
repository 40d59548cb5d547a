// The C++ library on a store that has jobs in its journal alone.

#include "core/client/queue.h"
#include "core/journal/client/journal_queue.h"
#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace restante::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ColdClient : public JournalFixture {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(SqlKind::Sqlite));
        config_.queue.hotHorizon = 1h;
        movesColdJobs_ = true;
        openQueue();
        openJournal();
        ASSERT_TRUE(eventually([&] { return isMarked() && isRecorded(); }));
    }
    void TearDown() override { journal_.reset(); }

    bool isMarked() { return *redis_->send({"HEXISTS", "rst:meta", "hot_horizon"}).integer() == 1; }
    Result<Queue> connect(ColdJobsOpener coldJobs)
    {
        return Queue::connect({.redis = redis_->url().toString(), .coldJobs = std::move(coldJobs)});
    }
    static Result<void> trash(Queue& queue, const std::string& id)
    {
        std::promise<Result<void>> answer;
        queue.post([&](DelayQueue& its) {
            its.store().trash({id, "a program", "no more"},
                              [&](Result<void> done) { answer.set_value(std::move(done)); });
        });
        return answer.get_future().get();
    }
};

TEST_F(ColdClient, pushesIntoTheJournalKnowsItsIdsAndCancelsThere)
{
    auto queue = connect(journal::coldJobsIn(url_));
    ASSERT_TRUE(queue) << queue.error().message;
    const auto pushed = queue->push(order("far"), 24h).get();
    ASSERT_TRUE(pushed) << pushed.error().message;
    EXPECT_EQ(pushed->status, PushStatus::Stored);
    EXPECT_FALSE(view("far"));  // Redis has nothing of it
    EXPECT_EQ(queue->push(order("far"), 1min).get()->status, PushStatus::AlreadyThere);
    EXPECT_FALSE(view("far"));
    ASSERT_TRUE(trash(*queue, "far"));
    EXPECT_EQ(view("far")->state, JobState::Trashed);
    EXPECT_EQ(trash(*queue, "nobody").error().code, ErrorCode::NotFound);
}

TEST_F(ColdClient, takesNoIdOfItsCallersThatAColdJobMayHave)
{
    auto queue = connect({});
    ASSERT_TRUE(queue) << queue.error().message;
    const auto refused = queue->push(order("far"), 1min).get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Invalid);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr("id: "), HasSubstr("coldJobs")));
    EXPECT_TRUE(queue->push(order(), 1min).get());

    journal_.reset();
    redis_->send({"HDEL", "rst:meta", "hot_horizon"});  // as once no job is cold any more
    auto later = connect({});
    ASSERT_TRUE(later) << later.error().message;
    EXPECT_TRUE(later->push(order("far"), 1min).get());
}

TEST_F(ColdClient, saysWhyItCannotReadTheJournal)
{
    const auto nowhere = connect(journal::coldJobsIn("sqlite:///nowhere/at/all/journal.db"));
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(nowhere.error().message, HasSubstr("/nowhere/at/all/journal.db"));
    EXPECT_EQ(connect(journal::coldJobsIn("nonsense")).error().code, ErrorCode::Invalid);
    redis_->send({"HSET", "rst:{s0}:store", "identity", "another"});
    EXPECT_EQ(connect(journal::coldJobsIn(url_)).error().code, ErrorCode::Conflict);
}

}  // namespace
}  // namespace restante::test
