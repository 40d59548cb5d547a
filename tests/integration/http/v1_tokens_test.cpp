#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr std::string_view kShop = "0123456789abcdef-shop";
constexpr std::string_view kWorker = "0123456789abcdef-worker";
constexpr std::string_view kAnyone = "0123456789abcdef-anyone";
constexpr std::string_view kBoss = "0123456789abcdef-boss";

class V1Tokens : public V1Fixture {
protected:
    V1Tokens()
    {
        useTokens("shop push 0123456789abcdef-shop topics=order.*,sip senders=sip:*@shop.example\n"
                  "worker push,pop 0123456789abcdef-worker topics=order.eu\n"
                  "anyone push,pop 0123456789abcdef-anyone\n"
                  "boss admin 0123456789abcdef-boss\n");
    }
    int pushed(std::string_view secret, const json& job)
    {
        return askAs(secret, "POST", "/v1/jobs", job).status;
    }
    void expectForbidden(const Answer& answer, const std::string& field = {})
    {
        expectProblem(answer, 403, field);
    }
};

TEST_F(V1Tokens, confineAPushToTheirTopics)
{
    EXPECT_EQ(pushed(kShop, {{"topic", "order.eu"}}), 201);
    expectForbidden(askAs(kShop, "POST", "/v1/jobs", {{"topic", "invoice"}}), "topic");
    EXPECT_EQ(pushed(kAnyone, {{"topic", "invoice"}}), 201);

    const auto mixed = askAs(kShop, "POST", "/v1/jobs",
                             json::array({{{"topic", "order.us"}}, {{"topic", "invoice"}}}));
    ASSERT_EQ(mixed.status, 207) << mixed.raw.body;
    EXPECT_EQ(mixed.json[0]["status"], 201);
    EXPECT_EQ(mixed.json[1]["status"], 403);
}

TEST_F(V1Tokens, letNobodyReplaceAJobOfATopicThatIsNotTheirs)
{
    ASSERT_EQ(pushed(kBoss, {{"topic", "invoice"}, {"id", "i1"}, {"body", "pay"}}), 201);
    const json mine{{"topic", "order.eu"}, {"id", "i1"}, {"replace", true}};
    expectForbidden(askAs(kShop, "POST", "/v1/jobs", mine), "id");
    EXPECT_EQ(askAs(kBoss, "GET", "/v1/jobs/i1").json["topic"], "invoice");
    ASSERT_EQ(pushed(kShop, {{"topic", "order.us"}, {"id", "o1"}}), 201);
    EXPECT_EQ(pushed(kShop, {{"topic", "order.eu"}, {"id", "o1"}, {"replace", true}}), 201);
}

TEST_F(V1Tokens, confineAPushToTheirSenders)
{
    const auto from = [this](const std::string& sender) {
        return askAs(kShop, "POST", "/v1/jobs",
                     {{"topic", "sip"},
                      {"channel", "sip"},
                      {"recipient", "sip:bob@example.org"},
                      {"sender", sender}});
    };
    EXPECT_EQ(from("sip:news@shop.example").status, 201);
    expectForbidden(from("sip:boss@bank.example"), "sender");
    expectForbidden(from("sip:boss@bank.example;x=@shop.example"), "sender");
    EXPECT_EQ(pushed(kShop, {{"topic", "order.eu"}}), 201) << "nobody is nobody else";
    const json reminder{{"to", "sip:bob@example.org"},
                        {"text", "x"},
                        {"in", "1h"},
                        {"sender", "sip:news@shop.example"}};
    expectForbidden(askAs(kShop, "POST", "/v1/reminders", reminder));
    EXPECT_EQ(askAs(kAnyone, "POST", "/v1/reminders", reminder).status, 201);
}

