#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_receiver.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr auto kRestored = "\x1b[?25h\x1b[?1049l";

/// `restantectl top` on the terminal that script(1) makes.
Process::Command onATerminal(const std::string& socket, const std::string& options = "")
{
    const auto command = fmt::format("stty cols 90 rows 20; exec '{}' --redis 'unix://{}' top {}",
                                     builtProgram("restantectl").string(), socket, options);
    return {{"script", "-qefc", command, "/dev/null"}, {{"TERM", "xterm"}, {"TZ", "UTC"}}, {}};
}

class Top : public ::testing::Test {
protected:
    Finished ctl(std::vector<std::string> words) const
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis",
                                     "unix://" + redis_.socketPath()});
        return run({std::move(words), {{"TZ", "UTC"}}, {}});
    }
    void push(const std::string& topic) const
    {
        ASSERT_EQ(ctl({"push", topic, "--body", "x"}).status, 0);
    }

    RedisServer& redis_ = sharedRedis();
};

TEST_F(Top, showsEachTopicOnceWhenTheOutputIsNoTerminal)
{
    push("order");
    push("order");
    ASSERT_EQ(ctl({"pause", "order", "--reason", "down"}).status, 0);
    const auto shown = ctl({"top", "--every", "100ms"});
    EXPECT_EQ(shown.status, 0) << shown.errors;
    EXPECT_THAT(shown.output, HasSubstr("ready 2  "));
    EXPECT_THAT(shown.output, ContainsRegex("\norder +pull +2 +[0-9.ms]+ +0 +0 +0 +0 +paused by "
                                            ".*: down\n"));
    EXPECT_THAT(shown.output, AllOf(HasSubstr("journal   off\n"), Not(HasSubstr("\x1b"))));
}

TEST_F(Top, tellsThatNothingWaits)
{
    EXPECT_THAT(ctl({"top", "--once", "--every", "100ms"}).output, HasSubstr("nothing waits\n"));
}

TEST_F(Top, refusesToLookMoreOftenThanItCan)
{
    const auto refused = ctl({"top", "--every", "1ms"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, HasSubstr("--every: 100ms or longer"));
}

TEST_F(Top, redrawsAndGivesTheTerminalBackWhenOneQuits)
{
    Process top(onATerminal(redis_.socketPath()));
    ASSERT_TRUE(top.waitForLine("nothing waits")) << top.allOutput();
    push("mail");
    EXPECT_TRUE(top.waitForLine("mail   pull")) << top.allOutput();
    EXPECT_THAT(top.output(), Not(HasSubstr(kRestored)));
    top.write("q");
    EXPECT_EQ(top.waitForExit(), 0);
    EXPECT_THAT(top.output(), HasSubstr(kRestored));
}

TEST_F(Top, isQuitWhileItWaitsForRedis)
{
    RedisServer redis;
    Process top(onATerminal(redis.socketPath(), "--every 100ms"));
    ASSERT_TRUE(top.waitForLine("nothing waits")) << top.allOutput();
    redis.pause();
    // When it has drawn nothing for several intervals, it waits for an answer.
    auto drawn = top.output().size();
    auto since = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] {
        if (top.output().size() != drawn) {
            drawn = top.output().size();
            since = std::chrono::steady_clock::now();
        }
        return std::chrono::steady_clock::now() - since > std::chrono::milliseconds{500};
    }));
    top.write("q");
    EXPECT_EQ(top.waitForExit(), 0);
    redis.resume();
}

TEST_F(Top, showsAllOfALineThatIsAsWideAsTheTerminal)
{
    push(std::string(64, 't'));
    Process top(onATerminal(redis_.socketPath()));
    ASSERT_TRUE(top.waitForLine("ttt")) << top.allOutput();
    EXPECT_THAT(top.output(), Not(HasSubstr("...\x1b[K"))) << "which erases the last of its dots";
    top.write("q");
    EXPECT_EQ(top.waitForExit(), 0);
}

TEST_F(Top, leavesNothingOfALongerPictureBelow)
{
    push("order");
    Process top(onATerminal(redis_.socketPath(), "--every 100ms"));
    ASSERT_TRUE(top.waitForLine("order")) << top.allOutput();
    EXPECT_THAT(top.output(), HasSubstr("\r\n\x1b[J")) << "below the last line";
    top.write("q");
    EXPECT_EQ(top.waitForExit(), 0);
}

