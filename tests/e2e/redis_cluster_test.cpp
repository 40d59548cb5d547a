// Daemon and command line on a Redis Cluster.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::test {
namespace {

using ::testing::HasSubstr;

Daemon::Settings storedInCluster(const std::string& url)
{
    return {.set = {"redis.url=" + url, "redis.shards=3"}};
}

TEST(RedisClusterOfADaemon, keepsAMessageUntilItsRecipientComes)
{
    const RedisCluster cluster;
    Daemon daemon(storedInCluster(cluster.url().toString()));
    for (const auto* name : {"ann", "bob", "cid", "dan"}) {
        auto alice = phoneOf(daemon, "alice");
        ASSERT_EQ(alice.say(Daemon::aor(name), "are you there?"), 202);
        auto recipient = registeredPhone(daemon, name);
        ASSERT_TRUE(recipient.receive(1));
        EXPECT_EQ(recipient.received()[0].body, "are you there?");
    }
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }, kProcessTimeout));
    EXPECT_EQ(HttpClient(daemon.httpPort()).ask("GET", "/readyz").status, 200);
    const auto doctor = daemon.control({"doctor"});
    EXPECT_THAT(doctor.output, HasSubstr("evicts nothing"));
    EXPECT_EQ(daemon.stop(), 0);
}

/// The master that is killed has some of the shards.
class ClusterFailover : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ClusterFailover, isFollowed)
{
    RedisCluster::Settings settings;
    settings.replicas = 1;
    RedisCluster cluster(settings);
    Daemon daemon(storedInCluster(cluster.url().toString()));
    const std::vector<std::string> push{"push", "order", "--body", "close it"};
    ASSERT_EQ(daemon.control(push).status, 0);
    cluster.node(GetParam()).kill9();
    ASSERT_TRUE(eventually([&] { return daemon.control(push).status == 0; }, kProcessTimeout));
    EXPECT_TRUE(eventually(
        [&] { return HttpClient(daemon.httpPort()).ask("GET", "/readyz").status == 200; },
        kProcessTimeout));
    auto alice = phoneOf(daemon, "alice");
    auto bob = phoneOf(daemon, "bob");
    // The push above may have gone to a shard whose master lives, before the daemon has noticed.
    EXPECT_TRUE(
        eventually([&] { return bob.registerFor(kRegistration).status == 200; }, kProcessTimeout));
    EXPECT_TRUE(
        eventually([&] { return alice.say(Daemon::aor("bob"), "now") == 202; }, kProcessTimeout));
    EXPECT_TRUE(bob.receive(1));
    EXPECT_EQ(daemon.stop(), 0);
}

INSTANTIATE_TEST_SUITE_P(RedisClusterOfADaemon,
                         ClusterFailover,
                         ::testing::Values(0, 1),  // shard 2; shards 0 and 1
                         [](const auto& master) {
                             return "ofMaster" + std::to_string(master.param);
                         });

}  // namespace
}  // namespace restante::test
