#include "core/base/file_descriptor.h"
#include "tests/support/eventually.h"
#include "tests/support/process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <termios.h>

namespace restante::test {
namespace {

/// `restantectl sip-user` on the terminal that script(1) makes, below a shell that tells how it
/// ends or stops.
Process::Command sipUserOnATerminal()
{
    // Without a terminal of its own script leaves the echo off.
    const auto command = fmt::format("set -m; trap : INT; stty echo; echo terminal $(tty); "
                                     "sh -c 'echo pid $$; exec \"{}\" sip-user bob example.org'; "
                                     "echo status $?; read go; fg; read rest",
                                     builtProgram("restantectl").string());
    return {{"script", "-qefc", command, "/dev/null"}, {{"SHELL", "/bin/sh"}}, {}};
}

class SipUserPrompt : public ::testing::Test {
protected:
    void SetUp() override
    {
        terminal_ = toldAs("terminal ");
        id_ = std::stoi(toldAs("pid "));
        ASSERT_GT(id_, 1) << prompt_.allOutput();
        ASSERT_TRUE(
            eventually([this] { return prompt_.output().find("Password: ") != std::string::npos; },
                       kProcessTimeout))
            << prompt_.allOutput();
    }
    /// What stands behind `word` in its line.
    std::string toldAs(const std::string& word)
    {
        const auto line = prompt_.waitForLine(word).value_or(word + "0: " + prompt_.allOutput());
        const auto begin = line.find(word) + word.size();
        return line.substr(begin, line.find_first_of("\r\n", begin) - begin);
    }
    bool hasEcho() const
    {
        const FileDescriptor terminal(::open(terminal_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
        termios settings{};
        EXPECT_EQ(::tcgetattr(terminal.get(), &settings), 0) << terminal_;
        return (settings.c_lflag & ECHO) != 0;
    }

    Process prompt_{sipUserOnATerminal()};
    std::string terminal_;
    int id_ = 0;
};

TEST_F(SipUserPrompt, switchesTheEchoOnAgainWhenItIsInterrupted)
{
    EXPECT_FALSE(hasEcho());
    prompt_.write("\x03");
    EXPECT_EQ(toldAs("status "), std::to_string(128 + SIGINT));
    EXPECT_TRUE(hasEcho());
}

TEST_F(SipUserPrompt, switchesTheEchoOnAgainWhenItIsTerminated)
{
    EXPECT_FALSE(hasEcho());
    ::kill(id_, SIGTERM);
    EXPECT_EQ(toldAs("status "), std::to_string(128 + SIGTERM));
    EXPECT_TRUE(hasEcho());
}

TEST_F(SipUserPrompt, switchesTheEchoOnWhileItIsStopped)
{
    EXPECT_FALSE(hasEcho());
    ::kill(id_, SIGTSTP);
    EXPECT_EQ(toldAs("status "), std::to_string(128 + SIGTSTP));
    EXPECT_TRUE(hasEcho());
    prompt_.write("\n");  // the shell's fg
    EXPECT_TRUE(eventually([this] { return !hasEcho(); }));
}

}  // namespace
}  // namespace restante::test
