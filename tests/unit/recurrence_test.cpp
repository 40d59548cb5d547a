#include "core/base/timestamp.h"
#include "core/schedule/recurrence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace restante {
namespace {

using namespace std::chrono_literals;

Result<Recurrence> read(const std::string& rule,
                        const std::string& start = "2026-01-01 09:00",
                        const std::string& zone = "UTC",
                        Millis minInterval = 1min)
{
    return Recurrence::parse(rule, ZonedClock::find(zone).value(),
                             parseLocalTime(start, Millis{0}).value(), minInterval);
}

/// The first `count` occurrences, as the zone's clock reads.
std::vector<std::string>
occurrences(const Recurrence& recurrence, std::size_t count, TimePoint after = {})
{
    std::vector<std::string> readings;
    for (auto at = recurrence.next(after); at && readings.size() < count;
         at = recurrence.next(*at)) {
        readings.push_back(formatLocal(recurrence.zone().localOf(*at)).substr(0, 16));
    }
    return readings;
}

struct Example {
    std::string rule;
    std::string start;
    std::vector<std::string> expected;

    friend void PrintTo(const Example& example, std::ostream* out) { *out << example.rule; }
};

class Rule : public testing::TestWithParam<Example> {};

TEST_P(Rule, happensAsTheRfcSays)
{
    const auto& example = GetParam();
    const auto recurrence = read(example.rule, example.start, "America/New_York");
    ASSERT_TRUE(recurrence) << recurrence.error().message;
    EXPECT_EQ(occurrences(*recurrence, example.expected.size()), example.expected);
}

using Days = std::vector<std::string>;

// Most of these are the examples of RFC 5545 section 3.8.5.3.
INSTANTIATE_TEST_SUITE_P(
    Examples,
    Rule,
    testing::Values(
        Example{"FREQ=DAILY;COUNT=2", "1997-09-02 09:00", {"1997-09-02 09:00", "1997-09-03 09:00"}},
        Example{"freq=daily;interval=2",
                "1997-10-25 09:00",
                {"1997-10-25 09:00", "1997-10-27 09:00", "1997-10-29 09:00"}},
        Example{"FREQ=YEARLY;UNTIL=19990131T140000Z;BYMONTH=1;BYDAY=SU,SA",
                "1998-01-30 09:00",
                {"1998-01-31 09:00", "1999-01-02 09:00", "1999-01-03 09:00"}},
        Example{"FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE,FR",
                "1997-09-01 09:00",
                {"1997-09-01 09:00", "1997-09-03 09:00", "1997-09-05 09:00", "1997-09-15 09:00"}},
        Example{"FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
                "1997-08-05 09:00",
                {"1997-08-05 09:00", "1997-08-10 09:00", "1997-08-19 09:00", "1997-08-24 09:00"}},
        Example{"FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
                "1997-08-05 09:00",
                {"1997-08-05 09:00", "1997-08-17 09:00", "1997-08-19 09:00", "1997-08-31 09:00"}},
        Example{"FREQ=MONTHLY;BYDAY=1FR",
                "1997-09-05 09:00",
                {"1997-09-05 09:00", "1997-10-03 09:00", "1997-11-07 09:00"}},
        Example{"FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU",
                "1997-09-07 09:00",
                {"1997-09-07 09:00", "1997-09-28 09:00", "1997-11-02 09:00", "1997-11-30 09:00"}},
        Example{"FREQ=MONTHLY;BYMONTHDAY=-3",
                "1997-09-28 09:00",
                {"1997-09-28 09:00", "1997-10-29 09:00", "1997-11-28 09:00"}},
        Example{"FREQ=MONTHLY;BYMONTHDAY=31",
                "2026-01-31 09:00",
                {"2026-01-31 09:00", "2026-03-31 09:00", "2026-05-31 09:00", "2026-07-31 09:00"}},
        Example{"FREQ=MONTHLY", "2026-01-31 09:00", {"2026-01-31 09:00", "2026-03-31 09:00"}},
        Example{"FREQ=MONTHLY;BYMONTHDAY=-1",
                "2028-01-31 09:00",
                {"2028-01-31 09:00", "2028-02-29 09:00", "2028-03-31 09:00", "2028-04-30 09:00"}},
        Example{"FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
                "1997-09-02 09:00",
                {"1998-02-13 09:00", "1998-03-13 09:00", "1998-11-13 09:00", "1999-08-13 09:00"}},
        Example{"FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
                "1997-09-04 09:00",
                {"1997-09-04 09:00", "1997-10-07 09:00", "1997-11-06 09:00"}},
        Example{"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
                "1997-09-29 09:00",
                {"1997-09-29 09:00", "1997-10-30 09:00", "1997-11-27 09:00", "1997-12-30 09:00"}},
        Example{"FREQ=YEARLY;BYDAY=20MO",
                "1997-05-19 09:00",
                {"1997-05-19 09:00", "1998-05-18 09:00", "1999-05-17 09:00"}},
        Example{"FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
                "1997-05-12 09:00",
                {"1997-05-12 09:00", "1998-05-11 09:00", "1999-05-17 09:00"}},
        Example{"FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO",
                "2015-01-01 09:00",
                {"2015-12-28 09:00", "2020-12-28 09:00", "2026-12-28 09:00"}},
        Example{"FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200",
                "1997-01-01 09:00",
                {"1997-01-01 09:00", "1997-04-10 09:00", "1997-07-19 09:00", "2000-01-01 09:00"}},
        Example{"FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
                "1996-11-05 09:00",
                {"1996-11-05 09:00", "2000-11-07 09:00", "2004-11-02 09:00"}},
        Example{"FREQ=YEARLY;BYMONTHDAY=13",
                "2026-05-01 09:00",
                {"2026-05-13 09:00", "2026-06-13 09:00"}},
        // Leap days, also over 2100, which has none.
        Example{"FREQ=YEARLY",
                "2028-02-29 09:00",
                {"2028-02-29 09:00", "2032-02-29 09:00", "2036-02-29 09:00"}},
        Example{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
                "2093-01-01 09:00",
                {"2096-02-29 09:00", "2104-02-29 09:00"}},
        Example{"FREQ=YEARLY;BYYEARDAY=366", "2026-01-01 09:00", {"2028-12-31 09:00"}},
        Example{"FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29",
                "2026-01-01 09:00",
                {"2028-02-29 00:00", "2028-02-29 00:01"}},
        Example{"FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z",
                "1997-09-02 09:00",
                {"1997-09-02 09:00", "1997-09-02 12:00"}},
        Example{"FREQ=MINUTELY;INTERVAL=90;COUNT=4",
                "1997-09-02 09:00",
                {"1997-09-02 09:00", "1997-09-02 10:30", "1997-09-02 12:00", "1997-09-02 13:30"}},
        Example{"FREQ=DAILY;BYHOUR=16,9;BYMINUTE=40,0",
                "1997-09-02 09:00",
                {"1997-09-02 09:00", "1997-09-02 09:40", "1997-09-02 16:00", "1997-09-02 16:40"}},
        Example{"FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,16",
                "1997-09-02 09:00",
                {"1997-09-02 09:00", "1997-09-02 09:20", "1997-09-02 09:40", "1997-09-02 16:00"}},
        Example{"FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11",
                "2026-01-01 08:00",
                {"2026-01-01 10:00", "2026-01-02 10:00"}},
        Example{"FREQ=DAILY;UNTIL=20260102",
                "2026-01-01 09:00",
                {"2026-01-01 09:00", "2026-01-02 09:00"}},
        // The start is an occurrence only when the rule names it.
        Example{"FREQ=WEEKLY;BYDAY=MO;COUNT=1", "2026-01-01 09:00", {"2026-01-05 09:00"}}));

TEST(Recurrence, staysAtItsHourOverBothChanges)
{
    const auto daily = read("FREQ=DAILY", "2026-03-28 09:00", "Europe/Berlin").value();
    const auto at = [](const char* text) { return parseTimestamp(text).value(); };
    EXPECT_EQ(daily.next(at("2026-03-28T08:00:00Z")), at("2026-03-29T07:00:00Z"));
    EXPECT_EQ(daily.next(at("2026-10-24T07:00:00Z")), at("2026-10-25T08:00:00Z"));
    EXPECT_THAT(occurrences(daily, 365), testing::Each(testing::HasSubstr("09:00")));
}

TEST(Recurrence, movesWhatTheClockLeavesOut)
{
    const auto daily = read("FREQ=DAILY", "2026-03-28 02:30", "Europe/Berlin").value();
    EXPECT_EQ(occurrences(daily, 3),
              (Days{"2026-03-28 02:30", "2026-03-29 03:30", "2026-03-30 02:30"}));
}

TEST(Recurrence, takesWhatTheClockRepeatsOnce)
{
    const auto daily = read("FREQ=DAILY;COUNT=3", "2026-10-24 02:30", "Europe/Berlin").value();
    const auto first = daily.next({}).value();
    const auto second = daily.next(first).value();
    const auto third = daily.next(second).value();
    EXPECT_EQ(second - first, 24h);  // the first of the two
    EXPECT_EQ(third - second, 25h);
    EXPECT_FALSE(daily.next(third));
}

TEST(Recurrence, neverGoesBackInTimeWithinAGap)
{
    const auto often =
        read("FREQ=MINUTELY;INTERVAL=20", "2026-03-29 00:30", "Europe/Berlin").value();
    TimePoint before = often.next({}).value();
    for (int i = 0; i < 20; ++i) {
        const auto next = often.next(before).value();
        EXPECT_EQ(next - before, 20min);
        before = next;
    }
}

struct Change {
    std::string zone;
    std::string start;  ///< some hours before the zone's clocks are set

