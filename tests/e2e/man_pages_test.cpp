#include "tests/support/file_content.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace restante::test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;
using ::testing::Key;
using ::testing::Not;

using WordSet = std::set<std::string>;

/// The programs with the sections of their pages.
const std::map<std::string, std::string> kPages{
    {"restanted", "8"}, {"restantectl", "1"}, {"restante-phone", "1"}};

WordSet allOf(const std::string& text, const std::regex& pattern)
{
    return {std::sregex_token_iterator(text.begin(), text.end(), pattern),
            std::sregex_token_iterator()};
}

const std::regex kOption("--[a-z]+(-[a-z]+)*");

std::string outputOf(const std::string& program, std::vector<std::string> words)
{
    words.insert(words.begin(), builtProgram(program).string());
    const auto result = run({std::move(words), {}, {}});
    EXPECT_EQ(result.status, 0) << program << result.errors;
    return result.output;
}

/// The long options that a --help lists; not those that its descriptions speak of.
WordSet optionsIn(const std::string& help)
{
    static const std::regex kColumn("^ +((-[a-z],)?--[a-z,-]+).*");
    WordSet options;
    for (const auto& line : linesOf(help)) {
        std::smatch found;
        if (std::regex_match(line, found, kColumn)) {
            options.merge(allOf(found[1].str(), kOption));
        }
    }
    return options;
}

WordSet commandsIn(const std::string& help)
{
    const auto begin = help.find("Subcommands:\n");
    WordSet commands;
    for (const auto& line : linesOf(begin == std::string::npos ? "" : help.substr(begin))) {
        std::smatch found;
        if (std::regex_match(line, found, std::regex("^  ([a-z][a-z-]*) .*"))) {
            commands.insert(found[1]);
        }
    }
    return commands;
}

/// A part of a page. *Value.*
struct Section {
    std::string text;
    WordSet explained;  ///< the options that have a paragraph
    WordSet named() const { return allOf(text, kOption); }
};

/// A page by its sections; subsections (.SS) count as sections of their own.
struct Page {
    std::string title;  ///< the line .TH
    std::map<std::string, Section> sections;
};

std::filesystem::path pathOf(const std::string& program)
{
    return sourceDirectory() / "resources/man" / (program + "." + kPages.at(program));
}

Page pageOf(const std::string& program)
{
    std::ifstream file(pathOf(program));
    Page page;
    Section* section = nullptr;
    bool isTag = false;
    for (std::string line; std::getline(file, line);) {
        line = std::regex_replace(line, std::regex(R"(\\-)"), "-");
        if (line.starts_with(".TH ")) {
            page.title = line;
        } else if (line.starts_with(".SH ") || line.starts_with(".SS ")) {
            section = &page.sections[line.substr(4)];
        } else if (section != nullptr) {
            section->text += line + "\n";
            if (isTag) {
                section->explained.merge(allOf(line, kOption));
            }
            isTag = line == ".TP";
        }
    }
    return page;
}

/// The names of the fields of a job as `show` prints it, from its id to the empty line before its
/// body.
std::vector<std::string> fieldsOfJobIn(const std::string& text)
{
    const std::regex field("([a-z]+( [a-z]+)?)  +[^ ].*");
    std::vector<std::string> names;
    const auto begin = text.find("id  ");
    for (const auto& line : linesOf(begin == std::string::npos ? "" : text.substr(begin))) {
        std::smatch found;
        if (!std::regex_match(line, found, field)) {
            break;
        }
        names.push_back(found[1]);
    }
    return names;
}

WordSet namesOf(const std::map<std::string, Section>& sections)
{
    WordSet names;
    for (const auto& [name, section] : sections) {
        names.insert(name);
    }
    return names;
}

TEST(ManPages, explainEveryOptionOfTheirProgram)
{
    for (const auto& [program, number] : kPages) {
        const auto options = optionsIn(outputOf(program, {"--help"}));
        ASSERT_THAT(options, IsSupersetOf({"--help", "--version"})) << program;
        EXPECT_EQ(pageOf(program).sections["OPTIONS"].explained, options) << program;
    }
}

TEST(ManPages, explainEveryCommandWithItsOptions)
{
    const auto help = outputOf("restantectl", {"--help"});
    const auto commands = commandsIn(help);
    ASSERT_THAT(commands, IsSupersetOf({"push", "list", "purge"}));
    auto sections = pageOf("restantectl").sections;
    for (const auto& command : commands) {
        ASSERT_THAT(sections, Contains(Key(command)));
        const auto& section = sections[command];
        auto options = optionsIn(outputOf("restantectl", {command, "--help"}));
        options.erase("--help");
        EXPECT_EQ(section.explained, options) << "in the section of " << command;
        options.merge(optionsIn(help));
        EXPECT_THAT(section.named(), IsSubsetOf(options)) << "in the section of " << command;
    }
}

