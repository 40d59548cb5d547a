#include "core/assembly/redis_queue.h"
#include "core/config/config.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_fixture.h"
#include "tests/support/redis_info.h"
#include "tests/support/sentinel.h"
#include "tests/support/tls_redis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::redis {
namespace {

using test::kProcessTimeout;
using test::RedisServer;
using test::Sentinel;
using ::testing::HasSubstr;

RedisServer::Settings master()
{
    RedisServer::Settings settings;
    settings.tcp = true;
    settings.extra = {"--repl-diskless-sync-delay", "0"};
    return settings;
}

RedisServer::Settings replicaOf(const RedisServer& server)
{
    auto settings = master();
    settings.extra.insert(settings.extra.end(),
                          {"--replicaof", "127.0.0.1", std::to_string(server.tcpUrl().port)});
    return settings;
}

RedisUrl urlOf(std::vector<std::uint16_t> sentinels)
{
    RedisUrl url;
    url.master = "mymaster";
    for (const auto port : sentinels) {
        url.sentinels.push_back({"127.0.0.1", port});
    }
    return url;
}

class BySentinel : public test::RedisFixture {
protected:
    std::string failureOf(const RedisUrl& url)
    {
        auto connection = dial(url);
        EXPECT_TRUE(runUntil([&] { return !connection->lastFailure().empty(); }));
        return connection->lastFailure();
    }
    Result<PushOutcome> push(RedisQueue& queue)
    {
        Job job;
        job.topic = "order";
        job.body = "close it";
        return await<PushOutcome>([&](auto done) { queue.queue().push({.job = job}, done); });
    }
    /// Whether at least `replicas` replicas have all that was pushed. Asks again: a replica stands
    /// still while it syncs its file, which takes it more than a second on a busy disk.
    bool areCopied(RedisQueue& queue, int replicas)
    {
        const auto words = std::vector<std::string>{"WAIT", std::to_string(replicas), "1000"};
        return test::eventually(
            [&] {
                const auto copies = call(queue.connection(), words);
                return copies && copies->integer() && *copies->integer() >= replicas;
            },
            kProcessTimeout);
    }
    /// Pushes `count` jobs; the ids of those until the first that fewer than `replicas` replicas
    /// have.
    std::vector<std::string> pushed(RedisQueue& queue, int count, int replicas)
    {
        std::vector<std::string> safe;
        for (int i = 0; i < count; ++i) {
            const auto outcome = push(queue);
            if (!outcome || !areCopied(queue, replicas)) {
                break;
            }
            safe.push_back(outcome->id);
        }
        return safe;
    }
};

TEST_F(BySentinel, entersTheMasterThatItNames)
{
    RedisServer server(master());
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {}});
    auto connection = connect(parseRedisUrl(urlOf({sentinel.port()}).toString()).value());
    ASSERT_TRUE(call(*connection, {"SET", "k", "v"}));
    EXPECT_EQ(*server.send({"GET", "k"}).text(), "v");
}

TEST_F(BySentinel, asksTheNextOneWhenOneIsGone)
{
    RedisServer server(master());
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {}});
    auto connection = connect(urlOf({test::freePort(), sentinel.port()}));
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(BySentinel, asksTheNextOneWhenTheMasterThatOneNamesCannotBeReached)
{
    RedisServer lost(master());
    RedisServer server(master());
    Sentinel behind({.master = lost.tcpUrl().port, .extra = {}});
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {}});
    lost.kill9();
    auto connection = connect(urlOf({behind.port(), sentinel.port()}));
    ASSERT_TRUE(call(*connection, {"SET", "k", "v"}));
    EXPECT_EQ(*server.send({"GET", "k"}).text(), "v");
}

TEST_F(BySentinel, asksTheNextOneWhenTheMasterThatOneNamesIsAReplica)
{
    RedisServer server(master());
    RedisServer other(replicaOf(server));
    Sentinel behind({.master = other.tcpUrl().port, .extra = {}});
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {}});
    auto connection = connect(urlOf({behind.port(), sentinel.port()}));
    ASSERT_TRUE(call(*connection, {"SET", "k", "v"}));
    EXPECT_EQ(*server.send({"GET", "k"}).text(), "v");
}

TEST_F(BySentinel, namesTheSentinelsThatDoNotKnowTheMasterAndWhatEachSaid)
{
    RedisServer server(master());
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {}});
    const auto gone = test::freePort();
    auto url = urlOf({gone, sentinel.port()});
    url.master = "other";
    const auto failure = failureOf(url);
    const auto places =
        std::vector{formatAddress("127.0.0.1", gone), formatAddress("127.0.0.1", sentinel.port())};
    EXPECT_THAT(failure, HasSubstr("no sentinel of " + places[0] + ", " + places[1] +
                                   " knows master \"other\" (" + places[0] +
                                   ": Connection refused; " + places[1] + ": does not know it)"));
}

