#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

namespace restante::architecture {

TEST(Tree, theTopLevelHoldsOnlyWhatIsAgreed)
{
    const std::set<std::string> agreed{"CMakeLists.txt",
                                       "CMakePresets.json",
                                       "README.md",
                                       "CHANGELOG.md",
                                       "LICENSE",
                                       "CONTRIBUTING.md",
                                       "run",
                                       "check",
                                       "core",
                                       "sipplugin",
                                       "gui",
                                       "tests",
                                       "resources",
                                       "docs",
                                       "build"};
    std::vector<std::string> others;
    for (const auto& entry : std::filesystem::directory_iterator(sourceRoot())) {
        const std::string name = entry.path().filename().string();
        // Hidden names belong to tools: .git, .github, .clang-format, .clang-tidy, .ci.
        if (!name.starts_with('.') && !agreed.contains(name)) {
            others.push_back(name);
        }
    }
    EXPECT_THAT(others, testing::IsEmpty());
}

TEST(Tree, everyHeaderHasPragmaOnce)
{
    std::vector<std::string> others;
    for (const std::string& file : sources()) {
        // The header that C programs include keeps to what C has.
        if (file.ends_with(".h") && file != "sipplugin/hosted/restante_sip.h" &&
            contentOf(file).find("#pragma once") == std::string::npos) {
            others.push_back(file);
        }
    }
    EXPECT_THAT(others, testing::IsEmpty());
}

TEST(Tree, testsNeverSleepAndAreNeverSwitchedOff)
{
    // Put together here so that this file does not find itself.
    const std::vector<std::string> forbidden{
        std::string("sleep") + "_for", std::string("sleep") + "_until", std::string("us") + "leep(",
        std::string("DISA") + "BLED_", std::string("GTEST_") + "SKIP"};
    std::vector<std::string> violations;
    for (const std::string& file : filesBelow("tests", {".h", ".cpp"})) {
        // eventually() asks again and again until a condition holds: the one pause there is.
        // Benchmarks and the soak keep a pace, which is not waiting for luck.
        const bool mayPause = file == "tests/support/eventually.cpp" ||
                              file.starts_with("tests/bench/") || file.starts_with("tests/soak/");
        // A machine may have no IPv6: the one thing that a test does without, and says so.
        const bool maySkip = file == "tests/support/sip_path.cpp";
        const std::string content = mayPause || maySkip ? std::string() : contentOf(file);
        for (const std::string& word : forbidden) {
            if (content.find(word) != std::string::npos) {
                violations.push_back(file + ": " + word);
            }
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
}

TEST(Tree, warningsAreErrorsOnlyWhereWeDevelop)
{
    const auto presets = nlohmann::json::parse(contentOf("CMakePresets.json"));
    std::map<std::string, std::string> answers;
    for (const auto& preset : presets["configurePresets"]) {
        const auto& variables = preset["cacheVariables"];
        if (variables.contains("RESTANTE_WARNINGS_AS_ERRORS")) {
            answers[preset["name"]] = variables["RESTANTE_WARNINGS_AS_ERRORS"];
        }
    }
    // A build tree keeps what it was told: "base" says it to all that say nothing themselves.
    EXPECT_THAT(answers, testing::UnorderedElementsAre(testing::Pair("base", "OFF"),
                                                       testing::Pair("dev", "ON")));
    EXPECT_THAT(contentOf("run"), testing::Not(testing::HasSubstr("WARNINGS_AS_ERRORS")));
}

TEST(Tree, whatTheFuzzTargetsBuildNeedsNoNewerClang)
{
    // The fuzz targets are built by clang 14, which cannot read these of libstdc++ 12.
    const std::vector<std::string> forbidden{
        "std::views",         "ranges::views",      "ranges::search(", "ranges::unique(",
        "ranges::remove_if(", "ranges::partition(", "ranges::rotate(", "ranges::equal_range("};
    std::vector<std::string> violations;
    for (const char* folder : {"core", "sipplugin", "tests/fuzz", "tests/support"}) {
        for (const std::string& file : filesBelow(folder, {".h", ".cpp"})) {
            const std::string content = contentOf(file);
            for (const std::string& word : forbidden) {
                if (content.find(word) != std::string::npos) {
                    violations.push_back(file + ": " + word);
                }
            }
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
}

TEST(Tree, theConsoleNamesNoTimeSpec)
{
    // Deprecated since Qt 6.5; Qt 6.4 does not say so.
    const std::vector<std::string> forbidden{"Qt::UTC", "Qt::LocalTime", "Qt::OffsetFromUTC",
                                             "Qt::TimeZone", "setTimeSpec"};
    std::vector<std::string> violations;
    for (const char* folder : {"gui", "tests/gui"}) {
        for (const std::string& file : filesBelow(folder, {".h", ".cpp"})) {
            const std::string content = file == "gui/base/utc.h" ? std::string() : contentOf(file);
            for (const std::string& word : forbidden) {
                if (content.find(word) != std::string::npos) {
                    violations.push_back(file + ": " + word);
                }
            }
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
}

}  // namespace restante::architecture
