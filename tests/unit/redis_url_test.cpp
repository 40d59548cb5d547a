#include "core/redis/redis_url.h"

#include <gtest/gtest.h>

namespace restante::redis {
namespace {

TEST(RedisUrl, readsHostPortAndDatabase)
{
    const auto url = parseRedisUrl("redis://db.example:7000/3");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->host, "db.example");
    EXPECT_EQ(url->port, 7000);
    EXPECT_EQ(url->database, 3U);
    EXPECT_EQ(url->print(), "redis://db.example:7000/3");
}

TEST(RedisUrl, defaultsPortAndDatabase)
{
    const auto url = parseRedisUrl("redis://db.example/");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->port, 6379);
    EXPECT_EQ(url->database, 0U);
}

TEST(RedisUrl, undoesPercentEncodingAndPrintsNoPassword)
{
    const auto url = parseRedisUrl("redis://al%40ice:s%3Acret@h");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->user, "al@ice");
    EXPECT_EQ(url->password, "s:cret");
    EXPECT_EQ(url->print().find("cret"), std::string::npos);
}

TEST(RedisUrl, takesAPasswordWithoutAUser)
{
    const auto url = parseRedisUrl("redis://:secret@h");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->user, "");
    EXPECT_EQ(url->password, "secret");
}

TEST(RedisUrl, takesAnIpv6AddressInBrackets)
{
    const auto url = parseRedisUrl("redis://[::1]:7001");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->host, "::1");
    EXPECT_EQ(url->port, 7001);
    EXPECT_EQ(url->print(), "redis://[::1]:7001");
    EXPECT_EQ(parseRedisUrl("redis://[::1]")->port, 6379);
}

TEST(RedisUrl, readsAUnixSocketWithItsOptions)
{
    const auto url = parseRedisUrl("unix:///run/r.sock?db=2&user=u&password=p%26q");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->socketPath, "/run/r.sock");
    EXPECT_EQ(url->database, 2U);
    EXPECT_EQ(url->user, "u");
    EXPECT_EQ(url->password, "p&q");
    EXPECT_EQ(url->print(), "unix:///run/r.sock?db=2");
}

class BadRedisUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(BadRedisUrl, isRefusedWithWhatIsAllowedAndWithoutItsSecret)
{
    const auto url = parseRedisUrl(GetParam());
    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().code, ErrorCode::Invalid);
    EXPECT_NE(url.error().message.find("allowed are"), std::string::npos);
    EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All,
                         BadRedisUrl,
                         ::testing::Values("",
                                           "localhost:6379",
                                           "rediss://:secret@h",
                                           "redis://",
                                           "redis://secret@h",
                                           "redis://:secret@h:0",
                                           "redis://:secret@h:",
                                           "redis://:secret@h:65536",
                                           "redis://:secret@h/x",
                                           "redis://:secret%4@h",
                                           "redis://:secret%@h",
                                           "redis://[::1",
                                           "unix://run/r.sock",
                                           "unix:///r.sock?password=secret&dbs=1",
                                           "unix:///r.sock?password=secret&db="));

}  // namespace
}  // namespace restante::redis
