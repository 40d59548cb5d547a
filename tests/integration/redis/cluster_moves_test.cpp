// A cluster that rearranges itself under the queue.

#include "core/redis/client/cluster_map.h"
#include "tests/integration/redis/cluster_fixture.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <future>

namespace restante::test {
namespace {

using redis::Reply;
using redis::slotOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ClusterMoves : public ClusterFixture {
protected:
    /// As redis-cli --cluster reshard does, for one slot.
    static void
    beginMove(RedisCluster& cluster, std::size_t from, std::size_t to, std::uint16_t slot)
    {
        const auto number = std::to_string(slot);
        cluster.node(to).send({"CLUSTER", "SETSLOT", number, "IMPORTING", cluster.idOf(from)});
        cluster.node(from).send({"CLUSTER", "SETSLOT", number, "MIGRATING", cluster.idOf(to)});
    }
    static void
    moveKeys(RedisCluster& cluster, std::size_t from, std::size_t to, std::uint16_t slot)
    {
        const auto port = std::to_string(cluster.port(to));
        for (;;) {
            const auto keys =
                cluster.node(from).send({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "20"});
            if (keys.array()->empty()) {
                return;
            }
            std::vector<std::string> words{"MIGRATE", "127.0.0.1", port, "", "0", "5000", "KEYS"};
            for (const auto& key : *keys.array()) {
                words.push_back(*key.text());
            }
            cluster.node(from).send(words);
        }
    }
    static void endMove(RedisCluster& cluster, std::size_t from, std::size_t to, std::uint16_t slot)
    {
        const auto number = std::to_string(slot);
        const auto owner = cluster.idOf(to);
        cluster.node(to).send({"CLUSTER", "SETSLOT", number, "NODE", owner});
        cluster.node(from).send({"CLUSTER", "SETSLOT", number, "NODE", owner});
    }
};

TEST_F(ClusterMoves, goOnWithoutAnErrorAndWithoutALossWhileASlotMoves)
{
    RedisCluster cluster;
    auto queue = open(cluster.url());
    auto pushing = open(cluster.url());
    std::atomic<int> rounds{0};
    std::atomic<bool> over{false};
    // Few jobs, as a script must not wait for a move longer than its time.
    auto mover = std::async(std::launch::async, [&] {
        for (int i = 0; i < 2; ++i) {
            EXPECT_TRUE(eventually([&] { return rounds > 5 * (i + 1); }, kTimeout));
            const std::size_t from = i == 0 ? 1 : 0;
            beginMove(cluster, from, 1 - from, slotOf("s0"));
            moveKeys(cluster, from, 1 - from, slotOf("s0"));
            endMove(cluster, from, 1 - from, slotOf("s0"));
        }
        over = true;
    });
    const auto errors = pushUntil(*pushing, [&] {
        ++rounds;
        return over.load();
    });
    mover.get();
    EXPECT_THAT(errors, IsEmpty());
    EXPECT_TRUE(queue->connection().ready());
    EXPECT_EQ(claimAll(*queue), pushed_);
}

TEST_F(ClusterMoves, followASlotWhoseKeysAreInTwoPlaces)
{
    RedisCluster cluster;
    auto connection = connect(cluster.url());
    ASSERT_TRUE(call(*connection, {"SET", "a{s0}", "1"}));
    beginMove(cluster, 1, 0, slotOf("s0"));
    // What is not at its old place is written to the new one.
    ASSERT_TRUE(call(*connection, {"SET", "b{s0}", "2"}));
    EXPECT_EQ(*call(*connection, {"GET", "a{s0}"})->text(), "1");
    EXPECT_EQ(*call(*connection, {"GET", "b{s0}"})->text(), "2");
    moveKeys(cluster, 1, 0, slotOf("s0"));
    endMove(cluster, 1, 0, slotOf("s0"));
    EXPECT_EQ(*call(*connection, {"GET", "a{s0}"})->text(), "1");
    EXPECT_EQ(*call(*connection, {"GET", "b{s0}"})->text(), "2");
    EXPECT_EQ(*cluster.node(0).send({"GET", "b{s0}"}).text(), "2");
}

TEST_F(ClusterMoves, keepTheOrderOfTheCommandsToOneKey)
{
    RedisCluster cluster;
    auto connection = connect(cluster.url());
    std::string expected;
    std::size_t missing = 0;
    const auto append = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const auto text = std::to_string(expected.size()) + ",";
            expected += text;
            ++missing;
            connection->command({"APPEND", "k{s0}", text}, [&](const Result<Reply>& reply) {
                EXPECT_TRUE(reply) << reply.error().message;
                --missing;
            });
        }
    };
    append(50);
    ASSERT_TRUE(runUntil([&] { return missing == 0; }));
    beginMove(cluster, 1, 0, slotOf("s0"));
    moveKeys(cluster, 1, 0, slotOf("s0"));
    append(50);
    ASSERT_TRUE(runUntil([&] { return missing < 50; }));
    append(50);
    endMove(cluster, 1, 0, slotOf("s0"));
    append(50);
    ASSERT_TRUE(runUntil([&] { return missing == 0; }));
    EXPECT_EQ(*call(*connection, {"GET", "k{s0}"})->text(), expected);
}

