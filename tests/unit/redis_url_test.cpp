#include "core/base/text.h"
#include "core/redis/client/redis_url.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace restante::redis {
namespace {

TEST(RedisUrl, readsHostPortAndDatabase)
{
    const auto url = parseRedisUrl("redis://db.example:7000/3");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->host, "db.example");
    EXPECT_EQ(url->port, 7000);
    EXPECT_EQ(url->database, 3U);
    EXPECT_EQ(url->toString(), "redis://db.example:7000/3");
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
    EXPECT_EQ(url->toString().find("cret"), std::string::npos);
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
    EXPECT_EQ(url->toString(), "redis://[::1]:7001");
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
    EXPECT_EQ(url->toString(), "unix:///run/r.sock?db=2");
}

TEST(RedisUrl, readsHowTlsIsSpokenAndPrintsItAgain)
{
    const std::string text = "rediss://h:6380/2?ca=/etc/ca.pem&cert=/etc/c.pem&key=/etc/c.key"
                             "&sni=redis.example&verify=off";
    const auto url = parseRedisUrl(text);
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->host, "h");
    EXPECT_EQ(url->port, 6380);
    EXPECT_EQ(url->database, 2U);
    ASSERT_TRUE(url->tls);
    EXPECT_EQ(url->tls->ca, "/etc/ca.pem");
    EXPECT_EQ(url->tls->certificate, "/etc/c.pem");
    EXPECT_EQ(url->tls->key, "/etc/c.key");
    EXPECT_EQ(url->tls->serverName, "redis.example");
    EXPECT_EQ(url->tls->verify, RedisUrl::Tls::Verify::No);
    EXPECT_EQ(url->toString(), text);
}

TEST(RedisUrl, verifiesUnlessItIsToldNotTo)
{
    const auto url = parseRedisUrl("rediss://:p%40w@h");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->password, "p@w");
    ASSERT_TRUE(url->tls);
    EXPECT_EQ(*url->tls, RedisUrl::Tls{});
    EXPECT_EQ(url->tls->verify, RedisUrl::Tls::Verify::Yes);
    EXPECT_FALSE(parseRedisUrl("redis://h")->tls);
}

TEST(RedisUrl, findsThePasswordInFrontOfTheOptions)
{
    const auto file = parseRedisUrl("rediss://:secret@h?ca=/etc/a@b.pem");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->password, "secret");
    EXPECT_EQ(file->host, "h");
    EXPECT_EQ(file->tls->ca, "/etc/a@b.pem");
    const auto nobody = parseRedisUrl("rediss://h?ca=/etc/a@b.pem");
    ASSERT_TRUE(nobody) << nobody.error().message;
    EXPECT_EQ(nobody->host, "h");
    EXPECT_EQ(nobody->password, "");
    const auto question = parseRedisUrl("redis://:what?@the@h");
    ASSERT_TRUE(question) << question.error().message;
    EXPECT_EQ(question->password, "what?@the");
    EXPECT_EQ(question->host, "h");
}

TEST(RedisUrl, encodesWhatWouldEndAnOption)
{
    RedisUrl url;
    url.tls.emplace().ca = "/a b&c@d%/\xc3\xa4";
    const auto again = parseRedisUrl(url.toString());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->tls->ca, url.tls->ca);
}

TEST(RedisUrl, readsBackThePathOfASocketThatItPrints)
{
    RedisUrl url;
    url.socketPath = "/run/100%/what?/\xc3\xa4 b%20.sock";
    EXPECT_EQ(url.toString(), "unix:///run/100%25/what%3F/\xc3\xa4 b%2520.sock");
    const auto again = parseRedisUrl(url.toString());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->socketPath, url.socketPath);
}

TEST(RedisUrl, readsSentinelsAndTheNameOfTheirMaster)
{
    const auto url = parseRedisUrl("redis+sentinel://app:secret@a:26380,b,[::1]:1/mymaster/4"
                                   "?sentinel_user=watch&sentinel_password=secret");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->user, "app");
    EXPECT_EQ(url->sentinels,
              (std::vector<RedisUrl::Sentinel>{{"a", 26'380}, {"b", 26'379}, {"::1", 1}}));
    EXPECT_EQ(url->master, "mymaster");
    EXPECT_EQ(url->database, 4U);
    EXPECT_EQ(url->sentinelUser, "watch");
    EXPECT_EQ(url->sentinelPassword, "secret");
    EXPECT_FALSE(url->tls);
    EXPECT_EQ(url->toString(), "redis+sentinel://app@a:26380,b:26379,[::1]:1/mymaster/4"
                               "?sentinel_user=watch");
    EXPECT_EQ(url->location(), "mymaster of a:26380, b:26379, [::1]:1");
}

TEST(RedisUrl, readsSentinelsOverTls)
{
    const auto url = parseRedisUrl("rediss+sentinel://a/m?ca=/ca.pem");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->tls->ca, "/ca.pem");
    EXPECT_EQ(url->toString(), "rediss+sentinel://a:26379/m?ca=/ca.pem");
}

