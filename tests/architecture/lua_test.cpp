#include "core/job/job_state.h"
#include "core/redis/script.h"
#include "sipplugin/script.h"
#include "tests/architecture/tree.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace restante::architecture {

namespace {
std::vector<redis::Script> allScripts()
{
    std::vector<redis::Script> all(redis::scripts().begin(), redis::scripts().end());
    all.insert(all.end(), sip::scripts().begin(), sip::scripts().end());
    return all;
}

/// What stands between the first `--[[` and its `]]`.
std::string headerBlockOf(std::string_view text)
{
    const auto begin = text.find("--[[");
    const auto end = text.find("]]", begin);
    return begin == std::string_view::npos || end == std::string_view::npos
               ? std::string()
               : std::string(text.substr(begin, end - begin));
}

/// The lines that are code, one after the other.
std::string codeOf(std::string_view text)
{
    std::string code(text);
    code = std::regex_replace(code, std::regex(R"(--\[\[[\s\S]*?\]\])"), "");
    return std::regex_replace(code, std::regex("--[^\n]*"), "");
}
}  // namespace

TEST(Lua, redisAcceptsEveryScriptUnderTheDigestWeCallItBy)
{
    ASSERT_THAT(redis::scripts(), testing::SizeIs(testing::Gt(10U)));
    for (const redis::Script& script : allScripts()) {
        const auto reply = test::sharedRedis().send({"SCRIPT", "LOAD", std::string(script.text)});
        ASSERT_NE(reply.text(), nullptr) << script.name;
        EXPECT_EQ(*reply.text(), script.sha1) << script.name;
    }
}

TEST(Lua, everyScriptSaysWhatItNeedsReturnsAndWhy)
{
    for (const redis::Script& script : allScripts()) {
        const std::string header = headerBlockOf(script.text);
        EXPECT_THAT(header, testing::StartsWith("--[[\n" + std::string(script.name) + " -- "));
        for (const char* part : {"\nTransition", "\nKEYS[1]", "\nARGV[1]", "\nReturns", "\nWhy"}) {
            EXPECT_THAT(header, testing::HasSubstr(part)) << script.name;
        }
    }
}

TEST(Lua, noScriptScansTheKeySpaceOrReadsTheClock)
{
    const std::regex forbidden(R"(['"](KEYS|SCAN|RANDOMKEY|FLUSHALL|FLUSHDB|TIME)['"])");
    for (const redis::Script& script : allScripts()) {
        std::smatch found;
        const std::string code = codeOf(script.text);
        EXPECT_FALSE(std::regex_search(code, found, forbidden)) << script.name << ": " << found[0];
    }
}

TEST(Lua, noScriptHandsUserTextToErrorReply)
{
    // error_reply() takes its text for a protocol line: a line break in it breaks the connection.
    for (const redis::Script& script : allScripts()) {
        EXPECT_THAT(codeOf(script.text), testing::Not(testing::HasSubstr("error_reply")))
            << script.name;
    }
}

TEST(Lua, everyTransitionIsOneScript)
{
    for (int i = 0; i <= static_cast<int>(Transition::Mark); ++i) {
        const std::string word(name(static_cast<Transition>(i)));
        EXPECT_TRUE(std::filesystem::exists(sourceRoot() / ("core/lua/" + word + ".lua"))) << word;
    }
}

}  // namespace restante::architecture
