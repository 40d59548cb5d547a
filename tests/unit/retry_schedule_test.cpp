#include "core/job/retry_schedule.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

using namespace std::chrono_literals;

RetrySchedule schedule(std::string_view text)
{
    auto result = RetrySchedule::parse(text);
    EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().message);
    return result.value_or(RetrySchedule{});
}

TEST(RetrySchedule, waitsTheNthIntervalBeforeTheNthAttempt)
{
    const auto retry = schedule("0s,2m,10m,10m,1h,2h,6h,15h");
    const std::vector<Millis> waits{0s, 2min, 10min, 10min, 1h, 2h, 6h, 15h};
    for (std::uint32_t attempt = 1; attempt <= waits.size(); ++attempt) {
        EXPECT_EQ(retry.waitBefore(attempt), waits[attempt - 1]);
    }
}

TEST(RetrySchedule, hasNoAttemptBeyondTheLastInterval)
{
    EXPECT_EQ(schedule("0s,2m,10m").waitBefore(4), std::nullopt);
    EXPECT_EQ(schedule("5s").waitBefore(2), std::nullopt);
}

TEST(RetrySchedule, isEmptyUnlessParsed)
{
    EXPECT_TRUE(RetrySchedule{}.empty());
    EXPECT_EQ(RetrySchedule{}.toString(), "");
    EXPECT_EQ(RetrySchedule{}.waitBefore(1), std::nullopt);
    EXPECT_FALSE(schedule("0s").empty());
}

TEST(ExponentialSchedule, beginsAtOnceThenDoublesUpToTheCap)
{
    const auto retry = schedule("exponential(base=10s,cap=1m)");
    EXPECT_EQ(retry.waitBefore(1), 0s);
    EXPECT_EQ(retry.waitBefore(2), 10s);
    EXPECT_EQ(retry.waitBefore(3), 20s);
    EXPECT_EQ(retry.waitBefore(4), 40s);
    EXPECT_EQ(retry.waitBefore(5), 1min);
    EXPECT_EQ(retry.waitBefore(4'000'000'000), 1min);
}

TEST(RetrySchedule, goesOnWithItsLastIntervalWhenItMayNotEnd)
{
    const auto list = schedule("0s,2m,1h");
    EXPECT_EQ(list.waitBeforeWithoutEnd(2), 2min);
    EXPECT_EQ(list.waitBeforeWithoutEnd(3), 1h);
    EXPECT_EQ(list.waitBeforeWithoutEnd(4'000), 1h);
    EXPECT_EQ(schedule("exponential(base=1s,cap=3s,attempts=2)").waitBeforeWithoutEnd(9), 3s);
}

TEST(ExponentialSchedule, endsAfterItsAttempts)
{
    const auto retry = schedule("exponential(attempts=3)");
    EXPECT_TRUE(retry.waitBefore(3));
    EXPECT_EQ(retry.waitBefore(4), std::nullopt);
}

TEST(ExponentialSchedule, spreadsTheWaitByItsJitter)
{
    const auto retry = schedule("exponential(base=10s,cap=1h,jitter=0.2)");
    EXPECT_EQ(retry.waitBefore(2, 0.0), 8s);
    EXPECT_EQ(retry.waitBefore(2, 0.5), 10s);
    EXPECT_EQ(retry.waitBefore(2, 0.75), 11s);
}

TEST(ExponentialSchedule, takesDefaultsForWhatIsNotSaid)
{
    EXPECT_EQ(schedule("exponential").toString(), "exponential(base=10s,cap=1h)");
}

class PrintedSchedule : public testing::TestWithParam<const char*> {};

TEST_P(PrintedSchedule, isTheTextItWasReadFrom)
{
    EXPECT_EQ(schedule(GetParam()).toString(), GetParam());
    EXPECT_EQ(schedule(GetParam()), schedule(schedule(GetParam()).toString()));
}

INSTANTIATE_TEST_SUITE_P(Texts,
                         PrintedSchedule,
                         testing::Values("0s",
                                         "0s,2m,10m,10m,1h,2h,6h,15h",
                                         "15d,3d",
                                         "exponential(base=10s,cap=1h,jitter=0.2,attempts=12)",
                                         "exponential(base=500ms,cap=1m)"));

class RefusedSchedule : public testing::TestWithParam<const char*> {};

TEST_P(RefusedSchedule, saysWhatIsAllowed)
{
    const auto result = RetrySchedule::parse(GetParam());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Invalid);
    EXPECT_NE(result.error().message.find("1-100 intervals"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Texts,
                         RefusedSchedule,
                         testing::Values("",
                                         ",",
                                         "1s,",
                                         ",1s",
                                         "1s,,2s",
                                         "1s, 2s",
                                         "5",
                                         "linear(base=1s)",
                                         "exponential(",
                                         "exponential()x",
                                         "exponential(base=0s)",
                                         "exponential(cap=never)",
                                         "exponential(jitter=1.5)",
                                         "exponential(jitter=nan)",
                                         "exponential(jitter=)",
                                         "exponential(attempts=-1)",
                                         "exponential(tries=3)",
                                         "exponential(base=1s;cap=2s)"));

TEST(RetrySchedule, takesAHundredIntervalsAndRefusesOneMore)
{
    std::string text = "1s";
    for (int i = 1; i < 100; ++i) {
        text += ",1s";
    }
    EXPECT_TRUE(RetrySchedule::parse(text));
    EXPECT_FALSE(RetrySchedule::parse(text + ",1s"));
}

}  // namespace
}  // namespace restante
