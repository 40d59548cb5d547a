// Over TLS: each thing that can be wrong with it has its own message.

#include "tests/gui/support/open_session.h"
#include "tests/support/tls_redis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using restante::test::RedisServer;
using restante::test::TestAuthority;
using restante::test::TlsRedis;
using ::testing::HasSubstr;
using Phase = LinkState::Phase;
using SteadyClock = std::chrono::steady_clock;

void makeStore(TlsRedis& redis)
{
    redis.server().send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
}

/// What the console says of a store that it cannot open; it must know within 5 s.
std::string refusalOf(const redis::RedisUrl& url)
{
    const auto start = SteadyClock::now();
    OpenedSession session(redisProfile(url.toString()));
    EXPECT_EQ(session.settled(), Phase::Failed);
    EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds{5});
    return session.problem();
}

TEST(TlsConnectionErrors, aStoreOverTlsIsReadyAndComesBackByItself)
{
    TlsRedis redis;
    makeStore(redis);
    OpenedSession session(redisProfile(redis.url().toString()));
    ASSERT_EQ(session.settled(), Phase::Ready) << session.problem();
    EXPECT_TRUE(session.link().writable);
    EXPECT_TRUE(session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); }));
    redis.server().kill9();
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Lost; }));
    redis.server().restart();
    makeStore(redis);
    EXPECT_TRUE(until([&] { return session.link().phase == Phase::Ready; }));
    EXPECT_TRUE(session.answer<StoreCounts>([&](auto reply) { session.source().counts(reply); }));
}

TEST(TlsConnectionErrors, anUnknownAuthorityIsNamed)
{
    TlsRedis redis;
    auto url = redis.url();
    url.tls->ca = TestAuthority(redis.directory(), "Other Authority").file();
    EXPECT_THAT(refusalOf(url), HasSubstr("was issued by “Test Authority”, which is not known"));
}

TEST(TlsConnectionErrors, anExpiredCertificateIsNamedWithItsDay)
{
    TlsRedis::Settings settings;
    settings.validUntil = std::chrono::hours{-24};
    TlsRedis redis(settings);
    EXPECT_THAT(refusalOf(redis.url()), HasSubstr("has expired (on 20"));
}

TEST(TlsConnectionErrors, aCertificateOfAnotherHostIsNamed)
{
    TlsRedis::Settings settings;
    settings.names = {"DNS:redis.example"};
    TlsRedis redis(settings);
    EXPECT_THAT(refusalOf(redis.url()), HasSubstr("is for redis.example, not for 127.0.0.1"));
}

TEST(TlsConnectionErrors, aCertificateThatIsWantedAndOneThatIsRefusedAreNamed)
{
    TlsRedis::Settings settings;
    settings.wantsCertificate = true;
    TlsRedis redis(settings);
    makeStore(redis);
    auto url = redis.url();
    EXPECT_THAT(refusalOf(url), HasSubstr("wants a certificate of yours"));
    const TestAuthority other(redis.directory(), "Other Authority");
    const auto stranger = other.issue("stranger", {"stranger", {}});
    url.tls->certificate = stranger.certificate;
    url.tls->key = stranger.key;
    EXPECT_THAT(refusalOf(url), HasSubstr("refuses your certificate"));
    url.tls->certificate = "/nowhere/client.pem";
    EXPECT_THAT(refusalOf(url), HasSubstr("/nowhere/client.pem cannot be used: No such file"));
    url.tls->certificate = redis.client().certificate;
    url.tls->key = redis.client().key;
    OpenedSession session(redisProfile(url.toString()));
    EXPECT_EQ(session.settled(), Phase::Ready) << session.problem();
}

TEST(TlsConnectionErrors, aServerWithoutTlsIsNamed)
{
    const RedisServer plain({.tcp = true, .extra = {}, .password = {}});
    auto url = plain.tcpUrl();
    url.tls.emplace();
    EXPECT_THAT(refusalOf(url), HasSubstr("not speak TLS"));
}

TEST(TlsConnectionErrors, aServerThatWantsTlsIsNamed)
{
    TlsRedis redis;
    auto url = redis.url();
    url.tls.reset();
    EXPECT_THAT(refusalOf(url), HasSubstr("If it wants TLS, switch TLS on"));
}

}  // namespace
}  // namespace restante::gui::test
