#include "core/job/job_id.h"
#include "core/redis/client/cluster_map.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/server/server_check.h"
#include "core/redis/store/event_feed.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/serving_gate.h"
#include "core/redis/store/store_sweep.h"
#include "core/schedule/due_watcher.h"
#include "tests/integration/redis/cluster_fixture.h"
#include "tests/support/free_port.h"
#include "tests/support/test_authority.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace restante::test {
namespace {

using redis::Reply;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ClusterTest : public ClusterFixture {
protected:
    RedisCluster& cluster_ = sharedCluster();
};

TEST_F(ClusterTest, sendsEachCommandToTheMasterOfItsSlot)
{
    auto connection = connect(redis::parseRedisUrl(cluster_.url().toString()).value());
    for (const auto* key : {"k{s0}", "k{s1}", "k{s2}"}) {
        ASSERT_TRUE(call(*connection, {"SET", key, key}));
        EXPECT_EQ(*call(*connection, {"GET", key})->text(), key);
    }
    EXPECT_EQ(*cluster_.node(1).send({"GET", "k{s0}"}).text(), "k{s0}");
    EXPECT_EQ(*cluster_.node(2).send({"GET", "k{s1}"}).text(), "k{s1}");
    EXPECT_EQ(*cluster_.node(0).send({"GET", "k{s2}"}).text(), "k{s2}");
}

TEST_F(ClusterTest, refusesACommandThatTouchesTwoSlots)
{
    auto connection = connect(cluster_.url());
    const auto reply = call(*connection, {"DEL", "k{s0}", "k{s1}"});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::Internal);
    EXPECT_THAT(reply.error().message, HasSubstr("DEL names keys of different slots"));
    EXPECT_EQ(connection->inFlight(), 0U);
}

/// What decision 25 builds on: scripts name one key, and the server keeps them in its slot.
TEST_F(ClusterTest, refusesAScriptThatTouchesAKeyOfAnotherSlot)
{
    const auto& node = cluster_.node(1);  // has {s0}
    const auto isThere = [&](const std::string& key) {
        try {
            node.send({"EXISTS", key});
            return true;
        } catch (const std::runtime_error&) {
            return false;  // MOVED
        }
    };
    std::string other;
    for (int i = 0; other.empty(); ++i) {
        const auto key = "k{t" + std::to_string(i) + "}";
        other = isThere(key) && redis::slotOf(key) != redis::slotOf("{s0}") ? key : "";
    }
    const std::string script = "#!lua\nreturn redis.call('EXISTS', ARGV[1])";
    EXPECT_EQ(*node.send({"EVAL", script, "1", "rst:{s0}:", "rst:{s0}:lease"}).integer(), 0);
    for (const auto& key : {other, std::string("rst:{s1}:lease")}) {
        try {
            node.send({"EVAL", script, "1", "rst:{s0}:", key});
            ADD_FAILURE() << key << " was touched";
        } catch (const std::runtime_error& refusal) {
            EXPECT_THAT(refusal.what(), HasSubstr("Script attempted to access"));
        }
    }
}

TEST_F(ClusterTest, isSweptMasterByMaster)
{
    auto queue = open(cluster_.url());
    int wanted = 30;
    EXPECT_THAT(pushUntil(*queue, [&] { return wanted-- <= 0; }), IsEmpty());
    for (const auto& [node, tag] : {std::pair{1, "{s0}"}, {2, "{s1}"}, {0, "{s2}"}}) {
        EXPECT_EQ(*cluster_.node(static_cast<std::size_t>(node))
                       .send({"DEL", std::string("rst:") + tag + ":due:pull:5:order"})
                       .integer(),
                  1);
    }
    EXPECT_THAT(claimAll(*queue), IsEmpty());
    const auto shards = redis::shardQueues(loop_, queue->connection(), queue->clock(), "rst", 3);
    const auto sweep = redis::StoreSweep::make(loop_, queue->connection(), shards, {});
    const auto report = await<redis::SweepReport>([&](auto done) { sweep->run(done); });
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->lost, pushed_.size());
    EXPECT_EQ(claimAll(*queue), pushed_);
}

