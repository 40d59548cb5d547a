#include "gui/pages/jobs/filter_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string reason(const char* filter)
{
    return scanReason(JobFilter::parse(filter).value()).toStdString();
}

TEST(ScanReason, isNoneForAFilterThatIsQuick)
{
    for (const auto* quick :
         {"", "state:dead", "state:ready topic:a", "id:a", "biz_key:17 err:x"}) {
        EXPECT_EQ(reason(quick), "") << quick;
    }
}

TEST(ScanReason, namesTheTermsThatScanAndWhere)
{
    EXPECT_THAT(reason("state:dead kind:sip"),
                StartsWith("“kind:sip”: compared one by one with the jobs that are Dead."));
    EXPECT_THAT(reason("topic:a attempts>3"),
                StartsWith("“topic:a”, “attempts>3”: compared one by one with all jobs."));
    EXPECT_THAT(reason("state:ready topic:a NOT err:busy"), StartsWith("“NOT err:busy”: "));
    EXPECT_THAT(reason("state:held \"two words\" (to:a* OR to:b*)"),
                StartsWith("“\"two words\"”, “(to:a* OR to:b*)”: "));
    EXPECT_THAT(reason("to:a OR state:dead"), StartsWith("“to:a OR state:dead”: "));
    EXPECT_THAT(reason("payload:x"), HasSubstr("and their payloads"));
}

TEST(ScanReason, namesWhatWouldBeQuick)
{
    EXPECT_THAT(reason("state:dead kind:sip"), HasSubstr("state:scheduled,ready"));
    EXPECT_THAT(reason("err:busy"), HasSubstr("id: or biz_key:"));
    EXPECT_THAT(reason("err:busy"), HasSubstr("A state: leaves fewer"));
    EXPECT_THAT(reason("state:dead err:busy"), Not(HasSubstr("A state:")));
}

TEST(ScanReason, cutsALongTerm)
{
    const auto text = reason(("to:" + std::string(200, 'x')).c_str());
    EXPECT_LT(text.size(), 250U);
    EXPECT_THAT(text, HasSubstr("…"));
}

}  // namespace
}  // namespace restante::gui::test
