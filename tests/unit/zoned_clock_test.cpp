#include "core/base/timestamp.h"
#include "core/schedule/zoned_clock.h"

#include <gtest/gtest.h>

#include <ostream>

namespace restante {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

ZonedClock clockOf(const std::string& name)
{
    return ZonedClock::find(name).value();
}
LocalSeconds local(const std::string& text)
{
    return parseLocalTime(text, Millis{0}).value();
}

struct Reading {
    std::string zone;
    std::string local;
    std::string utc;

    friend void PrintTo(const Reading& reading, std::ostream* out)
    {
        *out << reading.zone << " " << reading.local;
    }
};

class InstantOf : public testing::TestWithParam<Reading> {};

TEST_P(InstantOf, readsTheWallClock)
{
    const auto& reading = GetParam();
    EXPECT_EQ(formatRfc3339(clockOf(reading.zone).instantOf(local(reading.local))), reading.utc);
}

INSTANTIATE_TEST_SUITE_P(
    Zones,
    InstantOf,
    testing::Values(Reading{"UTC", "2026-12-31 09:00", "2026-12-31T09:00:00.000Z"},
                    Reading{"Europe/Berlin", "2026-12-31 09:00", "2026-12-31T08:00:00.000Z"},
                    Reading{"Europe/Berlin", "2026-07-01 09:00", "2026-07-01T07:00:00.000Z"},
                    Reading{"Asia/Kathmandu", "2026-07-01 09:00", "2026-07-01T03:15:00.000Z"},
                    Reading{"America/New_York", "2026-03-08 01:59:59", "2026-03-08T06:59:59.000Z"},
                    Reading{"America/New_York", "2026-03-08 03:00", "2026-03-08T07:00:00.000Z"},
                    // Does not exist: read with the offset before the gap.
                    Reading{"America/New_York", "2026-03-08 02:30", "2026-03-08T07:30:00.000Z"},
                    Reading{"Europe/Berlin", "2026-03-29 02:00", "2026-03-29T01:00:00.000Z"},
                    Reading{"Europe/Berlin", "2026-03-29 02:59:59", "2026-03-29T01:59:59.000Z"},
                    // Exists twice: the first.
                    Reading{"Europe/Berlin", "2026-10-25 02:00", "2026-10-25T00:00:00.000Z"},
                    Reading{"Europe/Berlin", "2026-10-25 02:59:59", "2026-10-25T00:59:59.000Z"},
                    Reading{"Europe/Berlin", "2026-10-25 03:00", "2026-10-25T02:00:00.000Z"},
                    // Half an hour of summer time, south of the equator.
                    Reading{"Australia/Lord_Howe", "2026-10-04 02:10", "2026-10-03T15:40:00.000Z"},
                    Reading{"Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04T14:45:00.000Z"},
                    // A day that never was.
                    Reading{"Pacific/Apia", "2011-12-30 12:00", "2011-12-30T22:00:00.000Z"},
                    // Long after the table of changes has ended.
                    Reading{"Europe/Berlin", "2090-01-10 09:00", "2090-01-10T08:00:00.000Z"},
                    Reading{"Europe/Berlin", "2090-07-10 09:00", "2090-07-10T07:00:00.000Z"},
                    Reading{"Australia/Sydney", "2090-01-10 09:00", "2090-01-09T22:00:00.000Z"},
                    Reading{"Australia/Sydney", "2090-07-10 09:00", "2090-07-09T23:00:00.000Z"}));

TEST(ZonedClock, readsBackWhatItTold)
{
    for (const auto* name : {"Europe/Berlin", "America/St_Johns", "Asia/Tehran", "UTC"}) {
        const auto theZone = clockOf(name);
        for (auto at = fromEpochMs(1'767'225'600'000); at < fromEpochMs(1'798'761'600'000);
             at += Millis{minutes{30}}) {
            const auto again = theZone.instantOf(theZone.localOf(at));
            // The second of two readings is told as the first.
            EXPECT_TRUE(again == at || again == at - hours{1}) << name << formatRfc3339(at);
        }
    }
}

TEST(ZonedClock, isFoundByItsNameAlone)
{
    for (const auto* name : {"", "Mars/Phobos", "../../etc/passwd", "/etc/localtime", "Europe",
                             "europe/berlin ", "Europe/Berlin\n", "tzdata.zi", "zone.tab"}) {
        const auto found = ZonedClock::find(name);
        ASSERT_FALSE(found) << name;
        EXPECT_EQ(found.error().code, ErrorCode::Invalid);
        EXPECT_NE(found.error().message.find("IANA name"), std::string::npos);
    }
    EXPECT_FALSE(ZonedClock::find(std::string(100'000, 'a')));
}

TEST(LocalTime, isADateWithOrWithoutATime)
{
    EXPECT_EQ(formatLocal(parseLocalTime("2026-12-31", hours{9}).value()), "2026-12-31 09:00:00");
    EXPECT_EQ(formatLocal(local("2028-02-29T23:59:58")), "2028-02-29 23:59:58");
    for (const auto* wrong : {"", "2026-02-29", "2026-13-01", "26-12-31", "2026-12-31 24:00",
                              "2026-12-31 09:60", "2026-12-31 09", "2026-12-31 09:00Z",
                              "2026-12-31 ", "tomorrow", "2026-12-31 -9:00", "-026-12-31"}) {
        EXPECT_FALSE(parseLocalTime(wrong, Millis{0})) << wrong;
    }
}

}  // namespace
}  // namespace restante
