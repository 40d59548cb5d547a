#include "core/http/classic/api_classic.h"
#include "core/queue/memory_job_store.h"
#include "tests/integration/http/http_server_fixture.h"
#include "tests/support/eventually.h"
#include "tests/support/loop_fixture.h"

#include <gmock/gmock.h>

#include <future>
#include <nlohmann/json.hpp>
#include <ostream>

namespace restante::test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// The classic endpoints on a store in memory.
class Classic : public HttpServerFixture {
protected:
    Classic()
    {
        http::ClassicServices services{queue_, store_, *longPolls_};
        services.wait = 2s;
        services.recoverAll = [this](bool expired, const std::string& actor, auto done) {
            EXPECT_THAT(actor, testing::StartsWith("127.0.0.1"));
            loop_.post([expired, done] { done(expired ? 3U : 2U); });
        };
        http::addClassicRoutes(router_, services);
        serve();
    }
    ~Classic() override
    {
        onLoop([this] { longPolls_->stop(); });
    }
    json post(const std::string& path, const json& body) { return postText(path, body.dump()); }
    json postText(const std::string& path, const std::string& body)
    {
        const auto answer = connect().ask("POST", path, body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return json::parse(answer.body, nullptr, false);
    }
    json get(const std::string& path)
    {
        return json::parse(connect().ask("GET", path).body, nullptr, false);
    }
    static json job(const std::string& id, int delay = 0)
    {
        return {{"topic", "order"}, {"id", id}, {"delay", delay}, {"ttr", 120}, {"body", "hello"}};
    }
    std::uint64_t jobsInAll()
    {
        std::promise<std::uint64_t> total;
        loop_.post([&] {
            store_.counts([&](const Result<StoreCounts>& counts) {
                std::uint64_t sum = 0;
                for (const auto& [state, count] : counts->states) {
                    sum += count;
                }
                total.set_value(sum);
            });
        });
        return total.get_future().get();
    }

    SystemClock clock_;
    MemoryJobStore store_{loop_, clock_};
    DelayQueue queue_{store_, clock_, {}};
    DueWatcher due_{loop_, clock_, store_};
    std::shared_ptr<LongPollQueue> longPolls_ = LongPollQueue::make(loop_, due_, store_, {});
};

constexpr auto kNothing = R"({"code":0,"message":"ok","data":null})";

}  // namespace

TEST_F(Classic, takesAJobThroughItsLife)
{
    EXPECT_EQ(post("/push", job("1")), json({{"code", 0}, {"message", "ok"}, {"data", "1"}}));
    EXPECT_EQ(post("/pop", {{"topic", "order"}})["data"], json({{"id", "1"}, {"body", "hello"}}));
    EXPECT_EQ(post("/get", {{"id", "1"}})["data"]["state"], "leased");
    EXPECT_EQ(post("/finish", {{"id", "1"}}), json::parse(kNothing));
    EXPECT_NE(post("/finish", {{"id", "1"}})["code"], 0);
    EXPECT_EQ(post("/get", {{"id", "1"}}), json::parse(kNothing));
}

TEST_F(Classic, findsNothingOfAJobThatWasDeleted)
{
    post("/push", job("1", 60));
    EXPECT_EQ(post("/get", {{"id", "1"}})["data"]["id"], "1");
    EXPECT_EQ(post("/delete", {{"id", "1"}})["code"], 0);
    EXPECT_EQ(post("/get", {{"id", "1"}}), json::parse(kNothing));
    EXPECT_EQ(post("/get", {{"id", "nobody"}}), json::parse(kNothing));
}

TEST_F(Classic, takesTheIdOfAFinishedJobAgain)
{
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(post("/push", job("1"))["code"], 0);
        EXPECT_EQ(post("/pop", {{"topic", "order"}})["data"]["id"], "1");
        EXPECT_EQ(post("/finish", {{"id", "1"}})["code"], 0);
    }
}

TEST_F(Classic, waitsForTheJobAndAnswersNothingWhenNoneComes)
{
    EXPECT_EQ(post("/pop", {{"topic", "order"}}), json::parse(kNothing));
    const auto start = std::chrono::steady_clock::now();
    post("/push", job("1", 1));
    EXPECT_EQ(get("/get/order")["data"]["id"], "1");
    EXPECT_GE(std::chrono::steady_clock::now() - start, 990ms);
}

