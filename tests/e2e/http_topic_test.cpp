// Pauses and limits of topics, as somebody sees them who pops over HTTP.

#include "tests/support/daemon.h"
#include "tests/support/http_client.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

class HttpTopic : public ::testing::Test {
protected:
    void push(const std::string& id)
    {
        const json order{{"topic", "order"}, {"id", id}, {"delay", 0}, {"ttr", 60}, {"body", "x"}};
        const auto answer = HttpClient(daemon_.httpPort()).ask("POST", "/push", order.dump());
        EXPECT_EQ(json::parse(answer.body)["code"], 0) << answer.body;
    }
    static std::string idIn(const HttpAnswer& answer)
    {
        const auto reply = json::parse(answer.body);
        return reply["data"].is_object() ? reply["data"].value("id", "") : "";
    }
    std::string pop()
    {
        return idIn(HttpClient(daemon_.httpPort()).ask("POST", "/pop", R"({"topic":"order"})"));
    }

    Daemon daemon_;
};

TEST_F(HttpTopic, parksWhoPopsAPausedTopicUntilItIsResumed)
{
    ASSERT_EQ(daemon_.control({"pause", "order"}).status, 0);
    push("held-back");
    HttpClient consumer(daemon_.httpPort());
    consumer.send(HttpClient::request("POST", "/pop", R"({"topic":"order"})"));
    EXPECT_FALSE(consumer.receive(200ms));
    ASSERT_EQ(daemon_.control({"resume", "order"}).status, 0);
    const auto answer = consumer.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(idIn(*answer), "held-back");
}

TEST_F(HttpTopic, keepsARate)
{
    ASSERT_EQ(daemon_.control({"limit", "order", "--rate", "5/s"}).status, 0);
    const auto begin = SteadyClock::now();
    for (int i = 0; i < 5; ++i) {
        push("job-" + std::to_string(i));
    }
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(pop(), "job-" + std::to_string(i));
    }
    EXPECT_GE(SteadyClock::now() - begin, 4 * 200ms - 50ms);
}

TEST_F(HttpTopic, letsTheNextOneHaveAJobWhenOneOfALimitedTopicIsFinished)
{
    ASSERT_EQ(daemon_.control({"limit", "order", "--concurrency", "1"}).status, 0);
    push("first");
    push("second");
    EXPECT_EQ(pop(), "first");
    HttpClient waiting(daemon_.httpPort());
    waiting.send(HttpClient::request("POST", "/pop", R"({"topic":"order"})"));
    EXPECT_FALSE(waiting.receive(200ms));
    HttpClient(daemon_.httpPort()).ask("POST", "/finish", R"({"id":"first"})");
    const auto answer = waiting.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(idIn(*answer), "second");
}

}  // namespace
}  // namespace restante::test
