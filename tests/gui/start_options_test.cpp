// What the command line of restante-admin says.

#include "gui/shell/start_options.h"

#include <gtest/gtest.h>

#include <vector>

namespace restante::gui::test {

namespace {

StartLine lineOf(std::vector<const char*> words)
{
    words.insert(words.begin(), "restante-admin");
    return readStartLine(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST(StartOptions, aPageIsNamedByAWord)
{
    for (const auto& entry : pageTable()) {
        const auto line = lineOf({"--demo", "--page", entry.name});
        EXPECT_FALSE(line.exitCode) << entry.name;
        EXPECT_EQ(line.options.page, entry.id);
    }
    EXPECT_FALSE(lineOf({"--demo"}).options.page);
}

TEST(StartOptions, anUnknownPageIsAUsageError)
{
    testing::internal::CaptureStderr();
    const auto line = lineOf({"--page", "nonsense"});
    EXPECT_EQ(line.exitCode, 2);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("overview"), std::string::npos)
        << "it says which there are";
}

}  // namespace restante::gui::test
