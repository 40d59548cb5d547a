#include "tests/bench/child.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace restante::bench {

namespace {

/// Reads up to the first line that begins with "ready ".
std::string readReadyLine(int fd)
{
    std::string text;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (std::chrono::steady_clock::now() < deadline) {
        pollfd ready{fd, POLLIN, 0};
        char buffer[1'024];
        if (::poll(&ready, 1, 500) <= 0) {
            continue;
        }
        const auto got = ::read(fd, buffer, sizeof buffer);
        if (got <= 0) {
            break;
        }
        text.append(buffer, static_cast<std::size_t>(got));
        const auto start = text.rfind("ready ");
        const auto end = text.find('\n', start == std::string::npos ? 0 : start);
        if (start != std::string::npos && end != std::string::npos) {
            return text.substr(start, end - start);
        }
    }
    return {};
}

}  // namespace

Child::Child(const std::vector<std::string>& command)
{
    int pipe[2];
    if (::pipe(pipe) != 0) {
        throw std::runtime_error("bench: no pipe");
    }
    std::vector<char*> args;
    for (const auto& word : command) {
        args.push_back(const_cast<char*>(word.c_str()));
    }
    args.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipe[0]);
    const int failed = ::posix_spawnp(&pid_, args[0], &actions, nullptr, args.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    output_ = pipe[0];
    ready_ = failed == 0 ? readReadyLine(output_) : "";
    if (ready_.empty()) {
        throw std::runtime_error("bench: " + command[0] + " did not become ready");
    }
}

Child::~Child()
{
    ::close(output_);
    ::kill(pid_, SIGTERM);
    for (int i = 0; i < 1'000; ++i) {
        if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

}  // namespace restante::bench
