// What an operator and a consumer do by hand, and how restantectl finds its store.

#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace restante::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Words = std::vector<std::string>;

class RestantectlVerbs : public ::testing::Test {
protected:
    Finished ctl(Words words) const
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis",
                                     "unix://" + redis_.socketPath()});
        return run({std::move(words), {{"TZ", "UTC"}}, {}});
    }
    json ctlJson(Words words) const
    {
        words.push_back("--json");
        const auto result = ctl(std::move(words));
        EXPECT_EQ(result.status, 0) << result.errors;
        return json::parse(result.output, nullptr, false);
    }
    void push(const std::string& id, Words more = {}) const
    {
        Words words{"push", "order", "--body", "body of " + id, "--id", id};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(ctl(std::move(words)).status, 0);
    }
    std::string stateOf(const std::string& id) const { return ctlJson({"show", id})["state"]; }
    /// The field of the newest event that has one.
    std::string newest(const std::string& field) const
    {
        const auto reply = redis_.send({"XREVRANGE", "rst:{s0}:events", "+", "-", "COUNT", "1"});
        const auto& fields = *(*(*reply.array()).front().array())[1].array();
        for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
            if (*fields[i].text() == field) {
                return *fields[i + 1].text();
            }
        }
        return {};
    }

    RedisServer& redis_ = sharedRedis();
};

TEST_F(RestantectlVerbs, popsAJobAndFinishesIt)
{
    push("a");
    EXPECT_EQ(ctl({"pop", "order"}).output, "a 1\nbody of a\n");
    EXPECT_EQ(stateOf("a"), "leased");
    EXPECT_EQ(ctl({"finish", "a", "--attempt", "1"}).output, "a is done\n");
    EXPECT_EQ(ctl({"show", "a"}).status, 1);
}

TEST_F(RestantectlVerbs, keepsWhatItFinishesAsTheConfigurationSays)
{
    push("a");
    ctl({"pop", "order"});
    EXPECT_EQ(ctl({"--set", "retention.done=1h", "finish", "a", "--attempt", "1"}).status, 0);
    EXPECT_EQ(stateOf("a"), "done");
}

TEST_F(RestantectlVerbs, popsSeveralOfSeveralTopicsAsJson)
{
    push("a");
    push("b");
    EXPECT_EQ(ctl({"push", "other", "--body", "x", "--id", "c"}).status, 0);
    const auto jobs = ctlJson({"pop", "order", "other", "--max", "10"})["jobs"];
    ASSERT_THAT(jobs, SizeIs(3));
    EXPECT_EQ(jobs[0]["attempt"], 1);
    EXPECT_EQ(jobs[0]["body"], "body of a");
    EXPECT_THAT(ctlJson({"pop", "order,other"})["jobs"], IsEmpty());
    EXPECT_EQ(ctl({"pop", "restante.reminders"}).status, 2);
    EXPECT_EQ(ctl({"pop"}).status, 2);
}

