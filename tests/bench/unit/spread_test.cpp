#include "tests/bench/table/spread.h"

#include <gtest/gtest.h>

namespace restante::bench {
namespace {

TEST(Spread, isOfTheLowestTheMiddleAndTheHighest)
{
    const Spread spread = spreadOf({5, 1, 4, 2, 3});
    EXPECT_DOUBLE_EQ(spread.low, 1);
    EXPECT_DOUBLE_EQ(spread.median, 3);
    EXPECT_DOUBLE_EQ(spread.high, 5);
}

TEST(Spread, takesTheMeanOfTheTwoInTheMiddle)
{
    EXPECT_DOUBLE_EQ(spreadOf({4, 1, 2, 3}).median, 2.5);
}

TEST(Spread, ofOneFigureIsThatFigure)
{
    const Spread spread = spreadOf({7});
    EXPECT_DOUBLE_EQ(spread.low, 7);
    EXPECT_DOUBLE_EQ(spread.median, 7);
    EXPECT_DOUBLE_EQ(spread.high, 7);
}

TEST(Spread, ofNoFiguresIsZero)
{
    EXPECT_DOUBLE_EQ(spreadOf({}).median, 0);
}

TEST(Spread, isNotMovedByOneRoundThatWentWrong)
{
    EXPECT_DOUBLE_EQ(spreadOf({10, 11, 12, 13, 900}).median, 12);
}

}  // namespace
}  // namespace restante::bench
