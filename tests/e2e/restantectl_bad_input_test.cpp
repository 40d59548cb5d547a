// Every option of every command of restantectl with values that nobody means.

#include "tests/support/process.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace restante::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using Words = std::vector<std::string>;

/// Options that take a value, by what they take. Each gets what is wrong with any value, too.
struct Command {
    const char* name;
    Words before;  ///< the command with all it needs, but for the option
    Words texts;   ///< any words will do
    Words values;  ///< durations, times, numbers, one of some words
};

void PrintTo(const Command& command, std::ostream* out)
{
    *out << command.name;
}

const Words kFlags{"--help", "--dry-run",        "--yes",   "--replace", "--reverse",  "--history",
                   "--once", "--reset-attempts", "--adopt", "--repair",  "--security", "--stop"};
/// Any bytes will do, and what is wrong with them is told elsewhere.
const Words kContent{"--body", "--body-file", "--text"};

class RestantectlOptions : public ::testing::TestWithParam<Command> {
protected:
    RestantectlOptions() : redis_(sharedRedis()) {}

    Finished ctl(Words words) const
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis",
                                     "unix://" + redis_.socketPath()});
        return run({std::move(words), {{"TZ", "UTC"}}, {}});
    }
    /// Without the option, if it is there already, and what it excludes.
    static Words lineWith(const std::string& option, const std::string& value)
    {
        auto words = GetParam().before;
        const std::set<std::string> kTimes{"--in", "--at", "--before"};
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            if (words[i] == option || (kTimes.contains(words[i]) && kTimes.contains(option))) {
                words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                            words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
                break;
            }
        }
        words.insert(words.end(), {option, value});
        return words;
    }
    void expectRefused(const std::string& option, const std::string& value) const
    {
        const auto result = ctl(lineWith(option, value));
        const auto shown = option + " " + value.substr(0, 40) + ": " + result.output.substr(0, 200);
        EXPECT_EQ(result.status, 2) << shown << result.errors.substr(0, 300);
        // In the store's words there is no "--".
        auto field = option == "--before"
                         ? std::string("event")
                         : std::regex_replace(option.substr(2), std::regex("-"), "_");
        field = field == "zone" ? "time_zone" : field;
        EXPECT_TRUE(result.errors.find(option) != std::string::npos ||
                    result.errors.find(field) != std::string::npos)
            << shown << result.errors.substr(0, 300);
    }

    RedisServer& redis_;
};

TEST_P(RestantectlOptions, areRefusedByNameAndStoreNothing)
{
    const auto all = GetParam().texts.size();
    auto options = GetParam().texts;
    options.insert(options.end(), GetParam().values.begin(), GetParam().values.end());
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i] != "--reason" && options[i] != "--cursor") {
            expectRefused(options[i], "");
        }
        for (const std::string& value :
             {std::string("\xff"), std::string("\xed\xa0\x80"), std::string("\x1b[31m"),
              std::string(5'000, 'x'), std::string(100'000, '[')}) {
            expectRefused(options[i], value);
        }
        if (i >= all) {
            for (const char* value : {"x y", "-1", "1.5", "NaN", "1e999", "9223372036854775808",
                                      "-9223372036854775809", "99999999999999999999s"}) {
                expectRefused(options[i], value);
            }
        }
    }
    EXPECT_EQ(*redis_.send({"EXISTS", "rst:{s0}:events"}).integer(), 0);
}

TEST_P(RestantectlOptions, areAllTriedHere)
{
    const auto help = ctl({GetParam().name, "--help"}).output;
    std::set<std::string> known;
    for (const auto* list : {&GetParam().texts, &GetParam().values, &kFlags, &kContent}) {
        known.insert(list->begin(), list->end());
    }
    const std::regex option("\n +(?:-[a-z],)?(--[a-z-]+)");
    for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) {
        EXPECT_TRUE(known.contains((*at)[1])) << (*at)[1] << " of " << GetParam().name;
    }
}

Command bulk(const char* name)
{
    return {name, {name, "--dry-run"}, {"--filter", "--biz-key", "--reason"}, {}};
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    RestantectlOptions,
    ::testing::Values(
        Command{"push",
                {"push", "t", "--body", "x"},
                {"--id", "--to", "--from", "--biz-key", "--content-type", "--header", "--reason"},
                {"--delay", "--at", "--ttr", "--priority", "--expires-in", "--expires", "--retry",
                 "--channel"}},
        Command{"remind",
                {"remind", "sip:bob@example.org", "--text", "x", "--in", "1h"},
                {"--id", "--sender", "--biz-key", "--content-type", "--cancel", "--reason"},
                {"--at", "--in", "--before", "--every", "--zone", "--expires", "--channel",
                 "--retry", "--preview", "--offsets"}},
        Command{"list",
                {"list"},
                {"--topic", "--to", "--from", "--biz-key", "--cursor", "--filter"},
                {"--state", "--channel", "--limit"}},
        bulk("run"),
        bulk("hold"),
        bulk("release"),
        bulk("bury"),
        bulk("delete"),
        bulk("restore"),
        Command{"reschedule",
                {"reschedule", "--dry-run", "--in", "1h", "--filter", "state:dead"},
                {"--filter", "--biz-key", "--reason"},
                {"--at", "--in", "--spread"}},
        Command{"purge",
                {"purge", "--dry-run"},
                {"--filter", "--biz-key", "--reason"},
                {"--state", "--older-than"}},
        Command{"export", {"export"}, {"--filter", "--biz-key"}, {"--state"}},
        Command{"import", {"import"}, {"--reason"}, {}},
        Command{"pop", {"pop", "t"}, {"--reason"}, {"--max", "--wait"}},
        Command{"finish", {"finish", "x", "--attempt", "1"}, {"--reason"}, {"--attempt"}},
        Command{"show", {"show", "x"}, {}, {}},
        Command{"topics", {"topics"}, {}, {}},
        Command{"stats", {"stats"}, {}, {}},
        Command{"pause", {"pause", "t"}, {"--reason"}, {}},
        Command{"resume", {"resume", "t"}, {"--reason"}, {}},
        Command{"limit", {"limit", "t"}, {"--reason"}, {"--concurrency", "--rate"}},
        Command{"recover", {"recover"}, {"--id", "--reason"}, {"--expired"}},
        Command{"trace", {"trace", "sip:bob@example.org"}, {"--reason"}, {"--for"}},
        Command{"top", {"top", "--once"}, {}, {"--every"}},
        Command{"doctor", {"doctor", "--repair"}, {"--reason"}, {}}),
    [](const auto& command) { return std::string(command.param.name); });

TEST(RestantectlReschedule, takesNoTimeThatAPushWouldNotTake)
{
    const auto& redis = sharedRedis();
    for (const Words& when : {Words{"--at", "1960-01-01 00:00"}, Words{"--at", "2100-01-01 00:00"},
                              Words{"--in", "4000d"}, Words{"--spread", "100d", "--in", "3600d"}}) {
        Words words{builtProgram("restantectl").string(),
                    "--redis",
                    "unix://" + redis.socketPath(),
                    "reschedule",
                    "--filter",
                    "state:dead"};
        words.insert(words.end(), when.begin(), when.end());
        const auto result = run({std::move(words), {{"TZ", "UTC"}}, {}});
        EXPECT_EQ(result.status, 2) << when[1];
        EXPECT_THAT(result.errors, HasSubstr(when[0])) << when[1];
    }
}

}  // namespace
}  // namespace restante::test
