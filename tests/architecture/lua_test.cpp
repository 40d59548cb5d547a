#include "core/base/event_loop.h"
#include "core/job/job_state.h"
#include "core/redis/store/script.h"
#include "sipplugin/lua/script.h"
#include "tests/architecture/tree.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

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

using Names = std::set<std::string>;

/// Code without the texts in it.
std::string wordsOf(std::string_view text)
{
    return std::regex_replace(codeOf(text), std::regex(R"('(\\.|[^'\\])*')"), "''");
}

Names splitNames(const std::string& text)
{
    const std::regex name(R"([A-Za-z_]\w*)");
    return {std::sregex_token_iterator(text.begin(), text.end(), name), {}};
}

/// The names that a file makes known to what is included behind it.
Names namesDeclaredBy(const std::string& code)
{
    Names names;
    const std::regex declaration(R"((?:^|\n)local (?:function (\w+)|([\w, ]+)))");
    for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at) {
        names.merge(splitNames((*at)[1].matched ? (*at)[1].str() : (*at)[2].str()));
    }
    return names;
}

/// Whether the name stands in the code for something that is declared elsewhere.
bool uses(const std::string& code, const std::string& name)
{
    if (code.find(name) == std::string::npos) {
        return false;  // a regular expression needs a thousand times as long to say so
    }
    const std::string own = "(local (function )?|function *\\w*\\(|for )[\\w, ]*\\b" + name + "\\b";
    return std::regex_search(code, std::regex("(^|[^\\w.])" + name + "\\b(?! *=[^=])")) &&
           !std::regex_search(code, std::regex(own));
}

/// A file of core/lua/lib.
struct Part {
    std::string code;
    Names declares;
    Names gives;
    std::map<std::string, Names> needs;  ///< by part
    std::vector<std::string> includes;
};

/// What stands behind a word of the comment with which a file begins, its further lines included.
std::string headerLine(const std::string& text, const std::string& word)
{
    std::smatch found;
    const std::regex line("\n-- " + word + "  (.*(\n--        .*)*)");
    const auto header = text.substr(0, text.find("\nlocal "));
    return std::regex_search(header, found, line)
               ? std::regex_replace(found[1].str(), std::regex("\n--"), "")
               : "";
}

std::vector<std::string> partsIncludedBy(const std::string& text)
{
    const std::regex include(R"(--#include lib/(\w+)\.lua)");
    return {std::sregex_token_iterator(text.begin(), text.end(), include, 1), {}};
}

std::map<std::string, Part> allParts()
{
    std::map<std::string, Part> parts;
    for (const std::string& file : filesBelow("core/lua/lib", {".lua"})) {
        const std::string text = contentOf(file);
        Part part;
        part.code = wordsOf(text);
        part.declares = namesDeclaredBy(part.code);
        part.gives = splitNames(headerLine(text, "Gives"));
        part.includes = partsIncludedBy(text);
        const std::string needs = headerLine(text, "Needs");
        const std::regex entry(R"((\w+):([^;]*))");
        for (std::sregex_iterator at(needs.begin(), needs.end(), entry), end; at != end; ++at) {
            part.needs[(*at)[1].str()] = splitNames((*at)[2].str());
        }
        parts[std::filesystem::path(file).stem().string()] = part;
    }
    return parts;
}

/// All files with Lua; the parts are core's, and the SIP plugin's scripts include them, too.
std::vector<std::string> allLuaFiles()
{
    auto files = filesBelow("core/lua", {".lua"});
    for (const std::string& file : filesBelow("sipplugin/lua", {".lua"})) {
        files.push_back(file);
    }
    return files;
}

/// Whether a script calls itself by the keys and arguments of lib/base.lua.
bool isOnBase(const redis::Script& script)
{
    const auto base = contentOf("core/lua/lib/base.lua");
    return std::string(script.text).find(base) != std::string::npos;
}

/// These parts and those that they include.
Names withWhatTheyInclude(const std::map<std::string, Part>& parts, std::vector<std::string> names)
{
    Names all;
    while (!names.empty()) {
        const auto name = names.back();
        names.pop_back();
        if (all.insert(name).second && parts.contains(name)) {
            const auto& its = parts.at(name).includes;
            names.insert(names.end(), its.begin(), its.end());
        }
    }
    return all;
}
}  // namespace

