#include "tests/soak/trend.h"

#include <gtest/gtest.h>

namespace restante::test {
namespace {

constexpr Allowance kTenth{0.10, 1};

TEST(Trend, isFlatWhenTheBeginningIsAsLongAsItWantsToGrow)
{
    EXPECT_EQ(growthOf("memory", {10, 20, 30, 100, 100, 100, 102, 101, 111}, kTenth), "");
}

TEST(Trend, isTheMiddleOfEachThirdSoThatOneSpikeIsNone)
{
    EXPECT_EQ(growthOf("memory", {1, 1, 1, 100, 100, 100, 100, 900, 100}, kTenth), "");
}

TEST(Trend, saysWhatHasGrownFromWhatToWhat)
{
    EXPECT_EQ(growthOf("memory", {100, 100, 100, 100, 100, 100, 112, 112, 112}, kTenth),
              "memory grew from 100 to 112");
}

TEST(Trend, isNotToldFromAFewValues)
{
    EXPECT_EQ(growthOf("memory", {1, 10, 100, 1'000, 10'000, 1, 1, 1'000}, kTenth), "");
}

}  // namespace
}  // namespace restante::test
