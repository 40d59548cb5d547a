#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_session.h"
#include "core/redis/client/blocking_command.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"
#include "tests/support/sql_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A daemon with its journal, and the command line that looks into both.
class JournalOfADaemon : public ::testing::Test {
protected:
    static json parsed(const Finished& finished)
    {
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return json::parse(finished.output, nullptr, false);
    }
    static void push(const Daemon& daemon, const std::string& id, std::vector<std::string> words)
    {
        words.insert(words.begin(), {"push", "order", "--body", "close it", "--id", id});
        ASSERT_EQ(daemon.control(std::move(words)).status, 0);
    }
    static std::vector<std::string> transitions(const Daemon& daemon, const std::string& id)
    {
        std::vector<std::string> words;
        const auto shown = daemon.control({"show", id, "--history", "--json"});
        const auto document = json::parse(shown.output, nullptr, false);
        if (shown.status == 0) {
            for (const auto& row : document["history"]) {
                words.push_back(row["transition"]);
            }
        }
        return words;
    }
    static void awaitTransitions(const Daemon& daemon, const std::string& id, std::size_t count)
    {
        EXPECT_TRUE(eventually([&] { return transitions(daemon, id).size() >= count; }, 30s)) << id;
    }
    /// The daemon again, on a Redis with nothing in it.
    static void loseRedis(Daemon& daemon)
    {
        ASSERT_EQ(daemon.stop(), 0);
        std::filesystem::remove_all(daemon.directory() / "state/redis");
        daemon.start();
    }
};

TEST_F(JournalOfADaemon, ofDurableIsAwaitedWithoutAskingRedisForIt)
{
    RedisServer redis;
    Daemon daemon({.set = {"redis.url=unix://" + redis.socketPath(), "journal.mode=durable"}});
    HttpClient client(daemon.httpPort());
    const auto push = [&](int number) {
        const json job{{"topic", "order"}, {"id", "order-" + std::to_string(number)}};
        return client.ask("POST", "/v1/jobs", job.dump()).status;
    };
    ASSERT_EQ(push(0), 201);
    redis.send({"CONFIG", "SET", "slowlog-max-len", "100000"});
    redis.send({"CONFIG", "SET", "slowlog-log-slower-than", "0"});
    constexpr int kPushes = 60;
    const auto begun = std::chrono::steady_clock::now();
    for (int number = 1; number <= kPushes; ++number) {
        ASSERT_EQ(push(number), 201);
    }
    const auto elapsed = std::chrono::steady_clock::now() - begun;
    const auto commands = redis.send({"SLOWLOG", "GET", "-1"});
    int asked = 0;
    for (const auto& entry : *commands.array()) {
        const auto& words = entry.at(3);
        asked += words.at(0).textOrEmpty() == "HMGET" && words.at(2).textOrEmpty() == "cursor" &&
                 words.at(3).textOrEmpty() == "told";
    }
    // While somebody waits it is asked for each tenth of a second; the first may ask at once.
    EXPECT_LE(asked, elapsed / 100ms + 2);
}

TEST_F(JournalOfADaemon, showsWhatHasHappenedToAJobEvenWhenItIsGone)
{
    Daemon daemon({.set = {"sip.listen="}});
    push(daemon, "order-1", {"--delay", "1h"});
    awaitTransitions(daemon, "order-1", 1);
    EXPECT_THAT(daemon.control({"show", "order-1", "--history"}).output,
                AllOf(HasSubstr("close it"), HasSubstr("TRANSITION"), HasSubstr("push")));

    ASSERT_EQ(daemon.control({"purge", "order-1"}).status, 0);
    awaitTransitions(daemon, "order-1", 2);
    EXPECT_THAT(transitions(daemon, "order-1"), ElementsAre("push", "purge"));
    EXPECT_THAT(daemon.control({"show", "order-1", "--history"}).output,
                AllOf(HasSubstr("not in Redis any more"), HasSubstr("purge"), HasSubstr("@")));
    EXPECT_EQ(daemon.control({"show", "order-1"}).status, 1);
    EXPECT_EQ(daemon.control({"show", "nobody", "--history"}).status, 1);
}

