// Several threads that serve HTTP: what clients see is the same as with one.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

/// So many that several threads have some.
constexpr std::size_t kClients = 64;

class HttpThreads : public ::testing::Test {
protected:
    void start(std::vector<std::string> set = {})
    {
        set.emplace_back("http.threads=4");
        daemon_ = std::make_unique<Daemon>(Daemon::Settings{std::move(set)});
    }
    std::vector<HttpClient> connect(std::size_t count) const
    {
        std::vector<HttpClient> clients;
        clients.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            clients.emplace_back(daemon_->httpPort());
        }
        return clients;
    }
    static std::string job(const std::string& id)
    {
        return json{{"topic", "order"}, {"id", id}, {"body", "x"}}.dump();
    }
    std::unique_ptr<Daemon> daemon_;
};

TEST_F(HttpThreads, allServeTheOneAddress)
{
    start();
    auto clients = connect(kClients);
    for (std::size_t i = 0; i < clients.size(); ++i) {
        EXPECT_EQ(clients[i].ask("POST", "/v1/jobs", job("job-" + std::to_string(i))).status, 201);
    }
    std::set<std::string> ids;
    for (auto& client : clients) {
        const auto popped =
            json::parse(client.ask("POST", "/v1/topics/order/pop", R"({"max":1})").body);
        ASSERT_EQ(popped["jobs"].size(), 1U);
        ids.insert(popped["jobs"][0]["id"]);
    }
    EXPECT_EQ(ids.size(), kClients);
    // Any of them takes what another has leased.
    auto other = connect(1);
    for (const auto& id : ids) {
        EXPECT_EQ(other[0].ask("POST", "/v1/jobs/" + id + "/finish", R"({"attempt":1})").status,
                  200);
    }
    EXPECT_EQ(daemon_->jobsInAll(), 0U);
}

TEST_F(HttpThreads, eachHasAHeartbeat)
{
    start();
    EXPECT_THAT(daemon_->control({"daemons"}).output, HasSubstr("http http http http"));
}

TEST_F(HttpThreads, wakeWhoWaitsAtAnother)
{
    start();
    auto waiting = connect(kClients);
    for (auto& client : waiting) {
        client.send(
            HttpClient::request("POST", "/v1/topics/order/pop", R"({"max":1,"wait":"30s"})"));
    }
    auto pusher = connect(1);
    for (std::size_t i = 0; i < kClients; ++i) {
        EXPECT_EQ(pusher[0].ask("POST", "/v1/jobs", job("job-" + std::to_string(i))).status, 201);
    }
    std::set<std::string> ids;
    for (auto& client : waiting) {
        const auto answer = client.receive();
        ASSERT_TRUE(answer);
        const auto popped = json::parse(answer->body);
        ASSERT_EQ(popped["jobs"].size(), 1U) << answer->body;
        ids.insert(popped["jobs"][0]["id"]);
    }
    EXPECT_EQ(ids.size(), kClients);
}

TEST_F(HttpThreads, shareTheLimitOfConnections)
{
    constexpr std::size_t kMost = 8;
    start({"http.limits.connections=" + std::to_string(kMost)});
    auto clients = connect(kMost);
    for (auto& client : clients) {
        EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
    }
    for (auto& client : connect(16)) {
        EXPECT_TRUE(client.closedWithin(5s));
    }
    clients.pop_back();
    EXPECT_TRUE(
        eventually([this] { return connect(1)[0].ask("GET", "/healthz").status == 200; }, 5s));
}

TEST_F(HttpThreads, shareTheLimitOfWhoMayWait)
{
    constexpr std::size_t kMost = 8;
    start({"http.limits.parked=" + std::to_string(kMost)});
    auto clients = connect(kClients);
    for (auto& client : clients) {
        client.send(
            HttpClient::request("POST", "/v1/topics/order/pop", R"({"max":1,"wait":"2s"})"));
    }
    std::size_t refused = 0;
    std::size_t waited = 0;
    for (auto& client : clients) {
        const auto answer = client.receive();
        ASSERT_TRUE(answer);
        refused += answer->status == 503 ? 1 : 0;
        waited += answer->status == 200 ? 1 : 0;
    }
    EXPECT_EQ(waited, kMost);
    EXPECT_EQ(refused, kClients - kMost);
}

TEST_F(HttpThreads, allKnowANewTokenAfterASignal)
{
    const TempDir directory;
    const auto tokens = directory / "tokens";
    const auto write = [&](const std::string& secret) {
        std::ofstream(tokens) << secret << "\n";
        std::filesystem::permissions(tokens, std::filesystem::perms{0600});
    };
    const auto ask = [](HttpClient& client, const std::string& secret) {
        client.send("GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + secret +
                    "\r\n\r\n");
        return client.receive().value_or(HttpAnswer{}).status;
    };
    const std::string before = "the-secret-of-before-0123456789abcdef";
    const std::string now = "the-secret-of-now-0123456789abcdef";
    write(before);
    start({"http.token_file=" + tokens.string()});
    auto clients = connect(kClients);
    for (auto& client : clients) {
        EXPECT_EQ(ask(client, before), 200);
    }
    write(now);
    daemon_->process().signal(SIGHUP);
    ASSERT_TRUE(daemon_->process().waitForLine("reloaded"));
    for (auto& client : clients) {
        EXPECT_TRUE(eventually([&] { return ask(client, now) == 200; }, 5s));
    }
}

TEST_F(HttpThreads, answerWhoWaitsWhenTheDaemonEnds)
{
    start();
    auto clients = connect(kClients);
    for (auto& client : clients) {
        client.send(
            HttpClient::request("POST", "/v1/topics/order/pop", R"({"max":1,"wait":"30s"})"));
    }
    const auto parked = [this] {
        const auto page = connect(1)[0].ask("GET", "/metrics").body;
        return page.find("restante_http_parked_pops " + std::to_string(kClients)) !=
               std::string::npos;
    };
    ASSERT_TRUE(eventually(parked, 5s));
    daemon_->process().signal(SIGTERM);
    for (auto& client : clients) {
        const auto answer = client.receive();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->status, 200);
        EXPECT_EQ(json::parse(answer->body)["jobs"].size(), 0U);
    }
}

TEST_F(HttpThreads, refuseAPortThatAnotherDaemonHas)
{
    start();
    const TempDir other;
    const auto second =
        run({{builtProgram("restanted"), "--set", "state_dir=" + (other / "state").string(),
              "--set", "sip.listen=", "--set", "http.threads=4", "--set",
              "http.listen=127.0.0.1:" + std::to_string(daemon_->httpPort())},
             {},
             {}});
    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.errors, HasSubstr("another program has it"));
}

}  // namespace
}  // namespace restante::test
