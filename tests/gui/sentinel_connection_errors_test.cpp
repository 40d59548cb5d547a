// With sentinels and clusters: a failover is followed, what cannot be is named.

#include "tests/gui/support/open_session.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/redis_server.h"
#include "tests/support/sentinel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace restante::gui::test {
namespace {

using restante::test::RedisServer;
using restante::test::Sentinel;
using ::testing::HasSubstr;
using Phase = LinkState::Phase;

RedisServer::Settings overTcp(std::vector<std::string> extra)
{
    RedisServer::Settings settings;
    settings.tcp = true;
    settings.extra = std::move(extra);
    return settings;
}

std::string urlOf(std::uint16_t sentinel, const std::string& master = "mymaster")
{
    return "redis+sentinel://127.0.0.1:" + std::to_string(sentinel) + "/" + master;
}

TEST(SentinelConnectionErrors, aFailoverIsFollowedToTheNewMaster)
{
    RedisServer first(overTcp({"--repl-diskless-sync-delay", "0"}));
    first.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
    const auto master = std::to_string(first.tcpUrl().port);
    RedisServer second(overTcp({"--replicaof", "127.0.0.1", master}));
    Sentinel sentinel({.master = first.tcpUrl().port, .extra = {}});
    sentinel.awaitReplica();
    ASSERT_TRUE(until([&] {
        return std::get<std::int64_t>(second.send({"EXISTS", "rst:meta"}).value) == 1;
    }));
    OpenedSession session(redisProfile(urlOf(sentinel.port())));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    EXPECT_TRUE(session.link().writable);
    first.kill9();
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Lost; }));
    EXPECT_THAT(session.problem(), HasSubstr("was lost"));
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Ready; })) << session.problem();
    EXPECT_TRUE(session.link().writable);
    EXPECT_TRUE(session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); }));
}

TEST(SentinelConnectionErrors, aLostConnectionIsTriedAgainAlsoWhileNoSentinelAnswers)
{
    RedisServer server(overTcp({}));
    server.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
    auto sentinel =
        std::make_unique<Sentinel>(Sentinel::Settings{.master = server.tcpUrl().port, .extra = {}});
    OpenedSession session(redisProfile(urlOf(sentinel->port())));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    sentinel.reset();
    server.kill9();
    const auto says = [&](const char* words) {
        return session.problem().find(words) != std::string::npos;
    };
    ASSERT_TRUE(until([&] { return says("No sentinel knows the master"); })) << session.problem();
    EXPECT_EQ(session.link().phase, Phase::Lost) << session.problem();
}

TEST(SentinelConnectionErrors, aLostConnectionIsTriedAgainAlsoWhileNoNodeOfTheClusterAnswers)
{
    auto cluster = std::make_unique<restante::test::RedisCluster>();
    OpenedSession session(redisProfile(cluster->url().toString()));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    cluster.reset();
    const auto says = [&](const char* words) {
        return session.problem().find(words) != std::string::npos;
    };
    ASSERT_TRUE(until([&] { return says("cannot be entered"); })) << session.problem();
    EXPECT_EQ(session.link().phase, Phase::Lost) << session.problem();
}

TEST(SentinelConnectionErrors, aMasterThatNoSentinelKnowsIsNamed)
{
    RedisServer server(overTcp({}));
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {}});
    OpenedSession session(redisProfile(urlOf(sentinel.port(), "other")));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("No sentinel knows the master “other”"));
    EXPECT_THAT(session.problem(), HasSubstr("does not know it"));
}

TEST(SentinelConnectionErrors, sentinelsThatAreGoneAreNamed)
{
    const auto port = restante::test::freePort();
    OpenedSession session(redisProfile(urlOf(port)));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(),
                HasSubstr("127.0.0.1:" + std::to_string(port) + ": Connection refused"));
}

TEST(SentinelConnectionErrors, aNodeOfAClusterIsNamed)
{
    // Its bus would be on port 10000, where only one can be.
    const auto bus = std::to_string(restante::test::freePort());
    const RedisServer node(
        {.extra = {"--cluster-enabled", "yes", "--cluster-port", bus}, .password = {}});
    OpenedSession session(redisProfile("unix://" + node.socketPath()));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(), HasSubstr("node of a Redis Cluster"));
}

TEST(SentinelConnectionErrors, aClusterIsEnteredByAnyOfItsNodes)
{
    restante::test::RedisCluster cluster;
    const auto gone = restante::test::freePort();
    auto url = cluster.url();
    url.nodes.insert(url.nodes.begin(), {"127.0.0.1", gone});
    OpenedSession session(redisProfile(url.toString()));
    EXPECT_EQ(session.settled(), Phase::Ready) << session.problem();
}

TEST(SentinelConnectionErrors, nodesOfAClusterThatAreGoneAreNamed)
{
    const auto port = restante::test::freePort();
    OpenedSession session(redisProfile("redis+cluster://127.0.0.1:" + std::to_string(port)));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_THAT(session.problem(),
                HasSubstr("127.0.0.1:" + std::to_string(port) + ": Connection refused"));
}

}  // namespace
}  // namespace restante::gui::test
