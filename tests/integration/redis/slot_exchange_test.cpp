// The slots of a concurrency limit on their way between shards: that there are never too many, and
// that none is lost, whoever stops in the middle.

#include "core/redis/store/script.h"
#include "core/redis/store/slot_exchange.h"
#include "tests/integration/redis/store_fixture.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>

namespace restante::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kShards = 4;

class Slots : public test::StoreFixture {
protected:
    void SetUp() override { open(test::sharedRedis(), {.shards = kShards}); }

    static std::string key(std::uint32_t shard, const std::string& name)
    {
        return "rst:{s" + std::to_string(shard) + "}:" + name;
    }
    Result<void> limit(std::uint32_t concurrency)
    {
        return await<void>([&](auto done) {
            store_->limitTopic({"order", "olga", ""}, {.concurrency = concurrency, .rate = {}},
                               done);
        });
    }
    std::string generation() const { return text({"HGET", key(0, "slots:order"), "generation"}); }
    std::int64_t slotsOf(std::uint32_t shard) const
    {
        return std::stoll(text({"HGET", key(shard, "limits"), "order"}));
    }
    std::int64_t slotsInAll() const
    {
        std::int64_t sum = 0;
        for (std::uint32_t shard = 0; shard < kShards; ++shard) {
            sum += slotsOf(shard);
        }
        return sum;
    }
    std::int64_t leased() const
    {
        std::int64_t sum = 0;
        for (std::uint32_t shard = 0; shard < kShards; ++shard) {
            sum += number({"ZCARD", key(shard, "lease")});
        }
        return sum;
    }
    Reply callScript(const std::string& name,
                     std::uint32_t shard,
                     const std::vector<std::string>& arguments) const
    {
        std::vector<std::string> words{
            "EVAL",         std::string(script(name).text),          "1",
            key(shard, ""), std::to_string(toEpochMs(clock_.now())), "1000",
            "test"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return send(words);
    }
    /// A script as a daemon calls it that dies right afterwards.
    std::string callAndDie(const std::string& name,
                           std::uint32_t shard,
                           const std::vector<std::string>& arguments) const
    {
        const auto reply = callScript(name, shard, arguments);
        const auto* cells = reply.array();
        return cells != nullptr && cells->front().text() != nullptr ? *cells->front().text() : "";
    }
    /// Whether the shard says that something of the topic waits there.
    bool isWanted(std::uint32_t shard) const
    {
        return callScript("slots", shard, {"order", "0", "0"}).at(0).at(3).textOrEmpty() == "1";
    }
    void pushTo(std::uint32_t shard, int count)
    {
        for (int i = 0; i < count; ++i) {
            ASSERT_TRUE(push(order(shard)));
        }
    }
};

TEST_F(Slots, areDealtOutEvenly)
{
    ASSERT_TRUE(limit(6));
    EXPECT_EQ(slotsInAll(), 6);
    for (std::uint32_t shard = 0; shard < kShards; ++shard) {
        EXPECT_GE(slotsOf(shard), 1);
        EXPECT_LE(slotsOf(shard), 2);
    }
}

TEST_F(Slots, thatHaveLeftAShardAreNotLostWithWhoMovedThem)
{
    ASSERT_TRUE(limit(1));
    ASSERT_EQ(slotsOf(0), 1);
    EXPECT_EQ(callAndDie("give_slots", 0, {"order", generation(), "2", "5", "0"}), "1");
    EXPECT_EQ(slotsInAll(), 0);
    pushTo(3, 2);
    EXPECT_EQ(claimedIds(9).size(), 1U);
    EXPECT_EQ(slotsInAll(), 1);
    EXPECT_EQ(slotsOf(3), 1);
    EXPECT_TRUE(claimedIds(9).empty());
}

TEST_F(Slots, comeOnceHoweverOftenItIsTold)
{
    ASSERT_TRUE(limit(1));
    const auto begun = generation();
    ASSERT_EQ(callAndDie("give_slots", 0, {"order", begun, "2", "1", "0"}), "1");
    EXPECT_EQ(callAndDie("take_slots", 2, {"order", begun, "0", "1"}), "1");
    EXPECT_EQ(callAndDie("take_slots", 2, {"order", begun, "0", "1"}), "0");
    EXPECT_EQ(slotsInAll(), 1);
}

TEST_F(Slots, ofAnEarlierLimitComeNoMore)
{
    ASSERT_TRUE(limit(2));
    const auto begun = generation();
    ASSERT_TRUE(limit(1));
    EXPECT_NE(generation(), begun);
    EXPECT_EQ(callAndDie("take_slots", 2, {"order", begun, "0", "2"}), "stale");
    EXPECT_EQ(callAndDie("give_slots", 0, {"order", begun, "2", "1", "0"}), "stale");
    EXPECT_EQ(callAndDie("deal_slots", 0, {"order", begun, "3", "0", "0", "0"}), "stale");
    EXPECT_EQ(slotsInAll(), 1);
}

TEST_F(Slots, areNotWantedForAMailboxThatWaitsNoMore)
{
    ASSERT_TRUE(limit(1));
    send({"ZADD", key(2, "parked:order"), "1", "sip:bob@example.org"});
    EXPECT_FALSE(isWanted(2));
    send({"ZADD", key(2, "boxes"), "1", "sip:bob@example.org"});
    EXPECT_TRUE(isWanted(2));
}

TEST_F(Slots, areNeverDealtOutTwice)
{
    ASSERT_TRUE(limit(3));
    EXPECT_EQ(callAndDie("deal_slots", 0, {"order", generation(), "3", "3", "0", "0"}), "ok");
    EXPECT_EQ(slotsInAll(), 3);
}

TEST_F(Slots, areThereAfterALimitWhoseCallerDiedInTheMiddle)
{
    for (std::uint32_t shard = 0; shard < kShards; ++shard) {
        pushTo(shard, 3);
    }
    ASSERT_TRUE(limit(5));
    EXPECT_EQ(claimedIds(9).size(), 5U);
    // Only the first shard has heard of the new one.
    callAndDie("limit", 0, {"order", "olga", "", "1", "0", "0", "6", "0", "1000"});
    EXPECT_EQ(claimedIds(9).size(), 1U);
    EXPECT_EQ(slotsInAll(), 6);
    EXPECT_EQ(leased(), 6);
}

TEST_F(Slots, areGoneWithALimitWhoseEndOnlyTheFirstShardHasHeardOf)
{
    pushTo(2, 5);
    ASSERT_TRUE(limit(1));
    callAndDie("limit", 0, {"order", "olga", "", "1", "0", "0", "0", "0", "1000"});
    EXPECT_EQ(claimedIds(9).size(), 5U);
    EXPECT_EQ(number({"EXISTS", key(2, "limits")}), 0);
}

TEST_F(Slots, thatAShardHasForgottenItGaveAreNotThereTwice)
{
    auto wakeUps = connect(test::sharedRedis().url());
    RedisJobStore woken(loop_, *connection_, wakeUps.get(), clock_, {.shards = kShards});
    woken.onWake([](const auto&) {});
    ASSERT_TRUE(limit(2));
    pushTo(3, 4);
    ASSERT_EQ(claimedIds(9).size(), 2U);
    // The first shard is restored to what it was before it gave one away, by which a connection
    // ends.
    send({"HDEL", key(0, "slots:order"), "to:3"});
    send({"HSET", key(0, "limits"), "order", "1 0.000 2 0 1000"});
    ASSERT_EQ(slotsInAll(), 3);
    send({"CLIENT", "KILL", "TYPE", "pubsub"});
    EXPECT_TRUE(runUntil([&] { return slotsInAll() == 2; }));
    pushTo(0, 1);
    EXPECT_TRUE(claimedIds(9).empty());
}

TEST_F(Slots, areAsManyAsTheLimitWhoeverDiesWhere)
{
    std::mt19937 random(7);
    const auto upTo = [&](std::uint32_t most) { return random() % (most + 1); };
    ASSERT_TRUE(limit(3));
    std::map<std::string, Lease> held;
    std::size_t served = 0;
    for (int step = 0; step < 600; ++step) {
        switch (upTo(4)) {
        case 0: pushTo(upTo(kShards - 1), 1); break;
        case 1: {
            const auto claimed = claim(1 + upTo(3));
            ASSERT_TRUE(claimed);
            for (const auto& one : *claimed) {
                held[one.job.id] = leaseOf(one);
                ++served;
            }
            break;
        }
        case 2:
            callAndDie("give_slots", upTo(kShards - 1),
                       {"order", generation(), std::to_string(upTo(kShards - 1)),
                        std::to_string(upTo(2)), "0"});
            break;
        case 3: clock_.advance(Millis{upTo(1'500)}); break;
        default:
            if (!held.empty()) {
                ASSERT_TRUE(finish(held.begin()->second));
                held.erase(held.begin());
            }
        }
        ASSERT_LE(leased(), 3) << "step " << step;
        ASSERT_LE(slotsInAll(), 3) << "step " << step;
    }
    for (const auto& [id, lease] : held) {
        ASSERT_TRUE(finish(lease));
    }
    pushTo(1, 5);
    EXPECT_EQ(claimedIds(9).size(), 3U) << "none was lost; served " << served;
}

}  // namespace
}  // namespace restante::redis
