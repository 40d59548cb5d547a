#include "core/redis/store/store_activity.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using redis::JobsByTopic;
using redis::StoreActivity;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class StoreActivityReaderTest : public StoreFixture {
protected:
    void SetUp() override
    {
        open(sharedRedis(), {.shards = 2});
        watch_ = std::make_unique<redis::StoreActivityReader>(
            loop_, *connection_, clock_, redis::StoreActivityReader::Settings{"rst", 2});
    }
    void TearDown() override { watch_.reset(); }

    StoreActivity activity()
    {
        const auto answer = await<StoreActivity>([&](auto done) { watch_->activity(done); });
        EXPECT_TRUE(answer) << answer.error().message;
        return answer.value_or(StoreActivity{});
    }
    JobsByTopic countByTopic(JobState state, std::uint64_t most = 1'000)
    {
        const auto answer =
            await<JobsByTopic>([&](auto done) { watch_->countByTopic(state, most, done); });
        EXPECT_TRUE(answer) << answer.error().message;
        return answer.value_or(JobsByTopic{});
    }

    std::unique_ptr<redis::StoreActivityReader> watch_;
};

TEST_F(StoreActivityReaderTest, seesNothingInAnEmptyStore)
{
    EXPECT_THAT(activity().moves, IsEmpty());
    EXPECT_FALSE(activity().journal);
    EXPECT_THAT(countByTopic(JobState::Leased), IsEmpty());
}

TEST_F(StoreActivityReaderTest, countsTheJobsThatEachTransitionMovesOnAllShards)
{
    for (std::uint32_t i = 0; i < 5; ++i) {
        ASSERT_TRUE(push(order(i % 2)));
    }
    auto jobs = claim(10).value();
    const auto more = claim(10).value();
    jobs.insert(jobs.end(), more.begin(), more.end());
    ASSERT_FALSE(jobs.empty());
    ASSERT_TRUE(finish({jobs[0].job.id, jobs[0].attempt, ""}));
    const auto moves = activity().moves;
    EXPECT_EQ(moves.at("push"), 5U);
    EXPECT_EQ(moves.at("finish"), 1U);
    EXPECT_GE(moves.at("claim"), jobs.size());
}

TEST_F(StoreActivityReaderTest, countsNothingThatWasRefused)
{
    const auto job = order();
    ASSERT_TRUE(push(job));
    ASSERT_TRUE(push(job)) << "the same again";
    EXPECT_THAT(activity().moves, ElementsAre(Pair("push", 1)));
}

TEST_F(StoreActivityReaderTest, doesNotHinderAMoveWhoseCounterIsSpoilt)
{
    send({"SET", "rst:{s0}:moves", "foreign"});
    EXPECT_TRUE(push(order()));
}

TEST_F(StoreActivityReaderTest, talliesLeasedJobsByChannelAndTopic)
{
    for (std::uint32_t i = 0; i < 4; ++i) {
        auto job = order(i % 2);
        job.topic = i == 3 ? "mail" : "order";
        ASSERT_TRUE(push(job));
    }
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(await<std::vector<ClaimedJob>>([&](auto done) {
            store_->claim({Channel::Pull, {"order", "mail"}, 10}, done);
        }));
    }
    EXPECT_THAT(countByTopic(JobState::Leased),
                UnorderedElementsAre(Pair(std::pair(Channel::Pull, std::string("order")), 3),
                                     Pair(std::pair(Channel::Pull, std::string("mail")), 1)));
}

