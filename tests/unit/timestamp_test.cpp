#include "core/base/timestamp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace restante {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Local time is that of Berlin while this lives.
class Timestamp : public ::testing::Test {
protected:
    Timestamp() { use("CET-1CEST,M3.5.0,M10.5.0/3"); }
    ~Timestamp() override { use("UTC"); }

    static void use(const char* zone)
    {
        setenv("TZ", zone, 1);
        tzset();
    }
    static std::int64_t ms(std::string_view text)
    {
        return toEpochMs(parseTimestamp(text).value());
    }
};

TEST_F(Timestamp, readsRfc3339)
{
    EXPECT_EQ(ms("2026-12-31T09:00:00Z"), 1'798'707'600'000);
    EXPECT_EQ(ms("2026-12-31T10:00:00+01:00"), 1'798'707'600'000);
    EXPECT_EQ(ms("2026-12-31t03:30:00.2509-05:30"), 1'798'707'600'250);
}

TEST_F(Timestamp, printsEveryYearOfFourDigits)
{
    for (const std::string text :
         {"0000-01-01T00:00:00.000Z", "0999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z",
          "1970-01-01T00:00:00.000Z", "2000-02-29T12:34:56.789Z", "2026-12-31T23:59:59.001Z",
          "2100-03-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"}) {
        EXPECT_EQ(formatRfc3339(parseTimestamp(text).value()), text);
    }
    EXPECT_EQ(formatRfc3339(fromEpochMs(253'402'300'800'000)), "10000-01-01T00:00:00.000Z");
}

TEST_F(Timestamp, withoutAZoneIsLocal)
{
    EXPECT_EQ(ms("2026-12-31 10:00"), 1'798'707'600'000);
    EXPECT_EQ(ms("2026-12-31 10:00:30"), 1'798'707'630'000);
    EXPECT_EQ(ms("2026-07-01 12:00"), ms("2026-07-01T10:00:00Z"));
}

TEST_F(Timestamp, readsBackWhatItPrints)
{
    const auto at = fromEpochMs(1'798'707'600'042);
    EXPECT_EQ(formatRfc3339(at), "2026-12-31T09:00:00.042Z");
    EXPECT_EQ(parseTimestamp(formatRfc3339(at)).value(), at);
    EXPECT_EQ(formatLocalTime(at), "2026-12-31 10:00:00");
}

TEST_F(Timestamp, refusesWhatIsNoTimeAndSaysWhatIs)
{
    for (const char* text :
         {"", "tomorrow", "2026-12-31", "2026-02-30 09:00", "2026-12-31 24:00", "2026-12-31 09:60",
          "2026-13-01 09:00", "2026-12-31T09:00:00+25:00", "2026-12-31T09:00:00.Z",
          "2026-12-31 09:00 ", "26-12-31 09:00", "2026-12-31 09:00:00Zx", "-026-12-31 09:00"}) {
        const auto time = parseTimestamp(text);
        ASSERT_FALSE(time) << text;
        EXPECT_THAT(time.error().message, HasSubstr("2026-12-31 09:00"));
    }
}

TEST_F(Timestamp, isToldRelativeToNowNoFinerThanNeeded)
{
    const auto now = fromEpochMs(1'798'707'600'000);
    EXPECT_EQ(formatRelative(now + 999ms, now), "now");
    EXPECT_EQ(formatRelative(now + 3100ms, now), "in 3s");
    EXPECT_EQ(formatRelative(now - 90s, now), "1m30s ago");
    EXPECT_EQ(formatRelative(now + 1h + 30min + 5s, now), "in 1h30m");
    EXPECT_EQ(formatRelative(now - 50h - 20min, now), "2d2h ago");
}

}  // namespace
}  // namespace restante
