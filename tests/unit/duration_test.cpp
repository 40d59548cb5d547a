#include "core/base/duration.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

using namespace std::chrono_literals;

TEST(Duration, readsEachUnit)
{
    EXPECT_EQ(*parseDuration("1500ms"), 1500ms);
    EXPECT_EQ(*parseDuration("7s"), 7s);
    EXPECT_EQ(*parseDuration("2m"), 2min);
    EXPECT_EQ(*parseDuration("3h"), 3h);
    EXPECT_EQ(*parseDuration("15d"), 360h);
    EXPECT_EQ(*parseDuration("2w"), 336h);
}

TEST(Duration, addsUpPartsFromTheLargestToTheSmallest)
{
    EXPECT_EQ(*parseDuration("1h30m"), 90min);
    EXPECT_EQ(*parseDuration("1w1d1h1m1s1ms"), 192h + 1h + 1min + 1s + 1ms);
}

TEST(Duration, readsNothingAsZeroWithOrWithoutAUnit)
{
    EXPECT_EQ(*parseDuration("0"), 0ms);
    EXPECT_EQ(*parseDuration("0s"), 0ms);
}

TEST(Duration, readsAHundredYearsAndRefusesOneMillisecondMore)
{
    EXPECT_EQ(*parseDuration("36525d"), 24h * 36525);
    EXPECT_FALSE(parseDuration("36525d1ms"));
    EXPECT_FALSE(parseDuration("99999999999999999999ms"));
    EXPECT_FALSE(parseDuration("9223372036854775807w"));
}

class RefusedDuration : public testing::TestWithParam<const char*> {};

TEST_P(RefusedDuration, isNamedTogetherWithWhatIsAllowed)
{
    const auto result = parseDuration(GetParam());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Invalid);
    EXPECT_NE(result.error().message.find(GetParam()), std::string::npos);
    EXPECT_NE(result.error().message.find("w d h m s ms"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Texts,
                         RefusedDuration,
                         testing::Values("",
                                         "5",
                                         "00",
                                         "-1s",
                                         "+1s",
                                         "1 s",
                                         " 1s",
                                         "1s ",
                                         "1.5s",
                                         "1y",
                                         "s",
                                         "30m1h",
                                         "1s1s",
                                         "1ms1s",
                                         "1S",
                                         "1h5"));

TEST(Duration, printsTheLargestUnitsButNoWeeks)
{
    EXPECT_EQ(formatDuration(0ms), "0s");
    EXPECT_EQ(formatDuration(90s), "1m30s");
    EXPECT_EQ(formatDuration(1500ms), "1s500ms");
    EXPECT_EQ(formatDuration(360h), "15d");
}

TEST(Duration, printsWhatItReadsBack)
{
    for (std::int64_t ms = 1; ms < 3'000'000'000'000; ms = ms * 3 + 7) {
        EXPECT_EQ(*parseDuration(formatDuration(Millis{ms})), Millis{ms});
    }
}

}  // namespace
}  // namespace restante
