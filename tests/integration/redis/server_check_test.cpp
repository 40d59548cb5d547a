#include "core/redis/server/server_check.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_fixture.h"
#include "tests/support/redis_info.h"
#include "tests/support/scripted_redis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::redis {
namespace {

using test::RedisServer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ServerCheckTest : public test::RedisFixture {
protected:
    Result<ServerReport> check(const RedisServer& server, std::uint32_t shards = 1)
    {
        auto connection = connect(server.url());
        return await<ServerReport>([&](Done<ServerReport> done) {
            checkServer(*connection, {"rst", shards}, std::move(done));
        });
    }
};

TEST_F(ServerCheckTest, acceptsADurableServerAndMarksItAsItsOwn)
{
    RedisServer server({.appendOnly = RedisServer::AppendOnly::Yes, .extra = {}, .password = {}});
    const auto report = check(server, 4);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->warnings, IsEmpty());
    const bool isValkey = test::infoOf(server, "server_name") == "valkey";
    EXPECT_EQ(report->product, isValkey ? "Valkey" : "Redis");
    EXPECT_EQ(report->version, test::infoOf(server, isValkey ? "valkey_version" : "redis_version"));
    EXPECT_EQ(*server.send({"HGET", "rst:meta", "schema"}).text(), "1");
    EXPECT_EQ(*server.send({"HGET", "rst:meta", "shards"}).text(), "4");
}

TEST_F(ServerCheckTest, tellsHowMuchItMayHold)
{
    const RedisServer bounded({.extra = {"--maxmemory", "70000000"}, .password = {}});
    EXPECT_EQ(check(bounded)->memory, 70'000'000U);
    const auto machine = std::stoull(test::infoOf(test::sharedRedis(), "total_system_memory"));
    EXPECT_EQ(check(test::sharedRedis())->memory, machine / 2);
}

TEST_F(ServerCheckTest, warnsAboutAMissingAppendOnlyFile)
{
    const auto report = check(test::sharedRedis());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("appendonly yes")));
}

TEST_F(ServerCheckTest, refusesAServerThatEvictsAndWritesNothingToIt)
{
    RedisServer server({.extra = {"--maxmemory-policy", "allkeys-lru"}, .password = {}});
    const auto report = check(server);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Invalid);
    EXPECT_THAT(report.error().message, HasSubstr("allkeys-lru"));
    EXPECT_THAT(report.error().message, HasSubstr("noeviction"));
    EXPECT_EQ(*server.send({"DBSIZE"}).integer(), 0);
}

TEST_F(ServerCheckTest, saysWhatAServerHidesInsteadOfAccusingIt)
{
    const auto told = [this](const std::string& info) {
        test::ScriptedRedis hides(
            loop_, [info](const std::string& word) -> std::optional<std::string> {
                return word == "INFO" ? test::ScriptedRedis::bulk("# Server\r\n" + info)
                                      : "+OK\r\n";
            });
        auto connection = connect(hides.url());
        const auto report = await<ServerReport>([&](Done<ServerReport> done) {
            checkServer(*connection, {"rst", 1}, std::move(done));
        });
        return report ? std::string("it is fit") : report.error().message;
    };
    EXPECT_THAT(told("redis_version:7.2.4\r\n"),
                AllOf(HasSubstr("does not tell its maxmemory-policy"), Not(HasSubstr("throws"))));
    EXPECT_THAT(told("maxmemory_policy:noeviction\r\n"),
                AllOf(HasSubstr("does not tell its version"), Not(HasSubstr("too old"))));
}

TEST_F(ServerCheckTest, refusesANodeOfACluster)
{
    // Its bus would be on port 10000, where only one can be.
    RedisServer server(
        {.extra = {"--cluster-enabled", "yes", "--cluster-port", std::to_string(test::freePort())},
         .password = {}});
    const auto report = check(server);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Invalid);
    EXPECT_THAT(report.error().message,
                HasSubstr("a node of a Redis Cluster; name some of its nodes"));
    auto connection = connect(server.url());
    // It has no slots yet, so it serves no key at all.
    EXPECT_THAT(call(*connection, {"GET", "k"}).error().message,
                HasSubstr("a node of a Redis Cluster"));
}

TEST_F(ServerCheckTest, refusesAnotherNumberOfShardsThanAtTheFirstStart)
{
    auto& server = test::sharedRedis();
    ASSERT_TRUE(check(server, 2));
    EXPECT_TRUE(check(server, 2));
    const auto report = check(server, 3);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Invalid);
    EXPECT_THAT(report.error().message, HasSubstr("redis.shards = 2"));
}

TEST_F(ServerCheckTest, refusesASchemaOfAnotherVersion)
{
    auto& server = test::sharedRedis();
    server.send({"HSET", "rst:meta", "schema", "2", "shards", "1"});
    const auto report = check(server);
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message, HasSubstr("schema 2"));
}

TEST_F(ServerCheckTest, keepsSmallRecordsCompactWhereItMay)
{
    RedisServer server;
    ASSERT_TRUE(check(server));
    const auto reply = server.send({"CONFIG", "GET", "hash-max-listpack-value"});
    EXPECT_EQ(*reply.array()->at(1).text(), "1024");
}

TEST_F(ServerCheckTest, passesOnWhyTheServerCannotBeAsked)
{
    RedisServer server;
    server.send({"ACL", "SETUSER", "default", "-info"});
    const auto report = check(server);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Denied);
}

}  // namespace
}  // namespace restante::redis
