// What was probably meant by a filter that cannot be read.

#include "core/job/filter_suggestion.h"
#include "core/job/job_filter.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

TEST(FilterMeant, translatesTheWordsOfOtherQueues)
{
    EXPECT_EQ(suggestedFilter("status:failed"), "state:dead");
    EXPECT_EQ(suggestedFilter("status:running to:*bob*"), "state:leased to:*bob*");
    EXPECT_EQ(suggestedFilter("state:failed"), "state:dead");
    EXPECT_EQ(suggestedFilter("error:timeout tries>3"), "err:timeout attempts>3");
    EXPECT_EQ(suggestedFilter("status:failed error:timeout tries>3"),
              "state:dead err:timeout attempts>3");
}

TEST(FilterMeant, mendsASlip)
{
    EXPECT_EQ(suggestedFilter("topci:order"), "topic:order");
    EXPECT_EQ(suggestedFilter("state:shceduled"), "state:scheduled");
    EXPECT_EQ(suggestedFilter("State:Dead"), "state:dead");
}

TEST(FilterMeant, isNothingWhereNobodyCanGuess)
{
    for (const auto* text :
         {"state:dead", "", "zzz:1", "state:zzz", "(state:dead", "due<tomorow"}) {
        EXPECT_EQ(suggestedFilter(text), std::nullopt) << text;
    }
}

TEST(FilterMeant, isWhatTheErrorAsks)
{
    EXPECT_EQ(JobFilter::parse("status:failed").error().detail,
              "\"status\" is no field; did you mean state?");
    EXPECT_EQ(JobFilter::parse("state:failed").error().detail,
              "\"failed\" is no state; did you mean dead?");
}

TEST(BareWord, ofTheShapeOfAnIdLeadsToItsJob)
{
    const auto plan = JobFilter::parse("01HF7YAT00ABCDEFGHJKMNPQRA")->plan();
    ASSERT_TRUE(plan.ids);
    EXPECT_FALSE(plan.scans);
    EXPECT_TRUE(JobFilter::parse("01HF7YAT00ABC")->plan().scans);
    EXPECT_TRUE(JobFilter::parse("\"01HF7YAT00ABCDEFGHJKMNPQRA\"")->plan().scans);
}

}  // namespace
}  // namespace restante