TEST_F(Classic, popsFromSeveralTopics)
{
    post("/push", job("1"));
    EXPECT_EQ(post("/pop", {{"topic", "mail, order"}})["data"]["id"], "1");
}

TEST_F(Classic, givesBackTheJobOfAClientThatHasGone)
{
    {
        auto client = connect();
        client.send(HttpClient::request("POST", "/pop", R"({"topic":"order"})"));
        EXPECT_TRUE(eventually(
            [this] {
                std::size_t parked = 0;
                onLoop([&] { parked = longPolls_->parked(); });
                return parked == 1;
            },
            kTimeout));
    }
    post("/push", job("1"));
    EXPECT_EQ(post("/pop", {{"topic", "order"}})["data"]["id"], "1");
    EXPECT_EQ(post("/get", {{"id", "1"}})["data"]["attempt"], 1);
}

TEST_F(Classic, takesTheSameJobTwiceAndRefusesAnother)
{
    EXPECT_EQ(post("/push", job("1", 60))["code"], 0);
    EXPECT_EQ(post("/push", job("1", 60))["code"], 0);
    auto other = job("1", 60);
    other["body"] = "other";
    EXPECT_NE(post("/push", other)["code"], 0);
    EXPECT_EQ(jobsInAll(), 1U);
}

TEST_F(Classic, deletesRestoresAndTakesTheIdAgain)
{
    post("/push", job("1", 60));
    EXPECT_EQ(get("/delete?id=1")["code"], 0);
    EXPECT_EQ(get("/restore/1")["code"], 0);
    EXPECT_EQ(post("/get", {{"id", "1"}})["data"]["state"], "scheduled");
    EXPECT_EQ(post("/delete", {{"id", "1"}})["code"], 0);
    EXPECT_EQ(post("/push", job("1", 60))["code"], 0);
    EXPECT_EQ(post("/get", {{"id", "1"}})["data"]["state"], "scheduled");
    EXPECT_NE(get("/restore/1")["code"], 0);
}

TEST_F(Classic, asksTheJournalToRestoreAll)
{
    EXPECT_EQ(get("/restore?expire=true")["data"], 3);
    EXPECT_EQ(get("/restore?expire=false")["data"], 2);
    EXPECT_NE(get("/restore?expire=maybe")["code"], 0);
}

TEST_F(Classic, givesAnIdToAJobWithoutOne)
{
    auto nameless = job("");
    nameless.erase("id");
    const auto answer = post("/push", nameless);
    EXPECT_EQ(answer["code"], 0);
    EXPECT_EQ(post("/pop", {{"topic", "order"}})["data"]["id"], answer["data"]);
}

TEST_F(Classic, keepsEveryByteOfABody)
{
    auto odd = job("1");
    odd["body"] = std::string("\0\r\n\"\\\x7f \xc3\xa4 \xf0\x9f\x98\x80", 14);
    post("/push", odd);
    EXPECT_EQ(post("/pop", {{"topic", "order"}})["data"]["body"], odd["body"]);
}

TEST_F(Classic, overlooksFieldsThatItDoesNotKnow)
{
    auto more = job("1");
    more["bizKey"] = "x";
    EXPECT_EQ(post("/push", more)["code"], 0);
}

struct BadPush {
    std::string name;
    std::string body;
    std::string field;
};
std::ostream& operator<<(std::ostream& out, const BadPush& bad)
{
    return out << bad.name;
}

class BadClassic : public Classic, public testing::WithParamInterface<BadPush> {};

TEST_P(BadClassic, isRefusedByNameAndNotStored)
{
    for (const auto* path : {"/push", "/pop", "/get", "/finish", "/delete"}) {
        if (GetParam().field == "topic"
                ? path != std::string("/push") && path != std::string("/pop")
                : !GetParam().field.empty() && path != std::string("/push")) {
            continue;
        }
        const auto answer = postText(path, GetParam().body);
        EXPECT_NE(answer["code"], 0) << path << " " << answer;
        EXPECT_EQ(answer["data"], nullptr);
        EXPECT_THAT(answer["message"].get<std::string>(), testing::HasSubstr(GetParam().field));
    }
    EXPECT_EQ(jobsInAll(), 0U);
}

