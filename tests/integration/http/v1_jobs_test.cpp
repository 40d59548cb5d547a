#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using nlohmann::json;

class V1Jobs : public V1Fixture {
protected:
    std::string stateOf(const std::string& id)
    {
        return get("/v1/jobs/" + id).json.value("state", "");
    }
};

TEST_F(V1Jobs, storesAPushAndSaysWhere)
{
    auto answer =
        ask("POST", "/v1/jobs", json{{"topic", "order"}, {"id", "order-17"}, {"body", "close it"}});
    EXPECT_EQ(answer.status, 201) << answer.raw.body;
    EXPECT_EQ(answer.json["id"], "order-17");
    EXPECT_EQ(answer.json["state"], "ready");
    EXPECT_EQ(answer.raw.header("Location"), "/v1/jobs/order-17");
    auto job = get("/v1/jobs/order-17");
    EXPECT_EQ(job.status, 200);
    EXPECT_EQ(job.json["body"], "close it");
    EXPECT_EQ(job.json["topic"], "order");
    EXPECT_EQ(job.json["attempt"], 0);
}

TEST_F(V1Jobs, answersTheDueTimeThatIsStored)
{
    auto answer =
        ask("POST", "/v1/jobs", json{{"topic", "order"}, {"id", "later"}, {"delay", "30m"}});
    EXPECT_EQ(answer.json["state"], "scheduled");
    EXPECT_EQ(answer.json["due_ms"], get("/v1/jobs/later").json["due_ms"]);
    auto second =
        ask("POST", "/v1/jobs", json{{"topic", "order"}, {"id", "second"}, {"retry", "2m,10m"}});
    EXPECT_EQ(second.json["state"], "scheduled") << "the first attempt waits for two minutes";
    EXPECT_EQ(second.json["due_ms"], get("/v1/jobs/second").json["due_ms"]);
}

TEST_F(V1Jobs, takesATimeAsTextOrInMilliseconds)
{
    push({{"id", "a"}, {"at", "2030-01-02T03:04:05Z"}});
    push({{"id", "b"}, {"at_ms", 1'893'553'445'000}});
    EXPECT_EQ(get("/v1/jobs/a").json["due_ms"], get("/v1/jobs/b").json["due_ms"]);
}

TEST_F(V1Jobs, answersARepeatedPushWithTheJobThatIsThere)
{
    const json order{{"topic", "order"}, {"id", "order-17"}, {"body", "x"}, {"delay", "1h"}};
    EXPECT_EQ(ask("POST", "/v1/jobs", order).status, 201);
    auto again = ask("POST", "/v1/jobs", order);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.json["id"], "order-17");
    EXPECT_EQ(again.json["state"], "scheduled");
}

TEST_F(V1Jobs, refusesOtherContentUnderTheSameIdUnlessToldToReplace)
{
    push({{"id", "order-17"}, {"body", "one"}});
    json other{{"topic", "order"}, {"id", "order-17"}, {"body", "two"}};
    expectProblem(ask("POST", "/v1/jobs", other), 409);
    EXPECT_EQ(get("/v1/jobs/order-17").json["body"], "one");
    other["replace"] = true;
    EXPECT_EQ(ask("POST", "/v1/jobs", other).status, 201);
    EXPECT_EQ(get("/v1/jobs/order-17").json["body"], "two");
}

TEST_F(V1Jobs, keepsABodyThatIsNotText)
{
    push({{"id", "raw"}, {"body_base64", "AP/+"}});
    EXPECT_EQ(get("/v1/jobs/raw").json["body_base64"], "AP/+");
}

TEST_F(V1Jobs, keepsAnIdThatMustBeEscapedInAPath)
{
    auto answer = ask("POST", "/v1/jobs", json{{"topic", "order"}, {"id", "a/b?c%d"}});
    EXPECT_EQ(answer.raw.header("Location"), "/v1/jobs/a%2Fb%3Fc%25d");
    EXPECT_EQ(get("/v1/jobs/a%2Fb%3Fc%25d").json["id"], "a/b?c%d");
}

