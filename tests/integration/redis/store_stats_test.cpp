#include "core/redis/store/store_activity.h"
#include "tests/integration/redis/store_fixture.h"

namespace restante::test {
namespace {

using redis::StoreStats;

class StoreStatsReaderTest : public StoreFixture {
protected:
    void SetUp() override
    {
        open(sharedRedis(), {.shards = 2});
        inspector_ = std::make_unique<redis::RedisJobInspector>(
            loop_, *connection_, clock_, redis::RedisJobInspector::Settings{"rst", 2});
        watch_ = std::make_unique<redis::StoreActivityReader>(
            loop_, *connection_, clock_, redis::StoreActivityReader::Settings{"rst", 2});
        sampler_ = std::make_unique<redis::StoreStatsReader>(
            *inspector_,
            [this](Done<redis::StoreActivity> done) { watch_->activity(std::move(done)); }, clock_);
    }
    void TearDown() override
    {
        inspector_.reset();
        watch_.reset();
    }
    StoreStats sample()
    {
        auto answer = await<StoreStats>([&](auto done) { sampler_->sample(done); });
        EXPECT_TRUE(answer) << answer.error().message;
        return answer.value_or(StoreStats{});
    }

    std::unique_ptr<redis::RedisJobInspector> inspector_;
    std::unique_ptr<redis::StoreActivityReader> watch_;
    std::unique_ptr<redis::StoreStatsReader> sampler_;
};

TEST_F(StoreStatsReaderTest, seesNothingInAnEmptyStore)
{
    const auto now = sample();
    EXPECT_EQ(now.at, clock_.now());
    EXPECT_EQ(now.counts.states.at(JobState::Ready), 0U);
    EXPECT_TRUE(now.moves.empty());
    EXPECT_FALSE(now.lateness);
    EXPECT_FALSE(now.journal);
}

TEST_F(StoreStatsReaderTest, tellsHowManyJobsMovedAndHowManyThereAre)
{
    for (std::uint32_t i = 0; i < 6; ++i) {
        ASSERT_TRUE(push(order(i % 2), i < 4 ? 0ms : Millis{1h}));
    }
    const auto before = sample();
    const auto jobs = claim(1).value();
    ASSERT_EQ(jobs.size(), 1U);
    ASSERT_TRUE(finish({jobs[0].job.id, jobs[0].attempt, ""}));
    const auto after = sample();
    EXPECT_EQ(before.counts.states.at(JobState::Ready), 4U);
    EXPECT_EQ(before.counts.states.at(JobState::Scheduled), 2U);
    EXPECT_EQ(after.moves.at("push"), 6U);
    EXPECT_EQ(before.moves.count("finish"), 0U);
    EXPECT_EQ(after.moves.at("finish"), 1U);
}

TEST_F(StoreStatsReaderTest, tellsHowLateReadyJobsAreExactly)
{
    // A job a second for 200 seconds, on both shards and several topics.
    for (std::uint32_t i = 0; i < 200; ++i) {
        auto job = order(i % 2);
        job.topic = "topic-" + std::to_string(i % 7);
        ASSERT_TRUE(push(job, 1s * i));
    }
    clock_.advance(Millis{199'000});
    const auto late = sample().lateness;
    ASSERT_TRUE(late);
    EXPECT_EQ(late->most, Millis{199'000});
    EXPECT_EQ(late->p99, Millis{197'000});
    EXPECT_EQ(late->p95, Millis{189'000});
    EXPECT_EQ(late->p50, Millis{99'000});
}

TEST_F(StoreStatsReaderTest, tellsHowLateTheJobsOfAScopeAre)
{
    for (std::uint32_t i = 0; i < 40; ++i) {
        auto job = order(i % 2);
        job.topic = i < 10 ? "old" : "new";
        ASSERT_TRUE(push(job, 1s * i));
    }
    clock_.advance(Millis{39'000});
    const auto of = [&](redis::SampleScope scope) {
        auto answer =
            await<StoreStats>([&](auto done) { sampler_->sample(std::move(scope), done); });
        EXPECT_TRUE(answer) << answer.error().message;
        return answer.value_or(StoreStats{});
    };
    EXPECT_EQ(of({.topic = "new"}).lateness->most, Millis{29'000});
    EXPECT_EQ(of({.topic = "old"}).lateness->most, Millis{39'000});
    EXPECT_EQ(of({.topic = "new", .channel = order(0).channel}).lateness->most, Millis{29'000});
    EXPECT_FALSE(of({.topic = "other"}).lateness);
    EXPECT_EQ(of({.topic = "new"}).counts.states.at(JobState::Ready), 40U) << "counts are of all";
}

TEST_F(StoreStatsReaderTest, saysWhyThereIsNoSample)
{
    send({"SET", "rst:{s0}:lanes", "foreign"});
    const auto answer = await<StoreStats>([&](auto done) { sampler_->sample(done); });
    EXPECT_FALSE(answer);
}

}  // namespace
}  // namespace restante::test