    friend void PrintTo(const Change& change, std::ostream* out)
    {
        *out << change.zone << ' ' << change.start;
    }
};

class Interval : public testing::TestWithParam<Change> {
protected:
    /// The distances between the occurrences of 36 hours.
    static void expectEven(const std::string& rule, Millis distance)
    {
        const auto recurrence = read(rule, GetParam().start, GetParam().zone, 1s).value();
        auto at = recurrence.next({}).value();
        for (const auto end = at + 36h; at < end;) {
            const auto next = recurrence.next(at).value();
            ASSERT_EQ(next - at, distance)
                << rule << " behind " << formatLocal(recurrence.zone().localOf(at));
            ASSERT_EQ(recurrence.next(next - 1ms), next);
            ASSERT_EQ(recurrence.next(at + 1ms), next);
            at = next;
        }
    }
};

TEST_P(Interval, runsEvenlyThroughAChangeOfClocks)
{
    expectEven("FREQ=HOURLY", 1h);
    expectEven("FREQ=HOURLY;INTERVAL=2", 2h);
    expectEven("FREQ=HOURLY;INTERVAL=5", 5h);
    expectEven("FREQ=MINUTELY;INTERVAL=20", 20min);
    expectEven("FREQ=MINUTELY;INTERVAL=90", 90min);
    expectEven("FREQ=SECONDLY;INTERVAL=1800", 30min);
    expectEven("FREQ=HOURLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", 1h);
    expectEven("FREQ=HOURLY;BYMINUTE=0,15,30,45", 15min);
    expectEven("FREQ=MINUTELY;INTERVAL=10;BYSECOND=7", 10min);
}

INSTANTIATE_TEST_SUITE_P(Changes,
                         Interval,
                         testing::Values(Change{"Europe/Berlin", "2026-03-28 20:10"},
                                         Change{"Europe/Berlin", "2026-10-24 20:10"},
                                         Change{"America/New_York", "2026-03-07 20:10"},
                                         Change{"America/New_York", "2026-10-31 20:10"},
                                         Change{"Australia/Lord_Howe", "2026-04-04 20:10"},
                                         Change{"Australia/Lord_Howe", "2026-10-03 20:10"},
                                         Change{"America/Havana", "2026-10-31 20:10"},
                                         Change{"UTC", "2026-10-24 20:10"}));

TEST(Recurrence, countsAnIntervalFromAStartLongAgo)
{
    const auto often = read("FREQ=HOURLY;INTERVAL=5", "2020-01-01 09:00", "Europe/Berlin").value();
    const auto start = parseTimestamp("2020-01-01T08:00:00Z").value();
    const auto next = often.next(parseTimestamp("2026-07-01T00:00:00Z").value()).value();
    EXPECT_EQ((next - start) % 5h, 0h);
}

TEST(Recurrence, ofAnIntervalCountsTheRepeatedHourToo)
{
    const auto hourly = read("FREQ=HOURLY;COUNT=5", "2026-10-25 01:00", "Europe/Berlin").value();
    EXPECT_EQ(occurrences(hourly, 9),
              (Days{"2026-10-25 01:00", "2026-10-25 02:00", "2026-10-25 02:00", "2026-10-25 03:00",
                    "2026-10-25 04:00"}));
    const auto until =
        read("FREQ=HOURLY;UNTIL=20260329T030000", "2026-03-29 00:00", "Europe/Berlin").value();
    EXPECT_EQ(occurrences(until, 9),
              (Days{"2026-03-29 00:00", "2026-03-29 01:00", "2026-03-29 03:00"}));
}

TEST(Recurrence, ofAnIntervalBeginsInTheRepeatedHourThatIsMeant)
{
    const auto at = [](const char* text) { return parseTimestamp(text).value(); };
    const auto from = [](const char* rule, std::optional<TimePoint> begin) {
        return Recurrence::parse(rule, ZonedClock::find("Europe/Berlin").value(),
                                 parseLocalTime("2026-10-25 02:30", Millis{0}).value(), 1min, begin)
            .value();
    };
    const auto first = at("2026-10-25T00:30:00Z");
    const auto second = at("2026-10-25T01:30:00Z");
    const auto* const rule = "FREQ=HOURLY;INTERVAL=2;COUNT=2";
    EXPECT_EQ(from(rule, std::nullopt).next({}), first);
    EXPECT_EQ(from(rule, first).next({}), first);
    EXPECT_EQ(from(rule, second).next({}), second);
    EXPECT_EQ(from(rule, second).next(second), second + 2h);
    EXPECT_EQ(from(rule, second).startInstant(), second);
    // What is no such moment, or a rule that goes by the clock, is read as without it.
    EXPECT_EQ(from(rule, second + 1h).next({}), first);
    EXPECT_EQ(from("FREQ=DAILY", second).next({}), first);
    EXPECT_EQ(from("FREQ=DAILY", second).startInstant(), std::nullopt);
}

TEST(Recurrence, ofAnIntervalAsksTheClockForItsDays)
{
    const auto sundays =
        read("FREQ=HOURLY;INTERVAL=6;BYDAY=SU", "2026-10-24 06:00", "Europe/Berlin").value();
    EXPECT_EQ(occurrences(sundays, 5),
              (Days{"2026-10-25 00:00", "2026-10-25 05:00", "2026-10-25 11:00", "2026-10-25 17:00",
                    "2026-10-25 23:00"}));
}

TEST(Recurrence, ofHoursOfTheDayGoesByTheClock)
{
    const auto at = [](const char* text) { return parseTimestamp(text).value(); };
    const auto byHours =
        read("FREQ=HOURLY;BYHOUR=1,9", "2026-10-24 01:00", "Europe/Berlin").value();
    EXPECT_EQ(byHours.next(at("2026-10-24T08:00:00Z")), at("2026-10-24T23:00:00Z"));
    EXPECT_EQ(byHours.next(at("2026-10-24T23:00:00Z")), at("2026-10-25T08:00:00Z"));
    // 02:00 to 02:40 occur twice, and count once.
    const auto often =
        read("FREQ=MINUTELY;INTERVAL=20;BYHOUR=2", "2026-10-25 02:00", "Europe/Berlin").value();
    EXPECT_EQ(occurrences(often, 4), (Days{"2026-10-25 02:00", "2026-10-25 02:20",
                                           "2026-10-25 02:40", "2026-10-26 02:00"}));
}

TEST(Recurrence, findsTheNextFromAnyMoment)
{
    const auto weekly =
        read("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,FR", "2020-01-03 09:00", "Europe/Berlin").value();
    std::vector<TimePoint> all;
    for (auto at = weekly.next({}); all.size() < 200; at = weekly.next(*at)) {
        all.push_back(*at);
    }
    for (std::size_t i = 1; i < all.size(); ++i) {
        EXPECT_EQ(weekly.next(all[i] - 1ms), all[i]);
        EXPECT_EQ(weekly.next(all[i - 1] + 1h), all[i]);
    }
}

TEST(Recurrence, findsTheLastOccurrenceOfASpan)
{
    const auto daily = read("FREQ=DAILY");
    ASSERT_TRUE(daily);
    const auto at = [](const char* text) { return parseTimestamp(text).value(); };
    const auto last = [&](const char* from, const char* until) {
        const auto found = daily->last(at(from), at(until));
        return found ? formatRfc3339(*found).substr(0, 16) : std::string("none");
    };
    EXPECT_EQ(last("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"), "2026-02-28T09:00");
    EXPECT_EQ(last("2026-01-01T00:00:00Z", "2026-03-01T09:00:00Z"), "2026-02-28T09:00")
        << "the end is not of it";
    EXPECT_EQ(last("2026-03-01T09:00:00Z", "2026-03-01T09:00:01Z"), "2026-03-01T09:00")
        << "the beginning is";
    EXPECT_EQ(last("2026-03-01T09:00:01Z", "2026-03-02T09:00:00Z"), "none");
    EXPECT_EQ(last("2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z"), "none");
    EXPECT_EQ(last("2020-01-01T00:00:00Z", "2025-12-31T00:00:00Z"), "none") << "before the start";
}

TEST(Recurrence, endsAfterItsCountAndItsUntil)
{
    const auto counted = read("FREQ=HOURLY;COUNT=10000", "2026-01-01 00:00").value();
    const auto last = parseTimestamp("2027-02-21T15:00:00Z").value();
    EXPECT_EQ(counted.next(last - 1ms), last);
    EXPECT_FALSE(counted.next(last));
    const auto until =
        read("FREQ=DAILY;UNTIL=20260105T080000Z", "2026-01-01 09:00", "Europe/Berlin").value();
    EXPECT_EQ(occurrences(until, 100).size(), 5U);
    // 02:15, the second time on that day; 02:30 is there at 00:30 in UTC.
    const auto repeated =
        read("FREQ=DAILY;UNTIL=20261025T011500Z", "2026-10-24 02:30", "Europe/Berlin").value();
    EXPECT_THAT(occurrences(repeated, 100),
                testing::ElementsAre("2026-10-24 02:30", "2026-10-25 02:30"));
}

struct Refusal {
    std::string rule;
    std::string part;  ///< what the message says

