#include "tests/bench/table/cpu_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace restante::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Tolerance kTolerance{0.15, 0.2};

Row row(std::string path, CpuByProcess bare, CpuByProcess restante)
{
    Row row;
    row.path = std::move(path);
    if (!bare.empty()) {
        row.bare.push_back({1, std::move(bare)});
    }
    row.restante.push_back({1, std::move(restante)});
    return row;
}

TEST(CpuGate, passesWhatCostsAsMuchAsItDid)
{
    const auto comparison =
        compareCpu({{"push", {}, {{"client", 10}, {"redis-server", 4}}}},
                   {row("push", {}, {{"client", 11}, {"redis-server", 4.3}})}, kTolerance);
    EXPECT_TRUE(comparison.passed());
    EXPECT_EQ(comparison.compared, 1U);
    EXPECT_THAT(comparison.cheaper, IsEmpty());
}

TEST(CpuGate, namesTheProcessThatHasBecomeDearer)
{
    const auto comparison =
        compareCpu({{"push", {}, {{"client", 10}, {"redis-server", 4}}}},
                   {row("push", {}, {{"client", 10}, {"redis-server", 5}})}, kTolerance);
    EXPECT_FALSE(comparison.passed());
    ASSERT_THAT(comparison.dearer, SizeIs(1));
    EXPECT_EQ(comparison.dearer[0].process, "redis-server");
    EXPECT_THAT(comparison.text(),
                HasSubstr("dearer: push: redis-server 5.00 us/op, 4.00 in the last table (+25 %)"));
}

TEST(CpuGate, isAsWideAsTheTolerance)
{
    const std::vector<PrintedRow> last{{"push", {}, {{"client", 10}}}};
    EXPECT_TRUE(compareCpu(last, {row("push", {}, {{"client", 11.4}})}, {0.15, 0.2}).passed());
    EXPECT_FALSE(compareCpu(last, {row("push", {}, {{"client", 11.6}})}, {0.15, 0.2}).passed());
    EXPECT_TRUE(compareCpu(last, {row("push", {}, {{"client", 11.6}})}, {0.20, 0.2}).passed());
}

TEST(CpuGate, leavesOutWhatTheClockDoes)
{
    EXPECT_TRUE(compareCpu({{"push", {}, {{"client", 0.1}}}}, {row("push", {}, {{"client", 0.25}})},
                           kTolerance)
                    .passed());
}

TEST(CpuGate, seesAProcessThatIsNew)
{
    const auto comparison =
        compareCpu({{"push", {}, {{"restanted", 10}}}},
                   {row("push", {}, {{"restanted", 10}, {"helper", 3}})}, kTolerance);
    ASSERT_THAT(comparison.dearer, SizeIs(1));
    EXPECT_EQ(comparison.dearer[0].process, "helper");
}

TEST(CpuGate, tellsWhatHasBecomeCheaper)
{
    const auto comparison = compareCpu({{"push", {}, {{"restanted", 10}}}},
                                       {row("push", {}, {{"restanted", 5}})}, kTolerance);
    EXPECT_TRUE(comparison.passed());
    EXPECT_THAT(comparison.cheaper, SizeIs(1));
}

TEST(CpuGate, takesASlowerMachineOff)
{
    const std::vector<PrintedRow> last{{"a", {{"client", 4}}, {{"restanted", 10}}},
                                       {"b", {{"client", 2}}, {{"restanted", 20}}},
                                       {"c", {{"client", 6}}, {{"restanted", 30}}}};
    const auto comparison = compareCpu(last,
                                       {row("a", {{"client", 8}}, {{"restanted", 20}}),
                                        row("b", {{"client", 4}}, {{"restanted", 40}}),
                                        row("c", {{"client", 12}}, {{"restanted", 90}})},
                                       kTolerance);
    EXPECT_DOUBLE_EQ(comparison.machine, 2);
    ASSERT_THAT(comparison.dearer, SizeIs(1));
    EXPECT_EQ(comparison.dearer[0].path, "c");
    EXPECT_DOUBLE_EQ(comparison.dearer[0].now, 45);
}

TEST(CpuGate, doesNotTakeTheDaemonInAnotherModeForTheMachine)
{
    const std::vector<PrintedRow> last{{"a", {{"restanted", 4}}, {{"restanted", 10}}},
                                       {"b", {{"restanted", 2}}, {{"restanted", 20}}},
                                       {"c", {{"restanted", 6}}, {{"restanted", 30}}}};
    const auto comparison = compareCpu(last,
                                       {row("a", {{"restanted", 8}}, {{"restanted", 20}}),
                                        row("b", {{"restanted", 4}}, {{"restanted", 40}}),
                                        row("c", {{"restanted", 12}}, {{"restanted", 60}})},
                                       kTolerance);
    EXPECT_DOUBLE_EQ(comparison.machine, 1);
    EXPECT_THAT(comparison.dearer, SizeIs(3));
}

TEST(CpuGate, doesNotTakeTwoRowsForTheMachine)
{
    const auto comparison = compareCpu(
        {{"a", {{"client", 4}}, {{"restanted", 10}}}, {"b", {{"client", 4}}, {{"restanted", 10}}}},
        {row("a", {{"client", 8}}, {{"restanted", 20}}),
         row("b", {{"client", 8}}, {{"restanted", 20}})},
        kTolerance);
    EXPECT_DOUBLE_EQ(comparison.machine, 1);
    EXPECT_THAT(comparison.dearer, SizeIs(2));
}

TEST(CpuGate, tellsWhichRowsItCouldNotCompare)
{
    const auto comparison =
        compareCpu({{"old", {}, {{"restanted", 1}}}, {"before CPU was counted", {}, {}}},
                   {row("new", {}, {{"restanted", 9}}),
                    row("before CPU was counted", {}, {{"restanted", 9}}), row("memory", {}, {})},
                   kTolerance);
    EXPECT_TRUE(comparison.passed());
    EXPECT_EQ(comparison.compared, 0U);
    EXPECT_THAT(comparison.unknown, ElementsAre("new", "before CPU was counted"));
    EXPECT_THAT(comparison.vanished, ElementsAre("old"));
    EXPECT_THAT(comparison.text(), HasSubstr("not in the last table: new; before CPU was counted"));
    EXPECT_THAT(comparison.text(), HasSubstr("only in the last table: old"));
}

}  // namespace
}  // namespace restante::bench
