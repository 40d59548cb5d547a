#include "tests/bench/server.h"

#include "tests/bench/program.h"

#include <csignal>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace restante::bench {

namespace {

/// How long a program that has closed its output may take to end.
constexpr Millis kExitTimeout{500};

std::string whyNotReady(test::Process& process, const std::string& program, Millis timeout)
{
    if (const auto why = whyNotStartable(program); !why.empty()) {
        return why;
    }
    const auto printed = process.allOutput();
    const auto said = printed.empty() ? "it printed nothing" : "it printed: " + printed;
    if (const auto status = process.waitForExit(kExitTimeout)) {
        return fmt::format("'{}' has ended with {}; {}", program, *status, said);
    }
    return fmt::format("'{}' has not printed its line \"ready ...\" within {} s; {}", program,
                       timeout.count() / 1'000, said);
}

}  // namespace

Server::Server(std::string name, std::vector<std::string> words, Millis timeout)
    : name_(std::move(name)),
      process_({words, {}, {}})
{
    const auto line = process_.waitForLine("ready ", timeout);
    if (!line) {
        throw std::runtime_error(fmt::format("{} did not become ready: {}", name_,
                                             whyNotReady(process_, words.front(), timeout)));
    }
    readyLine_ = *line;
}

std::string Server::lastWords()
{
    std::string words;
    if (!process_.running()) {
        words = fmt::format("{} has ended with {}", name_,
                            process_.waitForExit(kExitTimeout).value_or(-1));
    }
    auto errors = process_.errors();
    errors.erase(errors.find_last_not_of("\r\n") + 1);
    if (!errors.empty()) {
        const auto line = errors.substr(errors.rfind('\n') + 1);
        words += fmt::format("{}{} said last: {}", words.empty() ? "" : ", ", name_, line);
    }
    return words;
}

Server::~Server()
{
    process_.signal(SIGTERM);
    process_.waitForExit();
}

}  // namespace restante::bench