TEST_F(ClusterTest, asksEveryMasterWhenToldTo)
{
    auto connection = connect(cluster_.url());
    const auto ports = await<std::vector<Reply>>([&](auto done) {
        connection->commandToEach({"CONFIG", "GET", "port"}, done);
    });
    ASSERT_TRUE(ports) << ports.error().message;
    std::vector<std::string> seen;
    for (const auto& port : *ports) {
        seen.push_back(*(*port.array())[1].text());
    }
    EXPECT_THAT(seen,
                ElementsAre(std::to_string(cluster_.port(0)), std::to_string(cluster_.port(1)),
                            std::to_string(cluster_.port(2))));
}

TEST_F(ClusterTest, findsTheNodesWhenTheFirstOneItKnowsIsGone)
{
    auto url = cluster_.url();
    url.nodes = {{"127.0.0.1", freePort()}, {"127.0.0.1", cluster_.port(2)}};
    auto connection = connect(url);
    EXPECT_TRUE(call(*connection, {"SET", "k{s2}", "v"}));
}

TEST_F(ClusterTest, saysWhatEachNodeSaidWhenNoneKnowsTheSlots)
{
    auto url = cluster_.url();
    const auto gone = freePort();
    RedisServer alone({.tcp = true, .extra = {}, .password = {}});
    url.nodes = {{"127.0.0.1", gone}, {"127.0.0.1", alone.tcpUrl().port}};
    auto connection = dial(url);
    ASSERT_TRUE(runUntil([&] { return !connection->lastFailure().empty(); }));
    EXPECT_THAT(connection->lastFailure(),
                HasSubstr("127.0.0.1:" + std::to_string(gone) + ": Connection refused"));
    EXPECT_THAT(connection->lastFailure(), HasSubstr("is not a node of a Redis Cluster"));
    EXPECT_EQ(call(*connection, {"PING"}).error().code, ErrorCode::Unavailable);
}

