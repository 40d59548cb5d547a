#include "core/job/job_id.h"
#include "tests/integration/http/v1_fixture.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <set>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Arrays of {id, attempt}: what a consumer that has popped many says about them.
class V1Attempts : public V1Fixture {
protected:
    /// Pushes and pops so many jobs; answers what their consumer says about each.
    json popped(int count, const json& fields = json::object())
    {
        json orders = json::array();
        for (int i = 0; i < count; ++i) {
            json one{{"topic", "order"}, {"body", std::to_string(i)}};
            one.update(fields);
            orders.push_back(std::move(one));
        }
        EXPECT_EQ(ask("POST", "/v1/jobs", orders).status, 201);
        json items = json::array();
        while (items.size() < static_cast<std::size_t>(count)) {
            const auto jobs =
                ask("POST", "/v1/topics/order/pop", json{{"max", count}, {"wait", "2s"}}).json;
            if (jobs.at("jobs").empty()) {
                ADD_FAILURE() << "only " << items.size() << " came";
                break;
            }
            for (const auto& job : jobs.at("jobs")) {
                items.push_back({{"id", job.at("id")}, {"attempt", job.at("attempt")}});
            }
        }
        return items;
    }
    std::string stateOf(const std::string& id)
    {
        return get("/v1/jobs/" + id).json.value("state", "");
    }
    std::string stats() { return *redis_.send({"INFO", "commandstats"}).text(); }
    /// On how many of the two shards the items are.
    static std::size_t shardsOf(const json& items)
    {
        std::set<std::uint32_t> shards;
        for (const auto& item : items) {
            shards.insert(shardOfId(item.at("id").get<std::string>(), 2));
        }
        return shards.size();
    }
    static std::vector<int> statuses(const Answer& answer)
    {
        std::vector<int> all;
        for (const auto& item : answer.json) {
            all.push_back(item.value("status", 0));
        }
        return all;
    }
};

TEST_F(V1Attempts, finishesAHundredInOneCallToEachShard)
{
    ask("POST", "/v1/jobs/finish", popped(4));  // the script is loaded
    const auto items = popped(100);
    ASSERT_EQ(shardsOf(items), 2U);
    redis_.send({"CONFIG", "RESETSTAT"});
    const auto answer = ask("POST", "/v1/jobs/finish", items);
    EXPECT_THAT(stats(), HasSubstr("cmdstat_evalsha:calls=2,"));
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    ASSERT_EQ(answer.json.size(), 100U);
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(answer.json[i]["id"], items[i]["id"]) << "in the order of the request";
        EXPECT_EQ(answer.json[i]["status"], 200);
        EXPECT_EQ(answer.json[i]["state"], "done");
    }
    EXPECT_EQ(get("/v1/stats").json["states"]["leased"], 0);
}

TEST_F(V1Attempts, finishesAHundredOfAConfinedTokenInOneCallToEachShard)
{
    const auto items = popped(100);
    ASSERT_EQ(shardsOf(items), 2U);
    const auto events = [this] {
        return *redis_.send({"XLEN", "rst:{s0}:events"}).integer() +
               *redis_.send({"XLEN", "rst:{s1}:events"}).integer();
    };
    const auto before = events();
    useTokens("worker pop 0123456789abcdef-worker topics=order\n");
    const auto answer = askAs("0123456789abcdef-worker", "POST", "/v1/jobs/finish", items);
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    EXPECT_EQ(events() - before, 2) << "one event a call";
}

TEST_F(V1Attempts, touchesAHundredInOneCallToEachShard)
{
    ask("POST", "/v1/jobs/touch", popped(4));
    auto items = popped(100);
    items[7]["ttr"] = "2h";
    redis_.send({"CONFIG", "RESETSTAT"});
    const auto answer = ask("POST", "/v1/jobs/touch", items);
    EXPECT_THAT(stats(), HasSubstr("cmdstat_evalsha:calls=2,"));
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    EXPECT_EQ(answer.json[7]["state"], "leased");
    const auto id = items[7]["id"].get<std::string>();
    EXPECT_EQ(answer.json[7]["lease_ends_ms"], get("/v1/jobs/" + id).json["due_ms"]);
    EXPECT_GT(answer.json[7]["lease_ends_ms"], answer.json[8]["lease_ends_ms"]);
}

