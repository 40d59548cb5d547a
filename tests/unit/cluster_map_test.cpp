#include "core/redis/client/cluster_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::redis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const NodeAddress kAsked{"asked", 7000};

Reply number(std::int64_t value)
{
    return {value};
}

Reply text(std::string value)
{
    return {std::move(value)};
}

Reply node(Reply host, std::int64_t port, Reply::Array facts = {})
{
    return {Reply::Array{std::move(host), number(port), text("id"), Reply{std::move(facts)}}};
}

Reply range(std::int64_t first, std::int64_t last, Reply::Array nodes)
{
    Reply::Array parts{number(first), number(last)};
    parts.insert(parts.end(), nodes.begin(), nodes.end());
    return {std::move(parts)};
}

ClusterMap mapOf(Reply::Array ranges)
{
    auto map = ClusterMap::parse({std::move(ranges)}, kAsked);
    EXPECT_TRUE(map) << map.error().message;
    return map.value_or(ClusterMap{});
}

TEST(ClusterMap, knowsTheMasterOfEachSlot)
{
    const auto map = mapOf({range(0, 99, {node(text("a"), 1), node(text("c"), 3)}),
                            range(100, 16'383, {node(text("b"), 2)})});
    EXPECT_EQ(*map.masterOf(0), (NodeAddress{"a", 1}));
    EXPECT_EQ(*map.masterOf(99), (NodeAddress{"a", 1}));
    EXPECT_EQ(*map.masterOf(100), (NodeAddress{"b", 2}));
    EXPECT_EQ(*map.masterOf(16'383), (NodeAddress{"b", 2}));
    EXPECT_THAT(map.slotOfEachMaster(), ElementsAre(0, 100));
    EXPECT_THAT(map.nodes(),
                ElementsAre(NodeAddress{"a", 1}, NodeAddress{"b", 2}, NodeAddress{"c", 3}));
    EXPECT_TRUE(map.isMaster({"a", 1}));
    EXPECT_FALSE(map.isMaster({"c", 3}));
    EXPECT_EQ(map.formatMasters(), "a:1, b:2");
}

TEST(ClusterMap, leavesSlotsThatNobodyHas)
{
    const auto map = mapOf({range(5, 6, {node(text("a"), 1)})});
    EXPECT_EQ(map.masterOf(4), nullptr);
    EXPECT_EQ(map.masterOf(7), nullptr);
    EXPECT_NE(map.masterOf(6), nullptr);
}

TEST(ClusterMap, takesWhoWasAskedWhereNoHostIsNamed)
{
    EXPECT_EQ(*mapOf({range(0, 1, {node({}, 7001)})}).masterOf(0), (NodeAddress{"asked", 7001}));
    EXPECT_EQ(*mapOf({range(0, 1, {node(text(""), 7001)})}).masterOf(0),
              (NodeAddress{"asked", 7001}));
}

TEST(ClusterMap, takesTheAddressBesideANameThatIsNotSet)
{
    const auto map = mapOf({range(0, 1, {node(text("?"), 1, {text("ip"), text("10.0.0.1")})})});
    EXPECT_EQ(*map.masterOf(0), (NodeAddress{"10.0.0.1", 1}));
}

TEST(ClusterMap, refusesAClusterWithoutSlots)
{
    const auto map = ClusterMap::parse({Reply::Array{}}, kAsked);
    ASSERT_FALSE(map);
    EXPECT_EQ(map.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(map.error().message, HasSubstr("no node of the cluster has any slot yet"));
}

TEST(ClusterMap, skipsWhatIsNoRange)
{
    EXPECT_FALSE(ClusterMap::parse(text("OK"), kAsked));
    EXPECT_FALSE(ClusterMap::parse({Reply::Array{range(2, 1, {node(text("a"), 1)})}}, kAsked))
        << "a node without a slot";
    EXPECT_FALSE(ClusterMap::parse(
        {Reply::Array{text("x"), range(0, 16'384, {node({}, 1)}), range(-1, 5, {node({}, 1)}),
                      range(0, 5, {node({}, 0)}), range(0, 5, {text("a:1")})}},
        kAsked));
}

TEST(ClusterMap, movesASlotAlsoToANodeThatItHasNotHeardOf)
{
    auto map = mapOf({range(0, 16'383, {node(text("a"), 1)})});
    map.setMaster(7, {"new", 9});
    EXPECT_EQ(*map.masterOf(7), (NodeAddress{"new", 9}));
    EXPECT_EQ(*map.masterOf(8), (NodeAddress{"a", 1}));
    EXPECT_TRUE(map.isMaster({"new", 9}));
}

TEST(Redirect, isReadFromMovedAndAsk)
{
    EXPECT_EQ(redirectOf("MOVED 3999 127.0.0.1:6381", kAsked),
              (Redirect{Redirect::Kind::Moved, 3'999, {"127.0.0.1", 6381}}));
    EXPECT_EQ(redirectOf("ASK 3999 node.example:6381 (advice)", kAsked),
              (Redirect{Redirect::Kind::Ask, 3'999, {"node.example", 6381}}));
    EXPECT_EQ(redirectOf("MOVED 1 2001:db8::1:6379", kAsked)->to,
              (NodeAddress{"2001:db8::1", 6379}));
}

TEST(Redirect, goesToTheSameHostWhenItNamesNone)
{
    EXPECT_EQ(redirectOf("MOVED 3999 :6381", kAsked)->to, (NodeAddress{"asked", 6381}));
}

TEST(Redirect, takesNoQuestionMarkForAHost)
{
    EXPECT_EQ(redirectOf("MOVED 12182 ?:21312", kAsked)->to, (NodeAddress{"", 21312}));
    EXPECT_EQ(redirectOf("ASK 5061 ?:21312", kAsked)->to, (NodeAddress{"", 21312}));
}

TEST(Redirect, isNothingElse)
{
    for (const auto* text : {"", "MOVED", "MOVED x h:1", "MOVED 1 h", "MOVED 1 h:0", "MOVED 1 h:x",
                             "MOVED 16384 h:1", "ASKING 1 h:1", "ERR MOVED 1 h:1"}) {
        EXPECT_FALSE(redirectOf(text, kAsked)) << text;
    }
}

}  // namespace
}  // namespace restante::redis
