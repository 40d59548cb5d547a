#include "tests/bench/program.h"
#include "tests/bench/server.h"
#include "tests/support/eventually.h"
#include "tests/support/thread_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <unistd.h>

namespace restante::bench {
namespace {

using testing::HasSubstr;

/// Linux numbers no process above 2^22.
constexpr pid_t kBeyondEveryProcess = (1 << 22) + 1;

std::string whyNot(std::vector<std::string> words)
{
    try {
        const Server server("daemon", std::move(words), Millis{500});
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

TEST(BenchServer, saysThatThereIsNoSuchProgram)
{
    EXPECT_THAT(whyNot({"/nowhere/restanted"}),
                HasSubstr("daemon did not become ready: there is no '/nowhere/restanted'"));
}

TEST(BenchServer, saysHowAProgramEndedAndWhatItPrinted)
{
    const auto why = whyNot({"/bin/sh", "-c", "echo no such key >&2; exit 3"});
    EXPECT_THAT(why, HasSubstr("has ended with 3"));
    EXPECT_THAT(why, HasSubstr("no such key"));
}

TEST(BenchServer, saysThatAProgramIsStillSilent)
{
    const auto why = whyNot({"/bin/sh", "-c", "echo starting; exec cat"});
    EXPECT_THAT(why, HasSubstr("has not printed its line"));
    EXPECT_THAT(why, HasSubstr("starting"));
}

TEST(BenchServer, isReadyWithItsLine)
{
    const Server server("daemon", {"/bin/sh", "-c", "echo ready 5060; exec cat"});
    EXPECT_EQ(server.readyLine(), "ready 5060");
    EXPECT_EQ(server.processes().front().name, "daemon");
}

TEST(BenchServer, saysThatItHasEndedUnderTheLoad)
{
    Server server("daemon",
                  {"/bin/sh", "-c", "echo ready 1; echo a >&2; echo no room >&2; exit 3"});
    EXPECT_TRUE(test::eventually([&] {
        return server.lastWords() == "daemon has ended with 3, daemon said last: no room";
    })) << server.lastWords();
}

TEST(BenchServer, saysNothingWhileAllIsWell)
{
    Server server("daemon", {"/bin/sh", "-c", "echo ready 1; exec cat"});
    EXPECT_EQ(server.lastWords(), "");
}

TEST(Program, isFoundByPathAndByName)
{
    EXPECT_EQ(whyNotStartable("/bin/sh"), "");
    EXPECT_EQ(whyNotStartable("sh"), "");
    EXPECT_THAT(whyNotStartable("no-such-program-anywhere"), HasSubstr("in PATH"));
    EXPECT_THAT(whyNotStartable("/bin"), HasSubstr("is not a program"));
}

TEST(CpuMeter, countsWhatAProcessUses)
{
    const CpuMeter meter({thisProcess()});
    const auto enough = test::threadTime() + std::chrono::milliseconds{20};
    while (test::threadTime() < enough) {
    }
    const auto cpu = meter.perOperation(10);
    ASSERT_TRUE(cpu.contains("client"));
    EXPECT_GE(cpu.at("client"), 2'000);
}

TEST(CpuMeter, countsAProcessThatHasEndedAsNothing)
{
    const CpuMeter meter({{"gone", kBeyondEveryProcess}});
    EXPECT_DOUBLE_EQ(meter.perOperation(1).at("gone"), 0);
}

TEST(ProcessTree, findsWhatAProcessHasStarted)
{
    test::Process parent({{"/bin/sh", "-c", "tail -f /dev/null & echo started; wait"}, {}, {}});
    ASSERT_TRUE(parent.waitForLine("started"));
    const auto tree = processTree(parent.id(), "parent");
    ASSERT_GE(tree.size(), 2U);
    EXPECT_EQ(tree.front().name, "parent");
    EXPECT_EQ(tree.front().id, parent.id());
    EXPECT_TRUE(std::none_of(tree.begin(), tree.end(),
                             [](const auto& process) { return process.id == ::getpid(); }));
}

}  // namespace
}  // namespace restante::bench
