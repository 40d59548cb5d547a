#include "core/base/timestamp.h"
#include "core/redis/client/redis_url.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

namespace restante::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// A day that is still to come, but not further ahead than a job may be due.
const std::string kDay = [] {
    const auto year = formatRfc3339(SystemClock{}.now()).substr(0, 4);
    return std::to_string(std::stoi(year) + 1) + "-12-31";
}();

/// The command line against a Redis of its own, no daemon needed.
class Restantectl : public ::testing::Test {
protected:
    Restantectl() { sharedRedis(); }

    static Finished ctl(std::vector<std::string> words, std::string_view input = {})
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis",
                                     "unix://" + sharedRedis_().socketPath()});
        Process process({words, {{"TZ", "UTC"}}, {}});
        process.write(input);
        process.closeInput();
        const auto status = process.waitForExit();
        return {status.value_or(-1), process.output(), process.errors()};
    }
    static json ctlJson(std::vector<std::string> words)
    {
        words.push_back("--json");
        const auto result = ctl(std::move(words));
        EXPECT_EQ(result.status, 0) << result.errors;
        return json::parse(result.output, nullptr, false);
    }
    static std::string push(std::vector<std::string> words)
    {
        words.insert(words.begin(), "push");
        return ctlJson(std::move(words)).value("id", "");
    }
    static json show(const std::string& id) { return ctlJson({"show", id}); }
    // sharedRedis() empties it; a test only wants to know where it is.
    static RedisServer& sharedRedis_()
    {
        static RedisServer& server = sharedRedis();
        return server;
    }
};