TEST_F(V1Jobs, answersAnArrayItemByItem)
{
    push({{"id", "there"}, {"body", "x"}});
    auto answer = ask("POST", "/v1/jobs",
                      json{{{"topic", "order"}, {"id", "new"}},
                           {{"topic", "order"}, {"id", "there"}, {"body", "x"}},
                           {{"topic", "order"}, {"id", "there"}, {"body", "y"}},
                           {{"topic", "order"}, {"ttr", "soon"}},
                           {{"body", "no topic"}},
                           {{"topic", "restante.reminders"}},
                           {{"topic", "order"}, {"body", std::string(65'537, 'x')}}});
    EXPECT_EQ(answer.status, 207) << answer.raw.body;
    ASSERT_EQ(answer.json.size(), 7U);
    EXPECT_EQ(answer.json[0]["status"], 201);
    EXPECT_EQ(answer.json[1]["status"], 200);
    EXPECT_EQ(answer.json[2]["status"], 409);
    EXPECT_EQ(answer.json[3]["status"], 400);
    EXPECT_EQ(answer.json[3]["field"], "[3].ttr");
    EXPECT_EQ(answer.json[4]["field"], "[4].topic");
    EXPECT_EQ(answer.json[5]["field"], "[5].topic");
    EXPECT_EQ(answer.json[6]["field"], "[6].body");
    EXPECT_EQ(stateOf("new"), "ready");
}

TEST_F(V1Jobs, storesAnArrayInOneRoundTripToEachShard)
{
    json orders = json::array();
    for (int i = 0; i < 100; ++i) {
        orders.push_back({{"topic", "order"}, {"body", std::to_string(i)}});
    }
    push();  // the scripts are loaded
    push();
    redis_.send({"CONFIG", "RESETSTAT"});
    auto answer = ask("POST", "/v1/jobs", orders);
    EXPECT_EQ(answer.status, 201) << answer.raw.body;
    const auto stats = *redis_.send({"INFO", "commandstats"}).text();
    EXPECT_THAT(stats, testing::HasSubstr("cmdstat_evalsha:calls=2,"));
    EXPECT_EQ(ask("POST", "/v1/jobs", json::array()).status, 400);
}

TEST_F(V1Jobs, reschedulesAndNothingElse)
{
    push({{"id", "a"}, {"delay", "1h"}});
    auto moved = ask("PATCH", "/v1/jobs/a", json{{"at_ms", 1'893'553'445'000}});
    EXPECT_EQ(moved.status, 200) << moved.raw.body;
    EXPECT_EQ(moved.json["due_ms"], 1'893'553'445'000);
    EXPECT_EQ(get("/v1/jobs/a").json["due_ms"], 1'893'553'445'000);
    EXPECT_EQ(ask("PATCH", "/v1/jobs/a", json{{"delay", "0s"}}).json["state"], "ready");
    expectProblem(ask("PATCH", "/v1/jobs/a", json{{"body", "other"}}), 400, "body");
    expectProblem(ask("PATCH", "/v1/jobs/a", json{{"colour", "red"}}), 400, "colour");
    expectProblem(ask("PATCH", "/v1/jobs/a", json::object()), 400, "at");
    expectProblem(ask("PATCH", "/v1/jobs/a", json{{"delay", "1m"}, {"at_ms", 1}}), 400, "delay");
    expectProblem(ask("PATCH", "/v1/jobs/a", json{{"delay", "40000d"}}), 400, "delay");
    expectProblem(ask("PATCH", "/v1/jobs/nobody", json{{"delay", "1m"}}), 404);
    auto job = pop();
    expectProblem(ask("PATCH", "/v1/jobs/a", json{{"delay", "1m"}}), 409);
}

TEST_F(V1Jobs, resetsTheAttemptsWhenItIsAskedTo)
{
    push({{"id", "a"}, {"retry", "0s,1h"}});
    pop();
    EXPECT_EQ(ask("POST", "/v1/jobs/a/retry", json{{"attempt", 1}}).status, 200);
    EXPECT_EQ(ask("PATCH", "/v1/jobs/a", json{{"delay", "0s"}}).status, 200);
    EXPECT_FALSE(get("/v1/jobs/a").json.contains("attempts_forgotten"));
    const json reset{{"delay", "0s"}, {"reset_attempts", true}};
    EXPECT_EQ(ask("PATCH", "/v1/jobs/a", reset).status, 200);
    EXPECT_EQ(get("/v1/jobs/a").json["attempts_forgotten"], 1);
    // The token goes on, the schedule begins anew: it has two attempts again.
    const auto popped = ask("POST", "/v1/topics/order/pop", json{{"max", 1}}).json["jobs"][0];
    EXPECT_EQ(popped.value("attempt", 0), 2);
    EXPECT_EQ(popped.value("attempts_forgotten", 0), 1);
    expectProblem(ask("POST", "/v1/jobs/a/retry", json{{"attempt", 1}}), 409);
    EXPECT_EQ(ask("POST", "/v1/jobs/a/retry", json{{"attempt", 2}}).json["state"], "scheduled");
    expectProblem(ask("PATCH", "/v1/jobs/a", json{{"delay", "0s"}, {"reset_attempts", "yes"}}), 400,
                  "reset_attempts");
}

TEST_F(V1Jobs, trashesRestoresAndPurges)
{
    push({{"id", "a"}, {"delay", "1h"}});
    auto trashed = ask("DELETE", "/v1/jobs/a");
    EXPECT_EQ(trashed.status, 200);
    EXPECT_EQ(trashed.json["state"], "trashed");
    EXPECT_EQ(stateOf("a"), "trashed");
    expectProblem(ask("DELETE", "/v1/jobs/a"), 409);
    EXPECT_EQ(ask("POST", "/v1/jobs/a/restore").json["state"], "scheduled");
    EXPECT_EQ(ask("DELETE", "/v1/jobs/a?purge=true").json["state"], "purged");
    expectProblem(get("/v1/jobs/a"), 404);
    expectProblem(ask("DELETE", "/v1/jobs/a"), 404);
    expectProblem(ask("DELETE", "/v1/jobs/a?purge=perhaps"), 400, "purge");
    expectProblem(ask("DELETE", "/v1/jobs/a?purge=true&purge=true"), 400, "purge");
    expectProblem(ask("DELETE", "/v1/jobs/a?purgee=true"), 400, "purgee");
}

TEST_F(V1Jobs, finishesOnlyTheAttemptThatHasTheLease)
{
    push({{"id", "a"}});
    EXPECT_EQ(pop()["attempt"], 1);
    expectProblem(ask("POST", "/v1/jobs/a/finish", json{{"attempt", 2}}), 409);
    auto finished = ask("POST", "/v1/jobs/a/finish", json{{"attempt", 1}});
    EXPECT_EQ(finished.status, 200) << finished.raw.body;
    EXPECT_EQ(finished.json["state"], "done");
    expectProblem(ask("POST", "/v1/jobs/a/finish", json{{"attempt", 1}}), 409);
    expectProblem(ask("POST", "/v1/jobs/nobody/finish", json{{"attempt", 1}}), 404);
    expectProblem(ask("POST", "/v1/jobs/a/finish", json::object()), 400, "attempt");
    expectProblem(ask("POST", "/v1/jobs/a/finish"), 400, "attempt");
}

TEST_F(V1Jobs, retriesByItsScheduleUntilItIsDead)
{
    push({{"id", "a"}, {"retry", "0s,1h"}});
    pop();
    auto again = ask("POST", "/v1/jobs/a/retry", json{{"attempt", 1}, {"error", "busy"}});
    EXPECT_EQ(again.json["state"], "scheduled") << again.raw.body;
    EXPECT_EQ(get("/v1/jobs/a").json["last_error"], "busy");
    EXPECT_EQ(get("/v1/jobs/a").json["due_ms"], again.json["due_ms"]);
    expectProblem(ask("POST", "/v1/jobs/a/retry", json{{"attempt", 1}}), 409);
    EXPECT_EQ(ask("POST", "/v1/jobs/a/run").json["state"], "ready");
    EXPECT_EQ(pop()["attempt"], 2);
    EXPECT_EQ(
        ask("POST", "/v1/jobs/a/retry", json{{"attempt", 2}, {"error", "gone"}}).json["state"],
        "dead");
    EXPECT_EQ(stateOf("a"), "dead");
    EXPECT_EQ(ask("POST", "/v1/jobs/a/restore").status, 200);
}

TEST_F(V1Jobs, retriesAfterTheDelayThatTheConsumerAsksFor)
{
    push({{"id", "a"}});
    pop();
    auto again = ask("POST", "/v1/jobs/a/retry", json{{"attempt", 1}, {"delay", "2h"}});
    EXPECT_EQ(again.json["state"], "scheduled") << again.raw.body;
    EXPECT_EQ(stateOf("a"), "scheduled");
}

TEST_F(V1Jobs, touchExtendsTheLease)
{
    push({{"id", "a"}});
    pop();
    auto touched = ask("POST", "/v1/jobs/a/touch", json{{"attempt", 1}, {"ttr", "2h"}});
    EXPECT_EQ(touched.status, 200) << touched.raw.body;
    EXPECT_EQ(touched.json["lease_ends_ms"], get("/v1/jobs/a").json["due_ms"]);
    expectProblem(ask("POST", "/v1/jobs/a/touch", json{{"attempt", 7}}), 409);
    expectProblem(ask("POST", "/v1/jobs/a/touch", json{{"attempt", 1}, {"ttr", "0s"}}), 400, "ttr");
}

TEST_F(V1Jobs, buriesWithOrWithoutALease)
{
    push({{"id", "a"}});
    pop();
    expectProblem(ask("POST", "/v1/jobs/a/bury", json{{"attempt", 2}}), 409);
    EXPECT_EQ(
        ask("POST", "/v1/jobs/a/bury", json{{"attempt", 1}, {"reason", "wrong"}}).json["state"],
        "dead");
    EXPECT_EQ(get("/v1/jobs/a").json["last_error"], "wrong");
    push({{"id", "b"}, {"delay", "1h"}});
    EXPECT_EQ(ask("POST", "/v1/jobs/b/bury").status, 200);
    EXPECT_EQ(stateOf("b"), "dead");
    expectProblem(ask("POST", "/v1/jobs/b/bury"), 409);
}

TEST_F(V1Jobs, holdsAJobAndReleasesItToItsTime)
{
    const auto due = 1'893'553'445'000;
    push({{"id", "a"}, {"at_ms", due}});
    const auto held = ask("POST", "/v1/jobs/a/hold", json{{"reason", "the customer calls back"}});
    EXPECT_EQ(held.status, 200) << held.raw.body;
    EXPECT_EQ(held.json["state"], "held");
    EXPECT_EQ(held.json["due_ms"], due);
    EXPECT_EQ(get("/v1/jobs/a").json["due_ms"], due);
    EXPECT_EQ(get("/v1/jobs?state=held").json["jobs"][0]["due_ms"], due);
    expectProblem(ask("POST", "/v1/jobs/a/hold"), 409);
    const auto released = ask("POST", "/v1/jobs/a/release");
    EXPECT_EQ(released.json["state"], "scheduled") << released.raw.body;
    EXPECT_EQ(released.json["due_ms"], due);
    expectProblem(ask("POST", "/v1/jobs/nobody/hold"), 404);
    expectProblem(ask("POST", "/v1/jobs/a/hold", json{{"why", "x"}}), 400, "why");
}

TEST_F(V1Jobs, holdsAndReleasesWhatMatchesWithoutMakingItDue)
{
    for (const auto* id : {"a", "b", "c"}) {
        push({{"id", id}, {"delay", "2h"}});
    }
    const json all{{"topic", "order"}};
    auto dry = all;
    dry["dry_run"] = true;
    EXPECT_EQ(ask("POST", "/v1/jobs/hold", dry).json["matched"], 3);
    EXPECT_EQ(stateOf("a"), "scheduled");
    EXPECT_EQ(ask("POST", "/v1/jobs/hold", all).json["done"], 3);
    EXPECT_EQ(stateOf("b"), "held");
    EXPECT_EQ(ask("POST", "/v1/jobs/release", all).json["done"], 3);
    EXPECT_EQ(stateOf("a"), "scheduled");
    EXPECT_TRUE(ask("POST", "/v1/topics/order/pop", json{{"max", 3}}).json["jobs"].empty());
}

TEST_F(V1Jobs, holdsAnAttemptOnlyForWhoHasIt)
{
    push({{"id", "a"}});
    pop();
    expectProblem(ask("POST", "/v1/jobs/a/hold", json{{"attempt", 2}}), 409);
    const auto held = ask("POST", "/v1/jobs/a/hold", json{{"attempt", 1}});
    EXPECT_EQ(held.json["state"], "held") << held.raw.body;
    EXPECT_FALSE(held.json.contains("due_ms")) << "nobody knows when";
    expectProblem(ask("POST", "/v1/jobs/a/finish", json{{"attempt", 1}}), 409);
    EXPECT_EQ(ask("POST", "/v1/jobs/a/release").json["state"], "ready");
    EXPECT_EQ(pop()["attempt"], 2);
}

TEST_F(V1Jobs, leavesALeasedJobToItsWorkerWhenAnOperatorHolds)
{
    push({{"id", "a"}});
    pop();
    const auto refused = ask("POST", "/v1/jobs/a/hold");
    expectProblem(refused, 409);
    EXPECT_THAT(refused.json["detail"].get<std::string>(),
                ::testing::HasSubstr("it is leased; an operator holds jobs that are scheduled or "
                                     "ready"));
    EXPECT_EQ(stateOf("a"), "leased");
    expectProblem(ask("POST", "/v1/jobs/hold?state=leased"), 400, "state");
    expectProblem(ask("POST", "/v1/jobs/hold?state=leased&topic=order&dry_run=true"), 400, "state");
    EXPECT_EQ(ask("POST", "/v1/jobs/a/finish", json{{"attempt", 1}}).status, 200);
}

TEST_F(V1Jobs, saysWhatHasBecomeOfTheJobOfAnAttemptThatIsOver)
{
    using ::testing::AllOf;
    using ::testing::HasSubstr;
    push({{"id", "a"}});
    pop();
    ask("POST", "/v1/jobs/a/retry", json{{"attempt", 1}, {"delay", "2h"}});
    const auto refusal = [&](const std::string& verb, int attempt) {
        const auto answer = ask("POST", "/v1/jobs/a/" + verb, json{{"attempt", attempt}});
        expectProblem(answer, 409);
        return answer.json.value("detail", "");
    };
    const std::vector<std::string> verbs{"finish", "retry", "touch", "bury", "hold"};
    for (const auto& verb : verbs) {
        EXPECT_THAT(refusal(verb, 1), AllOf(HasSubstr("it is scheduled, attempts so far: 1"),
                                            HasSubstr(verb + " takes jobs that are leased")));
    }
    ask("POST", "/v1/jobs/a/run");
    EXPECT_THAT(refusal("finish", 1), HasSubstr("it is ready, attempts so far: 1"));
    pop();
    for (const auto& verb : verbs) {
        EXPECT_THAT(refusal(verb, 1), HasSubstr("it is leased as attempt 2"));
    }
    const auto all = ask("POST", "/v1/jobs/finish", json{{{"id", "a"}, {"attempt", 1}}});
    ASSERT_EQ(all.status, 207) << all.raw.body;
    EXPECT_THAT(all.json[0].value("detail", ""), HasSubstr("it is leased as attempt 2"));
    ask("POST", "/v1/jobs/a/hold", json{{"attempt", 2}});
    EXPECT_THAT(refusal("finish", 2), HasSubstr("it is held, attempts so far: 2"));
    ask("DELETE", "/v1/jobs/a");
    EXPECT_THAT(refusal("finish", 2), HasSubstr("it is trashed, attempts so far: 2"));
}

TEST_F(V1Jobs, refusesOperatorsWhereTheStateDoesNotFit)
{
    push({{"id", "a"}});
    expectProblem(ask("POST", "/v1/jobs/a/run"), 409);
    expectProblem(ask("POST", "/v1/jobs/a/release"), 409);
    expectProblem(ask("POST", "/v1/jobs/a/restore"), 409);
    expectProblem(ask("POST", "/v1/jobs/nobody/run"), 404);
    expectProblem(ask("POST", "/v1/jobs/a/run", json{{"why", "x"}}), 400, "why");
    EXPECT_EQ(ask("POST", "/v1/jobs/a/dance").status, 404);
    EXPECT_EQ(ask("PUT", "/v1/jobs/a").status, 405);
}

TEST_F(V1Jobs, refusesRecipientsThatTheChannelCannotReach)
{
    for (const auto& [channel, recipient] :
         std::vector<std::pair<std::string, std::string>>{{"sip", "bob"},
                                                          {"sip", "tel:+49123"},
                                                          {"sms", "bob"},
                                                          {"sms", "+49 1"},
                                                          {"webhook", "ftp://example.org/"},
                                                          {"webhook", "http://u:p@example.org/"},
                                                          {"webhook", "example.org"}}) {
        expectProblem(ask("POST", "/v1/jobs",
                          json{{"topic", "t"}, {"channel", channel}, {"recipient", recipient}}),
                      400, "recipient");
    }
    expectProblem(ask("POST", "/v1/jobs", json{{"topic", "t"}, {"channel", "sms"}}), 400,
                  "recipient");
    for (const auto& [channel, recipient] : std::vector<std::pair<std::string, std::string>>{
             {"sip", "sip:bob@example.org"},
             {"sms", "+491701234567"},
             {"webhook", "https://example.org/hook?x=1"}}) {
        auto answer = ask(
            "POST", "/v1/jobs",
            json{{"topic", "t"}, {"body", "x"}, {"channel", channel}, {"recipient", recipient}});
        EXPECT_EQ(answer.status, 201) << answer.raw.body;
    }
}

TEST_F(V1Jobs, refusesReservedTopics)
{
    const auto before = keys();
    expectProblem(ask("POST", "/v1/jobs", json{{"topic", "restante.reminders"}}), 400, "topic");
    EXPECT_EQ(keys(), before);
}

/// As by default: what is finished is forgotten at once.
class V1WithoutDone : public V1Fixture {
protected:
    V1WithoutDone() : V1Fixture(Millis{0}) {}
};

TEST_F(V1WithoutDone, storesAPushOnceAlsoWhenItsJobHasBeenFinished)
{
    const json order{{"topic", "order"}, {"id", "order-17"}, {"body", "x"}};
    EXPECT_EQ(ask("POST", "/v1/jobs", order).status, 201);
    EXPECT_EQ(ask("POST", "/v1/jobs/order-17/finish", json{{"attempt", pop()["attempt"]}}).status,
              200);
    // The answer was lost, and the client sends it again: alone, and among others.
    auto again = ask("POST", "/v1/jobs", order);
    EXPECT_EQ(again.status, 200) << again.raw.body;
    EXPECT_EQ(again.json["id"], "order-17");
    EXPECT_EQ(again.json["state"], "done");
    auto batch = ask("POST", "/v1/jobs", json{order, {{"topic", "order"}, {"id", "order-18"}}});
    EXPECT_EQ(batch.status, 200) << batch.raw.body;
    EXPECT_EQ(batch.json[0]["status"], 200);
    EXPECT_EQ(batch.json[1]["status"], 201);
    EXPECT_EQ(pop()["id"], "order-18");
    expectProblem(get("/v1/jobs/order-17"), 404);
    // Another job under the id is no repetition.
    auto other = order;
    other["body"] = "y";
    expectProblem(ask("POST", "/v1/jobs", other), 409);
    other["replace"] = true;
    EXPECT_EQ(ask("POST", "/v1/jobs", other).status, 201);
    EXPECT_EQ(get("/v1/jobs/order-17").json["body"], "y");
}

TEST_F(V1WithoutDone, storesAnewWhatWasPurgedBeforeItWasDone)
{
    const json order{{"topic", "order"}, {"id", "order-17"}, {"body", "x"}};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(ask("POST", "/v1/jobs", order).status, 201);
        EXPECT_EQ(ask("DELETE", "/v1/jobs/order-17?purge=true").status, 200);
    }
}

}  // namespace
}  // namespace restante::test
