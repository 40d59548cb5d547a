#include "core/queue/job_search.h"
#include "core/redis/store/redis_job_inspector.h"
#include "tests/integration/redis/store_fixture.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace restante::test {
namespace {

constexpr std::uint32_t kShards = 2;
constexpr std::int64_t kJobs = 40'000;
constexpr int kLanes = 50;

/// Copies a record into so many lanes, due within a day, some at the same moment. No push could do
/// that in the time a test has.
constexpr std::string_view kSow = R"(
local K, jobs, lanes, now, shard = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local key, field = ARGV[6], ARGV[7]
local record = redis.call('HGET', key, field)
for i = 1, jobs do
    local id = string.format('sown%s-%07d', shard, i)
    local lane = string.format('pull:%d:t%04d', i % 10, (i * 31) % lanes)  -- as long as the one it replaces
    redis.call('HSET', K .. 'j:' .. string.sub(id, 1, -2), string.sub(id, -1), string.sub(record, 1, 19) .. lane .. string.sub(record, 20 + #lane))
    redis.call('ZADD', K .. 'due:' .. lane, string.format('%.0f', now + 1000 * ((i * 7919) % 86400)), id)
    redis.call('SADD', K .. 'lanes', lane)
end
return 'OK')";

class RankedPage : public StoreFixture {
protected:
    void SetUp() override
    {
        open(sharedRedis(), {.shards = kShards});
        inspector_ = std::make_unique<redis::RedisJobInspector>(
            loop_, *connection_, clock_, redis::RedisJobInspector::Settings{"rst", kShards});
        for (std::uint32_t shard = 0; shard < kShards; ++shard) {
            const auto job = order(shard);
            ASSERT_TRUE(push(job, -1s));
            const auto prefix = fmt::format("rst:{{s{}}}:", shard);
            send({"EVAL", std::string(kSow), "0", prefix, std::to_string(kJobs / kShards),
                  std::to_string(kLanes), std::to_string(toEpochMs(clock_.now()) + 60'000),
                  std::to_string(shard), prefix + "j:" + job.id.substr(0, job.id.size() - 1),
                  job.id.substr(job.id.size() - 1)});
        }
    }
    void TearDown() override { inspector_.reset(); }

    RankPage ranked(std::uint64_t offset, JobSearch::Order order = JobSearch::Order::Ascending)
    {
        auto page = await<RankPage>([&](auto done) {
            inspector_->ranked({.states = {JobState::Scheduled}, .order = order, .offset = offset},
                               done);
        });
        EXPECT_TRUE(page) << page.error().message;
        return page.value_or(RankPage{});
    }
    /// Every entry of every lane, in order.
    std::vector<std::pair<double, std::string>> all()
    {
        std::vector<std::pair<double, std::string>> entries;
        for (std::uint32_t shard = 0; shard < kShards; ++shard) {
            const auto prefix = fmt::format("rst:{{s{}}}:", shard);
            const auto lanes = send({"SMEMBERS", prefix + "lanes"});
            for (const auto& lane : *lanes.array()) {
                const auto found = send({"ZRANGE", prefix + "due:" + *lane.text(),
                                         std::to_string(toEpochMs(clock_.now()) + 1), "+inf",
                                         "BYSCORE", "WITHSCORES"});
                for (std::size_t i = 0; i < found.array()->size(); i += 2) {
                    entries.emplace_back(std::stod(*(*found.array())[i + 1].text()),
                                         *(*found.array())[i].text());
                }
            }
        }
        std::sort(entries.begin(), entries.end());
        return entries;
    }
    std::unique_ptr<redis::RedisJobInspector> inspector_;
};

TEST_F(RankedPage, isExactAnywhereInManyLanes)
{
    const auto entries = all();
    ASSERT_EQ(entries.size(), kJobs);
    for (const std::uint64_t offset : {0L, 199L, kJobs / 3, kJobs / 2, kJobs - 100}) {
        const auto page = ranked(offset);
        EXPECT_EQ(page.total, kJobs);
        ASSERT_EQ(page.jobs.size(), std::min<std::uint64_t>(200, kJobs - offset));
        for (std::size_t i = 0; i < page.jobs.size(); ++i) {
            EXPECT_EQ(page.jobs[i].job.id, entries[offset + i].second);
        }
        const auto mirrored =
            ranked(kJobs - offset - page.jobs.size(), JobSearch::Order::Descending);
        ASSERT_GE(mirrored.jobs.size(), page.jobs.size());
        EXPECT_EQ(mirrored.jobs[page.jobs.size() - 1].job.id, page.jobs[0].job.id);
    }
}

TEST_F(RankedPage, namesNoJobTwiceWhileTheStoreChanges)
{
    // Pages are asked for while every job of a lane moves to another moment.
    int moved = 0;
    for (int round = 0; round < 5; ++round) {
        std::optional<RankPage> page;
        int answered = 0;
        inspector_->ranked({.states = {JobState::Scheduled}, .offset = kJobs / 2, .limit = 1'000},
                           [&](Result<RankPage> answer) {
                               ASSERT_TRUE(answer) << answer.error().message;
                               page = std::move(*answer);
                           });
        for (int i = 1; i <= 300; ++i) {
            store_->reschedule({fmt::format("sown0-{:07}", round * 1'000 + i), "olga", "test"},
                               {clock_.now() + Millis{1'000} * ((i * 4'001) % 86'400)},
                               [&](const Result<void>& outcome) {
                                   // Half of them are on a shard where nobody looks for them.
                                   moved += outcome ? 1 : 0;
                                   ++answered;
                               });
        }
        ASSERT_TRUE(loop_.runUntil([&] { return page && answered == 300; }, Millis{30'000}));
        std::set<std::string> ids;
        for (const auto& view : page->jobs) {
            EXPECT_TRUE(ids.insert(view.job.id).second) << view.job.id;
        }
    }
    EXPECT_GT(moved, 500);
}

TEST_F(RankedPage, keepsThePlaceOfAJobThatCannotBeRead)
{
    send({"HSET", "rst:{s0}:j:sown0-000000", "1", "\x07 from the future"});
    const auto entries = all();
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [](const auto& entry) { return entry.second == "sown0-0000001"; });
    ASSERT_NE(at, entries.end());
    const auto page = ranked(static_cast<std::uint64_t>(at - entries.begin()));
    ASSERT_FALSE(page.jobs.empty());
    EXPECT_EQ(page.jobs[0].job.id, "sown0-0000001");
    EXPECT_EQ(page.jobs[0].state, JobState::Scheduled);
    EXPECT_TRUE(page.jobs[0].job.topic.empty());
}

TEST_F(RankedPage, needsFewCommands)
{
    send({"CONFIG", "RESETSTAT"});
    ranked(kJobs / 2);
    const auto stats = *send({"INFO", "commandstats"}).text();
    // "cmdstat_evalsha:calls=57,usec=..."
    const auto at = stats.find("cmdstat_evalsha:calls=");
    ASSERT_NE(at, std::string::npos);
    EXPECT_LT(std::stoi(stats.substr(at + 22)), 30) << stats.substr(at, 80);
}

}  // namespace
}  // namespace restante::test