TEST_F(Restantectl, pushesAJobWithEveryField)
{
    const auto id =
        push({"order",     "--body",    "close it", "--id",           "order-1",    "--delay",
              "30m",       "--ttr",     "90s",      "--priority",     "2",          "--expires-in",
              "2h",        "--retry",   "0s,1m",    "--to",           "bob",        "--from",
              "alice",     "--biz-key", "4711",     "--content-type", "text/plain", "--header",
              "X-A: b: c", "--header",  "X-D:e"});

    EXPECT_EQ(id, "order-1");
    const auto job = show(id);
    EXPECT_EQ(job["state"], "scheduled");
    EXPECT_EQ(job["topic"], "order");
    EXPECT_EQ(job["channel"], "pull");
    EXPECT_EQ(job["body"], "close it");
    EXPECT_EQ(job["ttr"], "1m30s");
    EXPECT_EQ(job["priority"], 2);
    EXPECT_EQ(job["retry"], "0s,1m");
    EXPECT_EQ(job["recipient"], "bob");
    EXPECT_EQ(job["sender"], "alice");
    EXPECT_EQ(job["biz_key"], "4711");
    EXPECT_EQ(job["content_type"], "text/plain");
    EXPECT_EQ(job["headers"],
              (json{{{"name", "X-A"}, {"value", "b: c"}}, {{"name", "X-D"}, {"value", "e"}}}));
    EXPECT_EQ(job["due_ms"].get<std::int64_t>() - job["created_ms"].get<std::int64_t>(), 1'800'000);
    EXPECT_NEAR(job["expires_ms"].get<double>() - job["created_ms"].get<double>(), 7'200'000,
                5'000);
}

TEST_F(Restantectl, printsOnlyTheIdOfAPushedJob)
{
    EXPECT_THAT(ctl({"push", "order", "--body", "x"}).output, MatchesRegex("[0-9A-Z]{26}\n"));
}

TEST_F(Restantectl, takesTheBodyFromAFileOrFromStandardInput)
{
    const TempDir directory;
    const std::string bytes("a\0b\xff", 4);
    std::ofstream(directory / "body", std::ios::binary) << bytes;

    const auto file = push({"order", "--body-file", (directory / "body").string()});
    EXPECT_EQ(show(file)["body_base64"], "YQBi/w==");

    auto piped = ctl({"push", "order", "--id", "piped"}, "from a pipe\n");
    EXPECT_EQ(piped.status, 0) << piped.errors;
    EXPECT_EQ(show("piped")["body"], "from a pipe\n");
}

TEST_F(Restantectl, pushesTheSameJobOnlyOnce)
{
    push({"order", "--body", "x", "--id", "same"});
    EXPECT_EQ(ctlJson({"push", "order", "--body", "x", "--id", "same"})["status"], "already_there");

    const auto other = ctl({"push", "order", "--body", "y", "--id", "same", "--json"});
    EXPECT_EQ(other.status, 1);
    EXPECT_EQ(json::parse(other.output)["error"]["code"], "conflict");

    push({"order", "--body", "y", "--id", "same", "--replace"});
    EXPECT_EQ(show("same")["body"], "y");
}

TEST_F(Restantectl, remindsByTheChannelThatTheRecipientHas)
{
    const auto remind = [](const std::string& to) {
        return ctlJson({"remind", to, "--in", "15d", "--text", "pay"});
    };
    const auto sip = remind("sip:bob@example.org");
    EXPECT_EQ(sip["channel"], "sip");
    EXPECT_EQ(remind("+491701234567")["channel"], "sms");
    EXPECT_EQ(remind("https://example.org/hook")["channel"], "webhook");

    const auto job = show(sip["id"]);
    EXPECT_EQ(job["state"], "scheduled");
    EXPECT_EQ(job["recipient"], "sip:bob@example.org");
    EXPECT_EQ(job["content_type"], "text/plain;charset=UTF-8");
    EXPECT_EQ(job["body"], "pay");
}

TEST_F(Restantectl, remindsAtATimeInLocalTimeOrWithAZone)
{
    const auto local = ctlJson({"remind", "sip:b@x", "--at", kDay + " 09:00", "--text", "t"});
    EXPECT_EQ(local["due"], kDay + "T09:00:00.000Z");
    const auto zoned =
        ctlJson({"remind", "sip:b@x", "--at", kDay + "T09:00:00+01:00", "--text", "t"});
    EXPECT_EQ(zoned["due"], kDay + "T08:00:00.000Z");
}

TEST_F(Restantectl, listsByStateTopicAndPeople)
{
    push({"order", "--body", "1", "--id", "a", "--delay", "1h"});
    push({"order", "--body", "2", "--id", "b", "--to", "bob", "--biz-key", "k"});
    push({"other", "--body", "3", "--id", "c", "--from", "carol"});
    const auto idsOf = [](std::vector<std::string> words) {
        words.insert(words.begin(), "list");
        std::vector<std::string> ids;
        const auto page = ctlJson(std::move(words));
        for (const auto& job : page["jobs"]) {
            ids.push_back(job["id"]);
        }
        return ids;
    };
    EXPECT_THAT(idsOf({}), ::testing::UnorderedElementsAre("a", "b", "c"));
    EXPECT_THAT(idsOf({"--state", "scheduled"}), ::testing::ElementsAre("a"));
    EXPECT_THAT(idsOf({"--topic", "order"}), ::testing::UnorderedElementsAre("a", "b"));
    EXPECT_THAT(idsOf({"--to", "bob"}), ::testing::ElementsAre("b"));
    EXPECT_THAT(idsOf({"--from", "carol"}), ::testing::ElementsAre("c"));
    EXPECT_THAT(idsOf({"--biz-key", "k"}), ::testing::ElementsAre("b"));
    EXPECT_THAT(idsOf({"--topic", "nothing"}), IsEmpty());
}

TEST_F(Restantectl, listsPageByPage)
{
    for (int i = 0; i < 5; ++i) {
        push({"order", "--body", "x", "--delay", std::to_string(i + 1) + "h"});
    }
    std::vector<std::string> ids;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = ctlJson({"list", "--limit", "2", "--cursor", cursor});
        for (const auto& job : page["jobs"]) {
            ids.push_back(job["id"]);
        }
        cursor = page["cursor"].is_null() ? "" : page["cursor"].get<std::string>();
    } while (!cursor.empty() && ++pages < 10);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
    EXPECT_THAT(ids, SizeIs(5));
}

