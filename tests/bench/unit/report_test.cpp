#include "tests/bench/table/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace restante::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

const RowKind kPush{"push", "k/s", Target::shareOfBare(0.75)};

Sample sample(double figure, CpuByProcess cpu = {})
{
    return {figure, std::move(cpu)};
}

TEST(Report, mergesTheRoundsOfARow)
{
    Report report;
    report.add(kPush, sample(100), sample(80));
    report.add(kPush, sample(200), sample(180));
    report.add(kPush, sample(300), sample(240));
    ASSERT_EQ(report.rows().size(), 1U);
    EXPECT_THAT(report.markdown(),
                HasSubstr("| push | 200.0 (100.0-300.0) k/s | 180.0 (80.0-240.0) k/s |"
                          " 0.80 (0.80-0.90) |"));
}

TEST(Report, printsNoSpreadOfOneRound)
{
    Report report;
    report.add(kPush, sample(100), sample(80));
    EXPECT_THAT(report.markdown(), HasSubstr("| push | 100.0 k/s | 80.0 k/s | 0.80 |"));
}

TEST(Report, leavesTheCellsOfAMissingBareSideEmpty)
{
    Report report;
    report.add({"parked", "ms", Target::atMost(50, "<= 50 ms")}, {}, sample(33));
    EXPECT_THAT(report.markdown(), HasSubstr("| parked |  | 33.0 ms |  |  |  | <= 50 ms | yes |"));
}

TEST(Report, printsTheMedianCpuOfEachProcess)
{
    Report report;
    report.add(kPush, sample(100, {{"client", 1}}), sample(80, {{"client", 2}, {"redis", 4}}));
    report.add(kPush, sample(100, {{"client", 3}}), sample(80, {{"client", 3}, {"redis", 5}}));
    report.add(kPush, sample(100, {{"client", 2}}), sample(80, {{"client", 9}, {"redis", 6}}));
    EXPECT_THAT(report.markdown(), HasSubstr("| client 2.00 | client 3.00, redis 5.00 |"));
}

TEST(Report, saysWhenEachRoundWasMeasured)
{
    Report report;
    report.add(kPush, Sample{100, {}, {1, 2}}, Sample{80, {}, {2.5, 3.25}});
    report.add(kPush, Sample{100, {}, {7, 8}}, Sample{90, {}, {8.5, 9}});
    report.add({"parked", "ms", Target::atMost(50, "<= 50 ms")}, {}, sample(33));
    EXPECT_EQ(report.intervals(), "push\t2.500000\t3.250000\npush\t8.500000\t9.000000\n");
}

TEST(Report, aRowIsMetByItsMedian)
{
    Report report;
    report.add(kPush, sample(100), sample(10));
    report.add(kPush, sample(100), sample(76));
    report.add(kPush, sample(100), sample(77));
    EXPECT_THAT(report.markdown(), HasSubstr("| 0.75 of bare | yes |"));
}

TEST(Report, aMissedRowSaysByHowMuch)
{
    Report report;
    report.add(kPush, sample(100), sample(54));
    report.add({"single", "k/s", Target::atLeast(80, "80 k/s")}, sample(100), sample(71));
    report.add({"late", "ms", Target::atMost(2, "<= 2 ms")}, sample(1), sample(3));
    EXPECT_THAT(report.markdown(), HasSubstr("| **no**: 0.54, 0.75 wanted |"));
    EXPECT_THAT(report.markdown(), HasSubstr("| **no**: 71.0 k/s, 80.0 wanted |"));
    EXPECT_THAT(report.markdown(), HasSubstr("| **no**: 3.0 ms, at most 2.0 wanted |"));
    EXPECT_FALSE(report.failed());
}

TEST(Report, aRowInWhichSomethingWasLostIsNotMet)
{
    Report report;
    report.add(kPush, sample(100), sample(90));
    report.add(kPush, sample(100), sample(90), "998 of 1000 delivered");
    report.add(kPush, sample(100), sample(90), "997 of 1000 delivered");
    EXPECT_THAT(report.markdown(), HasSubstr("**no**: in 2 of 3 rounds: 998 of 1000 delivered |"));
}

TEST(Report, aRowThatCannotBeMeasuredSaysWhy)
{
    Report report;
    report.attempt("push", [] { throw std::runtime_error("there is no\n'/x|y'"); });
    EXPECT_TRUE(report.failed());
    EXPECT_THAT(report.markdown(), HasSubstr("**no**: not measured: there is no '/x/y' |\n"));
}

TEST(Report, aRowThatCannotBeMeasuredSaysWhatElseIsKnown)
{
    Report report;
    const auto fail = [] { throw std::runtime_error("no answer"); };
    report.attempt("push", fail, [] { return "the daemon has ended"; });
    report.attempt("claim", fail, [] { return ""; });
    EXPECT_THAT(report.markdown(), HasSubstr("not measured: no answer; the daemon has ended |\n"));
    EXPECT_THAT(report.markdown(), HasSubstr("not measured: no answer |\n"));
}

TEST(Report, keepsTheRoundsBesideOneThatFailed)
{
    Report report;
    report.add(kPush, sample(100), sample(90));
    report.attempt("push", [] { throw std::runtime_error("no answer"); });
    EXPECT_TRUE(report.failed());
    EXPECT_THAT(report.markdown(), HasSubstr("| push | 100.0 k/s | 90.0 k/s |"));
    EXPECT_THAT(report.markdown(), HasSubstr("**no**: in 1 of 2 rounds: no answer |"));
}

TEST(Report, saysOnceWhatItNotes)
{
    Report report;
    report.note("beanstalkd: not installed");
    report.note("beanstalkd: not installed");
    EXPECT_THAT(report.notes(), testing::ElementsAre("beanstalkd: not installed"));
    EXPECT_THAT(report.markdown(), Not(HasSubstr("beanstalkd")));
}

TEST(CpuByProcess, aProcessThatWasMissingInARoundUsedNothingThere)
{
    const CpuByProcess medians = medianOf({{{"a", 4}}, {{"a", 6}, {"b", 9}}, {{"a", 5}}});
    EXPECT_THAT(medians, testing::ElementsAre(testing::Pair("a", 5), testing::Pair("b", 0)));
}

}  // namespace
}  // namespace restante::bench
