#include "sipplugin/message/sip_date.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

TEST(SipDate, isPrintedAsRfc3261Wants)
{
    EXPECT_EQ(formatSipDate(fromEpochMs(1'289'690'940'999)), "Sat, 13 Nov 2010 23:29:00 GMT");
}

TEST(SipDate, isRightAfterTheLeapDay)
{
    EXPECT_EQ(formatSipDate(fromEpochMs(1'709'164'800'000)), "Thu, 29 Feb 2024 00:00:00 GMT");
    EXPECT_EQ(formatSipDate(fromEpochMs(1'709'251'200'000)), "Fri, 01 Mar 2024 00:00:00 GMT");
}

TEST(SipDate, isReadBack)
{
    const auto at = fromEpochMs(1'709'251'201'000);
    EXPECT_EQ(parseSipDate(formatSipDate(at)), at);
}

TEST(SipDate, refusesOtherZonesAndImpossibleDays)
{
    EXPECT_FALSE(parseSipDate("Fri, 01 Jan 2010 16:00:00 EST"));
    EXPECT_FALSE(parseSipDate("Mon, 30 Feb 2009 00:00:00 GMT"));
    EXPECT_FALSE(parseSipDate("Mon, 02 Foo 2009 00:00:00 GMT"));
    EXPECT_FALSE(parseSipDate("Mon, 02 Feb 2009 24:00:00 GMT"));
    EXPECT_FALSE(parseSipDate("Mon, 02 Feb 2009 00:00:00 GMT and more"));
    EXPECT_FALSE(parseSipDate(""));
}

}  // namespace
}  // namespace restante::sip
