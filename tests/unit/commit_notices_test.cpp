// What the recorders of a process tell those who wait in it for their commits.

#include "core/base/epoll_loop.h"
#include "core/redis/store/commit_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace restante::redis {
namespace {

class CommitNoticesTest : public ::testing::Test {
protected:
    /// What was told, "token 7-0".
    std::unique_ptr<CommitNotices::Listener> listen()
    {
        return std::make_unique<CommitNotices::Listener>(
            notices_, loop_, [this](const std::string& token, StreamId cursor) {
                heard_.push_back(token + " " + cursor.toString());
            });
    }
    /// Whatever is posted to the loop by now has run afterwards.
    void settle()
    {
        bool reached = false;
        loop_.post([&] { reached = true; });
        ASSERT_TRUE(loop_.runUntil([&] { return reached; }, Millis{5'000}));
    }

    void SetUp() override
    {
        notices_.begin("a", {1, 0});
        notices_.begin("b", {1, 0});
    }

    EpollLoop loop_;
    CommitNotices notices_;
    std::vector<std::string> heard_;
};

}  // namespace

TEST_F(CommitNoticesTest, areHeardOnTheLoopOfWhoWaits)
{
    const auto listener = listen();
    EXPECT_EQ(listener->await("a"), (StreamId{1, 0}));
    std::thread([this] { notices_.tell("a", {7, 0}); }).join();
    EXPECT_THAT(heard_, testing::IsEmpty()) << "on the loop only";
    settle();
    EXPECT_THAT(heard_, testing::ElementsAre("a 7-0"));
}

TEST_F(CommitNoticesTest, knowWhatWasToldBeforeAnybodyWaited)
{
    const auto listener = listen();
    notices_.tell("a", {7, 0});
    EXPECT_EQ(listener->await("a"), (StreamId{7, 0}));
    settle();
    EXPECT_THAT(heard_, testing::IsEmpty()) << "the answer of await() has it";
}

TEST_F(CommitNoticesTest, ofManyCommitsInOneTurnTellTheNewest)
{
    const auto listener = listen();
    listener->await("a");
    notices_.tell("a", {7, 0});
    notices_.tell("a", {8, 0});
    settle();
    EXPECT_THAT(heard_, testing::ElementsAre("a 8-0"));
    notices_.tell("a", {9, 0});
    settle();
    EXPECT_THAT(heard_, testing::ElementsAre("a 8-0", "a 9-0"));
}

TEST_F(CommitNoticesTest, wakeNobodyForATokenThatHeDoesNotWaitFor)
{
    const auto listener = listen();
    listener->await("a");
    notices_.tell("b", {7, 0});
    listener->stopAwaiting("a");
    notices_.tell("a", {7, 0});
    settle();
    EXPECT_THAT(heard_, testing::IsEmpty());
}

TEST_F(CommitNoticesTest, comeToNobodyWhoIsGone)
{
    auto listener = listen();
    listener->await("a");
    notices_.tell("a", {7, 0});
    EXPECT_EQ(notices_.listeners(), 1U);
    listener.reset();
    EXPECT_EQ(notices_.listeners(), 0U);
    settle();
    notices_.tell("a", {8, 0});
    settle();
    EXPECT_THAT(heard_, testing::IsEmpty());
}

TEST_F(CommitNoticesTest, sayNothingOfATokenThatHasEnded)
{
    const auto listener = listen();
    notices_.end("a");
    EXPECT_EQ(listener->await("a"), std::nullopt);
    // A commit that was under way.
    notices_.tell("a", {7, 0});
    settle();
    EXPECT_THAT(heard_, testing::IsEmpty());
    EXPECT_EQ(listener->await("a"), std::nullopt);
}

/// As after a comparison with a database that was put back.
TEST_F(CommitNoticesTest, beginAnewWhereTheRecorderDoes)
{
    const auto listener = listen();
    notices_.tell("a", {7, 0});
    notices_.begin("a", {5, 0});
    EXPECT_EQ(listener->await("a"), (StreamId{5, 0}));
}

}  // namespace restante::redis