    friend void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.rule; }
};

class BadRule : public testing::TestWithParam<Refusal> {};

TEST_P(BadRule, isRefusedByThePartThatIsWrong)
{
    const auto recurrence = read(GetParam().rule);
    ASSERT_FALSE(recurrence);
    EXPECT_EQ(recurrence.error().code, ErrorCode::Invalid);
    EXPECT_THAT(recurrence.error().message, testing::HasSubstr(GetParam().part));
}

INSTANTIATE_TEST_SUITE_P(
    Rules,
    BadRule,
    testing::Values(
        Refusal{"", "1 to 800 characters"},
        Refusal{"FREQ=DAILY\n", "without spaces"},
        Refusal{"FREQ=DAILY;BYHOUR=" + std::string(100'000, '1'), "1 to 800 characters"},
        Refusal{"DAILY", "NAME=VALUE"},
        Refusal{"FREQ=DAILY;", "NAME=VALUE"},
        Refusal{"FREQ=", "NAME=VALUE"},
        Refusal{"INTERVAL=2", "FREQ is missing"},
        Refusal{"FREQ=FORTNIGHTLY", "FREQ is"},
        Refusal{"FREQ=DAILY;FREQ=DAILY", "FREQ is there twice"},
        Refusal{"FREQ=DAILY;INTERVAL=0", "INTERVAL is 1 to"},
        Refusal{"FREQ=DAILY;INTERVAL=-1", "INTERVAL is 1 to"},
        Refusal{"FREQ=DAILY;INTERVAL=9223372036854775808", "INTERVAL is 1 to"},
        Refusal{"FREQ=DAILY;INTERVAL=NaN", "INTERVAL is 1 to"},
        Refusal{"FREQ=DAILY;COUNT=0", "COUNT is 1 to"},
        Refusal{"FREQ=DAILY;COUNT=10001", "COUNT is 1 to 10000"},
        Refusal{"FREQ=DAILY;COUNT=2;UNTIL=20270101", "exclude each other"},
        Refusal{"FREQ=DAILY;UNTIL=tomorrow", "UNTIL=TOMORROW is not a time"},
        Refusal{"FREQ=DAILY;UNTIL=20270230T000000Z", "is not a time"},
        Refusal{"FREQ=DAILY;UNTIL=20250101", "never happens"},
        Refusal{"FREQ=DAILY;BYHOUR=24", "BYHOUR is 0 to 23"},
        Refusal{"FREQ=DAILY;BYHOUR=-1", "BYHOUR is 0 to 23"},
        Refusal{"FREQ=DAILY;BYMINUTE=1,,2", "BYMINUTE is 0 to 59"},
        Refusal{"FREQ=DAILY;BYSECOND=60", "BYSECOND is 0 to 59"},
        Refusal{"FREQ=DAILY;BYMONTH=13", "BYMONTH is 1 to 12"},
        Refusal{"FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY is 1 to 31, or -1"},
        Refusal{"FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY is 1 to 31"},
        Refusal{"FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY has no meaning with FREQ=WEEKLY"},
        Refusal{"FREQ=MONTHLY;BYYEARDAY=1", "BYYEARDAY has no meaning with FREQ=MONTHLY"},
        Refusal{"FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO has no meaning with FREQ=MONTHLY"},
        Refusal{"FREQ=WEEKLY;BYDAY=1MO", "BYDAY counts days"},
        Refusal{"FREQ=MONTHLY;BYDAY=0MO", "BYDAY is MO"},
        Refusal{"FREQ=MONTHLY;BYDAY=99MO", "BYDAY is MO"},
        Refusal{"FREQ=MONTHLY;BYDAY=M", "BYDAY is MO"},
        Refusal{"FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS chooses"},
        Refusal{"FREQ=HOURLY;BYDAY=MO;BYSETPOS=1", "BYSETPOS needs"},
        Refusal{"FREQ=DAILY;WKST=XX", "WKST is MO"},
        Refusal{"FREQ=DAILY;RSCALE=GREGORIAN", "RSCALE is not known"},
        // Never: and found out without stepping through centuries.
        Refusal{"FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "never happens"},
        Refusal{"FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", "never happens"},
        Refusal{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "never happens"},
        Refusal{"FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "never happens"},
        Refusal{"FREQ=SECONDLY;INTERVAL=2;BYSECOND=1", "never happens"},
        // Too often.
        Refusal{"FREQ=SECONDLY", "the shortest interval is 1m"},
        Refusal{"FREQ=SECONDLY;INTERVAL=59", "the shortest interval is 1m"},
        Refusal{"FREQ=DAILY;BYSECOND=0,30", "the shortest interval is 1m"},
        Refusal{"FREQ=YEARLY;BYSECOND=0,59;BYMONTH=12", "the shortest interval is 1m"}));

TEST(Recurrence, allowsWhatIsAsRareAsAsked)
{
    EXPECT_TRUE(read("FREQ=SECONDLY;INTERVAL=60"));
    EXPECT_TRUE(read("FREQ=SECONDLY;INTERVAL=2", "2026-01-01 09:00", "UTC", 1s));
    EXPECT_FALSE(read("FREQ=HOURLY", "2026-01-01 09:00", "UTC", 24h));
    EXPECT_TRUE(read("FREQ=DAILY", "2026-01-01 09:00", "UTC", 24h));
    EXPECT_FALSE(Recurrence::parse("FREQ=DAILY", ZonedClock::find("UTC").value(),
                                   LocalSeconds{std::chrono::years{-100}}, 1min));
}

}  // namespace
}  // namespace restante