TEST_F(V1Tokens, confinePopAndWhatFollowsIt)
{
    ASSERT_EQ(pushed(kBoss, {{"topic", "order.eu"}, {"id", "e"}}), 201);
    ASSERT_EQ(pushed(kBoss, {{"topic", "invoice"}, {"id", "i"}}), 201);
    expectForbidden(askAs(kWorker, "POST", "/v1/topics/order.eu,invoice/pop"), "topic");
    const auto popped = askAs(kWorker, "POST", "/v1/topics/order.eu/pop");
    ASSERT_EQ(popped.status, 200) << popped.raw.body;
    ASSERT_EQ(askAs(kAnyone, "POST", "/v1/topics/invoice/pop").json["jobs"].size(), 1U);

    const json attempt{{"attempt", 1}};
    for (const auto* verb : {"finish", "retry", "touch", "bury"}) {
        expectProblem(askAs(kWorker, "POST", std::string("/v1/jobs/i/") + verb, attempt), 404);
    }
    const auto both =
        askAs(kWorker, "POST", "/v1/jobs/finish",
              json::array({{{"id", "i"}, {"attempt", 1}}, {{"id", "e"}, {"attempt", 1}}}));
    ASSERT_EQ(both.status, 207) << both.raw.body;
    EXPECT_EQ(both.json[0]["status"], 404);
    EXPECT_EQ(both.json[1]["status"], 200);
    EXPECT_EQ(askAs(kAnyone, "GET", "/v1/jobs/i").json["state"], "leased");
}

TEST_F(V1Tokens, hideTheJobsOfOtherTopics)
{
    ASSERT_EQ(pushed(kBoss, {{"topic", "invoice"}, {"id", "i"}, {"body", "secret"}}), 201);
    const auto shown = askAs(kShop, "GET", "/v1/jobs/i");
    expectProblem(shown, 404);
    EXPECT_EQ(shown.raw.body.find("secret"), std::string::npos);
    expectProblem(askAs(kShop, "PATCH", "/v1/jobs/i", {{"delay", "1h"}}), 404);
    expectProblem(askAs(kShop, "DELETE", "/v1/jobs/i"), 404);
    expectProblem(askAs(kShop, "GET", "/v1/jobs/none"), 404);
    expectProblem(askAs(kShop, "GET", "/v1/jobs/i/history"), 404);
    EXPECT_EQ(askAs(kAnyone, "GET", "/v1/jobs/i").json["state"], "ready");
}

TEST_F(V1Tokens, hideTheHistoryOfAJobThatIsNoMore)
{
    TwoRows journal;
    onLoop([&] { services_->history = &journal; });
    EXPECT_EQ(askAs(kBoss, "GET", "/v1/jobs/a/history").status, 200);
    expectProblem(askAs(kShop, "GET", "/v1/jobs/a/history"), 404);
    ASSERT_EQ(pushed(kBoss, {{"topic", "order.eu"}, {"id", "a"}}), 201);
    EXPECT_EQ(askAs(kShop, "GET", "/v1/jobs/a/history").status, 200);
    onLoop([&] { services_->history = nullptr; });
}

TEST_F(V1Tokens, ofTheClassicDialectAreConfinedToo)
{
    ASSERT_EQ(pushed(kBoss, {{"topic", "invoice"}, {"id", "i"}, {"body", "secret"}}), 201);
    const auto job = [](const char* topic, const char* id) {
        return json{{"topic", topic}, {"id", id}, {"delay", 0}, {"ttr", 60}, {"body", "x"}};
    };
    EXPECT_EQ(askAs(kShop, "POST", "/push", job("order.eu", "a")).json["code"], 0);
    EXPECT_EQ(askAs(kShop, "POST", "/push", job("invoice", "b")).status, 403);
    const auto hidden = askAs(kShop, "POST", "/get", {{"id", "i"}});
    EXPECT_EQ(hidden.json, (json{{"code", 0}, {"message", "ok"}, {"data", nullptr}}));
    EXPECT_EQ(hidden.raw.body, askAs(kShop, "POST", "/get", {{"id", "none"}}).raw.body)
        << "what is not theirs is not there";
    EXPECT_EQ(askAs(kShop, "POST", "/get", {{"id", "a"}}).json["data"]["body"], "x");
    EXPECT_NE(askAs(kShop, "POST", "/delete", {{"id", "i"}}).json["code"], 0);
    EXPECT_EQ(askAs(kWorker, "POST", "/pop", {{"topic", "invoice"}}).status, 403);
    EXPECT_NE(askAs(kWorker, "POST", "/finish", {{"id", "i"}}).json["code"], 0);
    EXPECT_EQ(askAs(kBoss, "DELETE", "/v1/jobs/i").status, 200);
    EXPECT_NE(askAs(kShop, "POST", "/push", job("order.eu", "i")).json["code"], 0)
        << "what ended there is not theirs either";
}