TEST_F(StoreActivityReaderTest, talliesNoMoreOfAShardThanAskedFor)
{
    for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(push(order()));
    }
    ASSERT_EQ(claim(300)->size(), 300U);
    const std::pair order{Channel::Pull, std::string("order")};
    EXPECT_EQ(countByTopic(JobState::Leased, 250).at(order), 250U);
    EXPECT_EQ(countByTopic(JobState::Leased, 1'000).at(order), 300U);
}

TEST_F(StoreActivityReaderTest, talliesEveryJobOfAStateByTopicAndChannelHoweverManyThereAre)
{
    for (int i = 0; i < 650; ++i) {
        auto job = order();
        job.topic = i % 13 == 0 ? "mail" : "order";
        ASSERT_TRUE(push(job));
    }
    ASSERT_TRUE(await<std::vector<ClaimedJob>>([&](auto done) {
        store_->claim({Channel::Pull, {"order", "mail"}, 1'000}, done);
    }));
    const auto all = await<JobsByTopic>(
        [&](auto done) { watch_->countAllByTopic(JobState::Leased, std::move(done)); });
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_THAT(*all,
                UnorderedElementsAre(Pair(std::pair(Channel::Pull, std::string("order")), 600),
                                     Pair(std::pair(Channel::Pull, std::string("mail")), 50)));
    const auto none = await<JobsByTopic>(
        [&](auto done) { watch_->countAllByTopic(JobState::Dead, std::move(done)); });
    ASSERT_TRUE(none);
    EXPECT_THAT(*none, IsEmpty());
}

TEST_F(StoreActivityReaderTest, talliesTheJobsThatWaitForAnotherAttempt)
{
    for (int i = 0; i < 600; ++i) {
        ASSERT_TRUE(push(order()));
    }
    auto claimed = claim(600).value();
    ASSERT_EQ(claimed.size(), 600U);
    const auto lease = leaseOf(claimed.back());
    claimed.pop_back();
    for (const auto& one : claimed) {
        ASSERT_TRUE(await<void>([&](auto done) {
            store_->retry({leaseOf(one), clock_.now() + std::chrono::hours{1}, "503", true}, done);
        }));
    }
    ASSERT_TRUE(await<void>([&](auto done) { store_->bury(lease, "403", done); }));
    ASSERT_TRUE(await<void>([&](auto done) {
        store_->reschedule({claimed[0].job.id, "olga", ""},
                           {clock_.now() + std::chrono::hours{2}, NewTime::kEveryAttempt}, done);
    }));
    ASSERT_TRUE(push(order())) << "has failed never";
    const auto retrying = [&](std::uint64_t most) {
        const auto counted = await<redis::PartlyCounted>(
            [&](auto done) { watch_->countRetryingByTopic(most, std::move(done)); });
        EXPECT_TRUE(counted) << counted.error().message;
        return counted.value_or(redis::PartlyCounted{});
    };
    const auto all = retrying(1'000'000);
    EXPECT_TRUE(all.isComplete);
    EXPECT_THAT(all.jobs, ElementsAre(Pair(std::pair(Channel::Pull, std::string("order")), 598)))
        << "the dead one waits for nothing, and the attempts of one do not count any more";
    EXPECT_FALSE(retrying(1).isComplete) << "there was more than it was to look at";
}

TEST_F(StoreActivityReaderTest, talliesTheNewestDeadJobsByWhatTheyFailed)
{
    const auto bury = [&](int jobs, const char* reason) {
        for (int i = 0; i < jobs; ++i) {
            ASSERT_TRUE(push(order()));
        }
        for (const auto& claimed : claim(jobs).value_or(std::vector<ClaimedJob>{})) {
            ASSERT_TRUE(await<void>(
                [&](auto done) { store_->bury(leaseOf(claimed), reason, std::move(done)); }));
        }
    };
    bury(250, "503 Service Unavailable");
    // The oldest are left out.
    clock_.advance(std::chrono::seconds{1});
    bury(20, "connection refused");
    const auto byError = [&](std::uint64_t most) {
        return await<redis::JobsByError>(
                   [&](auto done) { watch_->countByError(JobState::Dead, most, done); })
            .value_or(redis::JobsByError{});
    };
    EXPECT_THAT(byError(1'000), UnorderedElementsAre(Pair("503 Service Unavailable", 250),
                                                     Pair("connection refused", 20)));
    const auto newest = byError(20);
    EXPECT_EQ(newest.at("connection refused"), 20U);
}

TEST_F(StoreActivityReaderTest, tellsHowFarTheJournalIs)
{
    ASSERT_TRUE(push(order()));
    const auto newest =
        *(*send({"XREVRANGE", "rst:{s0}:events", "+", "-", "COUNT", "1"}).array())[0]
             .array()
             ->at(0)
             .text();
    const auto ms = std::stoll(newest.substr(0, newest.find('-')));
    send({"HSET", "rst:{s0}:journal", "since", "x", "cursor", std::to_string(ms - 1'500) + "-0",
          "owner", "here/1", "until", std::to_string(toEpochMs(clock_.now()) + 5'000)});
    // However long it was quiet before that event: it alone waits, and longer as time goes on.
    send({"HSET", "rst:{s0}:journal", "cursor", std::to_string(ms - 3'600'000) + "-0"});
    clock_.set(fromEpochMs(ms + 1'500));
    send({"HSET", "rst:{s0}:journal", "until", std::to_string(ms + 6'500)});
    auto journal = activity().journal;
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->behind, Millis{1'500});
    EXPECT_EQ(journal->owners, "here/1");
    EXPECT_TRUE(journal->owned);

    send({"HSET", "rst:{s0}:journal", "cursor", newest, "until", "1"});
    journal = activity().journal;
    EXPECT_EQ(journal->behind, Millis{0});
    EXPECT_FALSE(journal->owned) << "its lease has ended";
}

}  // namespace
}  // namespace restante::test
