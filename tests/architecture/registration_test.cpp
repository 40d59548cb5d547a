#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace restante::architecture {

namespace {
/// One test as ctest knows it.
struct RegisteredTest {
    std::string name;
    std::set<std::string> labels;
    double timeout = 0;
};

RegisteredTest registeredTest(const nlohmann::json& entry)
{
    RegisteredTest test;
    test.name = entry.at("name").get<std::string>();
    for (const auto& property : entry.at("properties")) {
        if (property.at("name") == "LABELS") {
            test.labels = property.at("value").get<std::set<std::string>>();
        } else if (property.at("name") == "TIMEOUT") {
            test.timeout = property.at("value").get<double>();
        }
    }
    return test;
}

std::vector<RegisteredTest> registeredTests()
{
    const auto listing = nlohmann::json::parse(
        outputOf("ctest --test-dir '" + buildRoot().string() + "' --show-only=json-v1"));
    std::vector<RegisteredTest> tests;
    for (const auto& entry : listing.at("tests")) {
        tests.push_back(registeredTest(entry));
    }
    return tests;
}
}  // namespace

TEST(Registration, everyTestIsChosenByALabelAndHasATimeOut)
{
    const std::vector<RegisteredTest> tests = registeredTests();
    EXPECT_THAT(tests, testing::SizeIs(testing::Gt(10U)));
    for (const RegisteredTest& test : tests) {
        EXPECT_THAT(test.labels, testing::Not(testing::IsEmpty()))
            << test.name << ": ./check chooses by label what it runs under the sanitizers";
        EXPECT_GT(test.timeout, 0) << test.name;
    }
}

}  // namespace restante::architecture