TEST_F(V1Attempts, retriesAHundredInOneCallToEachShard)
{
    auto warm = popped(4);
    for (auto& item : warm) {
        item["delay"] = "9h";
    }
    ask("POST", "/v1/jobs/retry", warm);
    auto items = popped(100, {{"retry", "0s,1h"}});
    items[3]["error"] = "busy";
    items[3]["delay"] = "2h";
    redis_.send({"CONFIG", "RESETSTAT"});
    const auto answer = ask("POST", "/v1/jobs/retry", items);
    EXPECT_THAT(stats(), HasSubstr("cmdstat_evalsha:calls=2,"))
        << "what this daemon popped it need not look up";
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    const auto job = get("/v1/jobs/" + items[3]["id"].get<std::string>()).json;
    EXPECT_EQ(job["last_error"], "busy");
    EXPECT_EQ(job["due_ms"], answer.json[3]["due_ms"]);
    EXPECT_EQ(answer.json[4]["state"], "scheduled");
    EXPECT_GT(answer.json[3]["due_ms"], answer.json[4]["due_ms"]);
}

TEST_F(V1Attempts, endsThoseWhoseScheduleIsOverAmongOthers)
{
    auto last = popped(2, {{"retry", "0s"}});
    const auto others = popped(2, {{"retry", "0s,1h"}});
    last.insert(last.end(), others.begin(), others.end());
    const auto answer = ask("POST", "/v1/jobs/retry", last);
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    EXPECT_EQ(answer.json[0]["state"], "dead");
    EXPECT_EQ(answer.json[1]["state"], "dead");
    EXPECT_EQ(answer.json[2]["state"], "scheduled");
    EXPECT_EQ(stateOf(last[0]["id"]), "dead");
    EXPECT_EQ(stateOf(last[3]["id"]), "scheduled");
}

TEST_F(V1Attempts, asksForTheScheduleOfWhatAnotherDaemonPopped)
{
    push({{"id", "elsewhere"}, {"retry", "0s,1h"}});
    std::optional<std::size_t> claimed;
    onLoop([&] {
        queue_->queue().claim({Channel::Pull, {"order"}, 1},
                              [&](const auto& jobs) { claimed = jobs ? jobs->size() : 0; });
    });
    ASSERT_TRUE(eventually([&] {
        std::optional<std::size_t> seen;
        onLoop([&] { seen = claimed; });
        return seen == 1U;
    }));
    const auto answer = ask("POST", "/v1/jobs/retry", json{{{"id", "elsewhere"}, {"attempt", 1}}});
    EXPECT_EQ(answer.json[0]["state"], "scheduled") << answer.raw.body;
}

TEST_F(V1Attempts, fencesEachItemAndRefusesBadOnesByThemselves)
{
    auto items = popped(3);
    const auto good = items[0];
    auto stale = items[1];
    stale["attempt"] = 9;
    const json array{good,
                     stale,
                     {{"id", "nobody"}, {"attempt", 1}},
                     {{"id", "a b"}, {"attempt", 1}},
                     {{"attempt", 1}},
                     {{"id", items[2]["id"]}},
                     {{"id", items[2]["id"]}, {"attempt", "1"}},
                     {{"id", items[2]["id"]}, {"attempt", 1}, {"colour", "red"}},
                     "order-17",
                     {{"id", 17}, {"attempt", 1}}};
    const auto answer = ask("POST", "/v1/jobs/finish", array);
    EXPECT_EQ(answer.status, 207) << answer.raw.body;
    EXPECT_EQ(statuses(answer), (std::vector{200, 409, 404, 400, 400, 400, 400, 400, 400, 400}));
    EXPECT_EQ(answer.json[3]["field"], "[3].id");
    EXPECT_EQ(answer.json[4]["field"], "[4].id");
    EXPECT_EQ(answer.json[5]["field"], "[5].attempt");
    EXPECT_EQ(answer.json[7]["field"], "[7].colour");
    EXPECT_EQ(answer.json[8]["field"], "[8]");
    EXPECT_EQ(stateOf(stale["id"]), "leased");
    EXPECT_EQ(stateOf(items[2]["id"]), "leased");
    EXPECT_EQ(stateOf(good["id"]), "done");
    const json fields{{{"id", items[2]["id"]}, {"attempt", 1}, {"ttr", "0s"}},
                      {{"id", items[2]["id"]}, {"attempt", 1}, {"delay", "1h"}}};
    EXPECT_EQ(statuses(ask("POST", "/v1/jobs/touch", fields)), (std::vector{400, 400}));
}