TEST_F(Restantectl, alignsItsTablesAndTellsTheDistanceInTime)
{
    push({"a-long-topic", "--body", "x", "--id", "one", "--delay", "90m"});
    push({"t", "--body", "x", "--id", "second-id", "--delay", "3h"});
    const auto output = ctl({"list"}).output;
    std::vector<std::string> lines;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    ASSERT_THAT(lines, SizeIs(3)) << output;
    EXPECT_THAT(lines[0], StartsWith("ID         STATE"));
    EXPECT_EQ(lines[1].find("scheduled"), lines[2].find("scheduled"));
    EXPECT_EQ(lines[1].find(" (in "), lines[2].find(" (in ")) << output;
}

TEST_F(Restantectl, showsAJobForPeople)
{
    push({"order", "--body", "two\nlines", "--id", "one", "--delay", "1h"});
    EXPECT_THAT(ctl({"show", "one"}).output,
                AllOf(HasSubstr("state         scheduled\n"), HasSubstr("two\nlines\n")));
    push({"order", "--body", "\x1b[2J", "--id", "evil"});
    EXPECT_THAT(ctl({"show", "evil"}).output,
                AllOf(Not(HasSubstr("\x1b")), HasSubstr("4 bytes, not text")));
}

TEST_F(Restantectl, runsReschedulesDeletesRestoresAndPurges)
{
    push({"order", "--body", "x", "--id", "j", "--delay", "1h"});

    EXPECT_EQ(ctl({"run", "j"}).output, "j runs now\n");
    EXPECT_EQ(show("j")["state"], "ready");

    EXPECT_EQ(ctl({"reschedule", "j", "--at", kDay + " 09:00"}).output,
              "j is due at " + kDay + " 09:00:00\n");
    EXPECT_EQ(show("j")["due"], kDay + "T09:00:00.000Z");

    EXPECT_EQ(ctl({"delete", "j"}).output, "j is in the trash\n");
    EXPECT_EQ(show("j")["state"], "trashed");

    EXPECT_EQ(ctl({"restore", "j"}).output, "j is back\n");
    EXPECT_EQ(show("j")["state"], "scheduled");
    EXPECT_EQ(show("j")["due"], kDay + "T09:00:00.000Z");

    EXPECT_EQ(ctl({"purge", "j"}).output, "j is gone\n");
    EXPECT_EQ(ctl({"show", "j"}).status, 1);
}

TEST_F(Restantectl, tellsForEachJobWhetherItWasDone)
{
    push({"order", "--body", "x", "--id", "there", "--delay", "1h"});
    const auto result = ctl({"run", "there", "missing", "--json"});
    EXPECT_EQ(result.status, 1);
    const auto results = json::parse(result.output)["results"];
    EXPECT_EQ(results[0], (json{{"id", "there"}, {"status", "ok"}}));
    EXPECT_EQ(results[1]["status"], "not_found");

    EXPECT_THAT(ctl({"delete", "missing"}).errors, StartsWith("restantectl: missing: "));
}

TEST_F(Restantectl, purgesAllTrashOfAnAge)
{
    push({"order", "--body", "x", "--id", "a"});
    push({"order", "--body", "x", "--id", "b"});
    push({"order", "--body", "x", "--id", "alive"});
    ctl({"delete", "a", "b"});

    EXPECT_EQ(ctlJson({"purge", "--state", "trashed", "--older-than", "1h"})["done"], 0);
    EXPECT_EQ(ctlJson({"purge", "--state", "trashed"})["done"], 2);
    EXPECT_THAT(ctlJson({"list"})["jobs"], SizeIs(1));
}