TEST_F(RestantectlVerbs, givesBackWhatItCannotPrint)
{
    ASSERT_EQ(ctl({"push", "order", "--id", "a", "--body", std::string(20'000, 'x')}).status, 0);
    for (const auto* const format : {"", "--json"}) {
        const auto popped =
            run({{"sh", "-c",
                  fmt::format("'{}' --redis 'unix://{}' pop order {} > /dev/full",
                              builtProgram("restantectl").string(), redis_.socketPath(), format)},
                 {},
                 {}});
        EXPECT_NE(popped.status, 0);
        EXPECT_THAT(popped.errors, HasSubstr("the jobs are in their queue again"));
        EXPECT_EQ(stateOf("a"), "ready");
    }
    EXPECT_EQ(ctlJson({"show", "a"})["attempt"], 0);
}

TEST_F(RestantectlVerbs, waitsForAJobThatIsPushedMeanwhile)
{
    Process waiting({{builtProgram("restantectl").string(), "--redis",
                      "unix://" + redis_.socketPath(), "pop", "order", "--wait", "60s"},
                     {},
                     {}});
    push("a", {"--delay", "300ms"});
    EXPECT_EQ(waiting.waitForExit(), 0) << waiting.allOutput();
    EXPECT_THAT(waiting.output(), HasSubstr("a 1\n"));
    EXPECT_EQ(ctl({"pop", "order", "--wait", "100ms"}).output, "");
}

TEST_F(RestantectlVerbs, saysWhyAnAttemptCannotFinishAJob)
{
    push("a");
    EXPECT_THAT(ctl({"finish", "a", "--attempt", "1"}).errors,
                AllOf(HasSubstr("it is ready"), HasSubstr("finish takes jobs that are leased")));
    ctl({"pop", "order"});
    const auto other = ctl({"finish", "a", "--attempt", "7"});
    EXPECT_EQ(other.status, 1);
    EXPECT_THAT(other.errors, HasSubstr("leased as attempt 1"));
    EXPECT_EQ(ctl({"finish", "nobody", "--attempt", "1"}).status, 1);
    EXPECT_EQ(ctl({"finish", "a"}).status, 2);
}

TEST_F(RestantectlVerbs, holdsReleasesAndBuries)
{
    push("a");
    push("b");
    EXPECT_EQ(ctl({"hold", "a", "b", "--reason", "stock-taking"}).output, "a is held\nb is held\n");
    EXPECT_EQ(newest("why"), "stock-taking");
    EXPECT_EQ(stateOf("a"), "held");
    EXPECT_EQ(ctl({"release", "a"}).output, "a is released\n");
    EXPECT_EQ(stateOf("a"), "ready");
    EXPECT_EQ(ctl({"bury", "a", "--reason", "no such customer"}).output, "a is dead\n");
    EXPECT_EQ(ctlJson({"show", "a"})["last_error"], "no such customer");
    EXPECT_EQ(ctl({"bury", "b"}).status, 0);
    EXPECT_EQ(ctlJson({"show", "b"})["last_error"], "given up");
}

TEST_F(RestantectlVerbs, holdsReleasesAndBuriesInBulk)
{
    push("a");
    push("b");
    EXPECT_EQ(ctl({"hold", "--filter", "topic:order"}).status, 1);
    EXPECT_EQ(ctl({"hold", "--filter", "topic:order", "--dry-run"}).status, 0);
    EXPECT_EQ(stateOf("a"), "ready");
    EXPECT_EQ(ctlJson({"hold", "--filter", "topic:order", "--yes"})["done"], 2);
    EXPECT_EQ(ctlJson({"release", "--filter", "topic:order", "--yes"})["done"], 2);
    EXPECT_EQ(ctlJson({"bury", "--filter", "topic:order", "--yes", "--reason", "over"})["done"], 2);
    EXPECT_EQ(ctlJson({"show", "b"})["last_error"], "over");
}

TEST_F(RestantectlVerbs, leavesAJobToWhoeverHasIt)
{
    push("a");
    ctl({"pop", "order"});
    const auto refused = ctl({"hold", "a"});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.errors, HasSubstr("it is leased"));
    EXPECT_EQ(stateOf("a"), "leased");
}

TEST_F(RestantectlVerbs, keepsTheReasonOfEveryChange)
{
    push("a", {"--reason", "by hand"});
    EXPECT_EQ(newest("why"), "by hand");
    EXPECT_THAT(newest("by"), HasSubstr("@"));
    for (const Words& words :
         {Words{"reschedule", "a", "--in", "1h"}, Words{"run", "a"}, Words{"hold", "a"},
          Words{"release", "a"}, Words{"bury", "a"}, Words{"restore", "a"}, Words{"delete", "a"},
          Words{"restore", "a"}, Words{"purge", "a"}}) {
        auto line = words;
        line.insert(line.end(), {"--reason", "because of " + words.front()});
        EXPECT_EQ(ctl(line).status, 0) << words.front();
        EXPECT_EQ(newest("why"), "because of " + words.front());
    }
    EXPECT_EQ(ctl({"remind", "sip:bob@example.org", "--in", "1h", "--text", "x", "--biz-key", "k",
                   "--reason", "asked for"})
                  .status,
              0);
    EXPECT_EQ(newest("why"), "asked for");
    EXPECT_EQ(ctl({"remind", "--cancel", "k", "--reason", "paid"}).status, 0);
    EXPECT_THAT(newest("why"), HasSubstr("paid"));
}

TEST_F(RestantectlVerbs, keepsTheReasonOfWhoeverTakesAJobByHand)
{
    push("a");
    push("b");
    EXPECT_EQ(ctl({"pop", "order"}).status, 0);
    EXPECT_EQ(newest("t"), "claim");
    EXPECT_EQ(newest("by"), "") << "as any worker";
    EXPECT_EQ(ctl({"pop", "order", "--reason", "to look into it"}).status, 0);
    EXPECT_EQ(newest("why"), "to look into it");
    EXPECT_THAT(newest("by"), HasSubstr("@"));
    EXPECT_EQ(ctl({"finish", "b", "--attempt", "7", "--reason", "x"}).status, 1);
    EXPECT_EQ(ctl({"finish", "b", "--attempt", "1", "--reason", "shipped"}).status, 0);
    EXPECT_EQ(newest("t"), "finish");
    EXPECT_EQ(newest("why"), "shipped");
    EXPECT_THAT(newest("by"), HasSubstr("@"));
    EXPECT_EQ(ctl({"finish", "a", "--attempt", "1"}).status, 0);
    EXPECT_EQ(newest("by"), "");
}

TEST_F(RestantectlVerbs, keepsTheReasonForWhichSomebodyIsTraced)
{
    EXPECT_EQ(ctl({"trace", "sip:bob@example.org", "--reason", "ticket 7"}).status, 0);
    EXPECT_EQ(newest("t"), "trace");
    EXPECT_EQ(newest("topic"), "sip:bob@example.org");
    EXPECT_EQ(newest("why"), "ticket 7");
    EXPECT_THAT(newest("by"), HasSubstr("@"));
    EXPECT_EQ(ctl({"trace", "sip:bob@example.org", "--stop"}).status, 0);
    EXPECT_EQ(newest("t"), "untrace");
    EXPECT_EQ(newest("why"), "restantectl");
    EXPECT_EQ(ctl({"trace", "sip:bob@example.org", "--stop", "--reason", "again"}).status, 1);
    EXPECT_EQ(newest("why"), "restantectl") << "nothing was done";
}

TEST_F(RestantectlVerbs, saysTheStateItFoundAndWhatIsAllowed)
{
    push("a");
    push("scheduled", {"--delay", "1h"});
    const auto refusal = [this](const Words& words) {
        const auto result = ctl(words);
        EXPECT_EQ(result.status, 1) << words.front();
        return result.errors;
    };
    EXPECT_THAT(refusal({"run", "a"}),
                HasSubstr("it is ready; run_now takes jobs that are scheduled, held or dead"));
    EXPECT_THAT(refusal({"restore", "scheduled"}),
                HasSubstr("it is scheduled; restore takes jobs that are dead, trashed or done"));
    EXPECT_THAT(refusal({"release", "a"}),
                HasSubstr("it is ready; release takes jobs that are held"));
    ctl({"delete", "a"});
    EXPECT_THAT(refusal({"delete", "a"}), HasSubstr("it is trashed; trash takes jobs that are"));
    EXPECT_THAT(refusal({"reschedule", "a", "--in", "1h"}), HasSubstr("it is trashed"));
    EXPECT_THAT(refusal({"hold", "a"}), HasSubstr("it is trashed"));
    EXPECT_THAT(refusal({"bury", "a"}), HasSubstr("it is trashed"));
    const auto other = refusal({"push", "order", "--id", "a", "--body", "another"});
    EXPECT_THAT(other, AllOf(HasSubstr("other content"), Not(HasSubstr("state"))));
}

TEST_F(RestantectlVerbs, printsACursorThatAShellTakes)
{
    for (const auto* id : {"it's", "$HOME", "c", "d"}) {
        push(id);
    }
    const auto page = ctl({"list", "--limit", "1"}).output;
    const auto at = page.find("more: ");
    ASSERT_NE(at, std::string::npos) << page;
    auto more = page.substr(at + 6);
    more.pop_back();
    auto seen = page;
    for (int pages = 0; pages < 5 && !more.empty(); ++pages) {
        const auto next = run({{"/bin/sh", "-c",
                                builtProgram("restantectl").string() + " --redis unix://" +
                                    redis_.socketPath() + " list --limit 1 " + more},
                               {},
                               {}});
        EXPECT_EQ(next.status, 0) << next.errors;
        seen += next.output;
        const auto again = next.output.find("more: ");
        more = again == std::string::npos ? "" : next.output.substr(again + 6);
        more = more.substr(0, more.find('\n'));
    }
    EXPECT_THAT(seen, AllOf(HasSubstr("it's"), HasSubstr("c "), HasSubstr("d ")));
}

/// How it finds a store that nobody names.
class RestantectlAtHome : public ::testing::Test {
protected:
    Finished ctl(Words words, const std::string& config) const
    {
        words.insert(words.begin(), builtProgram("restantectl").string());
        return run({std::move(words), {{"RESTANTE_CONFIG", config}}, {}});
    }
    std::string file(const std::string& text) const
    {
        std::ofstream(directory_ / "restante.toml") << text;
        return (directory_ / "restante.toml").string();
    }

    TempDir directory_;
    RedisServer& redis_ = sharedRedis();
};

TEST_F(RestantectlAtHome, readsTheConfigurationOfTheService)
{
    const auto config = file("[redis]\nurl = \"unix://" + redis_.socketPath() + "\"\n");
    EXPECT_EQ(ctl({"push", "order", "--body", "x", "--id", "a"}, config).status, 0);
    EXPECT_THAT(ctl({"list"}, config).output, HasSubstr("a "));
    const auto elsewhere =
        ctl({"list"}, file("state_dir = \"" + (directory_ / "s").string() + "\"\n"));
    EXPECT_EQ(elsewhere.status, 1);
    EXPECT_THAT(elsewhere.errors, HasSubstr((directory_ / "s").string()));
}

TEST_F(RestantectlAtHome, goesByWhatTheCommandLineNames)
{
    const auto config = file("nonsense = 1\n");
    EXPECT_EQ(ctl({"list"}, config).status, 2);
    EXPECT_EQ(ctl({"--redis", "unix://" + redis_.socketPath(), "list"}, config).status, 0);
    std::ofstream(directory_ / "other.toml")
        << "[redis]\nurl = \"unix://" << redis_.socketPath() << "\"\n";
    EXPECT_EQ(ctl({"--config", (directory_ / "other.toml").string(), "list"}, config).status, 0);
    EXPECT_EQ(ctl({"--set", "redis.url=unix://" + redis_.socketPath(), "list"},
                  file("state_dir = \"/nowhere\"\n"))
                  .status,
              0);
}

TEST_F(RestantectlAtHome, saysThatAConfigurationMayNotBeRead)
{
    const auto config = file("state_dir = \"/nowhere\"\n");
    // A copy that anybody may execute, wherever the build tree is.
    const TempDir open;
    const auto program = open.path() / "restantectl";
    std::filesystem::copy_file(builtProgram("restantectl"), program);
    using std::filesystem::perms;
    constexpr auto kForAll = perms::owner_all | perms::group_read | perms::group_exec |
                             perms::others_read | perms::others_exec;
    std::filesystem::permissions(open.path(), kForAll);
    std::filesystem::permissions(program, kForAll);
    Words words;
    if (geteuid() == 0) {
        // Root may read everything; the directory of the configuration is nobody's but its own.
        words = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    } else {
        std::filesystem::permissions(config, perms::none);
    }
    words.insert(words.end(), {program.string(), "list"});
    const auto refused = run({words, {{"RESTANTE_CONFIG", config}}, {}});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr(config), HasSubstr("may not read it"),
                                      HasSubstr("sudo -u restante")));
}

/// Installed in a prefix of its own, with the configuration of the service there.
class InstalledRestantectl : public ::testing::Test {
protected:
    InstalledRestantectl()
    {
        std::filesystem::create_directories(prefix_ / "bin");
        std::filesystem::create_directories(prefix_ / "etc/restante");
        std::filesystem::copy_file(builtProgram("restantectl"), program_);
    }
    static Finished runAtHome(Words words)
    {
        return run({std::move(words), {{"RESTANTE_CONFIG", ""}}, {}});
    }
    Finished ctl(Words words) const
    {
        words.insert(words.begin(), program_.string());
        return runAtHome(std::move(words));
    }
    void configure(const std::string& text) const
    {
        std::ofstream(prefix_ / "etc/restante/restante.toml") << text;
    }

    TempDir directory_;
    std::filesystem::path prefix_ = directory_.path();
    std::filesystem::path program_ = prefix_ / "bin/restantectl";
    RedisServer& redis_ = sharedRedis();
};

TEST_F(InstalledRestantectl, readsTheConfigurationOfItsPrefix)
{
    configure("[redis]\nurl = \"unix://" + redis_.socketPath() + "\"\n");
    EXPECT_EQ(ctl({"push", "order", "--body", "x", "--id", "a"}).status, 0);
    EXPECT_THAT(ctl({"list"}).output, HasSubstr("a "));
}

TEST_F(InstalledRestantectl, readsNoneWhenSetNamesTheStore)
{
    configure("nonsense = 1\n");
    EXPECT_EQ(ctl({"list"}).status, 2);
    EXPECT_EQ(ctl({"--set", "redis.prefix=other", "list"}).status, 2);
    EXPECT_EQ(ctl({"--set", "redis.url=unix://" + redis_.socketPath(), "list"}).status, 2)
        << "its other keys still count";
    EXPECT_EQ(ctl({"--redis", "unix://" + redis_.socketPath(), "list"}).status, 0);
    const auto state = (directory_ / "state").string();
    const auto lost = ctl({"--set", "state_dir=" + state, "list"});
    EXPECT_EQ(lost.status, 1);
    EXPECT_THAT(lost.errors, HasSubstr(state));
}

TEST_F(InstalledRestantectl, makesLinesForUsersWhoeverMayReadTheConfiguration)
{
    configure("");
    using std::filesystem::perms;
    constexpr auto kForAll = perms::owner_all | perms::group_read | perms::group_exec |
                             perms::others_read | perms::others_exec;
    for (const auto& open : {prefix_, prefix_ / "bin", program_}) {
        std::filesystem::permissions(open, kForAll);
    }
    std::filesystem::permissions(prefix_ / "etc/restante",
                                 geteuid() == 0 ? perms::owner_all : perms::none);
    const std::string other =
        geteuid() == 0 ? "/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    const auto ask = [&](const std::string& line) {
        return runAtHome({"/bin/sh", "-c", "echo secret | " + other + program_.string() + line});
    };
    EXPECT_THAT(ask(" list").errors, HasSubstr("may not read it"));
    const auto made = ask(" sip-user bob example.org");
    std::filesystem::permissions(prefix_ / "etc/restante", perms::owner_all);
    EXPECT_EQ(made.status, 0) << made.errors;
    EXPECT_THAT(made.output, HasSubstr("bob:example.org:"));
}

}  // namespace
}  // namespace restante::test
