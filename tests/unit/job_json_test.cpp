#include "core/job/job_filter.h"
#include "core/json/document.h"
#include "core/json/job_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::json {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = fromEpochMs(1'700'000'000'000);

Parsed<PushBatch> batch(const std::string& text)
{
    return pushBatchOf(text, kNow);
}

Parsed<PushOptions> push(const std::string& text)
{
    auto read = batch(text);
    return read ? std::move(read->pushes.back()) : tl::unexpected(read.error());
}

JobView someView()
{
    JobView view;
    auto& job = view.job;
    job.id = "order-17";
    job.topic = "order";
    job.channel = Channel::Webhook;
    job.body = std::string("a\0b\xff", 4);
    job.contentType = "text/plain";
    job.headers = {{"X-A", "1"}, {"X-A", "2"}};
    job.recipient = "https://example.org/hook";
    job.sender = "billing";
    job.bizKey = "17";
    job.findByKey = true;
    job.priority = 3;
    job.ttr = 90s;
    job.expires = kNow + 1h;
    job.retry = *RetrySchedule::parse("0s,2m,10m");
    job.recurrence = "FREQ=DAILY";
    job.created = kNow;
    view.state = JobState::Dead;
    view.due = kNow + 5s;
    view.attempt = 2;
    view.lastError = "503 from example.org";
    return view;
}

TEST(JobJson, writesTheWordsOfTheApi)
{
    const auto object = jsonOf(someView());
    EXPECT_EQ(object.at("id"), "order-17");
    EXPECT_EQ(object.at("channel"), "webhook");
    EXPECT_EQ(object.at("state"), "dead");
    EXPECT_EQ(object.at("attempt"), 2);
    EXPECT_EQ(object.at("ttr"), "1m30s");
    EXPECT_EQ(object.at("due"), "2023-11-14T22:13:25.000Z");
    EXPECT_EQ(object.at("due_ms"), 1'700'000'005'000);
    EXPECT_EQ(object.at("expires_ms"), 1'700'003'600'000);
    EXPECT_EQ(object.at("biz_key"), "17");
    EXPECT_EQ(object.at("retry"), "0s,2m,10m");
    EXPECT_EQ(object.at("body_base64"), "YQBi/w==");
    EXPECT_FALSE(object.contains("body"));
    EXPECT_EQ(object.at("headers").size(), 2U);
}

TEST(JobJson, readsBackEveryFieldOfAJob)
{
    const auto view = someView();
    const auto again = jobViewOf(*parseDocument(toString(jsonOf(view))));
    ASSERT_TRUE(again) << again.error().field << again.error().detail;
    EXPECT_EQ(again->job, view.job);
    EXPECT_EQ(again->state, view.state);
    EXPECT_EQ(again->due, view.due);
    EXPECT_EQ(again->attempt, view.attempt);
    EXPECT_EQ(again->lastError, view.lastError);
}

TEST(JobJson, leavesOutTheDueTimeOfWhatWaitsForItsRecipient)
{
    auto view = someView();
    view.state = JobState::Held;
    view.due = TimePoint::max();
    const auto object = jsonOf(view);
    EXPECT_FALSE(object.contains("due"));
    const auto again = jobViewOf(object);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->due, TimePoint::max());
}

TEST(JobJson, showsAClaimedJobWithItsFencingToken)
{
    const auto view = someView();
    const auto object = jsonOf(ClaimedJob{view.job, 3, kNow, kNow + 90s});
    EXPECT_EQ(object.at("attempt"), 3);
    EXPECT_EQ(object.at("due_ms"), 1'700'000'000'000);
    EXPECT_EQ(object.at("lease_ends_ms"), 1'700'000'090'000);
    EXPECT_EQ(object.at("state"), "leased");
}

TEST(JobJson, appendsAListWithTheFieldsOfItsDocuments)
{
    const auto view = someView();
    ClaimedJob rich{view.job, 3, kNow, kNow + 90s, 2};
    rich.job.topic = "quo\"te\\";
    rich.job.sender = "\xc3\xbc \xff";
    ClaimedJob plain{{}, 1, kNow, kNow + 60s};
    plain.job.id = "b";
    plain.job.topic = "order";
    plain.job.body = "line\nbell\a{\"a\":1}";
    plain.job.created = kNow;
    const std::vector<ClaimedJob> jobs{rich, plain};
    std::string text;
    appendList(text, jobs);
    EXPECT_EQ(text, toString(listOf(jobs)));
}

