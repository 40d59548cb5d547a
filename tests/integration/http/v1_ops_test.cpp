#include "core/base/encoding.h"
#include "core/queue/job_history.h"
#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

#include <future>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class V1Ops : public V1Fixture {
protected:
    /// A message that waits for them.
    void holdFor(const std::string& recipient)
    {
        std::promise<bool> stored;
        onLoop([&] {
            PushOptions order;
            order.job.topic = "sip";
            order.job.channel = Channel::Sip;
            order.job.recipient = recipient;
            order.placement = Placement::Mailbox;
            order.delay = std::chrono::hours{1};
            queue_->queue().push(order, [&stored](const Result<PushOutcome>& outcome) {
                stored.set_value(outcome.has_value());
            });
        });
        EXPECT_TRUE(stored.get_future().get());
    }
};

TEST_F(V1Ops, countJobsByStateAndTopic)
{
    push();
    push({{"delay", "1h"}});
    auto stats = get("/v1/stats");
    EXPECT_EQ(stats.json["states"]["ready"], 1) << stats.raw.body;
    EXPECT_EQ(stats.json["states"]["scheduled"], 1);
    EXPECT_EQ(stats.json["states"]["dead"], 0);
    EXPECT_EQ(stats.json["topics"][0]["topic"], "order");
}

TEST_F(V1Ops, measureTheProcessAndTheStoreForPrometheus)
{
    push();
    auto answer = get("/metrics");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.raw.header("Content-Type"), HasSubstr("text/plain; version=0.0.4"));
    EXPECT_THAT(answer.raw.body, HasSubstr("\nrestante_jobs{state=\"ready\"} 1\n"));
    EXPECT_THAT(
        answer.raw.body,
        HasSubstr("restante_backlog{channel=\"pull\",topic=\"order\",state=\"ready\"} 1\n"));
    EXPECT_THAT(answer.raw.body, HasSubstr("restante_resident_memory_bytes"));
    EXPECT_THAT(answer.raw.body, HasSubstr("# TYPE restante_operations_total counter"));
}