TEST(RedisUrl, readsTheNodesOfACluster)
{
    const auto url = parseRedisUrl("redis+cluster://u:p@a,b:7001,[::1]:7002/0");
    ASSERT_TRUE(url) << url.error().message;
    using Nodes = std::vector<NodeAddress>;
    EXPECT_EQ(url->nodes, (Nodes{{"a", 6379}, {"b", 7001}, {"::1", 7002}}));
    EXPECT_EQ(url->user, "u");
    EXPECT_EQ(url->password, "p");
    EXPECT_EQ(url->toString(), "redis+cluster://u@a:6379,b:7001,[::1]:7002");
    EXPECT_EQ(url->location(), "the cluster of a:6379, b:7001, [::1]:7002");
    const auto tls = parseRedisUrl("rediss+cluster://a?ca=/ca.pem");
    ASSERT_TRUE(tls) << tls.error().message;
    EXPECT_EQ(tls->toString(), "rediss+cluster://a:6379?ca=/ca.pem");
}

TEST(RedisUrl, namesWhatIsWrong)
{
    const auto whatOf = [](std::string_view text) { return parseRedisUrl(text).error().message; };
    EXPECT_NE(whatOf("rediss://h?cert=/c.pem").find("cert and key belong together"),
              std::string::npos);
    EXPECT_NE(whatOf("rediss://h?ca=c.pem").find("ca must be the absolute path"),
              std::string::npos);
    EXPECT_NE(whatOf("rediss://h?verify=no").find("verify must be on or off"), std::string::npos);
    EXPECT_NE(whatOf("redis://h?ca=/c.pem").find("option \"ca\""), std::string::npos);
    EXPECT_NE(whatOf("redis+sentinel://a,b").find("name of the master"), std::string::npos);
    EXPECT_NE(whatOf("redis+cluster://a,b/1").find("no databases"), std::string::npos);
}

TEST(RedisUrl, hasControlCharactersInPasswordsOnly)
{
    for (const auto* text :
         {"unix:///run/a%0Ab.sock", "unix:///run/a\nb.sock", "unix:///r.sock?user=a%1bb",
          "redis://a%7Fb:p@h", "redis://h\t", "redis://:a\x1b@h", "redis+sentinel://a/m%00",
          "redis+sentinel://a/m?sentinel_user=%0d", "rediss://h?ca=/a%0A", "rediss://h?sni=a%0A",
          "re\ndis://h", "redis://h?a\nb=c"}) {
        const auto url = parseRedisUrl(text);
        ASSERT_FALSE(url) << text;
        EXPECT_NE(url.error().message.find("control character"), std::string::npos)
            << url.error().message;
        EXPECT_TRUE(std::ranges::none_of(url.error().message, isAsciiControl)) << text;
    }
    EXPECT_EQ(parseRedisUrl("redis://:a%0A@h").value().password, "a\n");
    EXPECT_EQ(parseRedisUrl("unix:///r.sock?password=a%00b").value().password.size(), 3U);
    EXPECT_EQ(parseRedisUrl("redis+sentinel://a/m?sentinel_password=%1b")->sentinelPassword,
              "\x1b");
}

TEST(RedisUrl, isOfAFormThatIsTold)
{
    for (const std::string kind : {"", "+sentinel", "+cluster"}) {
        EXPECT_NE(kRedisUrlForms.find("redis[s]" + kind + "://"), std::string_view::npos) << kind;
        const std::string target = kind == "+sentinel" ? "host/master" : "host";
        for (const std::string base : {"redis", "rediss"}) {
            EXPECT_TRUE(parseRedisUrl(base + kind + "://" + target)) << base << kind;
        }
    }
    EXPECT_NE(kRedisUrlForms.find("unix:///path"), std::string_view::npos);
    EXPECT_TRUE(parseRedisUrl("unix:///path"));
}

class BadRedisUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(BadRedisUrl, isRefusedWithWhatIsAllowedAndWithoutItsSecret)
{
    const auto url = parseRedisUrl(GetParam());
    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().code, ErrorCode::Invalid);
    EXPECT_NE(url.error().message.find("allowed are " + std::string(kRedisUrlForms)),
              std::string::npos);
    EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All,
                         BadRedisUrl,
                         ::testing::Values("",
                                           "localhost:6379",
                                           "resp3://:secret@h",
                                           "redisss://:secret@h",
                                           "redis+cluster://:secret@a,b/1",
                                           "redis+cluster://:secret@a,",
                                           "redis+cluster://:secret@",
                                           "redis+cluster://:secret@a?ca=/c",
                                           "redis+cluster://:secret@a:0",
                                           "redis+://:secret@a",
                                           "rediss://:secret@h?ca=",
                                           "rediss://:secret@h?ca=relative.pem",
                                           "rediss://:secret@h?key=/k.pem",
                                           "rediss://:secret@h?verify=0",
                                           "rediss://:secret@h?password=secret",
                                           "redis://:secret@h?verify=off",
                                           "redis+sentinel://:secret@a,/m",
                                           "redis+sentinel://:secret@a:x/m",
                                           "redis+sentinel://:secret@a",
                                           "redis+sentinel://:secret@a/",
                                           "redis+sentinel://:secret@a/m/x",
                                           "redis+sentinel://:secret@a/m?ca=/c",
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
