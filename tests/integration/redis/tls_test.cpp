#include "core/assembly/redis_queue.h"
#include "core/config/config.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_fixture.h"
#include "tests/support/tls_redis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace restante::redis {
namespace {

using test::TestAuthority;
using test::TlsRedis;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// As redis.url says it.
RedisUrl reread(const RedisUrl& url)
{
    return parseRedisUrl(url.toString()).value();
}

class Tls : public test::RedisFixture {
protected:
    /// Why a connection to `url` does not come about.
    std::string refusalOf(const RedisUrl& url)
    {
        auto connection = dial(url);
        EXPECT_TRUE(runUntil([&] { return !connection->lastFailure().empty(); }));
        EXPECT_FALSE(connection->ready());
        return connection->lastFailure();
    }
};

TEST_F(Tls, carriesCommandsToAServerWhoseCertificateIsBelieved)
{
    auto connection = connect(reread(test::sharedTlsRedis().url()));
    EXPECT_EQ(*call(*connection, {"SET", "k", std::string("a\0\r\nb", 5)})->text(), "OK");
    EXPECT_EQ(*call(*connection, {"GET", "k"})->text(), std::string("a\0\r\nb", 5));
}

TEST_F(Tls, carriesBigRequestsAndBigReplies)
{
    auto connection = connect(test::sharedTlsRedis().url());
    std::string big(5U << 20U, 'x');  // more than the socket's buffer and many records take
    for (std::size_t at = 0; at < big.size(); ++at) {
        big[at] = static_cast<char>(at % 251);
    }
    ASSERT_TRUE(call(*connection, {"SET", "big", big}));
    const auto reply = call(*connection, {"GET", "big"});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_TRUE(*reply->text() == big);
}

TEST_F(Tls, answersAPipelineInOrder)
{
    auto connection = connect(test::sharedTlsRedis().url());
    constexpr std::int64_t kCount = 10'000;
    std::int64_t answered = 0;
    for (std::int64_t i = 1; i <= kCount; ++i) {
        connection->command({"INCR", "n"}, [&, i](Result<Reply> reply) {
            ASSERT_TRUE(reply);
            EXPECT_EQ(*reply->integer(), i);
            ++answered;
        });
    }
    EXPECT_TRUE(runUntil([&] { return answered == kCount; }));
}

TEST_F(Tls, carriesMessagesToASubscriber)
{
    const auto url = test::sharedTlsRedis().url();
    std::vector<std::string> heard;
    auto subscriber = dial(url);
    subscriber->subscribe({"news"}, [&](std::string_view channel, std::string_view payload) {
        heard.push_back(std::string(channel) + "=" + std::string(payload));
    });
    ASSERT_TRUE(runUntil([&] { return subscriber->ready(); })) << subscriber->lastFailure();
    auto speaker = connect(url);
    ASSERT_TRUE(call(*speaker, {"PUBLISH", "news", "hello"}));
    EXPECT_TRUE(runUntil([&] { return heard == std::vector<std::string>{"news=hello"}; }));
}

TEST_F(Tls, pushesClaimsAndFinishesAJobThatIsWokenFor)
{
    RedisQueue queue(loop_, test::sharedTlsRedis().url(), Config{}, "test");
    const auto ready = await<void>(
        [&](auto done) { queue.awaitReady(RedisQueue::Report::Silent, std::move(done)); });
    ASSERT_TRUE(ready) << ready.error().message;
    int woken = 0;
    queue.store().onWake([&](const Wake&) { ++woken; });
    Job job;
    job.topic = "order";
    job.body = std::string(50'000, 'b');
    ASSERT_TRUE(await<PushOutcome>([&](auto done) { queue.queue().push({.job = job}, done); }));
    EXPECT_TRUE(runUntil([&] { return woken > 0; }));
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        queue.store().claim({Channel::Pull, {"order"}, 10}, done);
    });
    ASSERT_TRUE(claimed) << claimed.error().message;
    ASSERT_EQ(claimed->size(), 1U);
    EXPECT_EQ(claimed->front().job.body, job.body);
    EXPECT_TRUE(await<std::uint64_t>(
        [&](auto done) { queue.store().finish(leaseOf(claimed->front()), done); }));
}