std::string pushWith(const std::string& field, const std::string& value)
{
    std::string text = "{";
    for (const auto& [name, good] :
         std::vector<std::pair<std::string, std::string>>{{"topic", R"("order")"},
                                                          {"id", R"("1")"},
                                                          {"delay", "1"},
                                                          {"ttr", "60"},
                                                          {"body", R"("b")"}}) {
        if (name != field) {
            text.append("\"").append(name).append("\":").append(good).append(",");
        }
    }
    if (value.empty()) {
        text.pop_back();
        return text + "}";
    }
    return text + "\"" + field + "\":" + value + "}";
}

std::vector<BadPush> badPushes()
{
    std::vector<BadPush> all{
        {"emptyBody", " ", ""},
        {"notJson", "topic=order", ""},
        {"array", "[]", ""},
        {"text", R"("order")", ""},
        {"unfinished", R"({"topic":"order")", ""},
        {"nan", R"({"delay":NaN})", ""},
        {"brokenUtf8", "{\"topic\":\"\xff\xfe\"}", ""},
        {"loneSurrogate", R"({"topic":"\ud800"})", ""},
        {"rawNul", std::string("{\"topic\":\"a\0b\"}", 15), ""},
        {"brackets", std::string(100'000, '['), ""},
        {"braces",
         [] {
             std::string deep;
             for (int i = 0; i < 50'000; ++i) {
                 deep += R"({"a":)";
             }
             return deep;
         }(),
         ""},
        {"twice", R"({"topic":"a","topic":"b","id":"1","delay":1,"ttr":1})", "topic"},
        {"topicMissing", pushWith("topic", ""), "topic"},
        {"topicReserved", pushWith("topic", R"("restante.reminders")"), "topic"},
        {"delayMissing", pushWith("delay", ""), "delay"},
        {"bodyTooLong", pushWith("body", "\"" + std::string(65'537, 'x') + "\""), "body"},
    };
    const auto add = [&all](const std::string& field, const std::string& name,
                            const std::string& value) {
        all.push_back({field + name, pushWith(field, value), field});
    };
    for (const auto* field : {"topic", "id"}) {
        add(field, "Number", "1");
        add(field, "Object", "{}");
        add(field, "Bool", "true");
        add(field, "Empty", R"("")");
        add(field, "Blank", R"("  ")");
        add(field, "Space", R"("a b")");
        add(field, "Nul", R"("a\u0000b")");
        add(field, "Control", R"("a\u001bb")");
        add(field, "NotAscii", R"("\u00e4")");
        add(field, "TooLong", "\"" + std::string(129, 'x') + "\"");
    }
    for (const auto* field : {"delay", "ttr"}) {
        add(field, "Text", R"("3600")");
        add(field, "Fraction", "1.5");
        add(field, "Negative", "-1");
        add(field, "TwoTo31", "2147483648");
        add(field, "TwoTo63", "9223372036854775808");
        add(field, "MinusTwoTo63", "-9223372036854775808");
        add(field, "TwoTo64", "18446744073709551616");
        add(field, "Huge", "1e300");
        add(field, "List", "[1]");
    }
    add("ttr", "Zero", "0");
    add("ttr", "TwoDays", "172800");
    add("delay", "BeyondTheHorizon", "2000000000");
    add("body", "Number", "5");
    add("body", "Object", R"({"uid":1})");
    return all;
}

INSTANTIATE_TEST_SUITE_P(Pushes, BadClassic, testing::ValuesIn(badPushes()), [](const auto& one) {
    return one.param.name;
});

TEST_F(Classic, refusesUnknownAndBrokenIds)
{
    for (const auto* path : {"/delete?id=", "/delete", "/delete?id=nobody", "/delete?id=a%20b",
                             "/restore/nobody", "/restore/a%20b"}) {
        EXPECT_NE(get(path)["code"], 0) << path;
    }
    for (const auto* path : {"/finish", "/delete"}) {
        EXPECT_NE(post(path, {{"id", "nobody"}})["code"], 0) << path;
    }
    for (const auto* path : {"/get", "/finish", "/delete"}) {
        EXPECT_NE(post(path, json::object())["code"], 0) << path;
        EXPECT_NE(post(path, {{"id", "a b"}})["code"], 0) << path;
    }
    EXPECT_NE(post("/pop", {{"topic", ","}})["code"], 0);
    EXPECT_NE(get("/get/a%20b")["code"], 0);
    EXPECT_NE(get("/get/restante.reminders")["code"], 0);
    EXPECT_EQ(jobsInAll(), 0U);
}

}  // namespace restante::test
