#include "core/delivery/sms/sms_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace restante::sms {

using testing::HasSubstr;
using testing::StartsWith;

namespace {
Config::Sms gateway()
{
    Config::Sms config;
    config.gateway = Config::SmsGateway::Kannel;
    config.from = "Shop";
    config.maxParts = 2;
    return config;
}

Job textTo(const std::string& recipient)
{
    Job job;
    job.id = "a";
    job.topic = "reminder";
    job.channel = Channel::Sms;
    job.recipient = recipient;
    job.body = "Hello";
    return job;
}

std::string refusalOf(const Job& job, const Config::Sms& config = gateway())
{
    const auto checked = checkPush(job, config);
    return checked ? "" : checked.error().message;
}
}  // namespace

TEST(SmsOrder, isTheNumberTheTextAndASender)
{
    auto job = textTo("+49 170 12345678");
    auto message = messageOf(job, gateway());
    ASSERT_TRUE(message);
    EXPECT_EQ(message->to, "+4917012345678");
    EXPECT_EQ(message->from, "Shop");
    EXPECT_EQ(message->text, "Hello");
    job.sender = "+491709999999";
    job.body = "Привет";
    message = messageOf(job, gateway());
    EXPECT_EQ(message->from, "+491709999999");
    job.sender = "tel:0049 (170) 9999999";
    EXPECT_EQ(messageOf(job, gateway())->from, "+491709999999") << "as the recipient's";
    EXPECT_EQ(message->coding, Coding::Ucs2);
}

TEST(SmsOrder, isRefusedWithTheFieldThatIsWrong)
{
    EXPECT_EQ(refusalOf(textTo("+4917012345678")), "");
    EXPECT_THAT(refusalOf(textTo("bob")), StartsWith("recipient: "));

    auto job = textTo("+4917012345678");
    job.body = std::string(400, 'a');
    EXPECT_THAT(refusalOf(job), StartsWith("body: takes 3 text messages (400 characters of GSM-7);"
                                           " at most 2 are allowed (sms.max_parts)"));
    job.body = "";
    EXPECT_THAT(refusalOf(job), StartsWith("body: "));
    job = textTo("+4917012345678");
    job.sender = "A sender that is too long";
    EXPECT_THAT(refusalOf(job), StartsWith("sender: "));
    job = textTo("+4917012345678");
    job.headers = {{"Time-Zone", "Europe/Berln"}};
    EXPECT_THAT(refusalOf(job), StartsWith("headers: "));
}

TEST(SmsOrder, isTextInUtf8)
{
    auto job = textTo("+4917012345678");
    for (const char* type :
         {"", "text/plain", "text/plain;charset=UTF-8", "TEXT/Plain",
          "text/plain; charset=\"utf-8\"; format=flowed", "text/plain;charset=us-ascii"}) {
        job.contentType = type;
        EXPECT_EQ(refusalOf(job), "") << type;
    }
    for (const char* type : {"application/json", "text/plain;charset=iso-8859-1", "image/png"}) {
        job.contentType = type;
        EXPECT_THAT(refusalOf(job), StartsWith("content_type: ")) << type;
    }
}

TEST(SmsOrder, isRefusedWhileNoGatewayIsSetUp)
{
    auto config = gateway();
    config.gateway = Config::SmsGateway::Off;
    EXPECT_THAT(refusalOf(textTo("+4917012345678"), config), HasSubstr("sms.gateway"));
}

TEST(SmsOrder, leavesOtherChannelsAlone)
{
    auto job = textTo("nobody");
    job.channel = Channel::Pull;
    EXPECT_EQ(refusalOf(job, Config::Sms{}), "");
}

}  // namespace restante::sms