TEST(ManPages, nameNothingThatDoesNotExist)
{
    WordSet options;
    const auto commands = commandsIn(outputOf("restantectl", {"--help"}));
    for (const auto& command : commands) {
        options.merge(optionsIn(outputOf("restantectl", {command, "--help"})));
    }
    for (const auto& [program, number] : kPages) {
        options.merge(optionsIn(outputOf(program, {"--help"})));
    }
    for (const auto& [program, number] : kPages) {
        for (const auto& [name, section] : pageOf(program).sections) {
            EXPECT_THAT(section.named(), IsSubsetOf(options)) << program << ", " << name;
            const bool isCommand = std::islower(static_cast<unsigned char>(name.front())) != 0;
            EXPECT_TRUE(!isCommand || commands.contains(name)) << program << ", " << name;
        }
    }
}

TEST(ManPages, haveWhatAReaderLooksFor)
{
    for (const auto& [program, number] : kPages) {
        const auto page = pageOf(program);
        EXPECT_THAT(namesOf(page.sections),
                    IsSupersetOf({"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS",
                                  "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"}))
            << program;
        const auto version =
            *allOf(outputOf(program, {"--version"}), std::regex("[0-9.]+")).begin();
        EXPECT_THAT(page.title, ::testing::HasSubstr("Restante " + version)) << program;
        const auto text = page.sections.at("EXIT STATUS").text;
        for (const auto* status : {".B 0\n", ".B 1\n", ".B 2\n"}) {
            EXPECT_THAT(text, ::testing::HasSubstr(status)) << program;
        }
    }
    EXPECT_THAT(pageOf("restanted").sections, Contains(Key("SIGNALS")));
}

TEST(ManPages, nameEverySectionOfTheConfiguration)
{
    const auto text = pageOf("restanted").sections["CONFIGURATION"].text;
    for (const auto& line : linesOf(outputOf("restanted", {"--print-config"}))) {
        std::smatch found;
        if (std::regex_match(line, found, std::regex(R"(\[([a-z]+)\])"))) {
            EXPECT_TRUE(std::regex_search(text, std::regex("\\b" + found[1].str() + "\\b")))
                << line;
        }
    }
}

TEST(ManPages, showTheReadyLineAsItIs)
{
    const TempDir directory;
    Process process(
        {{builtProgram("restanted").string(), "--set", "state_dir=" + directory.path().string(),
          "--set", "sip.listen=", "--set", "http.listen=127.0.0.1:0"},
         {},
         {}});
    const auto line = process.waitForLine("ready ");
    process.signal(SIGTERM);
    ASSERT_TRUE(line) << process.allOutput();
    const auto section = pageOf("restanted").sections["READY LINE"];
    const auto shown = linesOf(section.text.substr(section.text.find("\nready ") + 1)).front();
    const std::regex keys(" [a-z]+=");
    EXPECT_EQ(allOf(shown, keys), allOf(*line, keys));
    EXPECT_EQ(process.waitForExit(), 0) << process.allOutput();
}

TEST(ManPages, showAJobWithTheFieldsThatItHas)
{
    const auto url = "unix://" + sharedRedis().socketPath();
    const auto pushed =
        outputOf("restantectl", {"--redis", url, "push", "order", "--body", "close order 4711",
                                 "--delay", "30m", "--biz-key", "4711"});
    const auto shown =
        outputOf("restantectl", {"--redis", url, "show", pushed.substr(0, pushed.find('\n'))});
    const auto fields = fieldsOfJobIn(shown);
    EXPECT_THAT(fields, Contains("created")) << shown;
    EXPECT_EQ(fieldsOfJobIn(pageOf("restantectl").sections["EXAMPLES"].text), fields);
}

TEST(ManPages, areFormattedWithoutAWarning)
{
    if (run({{"sh", "-c", "command -v groff"}, {}, {}}).status != 0) {
        std::puts("groff is not installed: what it would warn of stays unknown");
        return;
    }
    for (const auto& page :
         std::filesystem::directory_iterator(sourceDirectory() / "resources/man")) {
        const auto path = page.path().string();
        const auto result = run({{"groff", "-man", "-Tutf8", "-ww", path}, {}, {}});
        EXPECT_EQ(result.status, 0) << path;
        EXPECT_THAT(result.errors, IsEmpty()) << path;
        EXPECT_THAT(result.output, Not(IsEmpty())) << path;
    }
}

TEST(ManPages, sayHowAListIsWrittenAsTheHelpDoes)
{
    const std::regex said("[Cc]ommas part the\\s+elements\\s+of a list");
    for (const std::string program : {"restanted", "restantectl"}) {
        EXPECT_TRUE(std::regex_search(pageOf(program).sections["OPTIONS"].text, said)) << program;
        // The help is broken into lines.
        const auto help =
            std::regex_replace(outputOf(program, {"--help"}), std::regex("\\s+"), " ");
        EXPECT_TRUE(std::regex_search(help, said)) << help;
    }
}

}  // namespace
}  // namespace restante::test