TEST_F(V1Ops, tellLifeFromReadiness)
{
    EXPECT_EQ(get("/healthz").json["status"], "ok");
    EXPECT_EQ(get("/readyz").json["status"], "ready");
    EXPECT_EQ(get("/readyz").json["journal"], "off");
    onLoop([this] {
        services_->storeHealth = [] {
            return Result<void>(failure(ErrorCode::Unavailable, "the disk is full"));
        };
    });
    auto unready = get("/readyz");
    expectProblem(unready, 503);
    EXPECT_THAT(unready.json["detail"].get<std::string>(), HasSubstr("the disk is full"));
    EXPECT_FALSE(unready.raw.header("Retry-After").empty());
    EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(V1Ops, areReadyWithoutTheJournalsDatabaseAndSaySo)
{
    onLoop([this] { services_->journalAnswers = [] { return true; }; });
    EXPECT_EQ(get("/readyz").json["journal"], "ok");
    onLoop([this] { services_->journalAnswers = [] { return false; }; });
    const auto ready = get("/readyz");
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(ready.json["status"], "ready");
    EXPECT_EQ(ready.json["journal"], "down");
}

TEST_F(V1Ops, sayThatThereIsNoHistoryWithoutAJournal)
{
    push({{"id", "a"}});
    auto answer = get("/v1/jobs/a/history");
    expectProblem(answer, 501);
    EXPECT_THAT(answer.json["detail"].get<std::string>(), HasSubstr("journal.mode"));
}

TEST_F(V1Ops, tellAJobsHistoryFromTheJournal)
{
    TwoRows journal;
    onLoop([&] { services_->history = &journal; });
    auto answer = get("/v1/jobs/a/history");
    EXPECT_EQ(answer.status, 200) << answer.raw.body;
    ASSERT_EQ(answer.json["history"].size(), 2U);
    EXPECT_EQ(answer.json["history"][1]["worker"], "host/1");
    expectProblem(get("/v1/jobs/b/history"), 404);
    onLoop([&] { services_->history = nullptr; });
}

TEST_F(V1Ops, makeAMailboxDueWhenItsOwnerCanBeReached)
{
    auto none = ask("POST", "/v1/registrations", json{{"aor", "sip:bob@example.org;x=y"}});
    EXPECT_EQ(none.status, 200) << none.raw.body;
    EXPECT_EQ(none.json["aor"], "sip:bob@example.org");
    EXPECT_EQ(none.json["messages"], 0);
    holdFor("sip:bob@example.org");
    EXPECT_EQ(
        ask("POST", "/v1/registrations", json{{"aor", "sip:bob@example.org"}}).json["messages"], 1);
    expectProblem(ask("POST", "/v1/registrations", json{{"aor", "bob"}}), 400, "aor");
    expectProblem(ask("POST", "/v1/registrations", json::object()), 400, "aor");
}

TEST_F(V1Ops, listMailboxesFromTheFullestOn)
{
    EXPECT_EQ(get("/v1/mailboxes").json, (json{{"mailboxes", json::array()},
                                               {"cursor", nullptr},
                                               {"total", 0},
                                               {"messages", 0},
                                               {"complete", true}}));
    holdFor("sip:bob@example.org");
    holdFor("sip:carol@example.org");
    holdFor("sip:carol@example.org");
    redis_.send({"HSET", "rst:{s0}:seen:sip:carol@example.org", "desk",
                 "0 1000 2000 sip:carol@192.0.2.1 Phone/1.0"});
    redis_.send({"HSET", "rst:{s1}:seen:sip:carol@example.org", "desk",
                 "0 1000 2000 sip:carol@192.0.2.1 Phone/1.0"});
    const auto first = get("/v1/mailboxes?limit=1").json;
    ASSERT_EQ(first["mailboxes"].size(), 1U);
    const auto& carol = first["mailboxes"][0];
    EXPECT_EQ(carol["recipient"], "sip:carol@example.org");
    EXPECT_EQ(carol["waiting"], 2);
    EXPECT_EQ(carol["registered"], false);
    EXPECT_EQ(carol["away_since_ms"], 2'000);
    EXPECT_EQ(carol["devices"][0]["agent"], "Phone/1.0");
    EXPECT_EQ(first["total"], 2);
    EXPECT_EQ(first["messages"], 3);
    const auto second =
        get("/v1/mailboxes?limit=1&cursor=" + percentEncoded(first["cursor"].get<std::string>()))
            .json;
    EXPECT_EQ(second["mailboxes"][0]["recipient"], "sip:bob@example.org");
    EXPECT_EQ(second["cursor"], nullptr);
    EXPECT_EQ(get("/v1/mailboxes?name=CAROL").json["total"], 1);
    expectProblem(get("/v1/mailboxes?limit=501"), 400, "limit");
    expectProblem(get("/v1/mailboxes?cursor=here"), 400, "cursor");
    expectProblem(get("/v1/mailboxes?of=bob"), 400, "of");
}

TEST_F(V1Ops, takeADeliveryReportOnlyFromWhoHasItsToken)
{
    const auto job = push({{"channel", "sms"}, {"recipient", "+4917012345678"}, {"body", "x"}});
    std::promise<std::string> given;
    onLoop([&] {
        awaited_->expect({job, 1}, queue_->clock().now() + std::chrono::hours{1},
                         [&given](Result<std::string> token) { given.set_value(*token); });
    });
    const auto path = "/v1/sms/reports?id=" + job + "&attempt=1&status=queued&token=";
    expectProblem(get(path + "guessed"), 403, "token");
    expectProblem(get("/v1/sms/reports?id=" + job), 400, "attempt");
    const auto token = given.get_future().get();
    EXPECT_EQ(get(path + token).status, 204);
    EXPECT_EQ(ask("POST", path + token).status, 204);
}

TEST_F(V1Ops, promiseNothingWhileRedisIsAway)
{
    redis_.pause();
    auto push = ask("POST", "/v1/jobs", json{{"topic", "order"}});
    redis_.resume();
    expectProblem(push, 503);
    EXPECT_FALSE(push.raw.header("Retry-After").empty());
}

}  // namespace
}  // namespace restante::test
