#include "core/base/metrics.h"
#include "core/config/config_keys.h"
#include "core/job/job_state.h"
#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

namespace restante::architecture {

namespace {
std::vector<std::string> cellsOf(const std::string& line)
{
    std::vector<std::string> cells;
    for (auto begin = line.find('|') + 1; begin < line.size();) {
        const auto end = std::min(line.find('|', begin), line.size());
        cells.push_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return cells;
}

/// The rows of the life cycle for one transition: "claim" has also "claim (mailbox)".
std::vector<std::vector<std::string>> rowsOf(Transition transition)
{
    const std::regex first(R"(^\|\s*)" + std::string(name(transition)) +
                           R"((\s*\([a-z]+\))?\s*\|.*)");
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : linesOf("docs/job-lifecycle.md")) {
        if (std::regex_match(line, first)) {
            rows.push_back(cellsOf(line));
        }
    }
    return rows;
}

/// Whether the cell "from" names the state: by its word, or as one of "any" or "any but ...".
bool startsFrom(const std::string& cell, JobState state)
{
    const bool named =
        std::regex_search(cell, std::regex("\\b" + std::string(name(state)) + "\\b"));
    return cell.find("any") == std::string::npos ? named : !named;
}
}  // namespace

TEST(Documents, theLifeCycleHasARowForEveryTransition)
{
    for (int i = 0; i <= static_cast<int>(Transition::Mark); ++i) {
        const auto transition = static_cast<Transition>(i);
        const auto rows = rowsOf(transition);
        EXPECT_THAT(rows, testing::Not(testing::IsEmpty())) << name(transition);
        for (const auto& row : rows) {
            // transition, from, to, script, caller, refusals, tests
            EXPECT_THAT(row, testing::SizeIs(7)) << name(transition);
        }
    }
}

TEST(Documents, theLifeCycleAgreesWithTheCodeOnWhereATransitionStarts)
{
    for (int i = 0; i <= static_cast<int>(Transition::Mark); ++i) {
        const auto transition = static_cast<Transition>(i);
        const auto rows = rowsOf(transition);
        for (int s = 0; s <= static_cast<int>(JobState::Done); ++s) {
            const auto state = static_cast<JobState>(s);
            const bool documented = std::ranges::any_of(
                rows, [&](const auto& row) { return startsFrom(row.at(1), state); });
            EXPECT_EQ(documented, isLegal(transition, state))
                << name(transition) << " from " << name(state);
        }
    }
}

TEST(Documents, theSchemaNamesEveryKeyThatAScriptUses)
{
    const std::string schema = contentOf("docs/redis-schema.md");
    const std::regex key(R"(K \.\. '([a-z]+:?))");
    for (const std::string& file : filesBelow("core/lua", {".lua"})) {
        const std::string code = contentOf(file);
        for (std::sregex_iterator i(code.begin(), code.end(), key), end; i != end; ++i) {
            EXPECT_THAT(schema, testing::HasSubstr("`K" + (*i)[1].str())) << file;
        }
    }
}

TEST(Documents, everyConfigurationKeyIsDocumented)
{
    const std::string operations = contentOf("docs/operations.md");
    for (const ConfigKey& key : configKeys()) {
        EXPECT_THAT(operations, testing::HasSubstr("`" + key.name + "`"));
    }
}

TEST(Documents, everyMetricIsDocumented)
{
    const std::string operations = contentOf("docs/operations.md");
    for (const auto& metric : metrics::catalogue()) {
        EXPECT_THAT(operations, testing::HasSubstr("`" + std::string(metric.name) + "`"));
    }
}

TEST(Documents, everyMetricOfTheCatalogueIsCountedSomewhere)
{
    std::string code;
    for (const std::string& file : sources()) {
        if (!file.starts_with("tests/") && !file.ends_with("metrics_catalogue.cpp")) {
            code += contentOf(file);
        }
    }
    std::set<std::string_view> names;
    for (const auto& metric : metrics::catalogue()) {
        EXPECT_THAT(code, testing::HasSubstr('"' + std::string(metric.name) + '"')) << metric.name;
        EXPECT_TRUE(names.insert(metric.name).second) << metric.name << " stands there twice";
    }
}

TEST(Documents, linksBetweenDocumentsLeadSomewhere)
{
    const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
    std::vector<std::string> documents = filesBelow("docs", {".md"});
    documents.emplace_back("README.md");
    documents.emplace_back("CHANGELOG.md");
    for (const std::string& document : documents) {
        const std::string content = contentOf(document);
        const auto folder = (sourceRoot() / document).parent_path();
        for (std::sregex_iterator i(content.begin(), content.end(), link), end; i != end; ++i) {
            EXPECT_TRUE(std::filesystem::exists(folder / (*i)[1].str()))
                << document << " links to " << (*i)[1];
        }
    }
}

}  // namespace restante::architecture