TEST_F(BySentinel, logsInAtASentinelThatWantsAPassword)
{
    RedisServer server(master());
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {"requirepass se:cret"}});
    auto url = urlOf({sentinel.port()});
    EXPECT_THAT(failureOf(url), HasSubstr("NOAUTH"));
    url.sentinelPassword = "guess";
    EXPECT_THAT(failureOf(url), ::testing::Not(HasSubstr("guess")));
    url.sentinelPassword = "se:cret";
    auto connection = connect(url);
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(BySentinel, showsASentinelThatWantsAPasswordThatOfItsRedis)
{
    auto settings = master();
    settings.extra.insert(settings.extra.end(), {"--requirepass", "se:cret"});
    settings.password = "se:cret";
    RedisServer server(settings);
    Sentinel sentinel({.master = server.tcpUrl().port,
                       .extra = {"requirepass se:cret", "sentinel auth-pass mymaster se:cret"}});
    auto url = urlOf({sentinel.port()});
    url.password = "se:cret";
    auto connection = connect(url);
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(BySentinel, speaksTlsToTheSentinelAndToItsMaster)
{
    test::TlsRedis redis;
    const auto shown = redis.client();
    const auto request = test::TestAuthority::CertificateRequest{"sentinel", {"IP:127.0.0.1"}};
    const auto own = redis.authority().issue("sentinel", request);
    Sentinel sentinel({.master = redis.port(),
                       .tls = true,
                       .extra = {"tls-cert-file \"" + own.certificate.string() + "\"",
                                 "tls-key-file \"" + own.key.string() + "\"",
                                 "tls-ca-cert-file \"" + redis.authority().file().string() + "\"",
                                 "tls-auth-clients no", "tls-replication yes"}});
    auto url = urlOf({sentinel.port()});
    url.tls = redis.url().tls;
    auto connection = connect(parseRedisUrl(url.toString()).value());
    EXPECT_TRUE(call(*connection, {"PING"}));
}

TEST_F(BySentinel, followsAFailoverAndFindsEveryJobThatTheReplicaHad)
{
    RedisServer first(master());
    RedisServer second(replicaOf(first));
    Sentinel sentinel({.master = first.tcpUrl().port, .extra = {}});
    sentinel.awaitReplica();
    // The sentinel knows it before it is in step.
    ASSERT_TRUE(test::eventually([&] { return test::infoOf(second, "master_link_status") == "up"; },
                                 kProcessTimeout));
    RedisQueue queue(loop_, urlOf({sentinel.port()}), Config{}, "test");
    const auto ready = await<void>(
        [&](auto done) { queue.awaitReady(RedisQueue::Report::Silent, std::move(done)); });
    ASSERT_TRUE(ready) << ready.error().message;
    auto safe = pushed(queue, 50, 1);
    EXPECT_EQ(safe.size(), 50U);

    first.kill9();
    // A push meanwhile fails at once, and says so; nothing hangs.
    ASSERT_TRUE(runUntil([&] { return !queue.connection().ready(); }, kProcessTimeout));
    EXPECT_EQ(push(queue).error().code, ErrorCode::Unavailable);
    ASSERT_TRUE(runUntil([&] { return queue.connection().ready(); }, kProcessTimeout))
        << queue.connection().lastFailure();

    const auto later = pushed(queue, 20, 0);
    EXPECT_EQ(later.size(), 20U);
    safe.insert(safe.end(), later.begin(), later.end());
    for (const auto& id : safe) {
        const auto found = await<JobView>([&](auto done) { queue.inspector().show(id, done); });
        EXPECT_TRUE(found) << id;
    }
    EXPECT_EQ(*second.send({"ROLE"}).array()->front().text(), "master");
}

TEST_F(BySentinel, leavesAMasterThatIsNoneAnyMore)
{
    RedisServer server(master());
    RedisServer other(master());
    Sentinel sentinel({.master = server.tcpUrl().port, .extra = {}});
    auto connection = connect(urlOf({sentinel.port()}));
    server.send({"REPLICAOF", "127.0.0.1", std::to_string(other.tcpUrl().port)});
    EXPECT_EQ(call(*connection, {"SET", "k", "v"}).error().code, ErrorCode::ReadOnly);
    ASSERT_TRUE(runUntil([&] { return !connection->ready(); }));
    EXPECT_THAT(connection->lastFailure(), HasSubstr("is a replica"));
    server.send({"REPLICAOF", "NO", "ONE"});
    ASSERT_TRUE(runUntil([&] { return connection->ready(); }, kProcessTimeout))
        << connection->lastFailure();
    EXPECT_TRUE(call(*connection, {"SET", "k", "v"}));
}

}  // namespace
}  // namespace restante::redis