TEST_F(JournalOfADaemon, bringsBackAllThatALostRedisHad)
{
    Daemon daemon({.set = {"sip.listen="}});
    push(daemon, "order-1", {"--delay", "1h"});
    push(daemon, "finished", {"--delay", "1h"});
    ASSERT_EQ(daemon.control({"purge", "finished"}).status, 0);
    awaitTransitions(daemon, "finished", 2);
    loseRedis(daemon);
    EXPECT_EQ(daemon.control({"show", "order-1"}).status, 0);
    EXPECT_EQ(daemon.jobsInAll(), 1U);
    awaitTransitions(daemon, "order-1", 2);
    EXPECT_THAT(transitions(daemon, "order-1"), ElementsAre("push", "recover"));
}

TEST_F(JournalOfADaemon, bringsAnEmptiedRedisBackWhileTheDaemonRuns)
{
    Daemon daemon({.set = {"sip.listen="}});
    push(daemon, "order-1", {"--delay", "1h"});
    awaitTransitions(daemon, "order-1", 1);
    HttpClient client(daemon.httpPort());
    EXPECT_EQ(client.ask("GET", "/readyz").status, 200);
    ASSERT_TRUE(redis::blockingCommand(daemon.redisSocket(), {"FLUSHALL"}, Millis{5'000}));
    // Whatever is answered, it is never that the job does not exist.
    bool refused = false;
    EXPECT_TRUE(eventually(
        [&] {
            const auto status = client.ask("GET", "/v1/jobs/order-1").status;
            refused = refused || status == 503;
            EXPECT_TRUE(status == 200 || status == 503) << status;
            return status == 200;
        },
        10s));
    EXPECT_TRUE(refused);
    EXPECT_EQ(client.ask("GET", "/readyz").status, 200);
    awaitTransitions(daemon, "order-1", 2);
    EXPECT_THAT(transitions(daemon, "order-1"), ElementsAre("push", "recover"));
    EXPECT_THAT(client.ask("GET", "/metrics").body,
                HasSubstr("restante_store_recoveries_total{shard=\"0\",lost=\"everything\"} 1"));
}

TEST_F(JournalOfADaemon, isRefusedToAStoreThatHasAnother)
{
    RedisServer redis;
    const std::string url = "redis.url=unix://" + redis.socketPath();
    Daemon first({.set = {"sip.listen="}});
    push(first, "first-1", {"--delay", "1h"});
    awaitTransitions(first, "first-1", 1);
    ASSERT_EQ(first.stop(), 0);
    const auto journal =
        "journal.url=sqlite://" + (first.directory() / "state/journal.db").string();
    {
        Daemon second({.set = {"sip.listen=", url}});
        push(second, "second-1", {"--delay", "1h"});
        awaitTransitions(second, "second-1", 1);
        ASSERT_EQ(second.stop(), 0);
    }
    try {
        Daemon wrong({.set = {"sip.listen=", url, journal}});
        ADD_FAILURE() << "it serves two stores by one journal";
    } catch (const std::exception& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("restantectl recover --adopt"));
    }
    const auto adopted =
        run({{builtProgram("restantectl").string(), "--redis", "unix://" + redis.socketPath(),
              "--set", journal, "recover", "--adopt", "--reason", "we have moved"},
             {},
             {}});
    ASSERT_EQ(adopted.status, 0) << adopted.errors;
    const auto events = redis.send({"XRANGE", "rst:{s0}:events", "-", "+"});
    std::string words;
    for (const auto& entry : *events.array()) {
        for (const auto& field : *entry.array()->at(1).array()) {
            words += *field.text() + " ";
        }
    }
    EXPECT_THAT(words, HasSubstr("why we have moved"));
    Daemon right({.set = {"sip.listen=", url, journal}});
    EXPECT_EQ(right.control({"show", "first-1"}).status, 0);
    EXPECT_EQ(right.control({"show", "second-1"}).status, 0);
}

TEST_F(JournalOfADaemon, holdsTopicsBackThatWereHeldBackBeforeRedisWasLost)
{
    Daemon daemon({.set = {"sip.listen="}});
    ASSERT_EQ(daemon.control({"pause", "order", "--reason", "the shop is down"}).status, 0);
    ASSERT_EQ(daemon.control({"pause", "mail"}).status, 0);
    ASSERT_EQ(daemon.control({"resume", "mail"}).status, 0);
    ASSERT_EQ(daemon.control({"limit", "mail", "--concurrency", "3", "--rate", "10/s"}).status, 0);
    push(daemon, "order-1", {});
    awaitTransitions(daemon, "order-1", 1);
    const auto topics = parsed(daemon.control({"topics", "--json"}));
    loseRedis(daemon);
    EXPECT_EQ(parsed(daemon.control({"topics", "--json"})), topics);
    EXPECT_TRUE(parsed(daemon.control({"pop", "order", "--json"}))["jobs"].empty());
    ASSERT_EQ(daemon.control({"resume", "order"}).status, 0);
    EXPECT_EQ(parsed(daemon.control({"pop", "order", "--json"}))["jobs"].size(), 1U);
}

TEST_F(JournalOfADaemon, limitsTopicsOverAllShardsAfterRedisWasLost)
{
    Daemon daemon({.set = {"sip.listen=", "redis.shards=2"}});
    ASSERT_EQ(daemon.control({"limit", "order", "--concurrency", "1"}).status, 0);
    for (int i = 0; i < 8; ++i) {
        push(daemon, "order-" + std::to_string(i), {});
    }
    awaitTransitions(daemon, "order-7", 1);
    loseRedis(daemon);
    const auto popped = parsed(daemon.control({"pop", "order", "--max", "8", "--json"}));
    ASSERT_EQ(popped["jobs"].size(), 1U);
    const std::string id = popped["jobs"][0]["id"];
    EXPECT_TRUE(parsed(daemon.control({"pop", "order", "--json"}))["jobs"].empty());
    ASSERT_EQ(daemon.control({"finish", id, "--attempt", "1"}).status, 0);
    EXPECT_EQ(parsed(daemon.control({"pop", "order", "--max", "8", "--json"}))["jobs"].size(), 1U);
}

TEST_F(JournalOfADaemon, knowsWhoWasRegisteredBeforeRedisWasLost)
{
    Daemon daemon;
    auto bob = registeredPhone(daemon, "bob");
    auto gone = registeredPhone(daemon, "carol");
    EXPECT_EQ(gone.unregister().status, 200);
    push(daemon, "order-1", {"--delay", "1h"});
    awaitTransitions(daemon, "order-1", 1);
    loseRedis(daemon);
    auto alice = phoneOf(daemon, "alice");
    EXPECT_EQ(alice.say(bob.aor(), "still there?"), 202);
    EXPECT_TRUE(bob.receive(1));
    EXPECT_EQ(alice.say(gone.aor(), "and you?"), 202);
    EXPECT_TRUE(eventually([&] { return daemon.jobs()["held"] == 1U; }, 30s));
}

TEST_F(JournalOfADaemon, keepsWhyAnOperatorHasRepairedAJob)
{
    Daemon daemon({.set = {"sip.listen="}});
    push(daemon, "order-1", {"--delay", "1h"});
    awaitTransitions(daemon, "order-1", 1);
    ASSERT_TRUE(redis::blockingCommand(
        daemon.redisSocket(), {"ZREM", "rst:{s0}:due:pull:5:order", "order-1"}, Millis{5'000}));
    EXPECT_EQ(daemon.control({"doctor", "--reason", "why not"}).status, 2) << "it changes nothing";
    const auto repaired = daemon.control({"doctor", "--repair", "--reason", "after the power cut"});
    EXPECT_EQ(repaired.status, 0) << repaired.output << repaired.errors;
    awaitTransitions(daemon, "order-1", 2);
    const auto row =
        parsed(daemon.control({"show", "order-1", "--history", "--json"}))["history"][1];
    EXPECT_EQ(row["transition"], "repair");
    EXPECT_EQ(row["reason"], "it was in no set: after the power cut");
    EXPECT_THAT(row["actor"].get<std::string>(), HasSubstr("@"));
}

TEST_F(JournalOfADaemon, isRecoveredByHand)
{
    Daemon daemon({.set = {"sip.listen=", "journal.recover=off"}});
    push(daemon, "order-1", {"--delay", "1h"});
    push(daemon, "order-2", {"--delay", "1h"});
    push(daemon, "expiring", {"--expires-in", "20ms"});
    awaitTransitions(daemon, "expiring", 1);
    loseRedis(daemon);
    EXPECT_EQ(daemon.jobsInAll(), 0U);

    EXPECT_EQ(parsed(daemon.control({"recover", "--dry-run", "--json"}))["would_recover"], 3);
    EXPECT_EQ(daemon.jobsInAll(), 0U);
    EXPECT_EQ(daemon.control({"recover", "--id", "nobody"}).status, 1);
    EXPECT_EQ(parsed(daemon.control({"recover", "--id", "order-1", "--reason", "after the fire",
                                     "--json"}))["recovered"],
              1);
    EXPECT_EQ(daemon.jobs()["scheduled"], 1U);
    awaitTransitions(daemon, "order-1", 2);
    const auto row =
        parsed(daemon.control({"show", "order-1", "--history", "--json"}))["history"][1];
    EXPECT_EQ(row["transition"], "recover");
    EXPECT_EQ(row["reason"], "after the fire");
    EXPECT_THAT(row["actor"].get<std::string>(), HasSubstr("@"));
    const auto some = parsed(daemon.control({"recover", "--expired=false", "--json"}));
    EXPECT_EQ(some["recovered"], 1);
    EXPECT_EQ(some["already_there"], 1);
    EXPECT_EQ(some["left_out"], 1);
    EXPECT_EQ(daemon.control({"recover"}).output, "recovered 1 jobs; 2 were there\n");
    EXPECT_EQ(daemon.control({"recover"}).output, "recovered 0 jobs; 3 were there\n");
}

TEST_F(JournalOfADaemon, isRecoveredWhenNoDaemonRuns)
{
    Daemon daemon({.set = {"sip.listen=", "journal.recover=off"}});
    push(daemon, "order-1", {"--delay", "1h"});
    awaitTransitions(daemon, "order-1", 1);
    loseRedis(daemon);
    daemon.kill9();  // its Redis lives on
    const auto recovered = parsed(daemon.control({"recover", "--json"}));
    EXPECT_EQ(recovered["recovered"], 1);
    EXPECT_EQ(daemon.control({"show", "order-1"}).status, 0);
    daemon.start();
}

TEST_F(JournalOfADaemon, isNotLookedForWhereItCannotBe)
{
    Daemon daemon({.set = {"sip.listen=", "journal.mode=off"}});
    const auto off = daemon.control({"recover"});
    EXPECT_EQ(off.status, 1);
    EXPECT_THAT(off.errors, HasSubstr("journal.mode is off"));
    EXPECT_EQ(daemon.control({"show", "order-1", "--history"}).status, 1);

    const auto elsewhere = run({{builtProgram("restantectl").string(), "--redis",
                                 "unix://" + daemon.redisSocket(), "recover"},
                                {},
                                {}});
    EXPECT_EQ(elsewhere.status, 2);
    EXPECT_THAT(elsewhere.errors, HasSubstr("journal.url"));
    EXPECT_EQ(daemon.control({"recover", "--expired=perhaps"}).status, 2);
}

TEST_F(JournalOfADaemon, isDeletedByAgeOnceAJobHasEnded)
{
    Daemon daemon({.set = {"sip.listen=", "journal.retention=1ms"}});
    push(daemon, "purged", {"--delay", "1h"});
    push(daemon, "living", {"--delay", "1h"});
    ASSERT_EQ(daemon.control({"purge", "purged"}).status, 0);
    // It looks at its start, and then now and then.
    EXPECT_TRUE(eventually(
        [&] {
            daemon.stop();
            daemon.start();
            return eventually([&] { return transitions(daemon, "purged").empty(); }, 2s);
        },
        30s));
    awaitTransitions(daemon, "living", 1);
}

class JournalIn : public JournalOfADaemon, public ::testing::WithParamInterface<SqlKind> {};

TEST_P(JournalIn, isNotStoppedByACallIdThatEndsInABackslash)
{
    const auto url = sharedSql(GetParam()).url("backslash");
    Daemon daemon({.set = {"journal.mode=durable", "journal.url=" + url}});
    auto alice = phoneOf(daemon, "alice");
    for (int i = 0; i < 5; ++i) {
        auto message = alice.message(Daemon::aor("bob"), "x");
        message.set("Call-ID", "call-" + std::to_string(i) + "\\");
        EXPECT_EQ(alice.ask(message).status, 202);
    }
    push(daemon, "after", {"--delay", "1h"});
    EXPECT_EQ(HttpClient(daemon.httpPort()).ask("GET", "/readyz").status, 200);
    journal::SqlSession session(journal::parseJournalUrl(url).value());
    const auto rows = session.query("SELECT biz_key FROM message ORDER BY biz_key", 1);
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[5][0], "call-4\\");
    EXPECT_EQ(session.query("SELECT COUNT(*) FROM refused", 1)[0][0], "0");
}

INSTANTIATE_TEST_SUITE_P(Database,
                         JournalIn,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

/// `restanted` with these settings, which is expected to say why it does not start.
Finished refused(const TempDir& directory, const std::string& setting)
{
    return run({{builtProgram("restanted").string(), "--set",
                 "state_dir=" + (directory / "state").string(), "--set", "sip.listen=", "--set",
                 "http.listen=off", "--set", setting},
                {},
                {}});
}

TEST(JournalAtTheStart, isAnErrorWhenItCannotBeOpened)
{
    TempDir directory;
    const auto finished = refused(directory, "journal.url=sqlite:///nowhere/at/all/journal.db");
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors,
                AllOf(HasSubstr("/nowhere/at/all/journal.db"), HasSubstr("correct journal.url")));
    EXPECT_EQ(finished.output, "");
}

TEST(JournalAtTheStart, isAnErrorWhenALaterVersionWroteIt)
{
    TempDir directory;
    const std::string path = directory / "journal.db";
    {
        journal::SqlJournal sql(journal::parseJournalUrl("sqlite://" + path).value());
        ASSERT_TRUE(sql.setFact("schema", "99"));
    }
    const auto finished = refused(directory, "journal.url=sqlite://" + path);
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, HasSubstr("version 99"));
}

TEST_F(JournalOfADaemon, notesHowMuchWaitsForTheChartsOfThePast)
{
    Daemon daemon({.set = {"journal.sample_every=1s"}});
    push(daemon, "waits", {"--delay", "1h"});
    push(daemon, "late", {});
    journal::SqlJournal sql(
        journal::parseJournalUrl("sqlite://" + (daemon.directory() / "state/journal.db").string())
            .value(),
        journal::SqlJournal::Schema::Require);
    const auto last = [&]() -> std::optional<journal::BacklogStep> {
        const auto now = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
        journal::BacklogQuery query{.topic = "order", .end = now + 1min, .step = 1s};
        query.begin = query.end - 10min;
        const auto steps = sql.backlog(query);
        return steps && !steps->empty() ? std::optional{steps->back()} : std::nullopt;
    };
    EXPECT_TRUE(eventually(
        [&] {
            const auto step = last();
            return step && step->scheduled == 1 && step->ready == 1 && step->lateness &&
                   step->lateness->p99 > Millis{0};
        },
        30s));
    push(daemon, "later", {});
    EXPECT_TRUE(eventually([&] { return last() && last()->ready == 2; }, 30s));
    EXPECT_TRUE(eventually(
        [&] {
            const auto rates =
                sql.traffic(std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()));
            return rates && rates->topics.contains("order") && rates->topics.at("order").in > 0;
        },
        30s));
}

}  // namespace
}  // namespace restante::test