TEST_F(ClusterTest, waitsForAClusterThatIsNotThereYet)
{
    RedisServer node(
        {.tcp = true,
         .extra = {"--cluster-enabled", "yes", "--cluster-port", std::to_string(freePort())},
         .password = {}});
    auto url = cluster_.url();
    url.nodes = {{"127.0.0.1", node.tcpUrl().port}};
    auto connection = dial(url);
    ASSERT_TRUE(runUntil([&] { return !connection->lastFailure().empty(); }));
    EXPECT_THAT(connection->lastFailure(), HasSubstr("has any slot yet"));
    node.send({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
    ASSERT_TRUE(runUntil([&] { return connection->ready(); }));
    EXPECT_TRUE(runUntil([&] { return call(*connection, {"SET", "k", "v"}).has_value(); }));
}

TEST_F(ClusterTest, bringsAScriptToAMasterThatHasForgottenIt)
{
    auto connection = connect(cluster_.url());
    const auto sha1 = *call(*connection, {"SCRIPT", "LOAD", "return KEYS[1]"})->text();
    cluster_.sendToAll({"SCRIPT", "FLUSH"});
    for (const auto* key : {"{s0}", "{s1}", "{s2}"}) {
        const auto reply = call(*connection, {"EVALSHA", sha1, "1", key});
        ASSERT_TRUE(reply) << reply.error().message;
        EXPECT_EQ(*reply->text(), key);
    }
}

TEST_F(ClusterTest, hearsWhatIsPublishedAnywhere)
{
    auto listener = dial(cluster_.url());
    std::vector<std::string> heard;
    listener->subscribe({"news"}, [&](auto, std::string_view text) { heard.emplace_back(text); });
    ASSERT_TRUE(runUntil([&] { return listener->ready(); }));
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
        cluster_.node(i).send({"PUBLISH", "news", "x"});
    }
    EXPECT_TRUE(runUntil([&] { return heard.size() == cluster_.size(); }));
}

TEST_F(ClusterTest, answersWhatIsInFlightWhenItIsClosed)
{
    auto connection = connect(cluster_.url());
    int answers = 0;
    const auto count = [&](const Result<Reply>& reply) { answers += reply ? 100 : 1; };
    connection->command({"BLPOP", "l{s1}", "0"}, count);
    connection->command({"DEL", "{s0}", "{s1}"}, count);
    connection->command({"GET", "k{s0}"}, count);
    connection.reset();
    EXPECT_EQ(answers, 3);
}

TEST_F(ClusterTest, rejectsWhatItsLastAnswersSend)
{
    auto connection = connect(cluster_.url());
    std::vector<std::string> refusals;
    const auto keep = [&](const auto& reply) {
        refusals.push_back(reply ? "none" : reply.error().message);
    };
    connection->command({"BLPOP", "l{s1}", "0"},
                        [&, closing = connection.get()](const Result<Reply>&) {
                            closing->command({"GET", "k{s0}"}, keep);
                            closing->command({"SCRIPT", "LOAD", "return 1"}, keep);
                            closing->commandToEach({"PING"}, keep);
                        });
    connection.reset();
    EXPECT_EQ(refusals.size(), 3U);
    EXPECT_THAT(refusals, ::testing::Each(HasSubstr("connection closed")));
}

TEST_F(ClusterTest, checksEveryMaster)
{
    auto connection = connect(cluster_.url());
    const auto check = [&] {
        return await<redis::ServerReport>([&](auto done) {
            redis::checkServer(*connection, {"rst", 3}, std::move(done));
        });
    };
    const auto report = check();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("appendonly yes")));
    cluster_.node(2).send({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
    EXPECT_THAT(check().error().message, HasSubstr("allkeys-lru"));
    cluster_.node(2).send({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
}

TEST_F(ClusterTest, tellsFollowersOfTheEventsOfAllShards)
{
    auto commands = connect(cluster_.url());
    auto reading = connect(cluster_.url());
    redis::EventFeed feed(loop_, *commands, *reading, {"rst", 3});
    std::set<std::string> heard;
    feed.subscribe({[&](const auto& event, const auto&) {
                        heard.insert(event.entry.ids.begin(), event.entry.ids.end());
                    },
                    redis::EventPosition{{"0-0", "0-0", "0-0"}}, redis::EventFeed::Topics::No});
    const std::vector<std::size_t> nodes{1, 2, 0};  // of the shards
    for (std::size_t shard = 0; shard < nodes.size(); ++shard) {
        const auto number = std::to_string(shard);
        cluster_.node(nodes[shard])
            .send({"XADD", "rst:{s" + number + "}:events", "*", "t", "push", "at", "1", "ids",
                   "id" + number});
    }
    EXPECT_TRUE(runUntil([&] { return heard.size() == 3; }));
}

/// A cluster that goes on with the slots of the masters that live.
class PartOfACluster : public ClusterFixture {
protected:
    static RedisCluster::Settings withoutFullCoverage()
    {
        RedisCluster::Settings settings;
        settings.extra = {"--cluster-require-full-coverage", "no"};
        return settings;
    }

    RedisCluster cluster_{withoutFullCoverage()};
};

TEST_F(PartOfACluster, isWokenAndGivesOutWhatIsDueThere)
{
    std::vector<std::string> claimed;
    auto queue = open(cluster_.url());
    cluster_.node(2).kill9();  // shard 1
    DueWatcher watcher(loop_, queue->clock(), queue->store());
    watcher.watch({.kind = DueSource::Kind::Lanes, .channel = Channel::Pull, .topics = {"order"}},
                  [&](const auto& settled) {
                      queue->store().claim(
                          {Channel::Pull, {"order"}, 10}, [&claimed, settled](const auto& jobs) {
                              for (std::size_t i = 0; jobs && i < jobs->size(); ++i) {
                                  claimed.push_back((*jobs)[i].job.id);
                              }
                              settled();
                          });
                  });
    Job job;
    job.id = JobIdGenerator(queue->clock()).generate(2);
    job.topic = "order";
    job.created = queue->clock().now();
    const auto outcome = await<PushOutcome>([&](auto done) {
        queue->store().push({.job = job, .due = queue->clock().now() + Millis{300}}, done);
    });
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(runUntil([&] { return !claimed.empty(); }));
    EXPECT_THAT(claimed, ElementsAre(job.id));
}

TEST_F(PartOfACluster, saysWhatIsDueThereAndThatTheRestIsToBeAskedAgain)
{
    auto queue = open(cluster_.url());
    cluster_.node(2).kill9();  // shard 1
    auto& store = queue->store();
    const auto moment = await<std::optional<TimePoint>>(
        [&](auto done) { store.earliest({.kind = DueSource::Kind::Leases}, done); });
    ASSERT_TRUE(moment) << moment.error().message;
    ASSERT_TRUE(*moment);
    EXPECT_LE(**moment, queue->clock().now() + Millis{2'000});
    int answers = 0;
    const auto isAnswer = [&](const auto& answer) {
        ++answers;
        EXPECT_TRUE(answer) << answer.error().message;
    };
    store.lapsed(10, isAnswer);
    store.dueMailboxes(10, isAnswer);
    store.expire(10, isAnswer);
    for (int i = 0; i < 3; ++i) {  // each begins at another shard
        store.claim({Channel::Pull, {"order"}, 10}, isAnswer);
    }
    // At the shard that does not answer they are asked for one after the other.
    EXPECT_TRUE(runUntil([&] { return answers == 6; }, 3 * kTimeout));
}

TEST_F(PartOfACluster, takesNoGatedCallWhileTheMasterOfShard0IsAway)
{
    SystemClock clock;
    auto connection = connect(cluster_.url());
    redis::ServingGate gate(loop_, *connection, clock, {.shards = 3});
    redis::ScriptQueue queue(
        loop_, *connection, clock,
        {.shardPrefix = redis::shardPrefix("rst", 1), .gate = &gate, .shard = 1});
    ASSERT_TRUE(runUntil([&] { return gate.state(1) == redis::ServingGate::State::Closed; }));
    cluster_.node(1).kill9();
    ASSERT_TRUE(runUntil([&] { return !connection->ready(); }));
    const auto reply = await<Reply>(
        [&](auto done) { queue.add(redis::script("serving"), {}, {""}, std::move(done)); });
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(reply.error().message, HasSubstr(std::to_string(cluster_.port(1))));
}

TEST(ClusterWithPassword, isEnteredOverTls)
{
    const TempDir directory;
    const TestAuthority authority(directory.path(), "authority");
    const auto files = authority.issue("redis", {"127.0.0.1", {"IP:127.0.0.1"}});
    RedisCluster::Settings settings;
    settings.password = "se:cret";
    settings.tlsPorts = {freePort(), freePort(), freePort()};
    settings.extra = {"--tls-cert-file",    files.certificate,
                      "--tls-key-file",     files.key,
                      "--tls-ca-cert-file", authority.file(),
                      "--tls-cluster",      "yes",
                      "--tls-auth-clients", "no"};
    const RedisCluster cluster(settings);
    auto url = cluster.url();
    url.tls.emplace().ca = authority.file();

    EpollLoop loop;
    redis::Connection connection(loop, {.url = url});
    ASSERT_TRUE(loop.runUntil([&] { return connection.ready(); }, kTimeout))
        << connection.lastFailure();
    const auto reply = answerOf<Reply>(loop, [&](auto done) {
        connection.command({"SET", "k{s2}", "v"}, std::move(done));
    });
    EXPECT_TRUE(reply) << reply.error().message;

    url.password = "guess";
    redis::Connection guessing(loop, {.url = url});
    ASSERT_TRUE(loop.runUntil([&] { return !guessing.lastFailure().empty(); }, kTimeout));
    EXPECT_THAT(guessing.lastFailure(), HasSubstr("WRONGPASS"));
    EXPECT_THAT(guessing.lastFailure(), ::testing::Not(HasSubstr("guess")));
}

}  // namespace
}  // namespace restante::test
