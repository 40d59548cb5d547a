#include "tests/support/free_port.h"
#include "tests/support/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <sys/socket.h>

namespace restante::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// `./run` with the programs of this build, so that nothing is installed or built.
std::vector<std::string> runWords(std::vector<std::string> more)
{
    std::vector<std::string> words{sourceDirectory() / "run", "--bin",
                                   std::getenv("RESTANTE_BUILD_DIR")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(RunDemo, playsTheMainJobAndEndsWithZero)
{
    const auto played = run({runWords({"--demo", "--port", "0"}), {}, {}}, kProcessTimeout * 2);
    EXPECT_EQ(played.status, 0) << played.output << played.errors;
    EXPECT_THAT(played.output,
                AllOf(HasSubstr("alice | 202"), HasSubstr("bob | Hello bob"),
                      HasSubstr("bob | Stretch your legs, bob."), HasSubstr("every step held")));
}

TEST(RunDemo, steersTheDaemonThatItHasStartedWhateverTheEnvironmentNames)
{
    const auto played = run(
        {runWords({"--demo", "--port", "0"}), {{"RESTANTE_CONFIG", "/nowhere/restante.toml"}}, {}},
        kProcessTimeout * 2);
    EXPECT_EQ(played.status, 0) << played.output << played.errors;
}

TEST(RunDemo, staysUpAndEndsEverythingOnCtrlC)
{
    Process process({runWords({"--port", "0"}), {}, {}});
    ASSERT_TRUE(process.waitForLine("Ctrl-C ends it", kProcessTimeout * 2)) << process.allOutput();
    EXPECT_TRUE(process.running());
    ::kill(-process.id(), SIGINT);  // as a terminal does: to everybody in the group
    EXPECT_EQ(process.waitForExit(), 130) << process.allOutput();
}

TEST(RunDemo, saysThatThePortIsTaken)
{
    const auto taken = boundOnLoopback(SOCK_DGRAM);
    const auto port = std::to_string(taken.port);

    const auto refused = run({runWords({"--demo", "--port", port}), {}, {}});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.errors,
                AllOf(HasSubstr("port " + port + " is taken"), HasSubstr("--port")));
}

TEST(RunDemo, refusesWhatItDoesNotKnow)
{
    EXPECT_EQ(run({runWords({"--deom"}), {}, {}}).status, 2);
    EXPECT_EQ(run({runWords({"--port", "http"}), {}, {}}).status, 2);
}

}  // namespace
}  // namespace restante::test
