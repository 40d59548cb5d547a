#include "core/base/time_zone.h"
#include "core/base/timestamp.h"

#include <gtest/gtest.h>

#include <string>

namespace restante {

namespace {
TimeZone zone(const std::string& name)
{
    auto zone = TimeZone::load(name);
    EXPECT_TRUE(zone) << name;
    return zone.value_or(TimeZone{});
}

std::int64_t minutesAhead(const std::string& name, const char* at)
{
    return std::chrono::duration_cast<std::chrono::minutes>(
               zone(name).offsetAt(parseTimestamp(at).value()))
        .count();
}
}  // namespace

TEST(TimeZone, knowsWinterAndSummer)
{
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2026-01-15T12:00:00Z"), 60);
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2026-07-15T12:00:00Z"), 120);
    EXPECT_EQ(minutesAhead("America/New_York", "2026-07-15T12:00:00Z"), -240);
    EXPECT_EQ(minutesAhead("Australia/Sydney", "2026-01-15T12:00:00Z"), 660);
    EXPECT_EQ(minutesAhead("Asia/Kathmandu", "2026-01-15T12:00:00Z"), 345);
}

TEST(TimeZone, changesToTheSecond)
{
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2026-03-29T00:59:59.999Z"), 60);
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2026-03-29T01:00:00Z"), 120);
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2026-10-25T00:59:59.999Z"), 120);
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2026-10-25T01:00:00Z"), 60);
}

TEST(TimeZone, goesOnByTheRuleBehindTheLastTransition)
{
    // The files list the transitions until 2037.
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2050-03-27T00:59:59Z"), 60);
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2050-03-27T01:00:00Z"), 120);
    EXPECT_EQ(minutesAhead("Europe/Berlin", "2050-10-30T01:00:00Z"), 60);
    EXPECT_EQ(minutesAhead("Australia/Sydney", "2050-01-15T12:00:00Z"), 660);
    EXPECT_EQ(minutesAhead("Australia/Sydney", "2050-07-15T12:00:00Z"), 600);
    EXPECT_EQ(minutesAhead("Asia/Tokyo", "2050-07-15T12:00:00Z"), 540);
    EXPECT_EQ(minutesAhead("America/Sao_Paulo", "2050-07-15T12:00:00Z"), -180);
}

TEST(TimeZone, ofItsOwnIsUtc)
{
    EXPECT_EQ(TimeZone{}.offsetAt(fromEpochMs(1'700'000'000'000)), Millis{0});
    EXPECT_EQ(minutesAhead("UTC", "2026-07-15T12:00:00Z"), 0);
}

TEST(TimeZone, refusesNamesThatAreNone)
{
    for (const char* name : {"", "Europe/Berln", "../../etc/passwd", "/etc/passwd", "Europe",
                             "Europe/Berlin\n", "zone.tab"}) {
        const auto none = TimeZone::load(name);
        ASSERT_FALSE(none) << name;
        EXPECT_EQ(none.error().code, ErrorCode::NotFound);
    }
}

TEST(TimeZone, refusesBytesThatAreNoZone)
{
    std::string header = "TZif2" + std::string(39, '\0');
    EXPECT_FALSE(TimeZone::parse(""));
    EXPECT_FALSE(TimeZone::parse(header));
    for (std::size_t i = 20; i < 44; ++i) {
        header[i] = '\xff';
    }
    EXPECT_FALSE(TimeZone::parse(header + header));
}

}  // namespace restante