TEST_F(ClusterMoves, sayWhatAScriptWaitsForWhenItsTimeIsOver)
{
    RedisCluster cluster;
    auto connection = connect(cluster.url());
    const auto slot = slotOf("s0");
    beginMove(cluster, 1, 0, slot);
    const auto reply = call(*connection, {"EVAL", "return 1", "1", "{s0}"});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(reply.error().message,
                HasSubstr("slot " + std::to_string(slot) + " is being moved to another node"));
    endMove(cluster, 1, 0, slot);
    EXPECT_TRUE(call(*connection, {"EVAL", "return 1", "1", "{s0}"}));
}

TEST_F(ClusterMoves, followAFailoverAndLoseNothingThatItsReplicaHad)
{
    RedisCluster::Settings settings;
    settings.replicas = 1;
    RedisCluster cluster(settings);
    auto queue = open(cluster.url());
    int rounds = 0;
    ASSERT_THAT(pushUntil(*queue, [&] { return ++rounds > 20; }), IsEmpty());
    const auto isInStep = [&] {
        const auto info = *cluster.node(4).send({"INFO", "replication"}).text();
        const auto ours = *cluster.node(1).send({"INFO", "replication"}).text();
        const auto offset = [](const std::string& text, const std::string& name) {
            const auto at = text.find(name) + name.size();
            return text.substr(at, text.find('\r', at) - at);
        };
        return offset(info, "slave_repl_offset:") == offset(ours, "master_repl_offset:");
    };
    ASSERT_TRUE(eventually(isInStep, kTimeout));

    cluster.node(1).kill9();
    const auto before = pushed_.size();
    const auto errors = pushUntil(
        *queue, [&] { return queue->connection().ready() && pushed_.size() > before + 100; });
    for (const auto& error : errors) {
        EXPECT_THAT(error, HasSubstr("redis ")) << "not a temporary error of the store";
    }
    const auto ids = claimAll(*queue);
    EXPECT_TRUE(std::includes(ids.begin(), ids.end(), pushed_.begin(), pushed_.end()));
    EXPECT_TRUE(cluster.has(4, slotOf("s0")));
}

TEST_F(ClusterMoves, areNoLossWhenShard0GoesToAMasterThatIsNotConnectedYet)
{
    RedisCluster::Settings settings;
    settings.replicas = 1;
    RedisCluster cluster(settings);
    auto connection = connect(cluster.url());
    ASSERT_TRUE(call(*connection, {"SET", "k{s1}", "v"}));  // connects to node 2
    std::vector<bool> changes;
    connection->onReady([&](bool ready) { changes.push_back(ready); });
    cluster.node(4).send({"CLUSTER", "FAILOVER"});
    const auto slot = slotOf("s0");
    ASSERT_TRUE(
        eventually([&] { return cluster.has(4, slot) && !cluster.has(1, slot); }, kTimeout));
    // A lost connection makes it ask for the nodes.
    cluster.node(2).send({"CLIENT", "KILL", "TYPE", "normal"});
    ASSERT_TRUE(runUntil([&] {
        const auto clients = cluster.node(4).send({"CLIENT", "LIST"});
        return clients.text()->find("name=restante") != std::string::npos;
    }));
    EXPECT_TRUE(call(*connection, {"SET", "k{s0}", "v"}));
    EXPECT_THAT(changes, IsEmpty());
}

TEST_F(ClusterMoves, takeASubscriberToAnotherNodeWhenItsOwnIsLost)
{
    RedisCluster cluster;
    auto listener = dial(cluster.url());
    std::vector<std::string> heard;
    listener->subscribe({"news"}, [&](auto, std::string_view text) { heard.emplace_back(text); });
    ASSERT_TRUE(runUntil([&] { return listener->ready(); }));
    cluster.node(0).kill9();  // the first one, where it is
    ASSERT_TRUE(runUntil([&] { return !listener->ready(); }));
    ASSERT_TRUE(runUntil([&] { return listener->ready(); }));
    EXPECT_TRUE(runUntil([&] {
        cluster.node(2).send({"PUBLISH", "news", "x"});
        return !heard.empty();
    }));
}

TEST_F(ClusterMoves, takeASubscriberToAnotherNodeWhenItsOwnHasLeftTheCluster)
{
    RedisCluster cluster;
    auto listener = dial(cluster.url());
    std::vector<std::string> heard;
    listener->subscribe({"news"}, [&](auto, std::string_view text) { heard.emplace_back(text); });
    ASSERT_TRUE(runUntil([&] { return listener->ready(); }));
    const auto left = cluster.idOf(0);  // the first one, where it is
    cluster.node(0).send({"CLUSTER", "RESET"});
    cluster.node(1).send({"CLUSTER", "FORGET", left});
    cluster.node(2).send({"CLUSTER", "FORGET", left});
    cluster.node(1).send({"CLUSTER", "ADDSLOTSRANGE", "0", "5460"});
    EXPECT_TRUE(runUntil(
        [&] {
            cluster.node(2).send({"PUBLISH", "news", "x"});
            return !heard.empty();
        },
        3 * kTimeout));
}

}  // namespace
}  // namespace restante::test
