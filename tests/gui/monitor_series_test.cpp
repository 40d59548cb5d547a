#include "gui/pages/monitor/chart.h"
#include "gui/pages/monitor/monitor_model.h"
#include "gui/pages/monitor/monitor_series.h"
#include "gui/theme/rate_text.h"

#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

constexpr TimePoint kStart{Millis{1'793'000'000'000}};

Sample at(int second, std::uint64_t pushed, std::uint64_t ready = 0)
{
    Sample sample;
    sample.at = kStart + Millis{second * 1'000};
    sample.moves["push"] = pushed;
    sample.counts.states[JobState::Ready] = ready;
    return sample;
}

}  // namespace

TEST(MonitorSeries, makesARateOfTheDifferenceOfTwoSamples)
{
    MonitorSeries series;
    series.add(at(0, 100));
    series.add(at(2, 120));
    const auto points = series.points(0, kStart + Millis{2'000});
    EXPECT_EQ(points.size(), 180U);
    EXPECT_DOUBLE_EQ(points.back()[Line::Pushed].value(), 10.0);
    EXPECT_DOUBLE_EQ(points.back()[Line::Finished].value(), 0.0);
}

TEST(MonitorSeries, hasNoRateAfterOneSampleOnly)
{
    MonitorSeries series;
    series.add(at(0, 100, 7));
    const auto point = series.points(0, kStart).back();
    EXPECT_FALSE(point[Line::Pushed]);
    EXPECT_DOUBLE_EQ(point[Line::Ready].value(), 7.0);
}

TEST(MonitorSeries, leavesAGapWhereNobodyLooked)
{
    MonitorSeries series;
    series.add(at(0, 0, 1));
    series.add(at(60, 600, 1));
    const auto points = series.points(0, kStart + Millis{60'000});
    EXPECT_FALSE(points.back()[Line::Pushed]) << "a minute is not made up";
    EXPECT_TRUE(points.back()[Line::Ready]);
    EXPECT_FALSE(points[points.size() - 3][Line::Ready]);
    EXPECT_TRUE(points[points.size() - 13][Line::Ready]);
}

TEST(MonitorSeries, leavesAGapWhereTheCountersBeganAnew)
{
    MonitorSeries series;
    series.add(at(0, 5'000));
    series.add(at(2, 3));
    EXPECT_FALSE(series.points(0, kStart + Millis{2'000}).back()[Line::Pushed]);
}

TEST(MonitorSeries, takesTheMeanOfBacklogsAndTheWorstLateness)
{
    MonitorSeries series;
    auto first = at(0, 0, 10);
    first.lateness = Lateness{Millis{200}, Millis{900}, Millis{900}, Millis{900}};
    auto second = at(2, 0, 20);
    second.lateness = Lateness{Millis{50}, Millis{50}, Millis{50}, Millis{50}};
    series.add(first);
    series.add(second);
    const auto point = series.points(1, kStart + Millis{2'000}).back();
    EXPECT_DOUBLE_EQ(point[Line::Ready].value(), 15.0);
    EXPECT_DOUBLE_EQ(point[Line::LatenessP50].value(), 200.0);
    EXPECT_DOUBLE_EQ(point[Line::LatenessP99].value(), 900.0);
}

TEST(MonitorSeries, forgetsWhatIsOlderThanItsWindow)
{
    MonitorSeries series;
    series.add(at(0, 0, 1));
    series.add(at(900, 0, 1));
    const auto points = series.points(0, kStart + Millis{900'000});
    EXPECT_FALSE(points.front()[Line::Ready]);
    EXPECT_TRUE(points.back()[Line::Ready]);
    EXPECT_TRUE(series.points(1, kStart + Millis{900'000})[134][Line::Ready]);
}

TEST(MonitorSeries, ignoresASampleThatIsNotNewer)
{
    MonitorSeries series;
    series.add(at(2, 0, 5));
    series.add(at(1, 0, 500));
    EXPECT_DOUBLE_EQ(series.points(0, kStart + Millis{2'000}).back()[Line::Ready].value(), 5.0);
}

TEST(MonitorSeries, fillsWhatNobodyWatchedFromTheJournal)
{
    MonitorSeries series;
    const TimePoint now = kStart + Millis{2'000};
    series.add(at(0, 100, 7));
    series.add(at(2, 120, 7));
    const auto points = series.points(0, now);
    Past past;
    past.knownFrom = points[100].at - Millis{1};
    past.knownUntil = now;
    past.moves[{points[120].at, "push"}] = 50;
    past.moves[{points[120].at, "bury"}] = 5;
    past.moves[{points[120].at, "expire"}] = 10;
    past.moves[{points.back().at, "push"}] = 999;
    series.setPast(0, past);
    const auto filled = series.points(0, now);
    EXPECT_FALSE(filled[99][Line::Pushed]) << "the journal does not reach so far";
    EXPECT_DOUBLE_EQ(filled[100][Line::Pushed].value(), 0.0) << "known, and nothing happened";
    EXPECT_DOUBLE_EQ(filled[120][Line::Pushed].value(), 10.0);
    EXPECT_DOUBLE_EQ(filled[120][Line::Failed].value(), 3.0);
    EXPECT_FALSE(filled[120][Line::Ready]) << "it knows no backlog";
    EXPECT_DOUBLE_EQ(filled.back()[Line::Pushed].value(), 10.0) << "what was watched stays";
    EXPECT_FALSE(series.points(1, now)[170][Line::Pushed]) << "another range was not asked for";
}

TEST(MonitorSeries, fillsTheBacklogOfAMinuteThatTheDaemonNoted)
{
    MonitorSeries series;
    const TimePoint now = kStart + Millis{2'000};
    series.add(at(0, 100, 7));
    const auto points = series.points(0, now);
    PastBacklog look;
    look.at = points[100].at;
    look.until = look.at + Millis{60'000};  // twelve steps of five seconds
    look.states = {{JobState::Ready, 40}, {JobState::Dead, 3}};
    look.lateness = Lateness{Millis{10}, Millis{20}, Millis{30}, Millis{30}};
    PastBacklog last = look;
    last.at = points.back().at - Millis{10'000};
    last.until = last.at + Millis{60'000};
    Past past;
    past.backlog = {look, last};
    series.setPast(0, past);
    const auto filled = series.points(0, now);
    EXPECT_FALSE(filled[99][Line::Ready]);
    EXPECT_DOUBLE_EQ(filled[100][Line::Ready].value(), 40.0);
    EXPECT_DOUBLE_EQ(filled[111][Line::Dead].value(), 3.0);
    EXPECT_DOUBLE_EQ(filled[111][Line::LatenessP95].value(), 20.0);
    EXPECT_FALSE(filled[112][Line::Ready]) << "a minute without a look is a gap";
    EXPECT_FALSE(filled[100][Line::Held]) << "what was not noted is not made up";
    EXPECT_DOUBLE_EQ(filled[filled.size() - 2][Line::Ready].value(), 40.0);
    EXPECT_DOUBLE_EQ(filled.back()[Line::Ready].value(), 7.0) << "what was watched stays";
}

TEST(RateText, isInTheUnitInWhichThereIsAWholeJob)
{
    EXPECT_EQ(rateText(0), QStringLiteral("0/s"));
    EXPECT_EQ(rateText(1'234.4), QStringLiteral("1,234/s"));
    EXPECT_EQ(rateText(12.5), QStringLiteral("12.5/s"));
    EXPECT_EQ(rateText(12), QStringLiteral("12/s"));
    EXPECT_EQ(rateText(1), QStringLiteral("1/s"));
    EXPECT_EQ(rateText(0.5), QStringLiteral("30/min"));
    EXPECT_EQ(rateText(2.0 / 60), QStringLiteral("2/min"));
    EXPECT_EQ(rateText(1.0 / 60), QStringLiteral("1/min"));
    EXPECT_EQ(rateText(1.0 / 120), QStringLiteral("30/h"));
    EXPECT_EQ(rateText(1.0 / 86'400), QStringLiteral("1/d"));
}

TEST(RateText, neverReadsNothingWhereThereIsSomething)
{
    EXPECT_EQ(rateText(0.03, RateUnit::Second), QStringLiteral("0.03/s"));
    EXPECT_EQ(rateText(0.003, RateUnit::Second), QStringLiteral("0.003/s"));
    EXPECT_EQ(rateText(0.0003, RateUnit::Second), QStringLiteral("<0.001/s"));
    EXPECT_EQ(rateText(0.25, RateUnit::Second), QStringLiteral("0.25/s"));
    EXPECT_EQ(rateText(0, RateUnit::Minute), QStringLiteral("0/min"));
}

TEST(MonitorSeries, knowsOfAShareWhatTheStoreCountsByTopic)
{
    MonitorSeries series({.topic = "order", .channel = Channel::Sms});
    auto sample = at(0, 100, 50);
    sample.counts.topics = {{Channel::Sms, "order", 3, 4},
                            {Channel::Pull, "order", 30, 40},
                            {Channel::Sms, "other", 300, 400}};
    series.add(sample);
    sample.at += Millis{2'000};
    series.add(sample);
    const auto point = series.points(0, sample.at).back();
    EXPECT_DOUBLE_EQ(point[Line::Scheduled].value(), 3.0);
    EXPECT_DOUBLE_EQ(point[Line::Ready].value(), 4.0);
    EXPECT_FALSE(point[Line::Leased]);
    EXPECT_FALSE(point[Line::Pushed]) << "the counters are those of all jobs";
}

TEST(ChartScale, endsAtARoundNumber)
{
    EXPECT_THAT(valueTicks(37, 4), testing::ElementsAre(0, 10, 20, 30, 40));
    EXPECT_THAT(valueTicks(1'000, 4), testing::ElementsAre(0, 500, 1'000));
    EXPECT_THAT(valueTicks(0, 4), testing::ElementsAre(0, 0.5, 1));
    EXPECT_THAT(durationTicks(100'000, 4),
                testing::ElementsAre(0, 30'000, 60'000, 90'000, 120'000));
}

TEST(ChartScale, drawsTwoJobsTwiceAsHighAsOne)
{
    Chart chart(Chart::Unit::Jobs, Chart::Form::Stacked);
    chart.resize(400, 200);
    ChartContent content;
    content.begin = kStart;
    content.steps = 8;
    content.lines = {
        {QStringLiteral("ready"), Qt::red, Qt::SolidLine, true, {1, 1, 1, 1, 2, 2, 2, 2}}};
    chart.setContent(content);
    const auto picture = chart.grab().toImage();
    const auto colorAt = [&](int step, double height) {
        return picture.pixelColor(static_cast<int>(chart.xOf(content.at(step))),
                                  static_cast<int>(chart.height() * height));
    };
    EXPECT_NE(colorAt(1, 0.3), colorAt(6, 0.3)) << "one job does not reach up there";
    EXPECT_EQ(colorAt(1, 0.7), colorAt(6, 0.7));
}

TEST(ChartMarks, areReachedByTheKeyOnlyWhenTheyAreInTheChart)
{
    Chart chart(Chart::Unit::Jobs, Chart::Form::Lines);
    ChartContent content;
    content.begin = kStart;
    content.steps = 10;
    content.lines = {{QStringLiteral("ready"), Qt::red, Qt::SolidLine, true, {10, 1}}};
    content.lines[0].values.resize(10);
    chart.setContent(content);
    chart.setMarks({{kStart - Millis{500}, QStringLiteral("before")},
                    {kStart + Millis{5'000}, QStringLiteral("within")}});
    QTest::keyClick(&chart, Qt::Key_M);
    EXPECT_EQ(chart.cursorStep(), 5U);
    QTest::keyClick(&chart, Qt::Key_M);
    EXPECT_EQ(chart.cursorStep(), 5U) << "it is the only one";
}

TEST(ChartScale, putsTimesAtFullHoursOfTheZone)
{
    const TimePoint from{Millis{3'600'000LL * 100 + 1'200'000}};
    const auto ticks = timeTicks(from, from + Millis{4 * 3'600'000}, 6, Millis{1'800'000});
    ASSERT_FALSE(ticks.empty());
    for (const auto tick : ticks) {
        EXPECT_EQ((toEpochMs(tick) + 1'800'000) % 3'600'000, 0);
    }
}

TEST(MonitorModel, writesGapsAsEmptyFieldsOfCsv)
{
    MonitorPoint point;
    point.at = TimePoint{Millis{0}};
    point.values[static_cast<std::size_t>(Line::Pushed)] = 1.5;
    const auto lines = csvOf({point}).split(QStringLiteral("\r\n"));
    EXPECT_TRUE(lines[0].startsWith(QStringLiteral("time,pushed_per_s,")));
    EXPECT_EQ(lines[1], QStringLiteral("1970-01-01T00:00:00Z,1.5,,,,,,,,,,,"));
}

}  // namespace restante::gui::test
