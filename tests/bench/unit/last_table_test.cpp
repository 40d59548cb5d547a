#include "tests/bench/table/last_table.h"
#include "tests/bench/table/report.h"
#include "tests/support/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace restante::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr auto kDocument = R"(# Benchmarks

| word | meaning |
|---|---|
| path | not this one |

Some words.

| path | bare | Restante | ratio | bare CPU, us/op | Restante CPU, us/op | target | met |
|---|---|---|---|---|---|---|---|
| push | 100.0 (90.0-110.0) k/s | 80.0 k/s | 0.80 | client 1.20, redis-server 2.5 | client 3.00 | 0.75 | yes |
| parked | | 33 ms | | | restanted 25.10 | <= 50 ms | yes |

More words | with a bar.
)";

TEST(LastTable, givesTheCpuOfEachRowByProcess)
{
    const auto rows = printedRows(kDocument);
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows[0].path, "push");
    EXPECT_THAT(rows[0].bare, ElementsAre(Pair("client", 1.2), Pair("redis-server", 2.5)));
    EXPECT_THAT(rows[0].restante, ElementsAre(Pair("client", 3.0)));
    EXPECT_EQ(rows[1].path, "parked");
    EXPECT_THAT(rows[1].bare, IsEmpty());
    EXPECT_THAT(rows[1].restante, ElementsAre(Pair("restanted", 25.1)));
}

TEST(LastTable, ofATimeWithoutCpuHasRowsWithoutIt)
{
    const auto rows = printedRows("| path | bare library | Restante | met |\n|---|---|---|---|\n"
                                  "| push | 1 k/s | 2 k/s | yes |\n");
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_THAT(rows[0].restante, IsEmpty());
}

TEST(LastTable, isEmptyInADocumentWithoutOne)
{
    EXPECT_THAT(printedRows("# Benchmarks\n\nnothing yet\n"), IsEmpty());
    EXPECT_THAT(printedRows(""), IsEmpty());
}

TEST(LastTable, thatCannotBeReadIsAnError)
{
    EXPECT_THROW(printedRows("| path | Restante CPU, us/op |\n|---|---|\n| push | client |\n"),
                 std::runtime_error);
    EXPECT_THROW(printedRows("| path | Restante CPU, us/op |\n|---|---|\n| push | client 1.x |\n"),
                 std::runtime_error);
}

TEST(LastTable, readsWhatAReportPrints)
{
    Report report;
    report.add({"push", "k/s", {}}, Sample{1, {{"client", 1.25}}},
               Sample{2, {{"client", 2.5}, {"redis-server", 4}}});
    const auto rows = printedRows(report.markdown());
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows[0].path, "push");
    EXPECT_THAT(rows[0].bare, ElementsAre(Pair("client", 1.25)));
    EXPECT_THAT(rows[0].restante, ElementsAre(Pair("client", 2.5), Pair("redis-server", 4)));
}

TEST(LastTable, ofTheDocumentCanBeRead)
{
    std::ifstream file(test::sourceDirectory() / "docs/benchmarks.md");
    const std::string document{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(printedRows(document), SizeIs(testing::Gt(10U)));
}

TEST(LastTable, isReplacedAndNothingElse)
{
    const std::string document = "above\n\n| path | met |\n|---|---|\n| push | yes |\n\nbelow\n";
    EXPECT_EQ(withTable(document, "| path | new |\n|---|---|\n"),
              "above\n\n| path | new |\n|---|---|\n\nbelow\n");
}

TEST(LastTable, atTheEndOfADocumentIsReplacedToo)
{
    EXPECT_EQ(withTable("above\n\n| path | met |\n|---|---|\n| push | yes |", "| path |\n"),
              "above\n\n| path |\n");
}

TEST(LastTable, cannotBeReplacedWhereThereIsNone)
{
    EXPECT_THROW(withTable("nothing\n", "| path |\n"), std::runtime_error);
}

}  // namespace
}  // namespace restante::bench