TEST_F(Restantectl, makesAStoreOfAnUnusedRedisWithItsFirstJob)
{
    ctl({"list"});
    EXPECT_EQ(std::get<std::int64_t>(sharedRedis_().send({"EXISTS", "rst:meta"}).value), 0);
    push({"order", "--body", "x"});
    EXPECT_EQ(std::get<std::string>(sharedRedis_().send({"HGET", "rst:meta", "schema"}).value),
              "1");
    EXPECT_EQ(std::get<std::string>(sharedRedis_().send({"HGET", "rst:meta", "shards"}).value),
              "1");
}

TEST_F(Restantectl, leavesAStoreOfAnotherSchemaAlone)
{
    sharedRedis_().send({"HSET", "rst:meta", "schema", "99", "shards", "1"});
    for (const auto& words : {std::vector<std::string>{"push", "order", "--body", "x"}, {"list"}}) {
        const auto result = ctl(words);
        EXPECT_EQ(result.status, 2);
        EXPECT_THAT(result.errors, HasSubstr("has schema 99, this program knows 1; use the version "
                                             "of Restante that wrote it"));
    }
    EXPECT_EQ(std::get<std::int64_t>(sharedRedis_().send({"DBSIZE"}).value), 1);
}

TEST_F(Restantectl, countsJobs)
{
    push({"order", "--body", "x", "--delay", "1h"});
    push({"order", "--body", "x"});
    const auto stats = ctlJson({"stats"});
    EXPECT_EQ(stats["states"]["scheduled"], 1);
    EXPECT_EQ(stats["states"]["ready"], 1);
    EXPECT_EQ(stats["topics"],
              (json{{{"channel", "pull"}, {"topic", "order"}, {"scheduled", 1}, {"ready", 1}}}));
    EXPECT_EQ(stats["mailboxes"], 0);
    EXPECT_THAT(ctl({"stats"}).output, HasSubstr("scheduled  1\n"));
}

struct BadLine {
    std::vector<std::string> words;
    const char* explanation;
};

void PrintTo(const BadLine& line, std::ostream* out)
{
    for (const auto& word : line.words) {
        *out << word << ' ';
    }
}

class BadUsage : public Restantectl, public ::testing::WithParamInterface<BadLine> {};

TEST_P(BadUsage, endsWithTwoAndSaysWhatIsAllowed)
{
    const auto result = ctl(GetParam().words);
    EXPECT_EQ(result.status, 2) << result.output << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(GetParam().explanation));
    EXPECT_THAT(ctlJson({"list"})["jobs"], IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    OfEachCommand,
    BadUsage,
    ::testing::Values(
        BadLine{{}, "a command is missing"},
        BadLine{{"explode"}, "explode"},
        BadLine{{"push"}, "topic is required"},
        BadLine{{"push", "t", "--body", "x", "--delay", "soon"}, "\"soon\""},
        BadLine{{"push", "t", "--body", "x", "--at", "tomorrow"}, "2026-12-31 09:00"},
        BadLine{{"push", "t", "--body", "x", "--priority", "10"}, "range"},
        BadLine{{"push", "t", "--body", "x", "--channel", "fax"}, "pull, sip, sms and webhook"},
        BadLine{{"push", "t", "--body", "x", "--retry", "maybe"}, "maybe"},
        BadLine{{"push", "t", "--body", "x", "--header", "nothing"}, "Name: value"},
        BadLine{{"push", "t", "--body-file", "/nowhere/x"}, "/nowhere/x"},
        BadLine{{"push", "t", "--body-file", "/"}, "\"/\" cannot be read"},
        BadLine{{"push", "white space", "--body", "x"}, "topic"},
        BadLine{{"push", "t", "--body", "x", "--id", "white space"}, "id"},
        BadLine{{"push", "restante.reminders", "--body", "x"}, "reserved"},
        BadLine{{"remind", "bob", "--in", "1h", "--text", "x"}, "sip:bob@example.org"},
        BadLine{{"remind", "sip:bob@x", "--text", "x"}, "--in"},
        BadLine{{"remind", "sip:bob@x", "--in", "1h"}, "--text"},
        BadLine{{"remind", "sip:bob@x", "--every", "FREQ=SOMETIMES", "--text", "x"}, "FREQ is"},
        BadLine{{"remind", "sip:bob@x", "--every", "10s", "--text", "x"},
                "shortest interval is 1m"},
        BadLine{{"remind", "sip:bob@x", "--in", "1h", "--at", "2026-12-31", "--text", "x"}, "--in"},
        BadLine{{"remind", "sip:bob@x", "--in", "1h", "--zone", "Mars", "--text", "x"},
                "time_zone: \"Mars\""},
        BadLine{{"remind", "sip:bob@x", "--offsets", "3d", "--text", "x"}, "--before"},
        BadLine{{"remind", "sip:bob@x", "--at", "2020-01-01 00:00", "--text", "x"}, "has passed"},
        BadLine{{"list", "--state", "asleep"}, "scheduled, ready"},
        BadLine{{"list", "--limit", "0"}, "range"},
        BadLine{{"show"}, "id is required"},
        BadLine{{"run"}, "--biz-key is required"},
        BadLine{{"reschedule", "x"}, "--in"},
        BadLine{{"purge"}, "--state"},
        BadLine{{"purge", "--state", "ready"}, "dead, trashed or done"}));