TEST_F(V1Attempts, takesAnItemThatIsThereTwiceAsTwoRequests)
{
    const auto items = popped(3);
    const json twice{items[0], items[1], items[0]};
    EXPECT_EQ(statuses(ask("POST", "/v1/jobs/touch", twice)), (std::vector{200, 200, 200}));
    EXPECT_EQ(statuses(ask("POST", "/v1/jobs/finish", twice)), (std::vector{200, 200, 404}));
    const json again{items[2], items[2]};
    EXPECT_EQ(statuses(ask("POST", "/v1/jobs/retry", again)), (std::vector{200, 409}));
}

TEST_F(V1Attempts, refusesWhatIsNoArrayOfOneToAThousand)
{
    json many = json::array();
    for (int i = 0; i < 1'001; ++i) {
        many.push_back({{"id", fmt::format("job-{}", i)}, {"attempt", 1}});
    }
    for (const auto* verb : {"finish", "retry", "touch"}) {
        const auto path = fmt::format("/v1/jobs/{}", verb);
        expectProblem(ask("POST", path, json::array()), 400);
        expectProblem(ask("POST", path, many), 400);
        expectProblem(ask("POST", path, std::string_view("[{\"id\":")), 400, "[0].id");
        expectProblem(ask("POST", path + "?topic=order", json{{{"id", "a"}, {"attempt", 1}}}), 400,
                      "topic");
    }
    for (const auto* path : {"/v1/jobs/retry", "/v1/jobs/touch"}) {
        expectProblem(ask("POST", path, json{{"id", "a"}, {"attempt", 1}}), 400);
        expectProblem(ask("POST", path), 400);
    }
    many.erase(many.begin());
    const auto answer = ask("POST", "/v1/jobs/finish", many);
    EXPECT_EQ(answer.status, 207);
    EXPECT_EQ(answer.json.size(), 1'000U);
}

TEST_F(V1Attempts, anObjectStillFinishesAllThatMatch)
{
    popped(3);
    const auto counted =
        ask("POST", "/v1/jobs/finish", json{{"topic", "order"}, {"dry_run", true}});
    EXPECT_EQ(counted.json["matched"], 3) << counted.raw.body;
    const auto done = ask("POST", "/v1/jobs/finish", json{{"topic", "order"}});
    EXPECT_EQ(done.json["done"], 3) << done.raw.body;
    expectProblem(ask("POST", "/v1/jobs/finish"), 400, "filter");
}

/// Not a bound, a measurement: it is printed, and recorded with the result of the test.
TEST_F(V1Attempts, ofAHundredCostLessThanAHundredRequests)
{
    using Clock = std::chrono::steady_clock;
    const auto secondsOf = [](auto span) { return std::chrono::duration<double>(span).count(); };
    ask("POST", "/v1/jobs/finish", popped(4));
    double single = 1e9;
    double array = 1e9;
    for (int round = 0; round < 3; ++round) {
        auto items = popped(100);
        auto start = Clock::now();
        for (const auto& item : items) {
            const auto path = fmt::format("/v1/jobs/{}/finish", item["id"].get<std::string>());
            ASSERT_EQ(ask("POST", path, json{{"attempt", item["attempt"]}}).status, 200);
        }
        single = std::min(single, secondsOf(Clock::now() - start));
        items = popped(100);
        start = Clock::now();
        ASSERT_EQ(ask("POST", "/v1/jobs/finish", items).status, 200);
        array = std::min(array, secondsOf(Clock::now() - start));
    }
    std::printf("finish of 100: %.1f ms one by one, %.1f ms as an array\n", single * 1e3,
                array * 1e3);
    RecordProperty("single_ms", fmt::format("{:.1f}", single * 1e3));
    RecordProperty("array_ms", fmt::format("{:.1f}", array * 1e3));
    EXPECT_LT(array, single);
}

}  // namespace
}  // namespace restante::test