TEST_F(Tls, comesBackByItselfWhenTheServerHasDiedAndIsBack)
{
    TlsRedis redis;
    auto connection = connect(redis.url());
    redis.server().kill9();
    ASSERT_TRUE(runUntil([&] { return !connection->ready(); }));
    EXPECT_EQ(call(*connection, {"PING"}).error().code, ErrorCode::Unavailable);
    redis.server().restart();
    EXPECT_TRUE(runUntil([&] { return connection->ready(); })) << connection->lastFailure();
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(Tls, givesUpAServerThatStandsStillInTime)
{
    TlsRedis redis;
    auto connection = connect(redis.url());
    redis.server().pause();
    EXPECT_THAT(call(*connection, {"PING"}).error().message, HasSubstr("no answer within 1500 ms"));
    redis.server().resume();
    EXPECT_TRUE(runUntil([&] { return connection->ready(); })) << connection->lastFailure();
}

TEST_F(Tls, entersWithAPasswordAndNamesAWrongOne)
{
    TlsRedis redis;
    redis.server().send({"ACL", "SETUSER", "alice", "on", ">se:cret", "~*", "+@all"});
    auto url = redis.url();
    url.user = "alice";
    url.password = "se:cret";
    auto connection = connect(url);
    EXPECT_EQ(*call(*connection, {"ACL", "WHOAMI"})->text(), "alice");
    url.password = "guess";
    EXPECT_THAT(refusalOf(url), AllOf(HasSubstr("WRONGPASS"), Not(HasSubstr("guess"))));
}

TEST_F(Tls, refusesACertificateOfAnUnknownAuthorityAndNamesIt)
{
    TlsRedis redis;
    const TestAuthority other(redis.directory(), "Other Authority");
    auto url = redis.url();
    url.tls->ca = other.file();
    EXPECT_THAT(refusalOf(url), HasSubstr("issued by \"Test Authority\", whom we do not know"));
    url.tls->ca.clear();  // whom the system believes
    EXPECT_THAT(refusalOf(url), HasSubstr("issued by \"Test Authority\", whom we do not know"));
}

TEST_F(Tls, refusesACertificateThatHasExpiredAndSaysWhen)
{
    TlsRedis::Settings settings;
    settings.validUntil = std::chrono::hours{-24};
    TlsRedis redis(settings);
    EXPECT_THAT(refusalOf(redis.url()), HasSubstr("certificate has expired (on 20"));
}

TEST_F(Tls, refusesACertificateOfAnotherHostAndSaysWhose)
{
    TlsRedis::Settings settings;
    settings.names = {"DNS:redis.example", "IP:192.0.2.1"};
    TlsRedis redis(settings);
    auto url = redis.url();
    EXPECT_THAT(refusalOf(url),
                HasSubstr("certificate is for redis.example, 192.0.2.1, not for 127.0.0.1"));
    url.host = "localhost";
    EXPECT_THAT(refusalOf(url), HasSubstr("not for localhost"));
}

TEST_F(Tls, takesACertificateOfTheHostThatSniNames)
{
    TlsRedis::Settings settings;
    settings.names = {"DNS:redis.example"};
    TlsRedis redis(settings);
    auto url = redis.url();
    url.tls->serverName = "redis.example";
    auto connection = connect(reread(url));
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(Tls, believesAnybodyOnlyWhenItIsTold)
{
    TlsRedis::Settings settings;
    settings.validUntil = std::chrono::hours{-24};
    settings.names = {"DNS:redis.example"};
    TlsRedis redis(settings);
    auto url = redis.url();
    url.tls->ca.clear();
    url.tls->verify = RedisUrl::Tls::Verify::No;
    auto connection = connect(reread(url));
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(Tls, showsItsCertificateToAServerThatWantsOne)
{
    TlsRedis::Settings settings;
    settings.wantsCertificate = true;
    TlsRedis redis(settings);
    auto url = redis.url();
    EXPECT_THAT(refusalOf(url), HasSubstr("wants a certificate of ours"));

    const TestAuthority other(redis.directory(), "Other Authority");
    const auto stranger = other.issue("stranger", {"stranger", {}});
    url.tls->certificate = stranger.certificate;
    url.tls->key = stranger.key;
    EXPECT_THAT(refusalOf(url), HasSubstr("refuses our certificate"));

    const auto client = redis.client();
    url.tls->certificate = client.certificate;
    url.tls->key = client.key;
    auto connection = connect(reread(url));
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(Tls, namesTheFileThatCannotBeUsed)
{
    TlsRedis redis;
    auto url = redis.url();
    url.tls->ca = redis.directory() / "none.pem";
    EXPECT_THAT(refusalOf(url), HasSubstr("cannot use " + url.tls->ca + ": No such file"));
    url.tls->ca = redis.directory() / "empty.pem";
    std::ofstream(url.tls->ca) << "no certificate\n";
    EXPECT_THAT(refusalOf(url), HasSubstr("cannot use " + url.tls->ca));

    url = redis.url();
    url.tls->certificate = redis.client().certificate;
    url.tls->key = redis.authority().issue("another", {"another", {}}).key;
    EXPECT_THAT(refusalOf(url), HasSubstr("cannot use " + url.tls->key));
}

TEST_F(Tls, showsNoCertificateWhoseKeyOthersCanRead)
{
    TlsRedis::Settings settings;
    settings.wantsCertificate = true;
    TlsRedis redis(settings);
    auto url = redis.url();
    const auto client = redis.client();
    url.tls->certificate = client.certificate;
    url.tls->key = client.key;
    std::filesystem::permissions(client.key, std::filesystem::perms{0644});
    EXPECT_THAT(refusalOf(url), AllOf(HasSubstr("cannot use " + url.tls->key),
                                      HasSubstr("can be read by everybody; chmod 600")));
    std::filesystem::permissions(client.key, std::filesystem::perms{0640});
    auto connection = connect(url);
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(Tls, tellsThatAServerDoesNotSpeakIt)
{
    test::RedisServer plain({.tcp = true, .extra = {}, .password = {}});
    auto url = plain.tcpUrl();
    url.tls.emplace();
    // A Redis waits for the end of a line, which the ClientHello may have or not.
    EXPECT_THAT(refusalOf(url), HasSubstr("TLS: it does not"));
    EXPECT_THAT(refusalOf(url), HasSubstr("redis:// instead of rediss://"));
}

TEST_F(Tls, isProposedWhereAServerHangsUpOnPlainWords)
{
    auto url = test::sharedTlsRedis().url();
    url.tls.reset();
    EXPECT_THAT(refusalOf(url), HasSubstr("does it want TLS (rediss://)?"));
}

TEST_F(Tls, isNotToBeHadWhereNobodyListens)
{
    RedisUrl url;
    url.port = test::freePort();
    url.tls.emplace();
    EXPECT_THAT(refusalOf(url), HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace restante::redis