TEST(RestantectlAlone, findsTheEmbeddedRedisOfAStateDirectory)
{
    const TempDir directory;
    std::ofstream(directory / "r.toml")
        << "state_dir = \"" << (directory / "state").string() << "\"\n";
    const auto result = run({{builtProgram("restantectl").string(), "--config",
                              (directory / "r.toml").string(), "stats"},
                             {},
                             {}});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.errors, AllOf(HasSubstr((directory / "state").string()),
                                     HasSubstr("is restanted running")));
}

TEST(RestantectlAlone, refusesABrokenConfigurationWithItsLine)
{
    const TempDir directory;
    std::ofstream(directory / "r.toml") << "\nstate_dri = \"/x\"\n";
    const auto path = (directory / "r.toml").string();
    const auto result =
        run({{builtProgram("restantectl").string(), "--config", path, "stats"}, {}, {}});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.errors,
                HasSubstr(path + ":2: unknown key state_dri; did you mean state_dir?"));
}

TEST(RestantectlAlone, saysThatRedisCannotBeReached)
{
    const auto result = run({{builtProgram("restantectl").string(), "--redis",
                              "redis://127.0.0.1:1", "stats", "--json"},
                             {},
                             {}});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.errors, HasSubstr("127.0.0.1:1"));
    EXPECT_EQ(json::parse(result.output)["error"]["code"], "unavailable");
}

TEST(RestantectlAlone, failsWhenItsAnswerCannotBeWritten)
{
    for (const auto* const command :
         {"sip-user bob example.org", "sip-user bob example.org --json", "--version"}) {
        const auto lost = run({{"sh", "-c",
                                "echo secret | '" + builtProgram("restantectl").string() + "' " +
                                    command + " > /dev/full"},
                               {},
                               {}});
        EXPECT_EQ(lost.status, 1) << command;
        EXPECT_THAT(lost.errors, HasSubstr("standard output cannot be written")) << command;
    }
}

TEST(RestantectlAlone, answersHelpAndVersionWithZero)
{
    const auto ctl = builtProgram("restantectl").string();
    EXPECT_EQ(run({{ctl, "--help"}, {}, {}}).status, 0);
    EXPECT_EQ(run({{ctl, "push", "--help"}, {}, {}}).status, 0);
    EXPECT_THAT(run({{ctl, "--version"}, {}, {}}).output, StartsWith("restantectl "));
}

TEST(RestantectlAlone, saysInItsHelpEachFormThatARedisUrlMayHave)
{
    const auto help = run({{builtProgram("restantectl").string(), "--help"}, {}, {}}).output;
    // It may be broken into lines, and between words only.
    EXPECT_THAT(std::regex_replace(help, std::regex("\\s+"), " "),
                HasSubstr(std::string(redis::kRedisUrlForms)));
}

}  // namespace
}  // namespace restante::test
