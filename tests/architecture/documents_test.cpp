#include "core/config/config_keys.h"
#include "core/job/job_state.h"
#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace restante::architecture {

namespace {
/// The cells of the table row whose first cell is `word`, with or without code marks; empty
/// when there is no such row.
std::vector<std::string> rowOf(const std::string& document, const std::string& word)
{
    const std::regex first(R"(^\|\s*`?)" + word + R"(`?\s*\|.*)");
    for (const std::string& line : linesOf(document)) {
        if (!std::regex_match(line, first)) {
            continue;
        }
        std::vector<std::string> cells;
        for (auto begin = line.find('|') + 1; begin < line.size();) {
            const auto end = std::min(line.find('|', begin), line.size());
            cells.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        return cells;
    }
    return {};
}
}  // namespace

TEST(Documents, theLifeCycleHasARowForEveryTransition)
{
    for (int i = 0; i <= static_cast<int>(Transition::Reap); ++i) {
        const std::string word(name(static_cast<Transition>(i)));
        const auto row = rowOf("docs/job-lifecycle.md", word);
        // transition, from, to, script, caller, refusals, tests
        EXPECT_THAT(row, testing::SizeIs(testing::Ge(7U))) << word;
    }
}

TEST(Documents, theLifeCycleNamesEveryStateATransitionStartsFrom)
{
    for (int i = 0; i <= static_cast<int>(Transition::Reap); ++i) {
        const auto transition = static_cast<Transition>(i);
        const auto row = rowOf("docs/job-lifecycle.md", std::string(name(transition)));
        ASSERT_THAT(row, testing::SizeIs(testing::Ge(2U))) << name(transition);
        for (int s = 0; s <= static_cast<int>(JobState::Done); ++s) {
            const auto state = static_cast<JobState>(s);
            const bool named = row[1].find(name(state)) != std::string::npos;
            EXPECT_EQ(named, isLegal(transition, state))
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
