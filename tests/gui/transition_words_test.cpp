#include "core/redis/store/script.h"
#include "gui/pages/audit/audit_model.h"
#include "gui/pages/detail/detail_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace restante::gui::test {

namespace {

/// The words that scripts write into the event stream by `function`.
std::set<std::string> wordsWrittenBy(const std::string& function)
{
    const std::regex call("\\b" + function + R"(\('([a-z_]+)')");
    std::set<std::string> words;
    for (const auto& script : redis::scripts()) {
        const std::string text(script.text);
        for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
            words.insert((*at)[1]);
        }
    }
    return words;
}

}  // namespace

TEST(TransitionWords, thereIsOneForEveryTransitionOfAJob)
{
    auto words = wordsWrittenBy("appendEvent");
    words.merge(wordsWrittenBy("appendGroups"));
    EXPECT_THAT(words, testing::IsSupersetOf({"push", "finish", "repair", "replay", "recover"}));
    for (const auto& word : words) {
        EXPECT_NE(transitionName(word).toStdString(), word);
    }
}

TEST(TransitionWords, theAuditHasOneForWhateverAPersonDoes)
{
    // Only daemons and workers do these.
    const std::set<std::string> notOfPeople{"cool",   "expire", "mark",  "reap",
                                            "replay", "retry",  "touch", "warm"};
    auto words = wordsWrittenBy("appendEvent");
    words.merge(wordsWrittenBy("appendGroups"));
    words.merge(wordsWrittenBy("appendTopic"));
    words.insert({"pause", "resume", "limit", "trace", "untrace"});
    for (const auto& word : words) {
        EXPECT_EQ(verbText(QString::fromStdString(word)).toStdString() != word,
                  !notOfPeople.contains(word))
            << word;
    }
}

}  // namespace restante::gui::test