TEST(JobJson, appendsAnEmptyListBehindWhatIsThere)
{
    std::string text = "x";
    appendList(text, {});
    EXPECT_EQ(text, "x[]");
}

TEST(PushJson, readsEveryFieldOfAPush)
{
    const auto read = push(R"({"id":"a-1","topic":"order","channel":"webhook","body":"x\u0000y",
        "content_type":"text/plain","headers":{"X-A":"1"},"recipient":"https://example.org/",
        "sender":"me","biz_key":"17","priority":0,"ttr":"1500ms","delay":"2m","expires_in":"1h",
        "retry":"0s,2m","replace":true})");
    ASSERT_TRUE(read) << read.error().field << ": " << read.error().detail;
    EXPECT_EQ(read->job.id, "a-1");
    EXPECT_EQ(read->job.channel, Channel::Webhook);
    EXPECT_EQ(read->job.body, std::string("x\0y", 3));
    EXPECT_EQ(read->job.ttr, 1500ms);
    EXPECT_EQ(read->job.priority, 0);
    EXPECT_EQ(read->delay, 2min);
    EXPECT_EQ(read->job.expires, kNow + 1h);
    EXPECT_EQ(read->job.retry.toString(), "0s,2m");
    EXPECT_EQ(read->job.headers.at(0).first, "X-A");
    EXPECT_TRUE(read->replace);
}

TEST(PushJson, readsADueTimeAsTextOrAsMilliseconds)
{
    EXPECT_EQ(push(R"({"topic":"a","at":"2026-12-31T09:00:00+01:00"})")->at,
              fromEpochMs(1'798'704'000'000));
    EXPECT_EQ(push(R"({"topic":"a","at_ms":1798704000000})")->at, fromEpochMs(1'798'704'000'000));
    EXPECT_FALSE(push(R"({"topic":"a"})")->at);
}