TEST_F(Top, givesTheTerminalBackOnControlC)
{
    Process top(onATerminal(redis_.socketPath()));
    ASSERT_TRUE(top.waitForLine("nothing waits")) << top.allOutput();
    top.write("\x03");
    EXPECT_EQ(top.waitForExit(), 0);
    EXPECT_THAT(top.output(), HasSubstr(kRestored));
}

TEST_F(Top, goesOnWhenRedisComesBack)
{
    RedisServer redis;
    Process top(onATerminal(redis.socketPath()));
    ASSERT_TRUE(top.waitForLine("nothing waits")) << top.allOutput();
    redis.kill9();
    ASSERT_TRUE(top.waitForLine("trying again")) << top.allOutput();
    redis.restart();
    ASSERT_EQ(run({{builtProgram("restantectl").string(), "--redis", "unix://" + redis.socketPath(),
                    "push", "afterwards", "--body", "x"},
                   {},
                   {}})
                  .status,
              0);
    ASSERT_TRUE(top.waitForLine("afterwards")) << top.allOutput();
    top.write("q");
    EXPECT_EQ(top.waitForExit(), 0);
}

TEST(TopOfADaemon, showsItsJournalAndItsCouriers)
{
    Daemon daemon;
    ASSERT_EQ(daemon.control({"push", "order", "--body", "x"}).status, 0);
    json seen;
    // The journal begins a moment after the daemon, and a busy machine lets both wait.
    EXPECT_TRUE(eventually(
        [&] {
            seen = json::parse(daemon.control({"top", "--json", "--every", "100ms"}).output);
            return seen["journal"].is_object() && seen["journal"]["behind_ms"] == 0 &&
                   seen["daemon"]["answers"] == true;
        },
        kProcessTimeout))
        << seen.dump();
    EXPECT_EQ(seen["journal"]["recorded"], true);
    EXPECT_EQ(seen["moves"]["push"], 1);
    EXPECT_EQ(seen["daemon"]["answers"], true) << seen.dump();
    EXPECT_TRUE(seen["daemon"]["couriers"].contains("webhook")) << seen.dump();
    EXPECT_THAT(daemon.control({"top", "--once", "--every", "100ms"}).output,
                AllOf(ContainsRegex("\ndaemon +http [0-9]+ connections"),
                      ContainsRegex("\ncouriers +webhook 0 in flight")));
}

TEST(TopOfADaemon, showsItsTokenToNobodyElse)
{
    const TempDir directory;
    const auto file = (directory / "tokens").string();
    std::ofstream(file) << "app push 0123456789abcdef\nme admin fedcba9876543210\n";
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    Daemon daemon({.set = {"http.token_file=" + file}, .host = "127.0.0.1"});
    json seen;
    EXPECT_TRUE(eventually(
        [&] {
            seen = json::parse(daemon.control({"top", "--json", "--every", "100ms"}).output);
            return seen["daemon"]["answers"] == true;
        },
        kProcessTimeout))
        << seen.dump();

    // Nor is one believed that others can read.
    ASSERT_EQ(chmod(file.c_str(), 0644), 0);
    seen = json::parse(daemon.control({"top", "--json", "--every", "100ms"}).output);
    EXPECT_EQ(seen["daemon"]["answers"], false) << seen.dump();
    EXPECT_THAT(seen["daemon"].value("problem", ""),
                AllOf(HasSubstr("401"), HasSubstr(file), HasSubstr("chmod 600")));
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);

    // What belongs to another user is not root's, and root is told.
    if (chown(file.c_str(), 65534, 65534) == 0) {
        seen = json::parse(daemon.control({"top", "--json", "--every", "100ms"}).output);
        EXPECT_THAT(seen["daemon"].value("problem", ""),
                    AllOf(HasSubstr("401"), HasSubstr(file + " belongs to user 65534"),
                          HasSubstr("sudo -u '#65534'")));
        ASSERT_EQ(chown(file.c_str(), geteuid(), getegid()), 0);
    }

    const HttpReceiver other;
    daemon.control({"--set", fmt::format("http.listen=127.0.0.1:{}", other.port()), "top", "--json",
                    "--every", "100ms"});
    ASSERT_GT(other.count(), 0U);
    EXPECT_EQ(other.requests().front().header("authorization"), "");
}

}  // namespace
}  // namespace restante::test
