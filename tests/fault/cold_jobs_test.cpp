// Cold jobs under kill -9: of the daemon, or of Redis, while jobs leave Redis and come back. Every
// job that was acknowledged is delivered once, and never early.

#include "core/redis/client/blocking_command.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

namespace restante::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// The shortest that there is: what is due in more than ten seconds is in SQL, and comes back seven
/// and a half before it is due.
constexpr auto kHorizon = "queue.hot_horizon=10s";

std::int64_t nowMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// A moment that nobody has chosen, in which jobs are moved.
void letPass(Millis time)
{
    eventually([] { return false; }, time);
}

/// Jobs, and when they are due.
using Due = std::map<std::string, std::int64_t>;

class ColdFault : public ::testing::Test {
protected:
    /// Those that are acknowledged, in batches of 100.
    static void push(const Daemon& daemon, int first, int count, Millis from, Millis over, Due& due)
    {
        for (int at = first; at < first + count; at += 100) {
            json batch = json::array();
            for (int n = at; n < std::min(at + 100, first + count); ++n) {
                const auto its = nowMs() + from.count() + over.count() * (n - first) / count;
                batch.push_back({{"topic", "order"},
                                 {"id", "job-" + std::to_string(n)},
                                 {"at_ms", its},
                                 {"ttr", "5m"},
                                 {"body", "x"}});
            }
            const auto answer = HttpClient(daemon.httpPort()).ask("POST", "/v1/jobs", batch.dump());
            const auto items = json::parse(answer.body, nullptr, false);
            if (!items.is_array()) {
                continue;
            }
            for (const auto& item : items) {
                if (item.contains("id") && item.contains("due_ms")) {
                    due[item["id"]] = item["due_ms"];
                }
            }
        }
    }
    static std::uint64_t scheduled(const Daemon& daemon)
    {
        const auto answer = HttpClient(daemon.httpPort()).ask("GET", "/v1/stats");
        const auto stats = json::parse(answer.body, nullptr, false);
        return stats.is_object() ? stats["states"].value("scheduled", 0U) : 0;
    }

    /// Pops and finishes until all are there, or nothing comes any more.
    void deliver(const Daemon& daemon, const Due& due, std::chrono::seconds most)
    {
        const auto until = std::chrono::steady_clock::now() + most;
        while (delivered_.size() < due.size() && std::chrono::steady_clock::now() < until) {
            // One that is being started does not answer.
            eventually([&] {
                popSome(daemon, due);
                return true;
            });
        }
    }
    void popSome(const Daemon& daemon, const Due& due)
    {
        const auto answer = HttpClient(daemon.httpPort())
                                .ask("POST", "/v1/topics/order/pop", R"({"max":200,"wait":"1s"})");
        const auto popped = json::parse(answer.body, nullptr, false);
        if (!popped.is_object() || !popped.contains("jobs")) {
            return;
        }
        json ends = json::array();
        for (const auto& job : popped["jobs"]) {
            const std::string id = job["id"];
            const auto its = due.find(id);
            if (its != due.end()) {
                EXPECT_GE(nowMs() + 2, its->second) << id << " is early";
                late_ = std::max(late_, nowMs() - its->second);
            }
            EXPECT_EQ(delivered_.count(id), 0U) << id << " comes twice";
            delivered_.insert(id);
            ends.push_back({{"id", id}, {"attempt", job["attempt"]}});
        }
        if (!ends.empty()) {
            HttpClient(daemon.httpPort()).ask("POST", "/v1/jobs/finish", ends.dump());
        }
    }
    void expectAll(const Daemon& daemon, const Due& due)
    {
        for (const auto& [id, at] : due) {
            EXPECT_EQ(delivered_.count(id), 1U) << id << " never came";
        }
        EXPECT_TRUE(eventually([&] { return scheduled(daemon) == 0; }));
        EXPECT_EQ(daemon.jobsInAll(), 0U);
        RecordProperty("latest_ms", static_cast<int>(late_));
    }

    std::multiset<std::string> delivered_;
    std::int64_t late_ = 0;
};

Daemon::Settings embedded(const char* mode)
{
    Daemon::Settings settings;
    settings.set = {kHorizon, std::string("journal.mode=") + mode};
    return settings;
}

}  // namespace

TEST_F(ColdFault, deliversEachJobOnceWhenTheDaemonIsKilledAgainAndAgain)
{
    Daemon daemon(embedded("async"));
    Due due;
    push(daemon, 0, 3'000, 15s, 20s, due);
    ASSERT_EQ(due.size(), 3'000U);
    EXPECT_EQ(scheduled(daemon), 3'000U);
    EXPECT_EQ(daemon.jobsInAll(), 3'000U);
    const auto records = redis::blockingCommand(daemon.redisSocket(), {"KEYS", "rst:*:j:*"}, 5s);
    ASSERT_TRUE(records);
    EXPECT_TRUE(records->array()->empty());  // of which Redis has none
    std::minstd_rand random(::testing::UnitTest::GetInstance()->random_seed() + 1U);
    for (int round = 0; round < 8; ++round) {
        letPass(Millis{600 + random() % 1'500});
        daemon.kill9();
        daemon.start();
    }
    deliver(daemon, due, 90s);
    expectAll(daemon, due);
}

TEST_F(ColdFault, deliversEachJobOnceWhenRedisIsKilledAgainAndAgain)
{
    Daemon daemon(embedded("durable"));
    Due due;
    push(daemon, 0, 3'000, 15s, 15s, due);
    ASSERT_EQ(due.size(), 3'000U);
    std::minstd_rand random(::testing::UnitTest::GetInstance()->random_seed() + 1U);
    for (int round = 0; round < 5; ++round) {
        letPass(Millis{1'000 + random() % 1'500});
        const auto redis = daemon.embeddedRedis();
        if (redis > 0) {
            ::kill(redis, SIGKILL);
        }
        ASSERT_TRUE(eventually(
            [&] { return daemon.embeddedRedis() > 0 && daemon.embeddedRedis() != redis; }));
    }
    deliver(daemon, due, 90s);
    expectAll(daemon, due);
}

TEST_F(ColdFault, movesOutAndInUnderTwoDaemonsOfWhichOneIsKilled)
{
    RedisServer redis;
    Daemon::Settings first;
    first.set = {kHorizon, "redis.url=unix://" + redis.socketPath(), "redis.shards=2"};
    Daemon one(first);
    auto second = first;
    second.set.push_back("journal.url=sqlite://" + (one.directory() / "state/journal.db").string());
    Daemon two(second);
    Due due;
    push(one, 0, 300, 8s, 1s, due);  // in Redis
    push(two, 1'000, 1'000, 14s, 15s, due);
    ASSERT_EQ(due.size(), 1'300U);
    // Over the horizon: they leave Redis, while the daemon that moves them dies.
    HttpClient client(two.httpPort());
    for (int n = 0; n < 300; ++n) {
        const auto id = "job-" + std::to_string(n);
        const auto answer = client.ask("PATCH", "/v1/jobs/" + id, R"({"delay":"16s"})");
        ASSERT_EQ(answer.status, 200) << answer.body;
        due[id] = json::parse(answer.body)["due_ms"];
    }
    std::minstd_rand random(::testing::UnitTest::GetInstance()->random_seed() + 1U);
    for (int round = 0; round < 4; ++round) {
        letPass(Millis{500 + random() % 1'500});
        one.kill9();
        one.start();
    }
    deliver(two, due, 120s);
    expectAll(two, due);
}

}  // namespace restante::test
