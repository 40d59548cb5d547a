// Several daemons, several shards, and a topic of which one job may go on at a time.

#include "tests/support/daemon.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

class OneAtATime : public ::testing::Test {
protected:
    OneAtATime()
    {
        for (int i = 0; i < 3; ++i) {
            daemons_.push_back(std::make_unique<Daemon>(
                Daemon::Settings{.set = {"redis.url=" + redis_.url().toString(), "redis.shards=4",
                                         "journal.mode=off", "sip.registrar=false"}}));
        }
    }
    void push(int count, const std::string& ttr)
    {
        HttpClient http(daemons_[0]->httpPort());
        for (int i = 0; i < count; ++i) {
            const nlohmann::json job{{"topic", "order"}, {"ttr", ttr}};
            ASSERT_EQ(http.ask("POST", "/v1/jobs", job.dump()).status, 201);
        }
    }
    void limitToOne()
    {
        const auto told = daemons_[0]->control({"limit", "order", "--concurrency", "1"});
        ASSERT_EQ(told.status, 0) << told.output << told.errors;
    }

    RedisServer redis_;
    std::vector<std::unique_ptr<Daemon>> daemons_;
};

TEST_F(OneAtATime, holdsAmongAllDaemonsAndShards)
{
    constexpr int kJobs = 60;
    limitToOne();
    push(kJobs, "60s");
    std::atomic<int> inHand{0};
    std::atomic<int> together{0};
    std::atomic<int> served{0};
    std::atomic<int> wrong{0};
    const auto end = std::chrono::steady_clock::now() + 60s;
    std::vector<std::thread> workers;
    for (const auto& daemon : daemons_) {
        workers.emplace_back([&, port = daemon->httpPort()] {
            HttpClient http(port);
            while (served < kJobs && std::chrono::steady_clock::now() < end) {
                const auto answer =
                    http.ask("POST", "/v1/topics/order/pop", R"({"max":5,"wait":"1s"})");
                if (answer.status != 200) {
                    ++wrong;
                    return;
                }
                const auto document = nlohmann::json::parse(answer.body);
                for (const auto& job : document["jobs"]) {
                    together += ++inHand > 1 ? 1 : 0;
                    // For as long as a look at it takes.
                    wrong +=
                        http.ask("GET", "/v1/jobs/" + job["id"].get<std::string>()).status == 200
                            ? 0
                            : 1;
                    --inHand;
                    const nlohmann::json attempt{{"attempt", job["attempt"]}};
                    const auto done =
                        http.ask("POST", "/v1/jobs/" + job["id"].get<std::string>() + "/finish",
                                 attempt.dump());
                    wrong += done.status == 200 || done.status == 204 ? 0 : 1;
                    ++served;
                }
            }
        });
    }
    for (auto& worker : workers) {
        worker.join();
    }
    EXPECT_EQ(served, kJobs);
    EXPECT_EQ(together, 0);
    EXPECT_EQ(wrong, 0);
}

TEST_F(OneAtATime, goesOnWhenWhoHadTheJobIsKilled)
{
    limitToOne();
    push(8, "1s");
    {
        HttpClient http(daemons_[0]->httpPort());
        const auto answer = http.ask("POST", "/v1/topics/order/pop", R"({"wait":"5s"})");
        ASSERT_EQ(nlohmann::json::parse(answer.body)["jobs"].size(), 1U) << answer.body;
        daemons_[0]->kill9();
    }
    HttpClient http(daemons_[1]->httpPort());
    for (int i = 0; i < 8; ++i) {
        const auto answer = http.ask("POST", "/v1/topics/order/pop", R"({"wait":"8s","max":9})");
        const auto jobs = nlohmann::json::parse(answer.body)["jobs"];
        ASSERT_EQ(jobs.size(), 1U) << i << ": " << answer.body;
        const nlohmann::json attempt{{"attempt", jobs[0]["attempt"]}};
        http.ask("POST", "/v1/jobs/" + jobs[0]["id"].get<std::string>() + "/finish",
                 attempt.dump());
    }
}

}  // namespace
}  // namespace restante::test
