#include "core/queue/job_import.h"
#include "core/queue/topic.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

using namespace std::chrono_literals;

TEST(Rate, isReadAndPrinted)
{
    EXPECT_EQ(parseRate("10/s").value(), (Rate{10, 1s}));
    EXPECT_EQ(parseRate("100/m").value(), (Rate{100, 1min}));
    EXPECT_EQ(parseRate("3/10s").value(), (Rate{3, 10s}));
    EXPECT_EQ(parseRate("1/1h30m").value(), (Rate{1, 90min}));
    EXPECT_EQ(parseRate("0").value().count, 0U);
    for (const char* text : {"10/s", "100/m", "3/10s", "1/1h30m", "7/d", "0"}) {
        EXPECT_EQ(formatRate(parseRate(text).value()), text);
    }
}

TEST(Rate, refusesWhatIsNone)
{
    for (const char* text :
         {"",      "10",     "/s",    "10/",   "0/s",      "-1/s",  "+1/s",     "1.5/s",
          "10/x",  "10 / s", "10/s ", "1e3/s", "10/999ms", "1/32d", "100001/s", "99999999999999/s",
          "10/0s", "ten/s",  "10//s", "10/-1s"}) {
        const auto rate = parseRate(text);
        ASSERT_FALSE(rate) << text;
        EXPECT_EQ(rate.error().code, ErrorCode::Invalid) << text;
        EXPECT_EQ(rate.error().message.find("rate: "), 0U) << rate.error().message;
    }
}

TEST(TopicLimits, nameTheFieldThatIsWrong)
{
    EXPECT_TRUE(validate(TopicLimits{}));
    EXPECT_TRUE(validate(TopicLimits{.concurrency = 1}));
    EXPECT_EQ(validate(TopicLimits{.concurrency = 100'001}).error().message.find("concurrency: "),
              0U);
    EXPECT_EQ(validate(TopicLimits{.rate = {1, 1ms}}).error().message.find("rate: "), 0U);
    EXPECT_EQ(validate(TopicAction{"a b", "x", "y"}).error().message.find("topic: "), 0U);
    EXPECT_EQ(validate(TopicAction{"a", "x\n", "y"}).error().message.find("actor: "), 0U);
    EXPECT_EQ(
        validate(TopicAction{"a", "x", std::string("\0", 1)}).error().message.find("reason: "), 0U);
}

TEST(TopicLimits, ofABackupMayBeBelowTheNumberOfShards)
{
    TopicSetting setting{.topic = "order"};
    setting.limits.concurrency = 1;
    DelayQueue::Settings settings;
    settings.shards = 16;
    EXPECT_TRUE(checkImport(setting, settings));
}

}  // namespace
}  // namespace restante
