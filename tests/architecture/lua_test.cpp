#include "core/job/job_state.h"
#include "core/redis/store/script.h"
#include "sipplugin/lua/script.h"
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

std::ptrdiff_t namesOfKeys(const std::string& code)
{
    const std::regex keys(R"(\bKEYS\b)");
    return std::distance(std::sregex_iterator(code.begin(), code.end(), keys), {});
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

TEST(Lua, noScriptLeavesTheSlotOfItsKey)
{
    // A script with this first line is refused a key of another slot by a cluster's nodes, unless
    // it asks for more. Which keys it touches beside KEYS[1] is then a matter of names: they begin
    // with it. Decision 25.
    for (const redis::Script& script : redis::scripts()) {
        const std::string text(script.text);
        EXPECT_THAT(text, testing::StartsWith("#!lua")) << script.name;
        EXPECT_THAT(text, testing::Not(testing::HasSubstr("allow-cross-slot-keys"))) << script.name;
        const std::string code = codeOf(text);
        EXPECT_EQ(namesOfKeys(code), namesOfKeys(codeOf(contentOf("core/lua/lib/base.lua"))))
            << script.name << ": only base.lua knows KEYS, as K";
        // INFO has no key, and the key of XINFO comes behind its word.
        const std::regex literal(R"(call\('(?!X?INFO')[A-Z]+', *['"])");
        std::smatch found;
        EXPECT_FALSE(std::regex_search(code, found, literal)) << script.name << ": " << found[0];
    }
    for (const redis::Script& script : sip::scripts()) {
        const std::string code = codeOf(script.text);
        EXPECT_THAT(code, testing::HasSubstr("KEYS[1]")) << script.name;
        EXPECT_THAT(code, testing::Not(testing::HasSubstr("..'"))) << script.name;
        EXPECT_THAT(code, testing::Not(testing::HasSubstr(".. '"))) << script.name;
    }
}

TEST(Lua, whatHalfOfEachWritingScriptLeavesIsDocumented)
{
    const std::string document = contentOf("docs/torn-file.md");
    for (const redis::Script& script : allScripts()) {
        if (std::string(script.text).find("no-writes") == std::string::npos) {
            EXPECT_THAT(document, testing::HasSubstr("`" + std::string(script.name) + "`"));
        }
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