TEST(PushJson, refusesEveryWrongFieldByName)
{
    struct Case {
        std::string text;
        std::string field;
    };
    const std::string longText(2'000, 'x');
    const std::vector<Case> cases{
        {"{}", "topic"},
        {"17", ""},
        {"null", ""},
        {"[]", ""},
        {"[17]", "[0]"},
        {R"([{"topic":"a"},{"topic":""}])", "[1].topic"},
        {R"({"topic":17})", "topic"},
        {R"({"topic":null})", "topic"},
        {R"({"topic":"a b"})", "topic"},
        {R"({"topic":"a\u0000"})", "topic"},
        {R"({"topic":")" + longText + R"("})", "topic"},
        {R"({"topic":"a","id":""})", "id"},
        {R"({"topic":"a","id":"a b"})", "id"},
        {R"({"topic":"a","id":17})", "id"},
        {R"({"topic":"a","id":")" + longText + R"("})", "id"},
        {R"({"topic":"a","channel":"pigeon"})", "channel"},
        {R"({"topic":"a","channel":3})", "channel"},
        {R"({"topic":"a","channel":"sms"})", "recipient"},
        {R"({"topic":"a","body":17})", "body"},
        {R"({"topic":"a","body":{"x":1}})", "body"},
        {R"({"topic":"a","body":"x","body_base64":"Zg=="})", "body"},
        {R"({"topic":"a","body_base64":"Zg"})", "body_base64"},
        {R"({"topic":"a","headers":"x"})", "headers"},
        {R"({"topic":"a","headers":{"a b":"x"}})", "headers"},
        {R"({"topic":"a","headers":{"A":1}})", "headers"},
        {R"({"topic":"a","headers":{"A":"1\r\nB: 2"}})", "headers"},
        {R"({"topic":"a","headers":[{"name":"A"}]})", "headers"},
        {R"({"topic":"a","recipient":""})", "recipient"},
        {R"({"topic":"a","sender":"a\nb"})", "sender"},
        {R"({"topic":"a","biz_key":")" + longText + R"("})", "biz_key"},
        {R"({"topic":"a","content_type":[]})", "content_type"},
        {R"({"topic":"a","priority":-1})", "priority"},
        {R"({"topic":"a","priority":10})", "priority"},
        {R"({"topic":"a","priority":5.0})", "priority"},
        {R"({"topic":"a","priority":"5"})", "priority"},
        {R"({"topic":"a","priority":9223372036854775808})", "priority"},
        {R"({"topic":"a","priority":-9223372036854775809})", "priority"},
        {R"({"topic":"a","priority":true})", "priority"},
        {R"({"topic":"a","ttr":"0s"})", "ttr"},
        {R"({"topic":"a","ttr":"31d"})", "ttr"},
        {R"({"topic":"a","ttr":60})", "ttr"},
        {R"({"topic":"a","ttr":"-5s"})", "ttr"},
        {R"({"topic":"a","ttr":"1h)" + longText + R"("})", "ttr"},
        {R"({"topic":"a","delay":"soon"})", "delay"},
        {R"({"topic":"a","delay":9223372036854775808})", "delay"},
        {R"({"topic":"a","delay":"9223372036854775808ms"})", "delay"},
        {R"({"topic":"a","delay":"1s","at_ms":1})", "at_ms"},
        {R"({"topic":"a","at":"2026-12-31 09:00"})", "at"},
        {R"({"topic":"a","at":"2026-02-30T09:00:00Z"})", "at"},
        {R"({"topic":"a","at":1798704000000})", "at"},
        {R"({"topic":"a","at_ms":-1})", "at_ms"},
        {R"({"topic":"a","at_ms":"1798704000000"})", "at_ms"},
        {R"({"topic":"a","at_ms":9223372036854775808})", "at_ms"},
        {R"({"topic":"a","at_ms":1.5})", "at_ms"},
        {R"({"topic":"a","expires":"2001-01-01T00:00:00Z"})", "expires"},
        {R"({"topic":"a","expires_ms":1})", "expires"},
        {R"({"topic":"a","expires_in":"1h","expires":"2030-01-01T00:00:00Z"})", "expires_in"},
        {R"({"topic":"a","retry":""})", "retry"},
        {R"({"topic":"a","retry":["2m"]})", "retry"},
        {R"({"topic":"a","retry":"sometimes"})", "retry"},
        {R"({"topic":"a","replace":"yes"})", "replace"},
        {R"({"topic":"a","priorty":5})", "priorty"},
    };
    for (const auto& one : cases) {
        const auto read = push(one.text);
        ASSERT_FALSE(read) << one.text.substr(0, 200);
        EXPECT_EQ(read.error().field, one.field) << one.text.substr(0, 200);
        EXPECT_FALSE(read.error().detail.empty());
        EXPECT_EQ(errorOf(read.error()).code, ErrorCode::Invalid);
    }
}

TEST(PushJson, namesTheKnownFieldsWhenOneIsUnknown)
{
    const auto read = push(R"({"topic":"a","priorty":5})");
    EXPECT_NE(read.error().detail.find("priority"), std::string::npos);
}

TEST(PushJson, answersABatchItemByItem)
{
    const auto read = batch(R"([{"topic":"a"},{"topic":17},{"topic":"b"}])");
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->isArray);
    ASSERT_EQ(read->pushes.size(), 3U);
    EXPECT_TRUE(read->pushes[0]);
    EXPECT_EQ(read->pushes[1].error().field, "[1].topic");
    EXPECT_TRUE(read->pushes[2]);
    EXPECT_FALSE(pushBatchOf(R"([{"topic":"a"},{"topic":"a"}])", kNow, 1));
}

TEST(JobJson, refusesAnExportedJobThatIsDamaged)
{
    const auto good = jsonOf(someView());
    for (const auto* field : {"id", "topic", "state", "created", "due"}) {
        auto bad = good;
        bad.erase(field);
        bad.erase(std::string(field) + "_ms");
        EXPECT_EQ(jobViewOf(bad).error().field, field);
    }
    auto bad = good;
    bad["state"] = "sleeping";
    EXPECT_EQ(jobViewOf(bad).error().field, "state");
    bad = good;
    bad["attempt"] = -1;
    EXPECT_EQ(jobViewOf(bad).error().field, "attempt");
    bad = good;
    bad["due_ms"] = 5;
    EXPECT_EQ(jobViewOf(bad).error().field, "due");
    bad = good;
    bad["surprise"] = 5;
    EXPECT_EQ(jobViewOf(bad).error().field, "surprise");
}

}  // namespace
}  // namespace restante::json