TEST_F(V1Tokens, ofConsumersNeitherPurgeNorBuryUnfenced)
{
    ASSERT_EQ(pushed(kAnyone, {{"topic", "order.eu"}, {"id", "a"}}), 201);
    expectForbidden(askAs(kAnyone, "DELETE", "/v1/jobs/a?purge=true"));
    expectForbidden(askAs(kAnyone, "POST", "/v1/jobs/a/bury"));
    EXPECT_EQ(askAs(kAnyone, "GET", "/v1/jobs/a").json["state"], "ready");
    ASSERT_EQ(askAs(kAnyone, "POST", "/v1/topics/order.eu/pop").json["jobs"].size(), 1U);
    EXPECT_EQ(askAs(kAnyone, "POST", "/v1/jobs/a/bury", {{"attempt", 1}}).status, 200);
    EXPECT_EQ(askAs(kBoss, "DELETE", "/v1/jobs/a?purge=true").status, 200);

    ASSERT_EQ(pushed(kAnyone, {{"topic", "order.eu"}, {"id", "b"}}), 201);
    EXPECT_EQ(askAs(kAnyone, "DELETE", "/v1/jobs/b").status, 200) << "into the trash it may";
    ASSERT_EQ(pushed(kAnyone, {{"topic", "order.eu"}, {"id", "c"}}), 201);
    EXPECT_EQ(askAs(kBoss, "POST", "/v1/jobs/c/bury").status, 200);
}

TEST_F(V1Tokens, thatDoNotCoverMailboxesTellOfNoRegistration)
{
    const json bob{{"aor", "sip:bob@example.org"}};
    expectForbidden(askAs(kWorker, "POST", "/v1/registrations", bob));
    EXPECT_EQ(askAs(kShop, "POST", "/v1/registrations", bob).status, 200);
    EXPECT_EQ(askAs(kAnyone, "POST", "/v1/registrations", bob).status, 200);
}

TEST_F(V1Fixture, letsNoPushSayWhoSentAMessage)
{
    const auto before = keys();
    for (const auto* header : {"From", "f", "from", "P-Asserted-Identity", "P-Preferred-Identity",
                               "Identity", "Remote-Party-ID"}) {
        const auto answer = ask("POST", "/v1/jobs",
                                json{{"topic", "sip"},
                                     {"channel", "sip"},
                                     {"recipient", "sip:bob@example.org"},
                                     {"body", "x"},
                                     {"headers", {{header, "<sip:boss@bank.example>"}}}});
        expectProblem(answer, 400, "headers");
        EXPECT_THAT(answer.raw.body, HasSubstr("sender"));
    }
    EXPECT_EQ(keys(), before);
    EXPECT_EQ(ask("POST", "/v1/jobs",
                  json{{"topic", "hook"},
                       {"channel", "webhook"},
                       {"recipient", "https://example.org/"},
                       {"headers", {{"From", "shop@example.org"}}}})
                  .status,
              201)
        << "there it is a header like others";
}

}  // namespace
}  // namespace restante::test
