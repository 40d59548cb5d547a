#include "core/redis/store/job_codec.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

#include <set>

namespace restante::test {

/// docs/redis-schema.md, as other programs read it.
class StoreSchema : public StoreFixture {
protected:
    std::set<std::string> keys() const
    {
        std::set<std::string> names;
        const auto reply = send({"KEYS", "*"});
        for (const auto& key : *reply.array()) {
            names.insert(*key.text());
        }
        return names;
    }
};

TEST_F(StoreSchema, keepsARecordInTheHashOfItsSixteenNeighbours)
{
    auto job = order();
    job.id = "order-17";
    ASSERT_TRUE(push(job));
    std::string record;
    redis::encodeRecord(job, record);
    EXPECT_EQ(text({"HGET", "rst:{s0}:j:order-1", "7"}), record);
    EXPECT_THAT(keys(),
                testing::ElementsAre("rst:{s0}:due:pull:5:order", "rst:{s0}:events",
                                     "rst:{s0}:j:order-1", "rst:{s0}:lanes", "rst:{s0}:moves"));
}

TEST_F(StoreSchema, leavesNothingOfAFinishedJobButTheLaneAndTheEvents)
{
    auto job = order();
    job.expires = clock_.now() + 1h;
    ASSERT_TRUE(push(job));
    auto claimed = claim()->at(0);
    ASSERT_TRUE(await<void>([&](auto done) {
        store_->retry({{job.id, claimed.attempt, ""}, clock_.now(), "busy"}, done);
    }));
    claimed = claim()->at(0);
    ASSERT_TRUE(finish({job.id, claimed.attempt, ""}));
    EXPECT_THAT(keys(),
                testing::ElementsAre("rst:{s0}:events", "rst:{s0}:lanes", "rst:{s0}:moves"));
}

TEST_F(StoreSchema, leavesNothingOfAFinishedMailbox)
{
    auto job = order();
    job.channel = Channel::Sip;
    job.recipient = "sip:bob@example.org";
    ASSERT_TRUE(await<PushOutcome>([&](auto done) {
        store_->push({.job = job, .due = clock_.now(), .placement = Placement::Mailbox}, done);
    }));
    EXPECT_THAT(keys(), testing::Contains("rst:{s0}:box:sip:bob@example.org"));
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store_->claimMailbox({job.recipient, 5}, done);
    });
    ASSERT_EQ(claimed->size(), 1U);
    ASSERT_TRUE(finish({job.id, 1, job.recipient}));
    EXPECT_THAT(keys(), testing::ElementsAre("rst:{s0}:events", "rst:{s0}:held_bytes",
                                             "rst:{s0}:moves", "rst:{s0}:seq"));
    EXPECT_EQ(text({"HGET", "rst:{s0}:held_bytes", "bytes"}), "0");
}

TEST_F(StoreSchema, givesEachShardItsOwnHashTag)
{
    open(sharedRedis(), {.prefix = "mine", .shards = 3});
    for (std::uint32_t shard = 0; shard < 3; ++shard) {
        ASSERT_TRUE(push(order(shard)));
        EXPECT_EQ(number({"ZCARD", "mine:{s" + std::to_string(shard) + "}:due:pull:5:order"}), 1);
    }
    EXPECT_EQ(claim(2)->size(), 2U);
    EXPECT_EQ(claim(2)->size(), 1U);
}

TEST_F(StoreSchema, boundsTheEventStream)
{
    open(sharedRedis(), {.eventsKept = 100});
    for (int i = 0; i < 600; ++i) {
        ASSERT_TRUE(push(order()));
    }
    EXPECT_LT(number({"XLEN", "rst:{s0}:events"}), 400);
    EXPECT_GE(number({"XLEN", "rst:{s0}:events"}), 100);
}

TEST_F(StoreSchema, scoresKeepTheOrderOfArrivalWithinAMillisecond)
{
    std::vector<std::string> pushed;
    int answers = 0;
    for (int i = 0; i < 500; ++i) {
        auto job = order();
        job.id = "job" + std::to_string(7'919 * i % 500);  // not in the order of the ids
        pushed.push_back(job.id);
        store_->push({.job = job, .due = clock_.now() + 1s}, [&](auto) { ++answers; });
    }
    ASSERT_TRUE(runUntil([&] { return answers == 500; }));
    clock_.advance(999ms);
    EXPECT_TRUE(claim()->empty());
    clock_.advance(1ms);
    const auto claimed = claimedIds(500);
    EXPECT_EQ(claimed, pushed);
}

TEST_F(StoreSchema, pagesThroughJobsOfOneScoreEvenWhenTheLastOneSeenHasGone)
{
    redis::RedisJobInspector inspector(loop_, *connection_, clock_, {});
    std::set<std::string> expected;
    for (int i = 0; i < 25; ++i) {
        const auto job = order();
        ASSERT_TRUE(push(job));
        expected.insert(job.id);
    }
    // One score for all: the place of the cursor is found among the ids.
    for (const auto& id : expected) {
        send({"ZADD", "rst:{s0}:due:pull:5:order", "1000", id});
    }
    std::set<std::string> seen;
    JobQuery query;
    query.limit = 4;
    do {
        const auto page = await<JobPage>([&](auto done) { inspector.list(query, done); }).value();
        for (const auto& view : page.jobs) {
            EXPECT_TRUE(seen.insert(view.job.id).second) << view.job.id;
        }
        if (!page.jobs.empty()) {
            send({"ZREM", "rst:{s0}:due:pull:5:order", page.jobs.back().job.id});
        }
        query.cursor = page.cursor;
    } while (!query.cursor.empty());
    EXPECT_EQ(seen, expected);
}

}  // namespace restante::test
