#include "core/job/job.h"

#include <gtest/gtest.h>

#include <functional>

namespace restante {
namespace {

using namespace std::chrono_literals;

Job soundJob()
{
    Job job;
    job.id = "order-1";
    job.topic = "order";
    job.channel = Channel::Sip;
    job.recipient = "sip:bob@example.org";
    job.body = std::string("nul \0 safe", 10);
    job.contentType = "text/plain;charset=UTF-8";
    job.headers = {{"Subject", "Grüße"}, {"X-Empty", ""}};
    job.created = fromEpochMs(1'700'000'000'000);
    return job;
}

TEST(Validation, acceptsASoundJob)
{
    EXPECT_TRUE(validate(soundJob(), JobLimits{}));
}

TEST(Validation, acceptsFieldsAtTheirBounds)
{
    auto job = soundJob();
    job.body.assign(65'536, 'x');
    job.topic.assign(128, 't');
    job.recipient.assign(1'024, 'r');
    job.priority = 9;
    job.ttr = 24h * 30;
    job.expires = job.created + 1ms;
    EXPECT_TRUE(validate(job, JobLimits{}));
}

struct Flaw {
    const char* field;
    std::function<void(Job&)> spoil;
};

class SpoiledJob : public testing::TestWithParam<Flaw> {};

TEST_P(SpoiledJob, isRefusedNamingTheField)
{
    auto job = soundJob();
    GetParam().spoil(job);
    const auto result = validate(job, JobLimits{});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Invalid);
    EXPECT_NE(result.error().message.find(GetParam().field), std::string::npos)
        << result.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Fields,
    SpoiledJob,
    testing::Values(Flaw{"id", [](Job& job) { job.id = ""; }},
                    Flaw{"id", [](Job& job) { job.id = "a b"; }},
                    Flaw{"topic", [](Job& job) { job.topic = ""; }},
                    Flaw{"topic", [](Job& job) { job.topic = "a,b"; }},
                    Flaw{"topic", [](Job& job) { job.topic = "a b"; }},
                    Flaw{"topic", [](Job& job) { job.topic = "käse"; }},
                    Flaw{"topic", [](Job& job) { job.topic.assign(129, 't'); }},
                    Flaw{"recipient", [](Job& job) { job.recipient = ""; }},
                    Flaw{"recipient", [](Job& job) { job.recipient = "sip:bob\r\nVia: x"; }},
                    Flaw{"recipient", [](Job& job) { job.recipient.assign(1'025, 'r'); }},
                    Flaw{"sender", [](Job& job) { job.sender = "a\nb"; }},
                    Flaw{"biz_key", [](Job& job) { job.bizKey = std::string(1, '\0'); }},
                    Flaw{"content_type", [](Job& job) { job.contentType = "text/plain\r\nX: y"; }},
                    Flaw{"recurrence", [](Job& job) { job.recurrence = "FREQ=DAILY\n"; }},
                    Flaw{"headers",
                         [](Job& job) {
                             job.headers = {{"Bad Name", "x"}};
                         }},
                    Flaw{"headers",
                         [](Job& job) {
                             job.headers = {{"", "x"}};
                         }},
                    Flaw{"headers",
                         [](Job& job) {
                             job.headers = {{"Subject", "a\r\nVia: b"}};
                         }},
                    Flaw{"headers",
                         [](Job& job) {
                             job.headers = {{"X", std::string(16'384, 'x')}};
                         }},
                    Flaw{"body", [](Job& job) { job.body.assign(65'537, 'x'); }},
                    Flaw{"priority", [](Job& job) { job.priority = -1; }},
                    Flaw{"priority", [](Job& job) { job.priority = 10; }},
                    Flaw{"ttr", [](Job& job) { job.ttr = 0ms; }},
                    Flaw{"ttr", [](Job& job) { job.ttr = 24h * 30 + 1ms; }},
                    Flaw{"expires", [](Job& job) { job.expires = job.created; }},
                    Flaw{"expires", [](Job& job) { job.expires = job.created + 24h * 36'600; }}));

TEST(Validation, asksForARecipientOnlyWhereSomebodyDelivers)
{
    auto job = soundJob();
    job.channel = Channel::Pull;
    job.recipient.clear();
    EXPECT_TRUE(validate(job, JobLimits{}));
}

TEST(Validation, neverRepeatsTheBody)
{
    auto job = soundJob();
    job.body.assign(70'000, 'x');
    EXPECT_EQ(validate(job, JobLimits{}).error().message.find("xxx"), std::string::npos);
}

Job webhook(const std::string& url)
{
    auto job = soundJob();
    job.channel = Channel::Webhook;
    job.recipient = url;
    return job;
}

TEST(Validation, wantsALeaseOfAWebhookThatOutlivesItsClaim)
{
    auto job = webhook("https://example.org/hook");
    job.ttr = 1s;
    EXPECT_TRUE(validate(job, JobLimits{}));
    job.ttr = 999ms;
    EXPECT_EQ(validate(job, JobLimits{}).error().message,
              "ttr: is 1s to 30d on channels sms and webhook");
}

TEST(Validation, wantsAUrlOfAWebhook)
{
    EXPECT_TRUE(validate(webhook("https://example.org/hook"), {}));
    for (const char* url : {"example.org", "sip:bob@example.org", "ftp://example.org/",
                            "http://user:secret@example.org/", "http://example.org/a b"}) {
        const auto checked = validate(webhook(url), {});
        ASSERT_FALSE(checked) << url;
        EXPECT_TRUE(checked.error().message.starts_with("recipient: "));
    }
}

TEST(Validation, keepsAWebhookFromGivingHeadersThatAreNotItsOwn)
{
    auto job = webhook("https://example.org/hook");
    job.headers = {{"Authorization", "Bearer x"}, {"X-Mine", "1"}};
    EXPECT_TRUE(validate(job, {}));
    for (const char* header : {"Host", "content-length", "Transfer-Encoding", "Connection",
                               "Content-Type", "Restante-Signature", "RESTANTE-ID"}) {
        job.headers = {{header, "1"}};
        const auto checked = validate(job, {});
        ASSERT_FALSE(checked) << header;
        EXPECT_TRUE(checked.error().message.starts_with(std::string("headers: ") + header));
    }
}

TEST(Lane, isChannelPriorityAndTopic)
{
    auto job = soundJob();
    job.priority = 3;
    EXPECT_EQ(laneOf(job), "sip:3:order");
}

TEST(Channel, isFoundByItsOwnName)
{
    for (const auto channel : {Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook}) {
        EXPECT_EQ(channelNamed(name(channel)), channel);
    }
    EXPECT_EQ(channelNamed("fax"), std::nullopt);
}

}  // namespace
}  // namespace restante
