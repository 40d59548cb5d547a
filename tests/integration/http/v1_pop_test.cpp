#include "tests/integration/http/v1_fixture.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using nlohmann::json;

class V1Pop : public V1Fixture {
protected:
    std::size_t parked()
    {
        std::size_t parked = 0;
        onLoop([&] { parked = longPolls_->parked(); });
        return parked;
    }
    std::string stateOf(const std::string& id)
    {
        return get("/v1/jobs/" + id).json.value("state", "");
    }
};

TEST_F(V1Pop, answersWhatIsDueWithItsFencingToken)
{
    push({{"id", "a"}, {"body", "close it"}});
    auto answer = ask("POST", "/v1/topics/order/pop");
    ASSERT_EQ(answer.status, 200) << answer.raw.body;
    ASSERT_EQ(answer.json["jobs"].size(), 1U);
    const auto& job = answer.json["jobs"][0];
    EXPECT_EQ(job["id"], "a");
    EXPECT_EQ(job["topic"], "order");
    EXPECT_EQ(job["body"], "close it");
    EXPECT_EQ(job["attempt"], 1);
    EXPECT_TRUE(job.contains("due_ms"));
    EXPECT_EQ(ask("POST", "/v1/jobs/a/finish", json{{"attempt", 1}}).json["state"], "done");
}

TEST_F(V1Pop, takesSeveralAtOnceFromSeveralTopics)
{
    push({{"id", "a"}});
    push({{"id", "b"}, {"topic", "invoice"}});
    push({{"id", "c"}, {"topic", "other"}});
    auto answer = ask("POST", "/v1/topics/order,invoice/pop", json{{"max", 10}});
    EXPECT_EQ(answer.json["jobs"].size(), 2U) << answer.raw.body;
}

TEST_F(V1Pop, answersNoneWhenNothingIsDueInTime)
{
    push({{"delay", "1h"}});
    EXPECT_EQ(ask("POST", "/v1/topics/order/pop").json, (json{{"jobs", json::array()}}));
    EXPECT_EQ(ask("POST", "/v1/topics/order/pop", json{{"wait", "50ms"}}).json,
              (json{{"jobs", json::array()}}));
}

TEST_F(V1Pop, waitsUntilAJobIsPushed)
{
    HttpClient waiter = connect();
    waiter.send(HttpClient::request("POST", "/v1/topics/order/pop", R"({"wait":"30s"})"));
    ASSERT_TRUE(eventually([this] { return parked() == 1; }));
    push({{"id", "a"}});
    const auto answer = waiter.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(json::parse(answer->body)["jobs"][0]["id"], "a");
}

TEST_F(V1Pop, losesNothingWhenTheWaitingClientGoes)
{
    {
        HttpClient waiter = connect();
        waiter.send(HttpClient::request("POST", "/v1/topics/order/pop", R"({"wait":"30s"})"));
        ASSERT_TRUE(eventually([this] { return parked() == 1; }));
    }
    ASSERT_TRUE(eventually([this] { return parked() == 0; }));
    push({{"id", "a"}});
    EXPECT_EQ(stateOf("a"), "ready");
    EXPECT_EQ(ask("POST", "/v1/topics/order/pop").json["jobs"][0]["attempt"], 1);
}

TEST_F(V1Pop, refusesReservedAndImpossibleTopics)
{
    expectProblem(ask("POST", "/v1/topics/restante.reminders/pop"), 400, "topic");
    expectProblem(ask("POST", "/v1/topics/order,/pop"), 400, "topic");
    expectProblem(ask("POST", "/v1/topics/a%20b/pop"), 400, "topic");
    expectProblem(ask("POST", "/v1/topics/order/pop", json{{"wait", "181s"}}), 400, "wait");
    expectProblem(ask("POST", "/v1/topics/order/pop", json{{"max", 0}}), 400, "max");
    expectProblem(ask("POST", "/v1/topics/order/pop", json{{"max", 1'001}}), 400, "max");
}

}  // namespace
}  // namespace restante::test
