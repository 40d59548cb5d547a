#include "core/base/timestamp.h"
#include "core/sms/quiet_hours.h"

#include <gtest/gtest.h>

#include <string>

namespace restante::sms {

namespace {
std::string endOf(const char* hours, const char* zone, const char* now)
{
    const auto end = QuietHours::parse(hours).value().endOf(parseTimestamp(now).value(),
                                                            TimeZone::load(zone).value());
    return end ? formatRfc3339(*end) : "not quiet";
}
}  // namespace

TEST(QuietHours, endInTheMorningOfTheRecipient)
{
    EXPECT_EQ(endOf("21:00-08:00", "Europe/Berlin", "2026-01-15T20:30:00Z"),
              "2026-01-16T07:00:00.000Z");
    EXPECT_EQ(endOf("21:00-08:00", "Europe/Berlin", "2026-01-16T06:59:59.999Z"),
              "2026-01-16T07:00:00.000Z");
    EXPECT_EQ(endOf("21:00-08:00", "America/New_York", "2026-01-16T02:00:00Z"),
              "2026-01-16T13:00:00.000Z");
}

TEST(QuietHours, beginAndEndToTheMillisecond)
{
    EXPECT_EQ(endOf("21:00-08:00", "UTC", "2026-01-15T20:59:59.999Z"), "not quiet");
    EXPECT_EQ(endOf("21:00-08:00", "UTC", "2026-01-15T21:00:00Z"), "2026-01-16T08:00:00.000Z");
    EXPECT_EQ(endOf("21:00-08:00", "UTC", "2026-01-16T08:00:00Z"), "not quiet");
    EXPECT_EQ(endOf("12:00-14:30", "UTC", "2026-01-16T13:00:00Z"), "2026-01-16T14:30:00.000Z");
    EXPECT_EQ(endOf("12:00-14:30", "UTC", "2026-01-16T14:30:00Z"), "not quiet");
}

TEST(QuietHours, areAnHourShorterWhenTheClocksGoForward)
{
    EXPECT_EQ(endOf("21:00-08:00", "Europe/Berlin", "2026-03-28T21:00:00Z"),
              "2026-03-29T06:00:00.000Z");
    EXPECT_EQ(endOf("21:00-08:00", "Europe/Berlin", "2026-10-24T21:00:00Z"),
              "2026-10-25T07:00:00.000Z");
}

TEST(QuietHours, endWhenTheClocksLeaveOutTheirEnd)
{
    for (const auto* now :
         {"2026-03-28T23:30:00Z", "2026-03-29T00:10:00Z", "2026-03-29T00:50:00Z"}) {
        EXPECT_EQ(endOf("23:00-02:30", "Europe/Berlin", now), "2026-03-29T01:00:00.000Z") << now;
    }
}

TEST(QuietHours, areTwoDifferentTimesOfDay)
{
    for (const char* text :
         {"", "21:00", "21:00-21:00", "24:00-08:00", "21:60-08:00", "9:00-17:00", "21:00-08:00 ",
          "-1:00-08:00", "21.00-08.00", "21:00--0:30", "21:00-08:-0"}) {
        EXPECT_FALSE(QuietHours::parse(text)) << text;
    }
}

}  // namespace restante::sms
