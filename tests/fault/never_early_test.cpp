// Daemons behind a net that delays what Redis answers, or what they ask: no job comes before its
// time, whoever pushes it and whoever gives it out.

#include "tests/support/daemon.h"
#include "tests/support/delaying_proxy.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr Millis kDelay{1'500};

class NeverEarly : public ::testing::Test {
protected:
    std::unique_ptr<Daemon> behind(const DelayingProxy& proxy) const
    {
        return std::make_unique<Daemon>(
            Daemon::Settings{.set = {"redis.url=redis://127.0.0.1:" + std::to_string(proxy.port()),
                                     "journal.mode=off", "sip.registrar=false"}});
    }
    std::unique_ptr<Daemon> direct() const
    {
        return std::make_unique<Daemon>(
            Daemon::Settings{.set = {"redis.url=" + redis_.url().toString(), "journal.mode=off",
                                     "sip.registrar=false"}});
    }
    void push(const Daemon& daemon, int count)
    {
        HttpClient http(daemon.httpPort());
        for (int i = 0; i < count; ++i) {
            const auto id = "job-" + std::to_string(pushed_.size());
            pushed_[id] = SteadyClock::now();
            const nlohmann::json job{
                {"topic", "order"}, {"id", id}, {"delay", std::to_string(kDelay.count()) + "ms"}};
            ASSERT_EQ(http.ask("POST", "/v1/jobs", job.dump()).status, 201);
        }
    }
    /// Takes all that was pushed, through that daemon.
    void popAll(const Daemon& daemon)
    {
        HttpClient http(daemon.httpPort());
        while (!pushed_.empty()) {
            const auto answer =
                http.ask("POST", "/v1/topics/order/pop", R"({"max":100,"wait":"5s"})");
            const auto came = SteadyClock::now();
            ASSERT_EQ(answer.status, 200) << answer.body;
            const auto jobs = nlohmann::json::parse(answer.body)["jobs"];
            ASSERT_FALSE(jobs.empty());
            for (const auto& job : jobs) {
                const auto id = job["id"].get<std::string>();
                EXPECT_GE(came - pushed_.at(id), kDelay) << id;
                pushed_.erase(id);
            }
        }
    }

    RedisServer redis_{RedisServer::Settings{.tcp = true, .extra = {}, .password = {}}};
    std::map<std::string, SteadyClock::time_point> pushed_;
};

TEST_F(NeverEarly, comesAJobThatWasPushedBehindSlowAnswers)
{
    DelayingProxy proxy(redis_.tcpUrl().port, {.answers = 200ms});
    const auto slow = behind(proxy);
    const auto quick = direct();
    push(*slow, 4);
    popAll(*quick);
}

TEST_F(NeverEarly, comesAJobWhenTheNetGetsBetter)
{
    DelayingProxy proxy(redis_.tcpUrl().port, {.requests = 20ms, .answers = 180ms, .jitter = 50ms});
    const auto daemon = behind(proxy);
    push(*daemon, 4);
    proxy.set({});
    popAll(*daemon);
}

TEST_F(NeverEarly, comesAJobWhoseDaemonHearsRedisLate)
{
    DelayingProxy proxy(redis_.tcpUrl().port, {.requests = 150ms});
    const auto slow = behind(proxy);
    const auto quick = direct();
    push(*quick, 4);
    popAll(*slow);
}

}  // namespace
}  // namespace restante::test
