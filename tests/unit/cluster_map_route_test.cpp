#include "core/redis/client/cluster_map.h"
#include "core/redis/store/keys.h"

#include <gtest/gtest.h>

#include <vector>

namespace restante::redis {
namespace {

using Kind = ClusterRoute::Kind;
using Words = std::vector<std::string_view>;

ClusterRoute routeOf(const Words& words)
{
    return clusterRouteOf(words);
}

TEST(ClusterSlot, isTheCrc16OfTheKey)
{
    EXPECT_EQ(slotOf("123456789"), 0x31c3 % kClusterSlots);  // the check value of CRC16/XMODEM
    EXPECT_EQ(slotOf("foo"), 12'182);
    EXPECT_EQ(slotOf(""), 0);
    EXPECT_EQ(slotOf("\xff"), slotOf("\xff"));
}

TEST(ClusterSlot, isThatOfTheHashTagWhenThereIsOne)
{
    EXPECT_EQ(slotOf("{user1000}.following"), 3'443);
    EXPECT_EQ(slotOf("{user1000}.following"), slotOf("user1000"));
    EXPECT_EQ(slotOf("rst:{s0}:due:x"), 11'097);
    EXPECT_EQ(slotOf("foo{}{bar}"), slotOf(std::string_view("foo{}{bar}")));
    EXPECT_NE(slotOf("foo{}{bar}"), slotOf("bar"));
    EXPECT_EQ(slotOf("foo{{bar}}zap"), slotOf("{bar"));
    EXPECT_EQ(slotOf("foo{bar}{zap}"), slotOf("bar"));
    EXPECT_NE(slotOf("foo{bar"), slotOf("bar"));
}

TEST(ClusterSlot, ofEveryStoreIsThatOfItsFirstShard)
{
    EXPECT_EQ(slotOfShard0(), slotOf(shardPrefix("rst", 0)));
    EXPECT_EQ(slotOfShard0(), slotOf(shardPrefix("another", 0)));
    EXPECT_NE(slotOfShard0(), slotOf(shardPrefix("rst", 1)));
}

TEST(ClusterRoute, isTheSlotOfTheOnlyKey)
{
    const ClusterRoute shard0{Kind::Slot, slotOf("s0")};
    EXPECT_EQ(routeOf({"HGET", "rst:{s0}:journal", "cursor"}), shard0);
    EXPECT_EQ(routeOf({"hget", "rst:{s0}:journal", "cursor"}), shard0);
    EXPECT_EQ(routeOf({"XREVRANGE", "rst:{s0}:events", "+", "-"}), shard0);
    EXPECT_EQ(routeOf({"SET", "rst:meta", "1"}), (ClusterRoute{Kind::Slot, slotOf("rst:meta")}));
    EXPECT_EQ(routeOf({"OBJECT", "ENCODING", "rst:{s0}:lease"}), shard0);
}

TEST(ClusterRoute, isThatOfTheKeysThatAScriptNames)
{
    EXPECT_EQ(routeOf({"EVALSHA", "abc", "1", "rst:{s2}:", "{s0}"}),
              (ClusterRoute{Kind::Slot, slotOf("s2")}));
    EXPECT_EQ(routeOf({"EVAL", "return 1", "0", "{s0}"}), ClusterRoute{});
    EXPECT_EQ(routeOf({"EVALSHA", "abc", "2", "{a}1", "{b}1"}).kind, Kind::SeveralSlots);
    EXPECT_EQ(routeOf({"EVALSHA", "abc", "9", "{a}1"}).kind, Kind::Slot);
    EXPECT_TRUE(runsScript("evalsha"));
    EXPECT_FALSE(runsScript("SCRIPT"));
}

TEST(ClusterRoute, isThatOfTheStreamsOfARead)
{
    EXPECT_EQ(routeOf({"XREAD", "COUNT", "5", "BLOCK", "1", "STREAMS", "{s1}e", "0-0"}),
              (ClusterRoute{Kind::Slot, slotOf("s1")}));
    EXPECT_EQ(routeOf({"XREAD", "STREAMS", "{s0}e", "{s1}e", "0-0", "0-0"}).kind,
              Kind::SeveralSlots);
}

TEST(ClusterRoute, isThatOfThePatternOfAScan)
{
    EXPECT_EQ(routeOf({"SCAN", "17", "MATCH", "rst:{s1}:*", "COUNT", "9"}),
              (ClusterRoute{Kind::Slot, slotOf("s1")}));
    EXPECT_EQ(routeOf({"SCAN", "17", "COUNT", "9"}).kind, Kind::Anywhere);
}

TEST(ClusterRoute, refusesKeysOfDifferentSlots)
{
    EXPECT_EQ(routeOf({"DEL", "{s0}a", "{s0}b"}).kind, Kind::Slot);
    EXPECT_EQ(routeOf({"DEL", "{s0}a", "{s1}b"}).kind, Kind::SeveralSlots);
}

TEST(ClusterRoute, isAnywhereWithoutAKey)
{
    for (const auto* word : {"TIME", "PING", "INFO", "ping"}) {
        EXPECT_EQ(routeOf({word}), ClusterRoute{}) << word;
    }
    EXPECT_EQ(routeOf({"CONFIG", "GET", "maxmemory"}), ClusterRoute{});
    EXPECT_EQ(routeOf({"PUBLISH", "rst:{s0}:wake", "x"}), ClusterRoute{});
    EXPECT_EQ(routeOf({"SCRIPT", "LOAD", "return 1"}), ClusterRoute{});
    EXPECT_EQ(routeOf({}), ClusterRoute{});
}

}  // namespace
}  // namespace restante::redis