TEST(Lua, everyPartSaysWhatItGives)
{
    const auto parts = allParts();
    std::map<std::string, std::string> codeByFile;
    for (const auto& file : allLuaFiles()) {
        codeByFile[file] = wordsOf(contentOf(file));
    }
    for (const auto& [name, part] : parts) {
        EXPECT_FALSE(part.gives.empty()) << name;
        for (const auto& given : part.gives) {
            EXPECT_TRUE(part.declares.contains(given)) << name << " has no " << given;
            EXPECT_TRUE(std::any_of(codeByFile.begin(), codeByFile.end(),
                                    [&, own = "core/lua/lib/" + name + ".lua"](const auto& entry) {
                                        return entry.first != own && uses(entry.second, given);
                                    }))
                << "nobody uses " << given << " of " << name;
        }
    }
}

TEST(Lua, everyPartSaysWhatItNeeds)
{
    const auto parts = allParts();
    for (const auto& [name, part] : parts) {
        Names told;
        for (const auto& [other, needed] : part.needs) {
            ASSERT_TRUE(parts.contains(other)) << name << ": " << other;
            for (const auto& word : needed) {
                EXPECT_TRUE(parts.at(other).gives.contains(word)) << other << " gives no " << word;
                EXPECT_TRUE(uses(part.code, word)) << name << " does not use " << word;
                told.insert(word);
            }
        }
        for (const auto& [other, its] : parts) {
            for (const auto& word : other == name || other == "base" ? Names() : its.declares) {
                EXPECT_TRUE(told.contains(word) || !uses(part.code, word))
                    << name << " uses " << word << " of " << other << " and does not say so";
            }
        }
    }
}

TEST(Lua, everyPartIncludesWhatItNeeds)
{
    const auto parts = allParts();
    for (const auto& [name, part] : parts) {
        const auto included = withWhatTheyInclude(parts, part.includes);
        EXPECT_FALSE(included.contains(name)) << name << " includes itself";
        EXPECT_TRUE(name == "base" || included.contains("base")) << name;
        for (const auto& [needed, words] : part.needs) {
            EXPECT_TRUE(included.contains(needed)) << name << " needs " << needed;
        }
    }
}

TEST(Lua, everyScriptIncludesWhatItUses)
{
    const auto parts = allParts();
    for (const std::string& file : allLuaFiles()) {
        const std::string text = contentOf(file);
        const auto included = withWhatTheyInclude(parts, partsIncludedBy(text));
        if (included.empty() && file.starts_with("sipplugin/")) {
            continue;  // it names its keys itself
        }
        for (const auto& name : included) {
            EXPECT_TRUE(parts.contains(name)) << file << ": there is no part " << name;
        }
        if (file.starts_with("core/lua/lib/")) {
            continue;
        }
        EXPECT_TRUE(included.contains("base")) << file;
        const std::string code = wordsOf(text);
        for (const auto& [name, part] : parts) {
            for (const auto& word : included.contains(name) ? Names() : part.gives) {
                EXPECT_FALSE(uses(code, word)) << file << " uses " << word << " of " << name;
            }
        }
    }
}

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
    // Whether somebody's claim of a job in SQL is over cannot be asked of who has claimed it.
    const std::set<std::string_view> crossing{"cool", "crossed", "crossing", "reserve_id", "warm"};
    for (const redis::Script& script : allScripts()) {
        std::smatch found;
        const std::string code = codeOf(script.text);
        const bool isAllowed = crossing.contains(script.name);
        EXPECT_FALSE(std::regex_search(code, found, forbidden) &&
                     !(isAllowed && found[1] == "TIME"))
            << script.name << ": " << found[0];
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
    for (const redis::Script& script : allScripts()) {
        if (!isOnBase(script)) {
            continue;
        }
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
    for (const redis::Script& script : redis::scripts()) {
        EXPECT_TRUE(isOnBase(script)) << script.name;
    }
    for (const redis::Script& script : sip::scripts()) {
        const std::string code = codeOf(script.text);
        if (isOnBase(script)) {
            continue;
        }
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
