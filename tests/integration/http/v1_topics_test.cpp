#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using nlohmann::json;

class V1Topics : public V1Fixture {
protected:
    json topic(const std::string& name)
    {
        for (const auto& one : get("/v1/topics").json.value("topics", json::array())) {
            if (one.value("topic", "") == name) {
                return one;
            }
        }
        return {};
    }
};

TEST_F(V1Topics, areListedWithTheirBacklog)
{
    push();
    push({{"delay", "1h"}});
    const auto order = topic("order");
    ASSERT_TRUE(order.is_object());
    EXPECT_EQ(order["paused"], false);
    EXPECT_EQ(order["channels"][0]["ready"], 1);
    EXPECT_EQ(order["channels"][0]["scheduled"], 1);
}

TEST_F(V1Topics, arePausedWithAReasonAndResumed)
{
    push();
    auto answer = ask("POST", "/v1/topics/order/pause", json{{"reason", "shop is closed"}});
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    EXPECT_EQ(answer.json["paused"], true);
    const auto paused = topic("order");
    EXPECT_EQ(paused["paused"], true);
    EXPECT_EQ(paused["pause"]["reason"], "shop is closed");
    EXPECT_FALSE(paused["pause"]["actor"].get<std::string>().empty());
    EXPECT_EQ(paused["pause"]["by"], paused["pause"]["actor"]) << "as it was called";
    EXPECT_EQ(ask("POST", "/v1/topics/order/resume").json["paused"], false);
    EXPECT_EQ(topic("order")["paused"], false);
}

TEST_F(V1Topics, takeLimitsWholeOrOneByOne)
{
    auto answer = ask("PUT", "/v1/topics/order", json{{"concurrency", 4}, {"rate", "10/s"}});
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    EXPECT_EQ(topic("order")["limits"], (json{{"concurrency", 4}, {"rate", "10/s"}}));
    EXPECT_EQ(ask("PATCH", "/v1/topics/order", json{{"rate", "0"}}).json["limits"],
              (json{{"concurrency", 4}, {"rate", "0"}}));
    EXPECT_EQ(ask("PUT", "/v1/topics/order", json{{"rate", "5/m"}}).json["limits"],
              (json{{"concurrency", 0}, {"rate", "5/m"}}));
    EXPECT_EQ(topic("order")["limits"], (json{{"concurrency", 0}, {"rate", "5/m"}}));
}

TEST_F(V1Topics, refuseWhatIsNoLimit)
{
    expectProblem(ask("PUT", "/v1/topics/order", json{{"rate", "often"}}), 400, "rate");
    expectProblem(ask("PUT", "/v1/topics/order", json{{"concurrency", -1}}), 400, "concurrency");
    expectProblem(ask("PUT", "/v1/topics/order", json::object()), 400, "concurrency");
    expectProblem(ask("PUT", "/v1/topics/a%20b", json{{"rate", "1/s"}}), 400, "topic");
    expectProblem(ask("POST", "/v1/topics/a%00b/pause"), 400);
}

}  // namespace
}  // namespace restante::test
