// Daemon and command line on a Redis over TLS, and on one that sentinels know.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"
#include "tests/support/sentinel.h"
#include "tests/support/tls_redis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace restante::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Daemon::Settings storedOverTls(const std::string& url)
{
    return {.set = {"redis.url=" + url}};
}

Finished stats(const std::string& url)
{
    return run({{builtProgram("restantectl").string(), "--redis", url, "stats"}, {}, {}});
}

TEST(RedisOverTls, keepsTheJobsOfADaemon)
{
    TlsRedis redis;
    Daemon daemon(storedOverTls(redis.url().toString()));
    const auto pushed = daemon.control({"push", "order", "--body", "close it"});
    EXPECT_EQ(pushed.status, 0) << pushed.errors;
    EXPECT_EQ(daemon.jobsInAll(), 1U);
    redis.server().kill9();
    redis.server().restart();
    EXPECT_TRUE(eventually([&] { return daemon.control({"stats"}).status == 0; }, kProcessTimeout));
    EXPECT_EQ(daemon.stop(), 0);
}

TEST(RedisOverTls, tellsTheCommandLineWhatIsWrong)
{
    TlsRedis redis;
    const TestAuthority other(redis.directory(), "Other Authority");
    auto url = redis.url();
    EXPECT_THAT(stats(url.toString()).output, HasSubstr("scheduled"));
    url.tls->ca = other.file();
    EXPECT_THAT(stats(url.toString()).errors, HasSubstr("issued by \"Test Authority\""));
    const auto bad = stats("rediss://:s3cret@h?ca=relative.pem");
    EXPECT_NE(bad.status, 0);
    EXPECT_THAT(bad.errors, HasSubstr("ca must be the absolute path of a file"));
    EXPECT_THAT(bad.errors, Not(HasSubstr("s3cret")));
}

TEST(RedisOverTls, tellsTheCommandLineWhoseKeyIsNotUsed)
{
    TlsRedis::Settings settings;
    settings.wantsCertificate = true;
    TlsRedis redis(settings);
    const auto client = redis.client();
    auto url = redis.url();
    url.tls->certificate = client.certificate;
    url.tls->key = client.key;
    ASSERT_EQ(stats(url.toString()).status, 0);
    ASSERT_EQ(chmod(client.key.c_str(), 0604), 0);
    EXPECT_THAT(stats(url.toString()).errors,
                AllOf(HasSubstr("cannot use " + client.key.string()), HasSubstr("chmod 600")));
    ASSERT_EQ(chmod(client.key.c_str(), 0600), 0);
    if (chown(client.key.c_str(), 65534, 65534) != 0) {
        EXPECT_NE(geteuid(), 0U) << "only root can give a file away";
        return;
    }
    EXPECT_THAT(stats(url.toString()).errors,
                AllOf(HasSubstr("cannot use " + client.key.string()),
                      HasSubstr("belongs to user 65534"), HasSubstr("sudo -u '#65534'")));
}

TEST(RedisBySentinel, isFollowedByADaemonToItsNewMaster)
{
    RedisServer::Settings settings;
    settings.tcp = true;
    settings.extra = {"--repl-diskless-sync-delay", "0"};
    RedisServer first(settings);
    settings.extra.insert(settings.extra.end(),
                          {"--replicaof", "127.0.0.1", std::to_string(first.tcpUrl().port)});
    RedisServer second(settings);
    Sentinel sentinel({.master = first.tcpUrl().port, .extra = {}});
    sentinel.awaitReplica();
    const auto url = "redis+sentinel://127.0.0.1:" + std::to_string(sentinel.port()) + "/mymaster";
    Daemon daemon(storedOverTls(url));
    const std::vector<std::string> push{"push", "order", "--body", "close it"};
    ASSERT_EQ(daemon.control(push).status, 0);
    ASSERT_TRUE(eventually(
        [&] { return *second.send({"DBSIZE"}).integer() == *first.send({"DBSIZE"}).integer(); }));

    first.kill9();
    ASSERT_TRUE(eventually([&] { return daemon.control(push).status == 0; }, kProcessTimeout));
    EXPECT_EQ(daemon.jobsInAll(), 2U);
    EXPECT_EQ(*second.send({"ROLE"}).array()->front().text(), "master");
    // Not only the command line is there.
    EXPECT_TRUE(eventually(
        [&] { return HttpClient(daemon.httpPort()).ask("GET", "/readyz").status == 200; },
        kProcessTimeout));
    EXPECT_EQ(daemon.stop(), 0);
}

}  // namespace
}  // namespace restante::test
