#include "tests/bench/beanstalkd.h"

#include "tests/bench/elapsed.h"
#include "tests/bench/program.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <system_error>

namespace restante::bench {

namespace {

constexpr auto kBeanstalkd = "beanstalkd";

std::vector<std::string>
commandLine(std::uint16_t port, const std::string& log, const std::string& fsync)
{
    std::vector<std::string> words{kBeanstalkd,          "-l", "127.0.0.1", "-p",
                                   std::to_string(port), "-b", log};
    if (fsync == "no") {
        words.emplace_back("-F");
    } else {
        words.emplace_back("-f");
        words.emplace_back(fsync == "always" ? "0" : "1000");  // ms
    }
    return words;
}

/// The text after `word` in the line; throws when the line does not begin with it.
std::string_view textAfter(std::string_view word, std::string_view line)
{
    if (!line.starts_with(word)) {
        throw std::runtime_error(fmt::format("beanstalkd answered '{}', not '{}'",
                                             std::string(line), std::string(word)));
    }
    return line.substr(word.size());
}

}  // namespace

struct Beanstalkd::Connection {
    explicit Connection(std::uint16_t port) : socket(tcpSocket(port)) {}

    void flush()
    {
        sendAll(socket.get(), output);
        output.clear();
    }
    /// The next line of the answers, without its end.
    std::string readLine()
    {
        auto end = input.find("\r\n", readPosition);
        while (end == std::string::npos) {
            receive();
            end = input.find("\r\n", readPosition);
        }
        auto text = input.substr(readPosition, end - readPosition);
        readPosition = end + 2;
        return text;
    }
    /// Skips a body and its line end.
    void skip(std::size_t bytes)
    {
        while (input.size() - readPosition < bytes + 2) {
            receive();
        }
        readPosition += bytes + 2;
    }

    std::string output;  ///< commands that have not been sent

private:
    void receive()
    {
        input.erase(0, readPosition);
        readPosition = 0;
        flush();  // the awaited answer may be to an unsent command
        std::array<char, 65'536> bytes{};
        const auto got = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
        if (got <= 0) {
            throw std::runtime_error("beanstalkd has closed the connection");
        }
        input.append(bytes.data(), static_cast<std::size_t>(got));
    }

    Socket socket;
    std::string input;
    std::size_t readPosition = 0;  ///< of `input`: what has not been read
};

std::string Beanstalkd::missing()
{
    const auto why = whyNotStartable(kBeanstalkd);
    return why.empty() ? why : why + ": install the package beanstalkd";
}

Beanstalkd::Beanstalkd(const std::string& fsync)
    : port_(test::freePort()),
      process_({commandLine(port_, log_.path().string(), fsync), {}, {}})
{
    const bool answers = test::eventually([this] {
        if (!process_.running()) {
            return true;
        }
        connection_ = std::make_unique<Connection>(port_);
        return true;
    });
    if (!answers || connection_ == nullptr) {
        throw std::runtime_error("beanstalkd does not start: " + process_.allOutput());
    }
}

Beanstalkd::~Beanstalkd()
{
    process_.signal(SIGTERM);
    process_.waitForExit();
}

double Beanstalkd::push(std::uint32_t jobs, std::uint32_t unanswered, std::size_t bodyBytes)
{
    // Priority, delay and time to run, in seconds; then the size of the body.
    const std::string put =
        fmt::format("put 1024 0 120 {}\r\n{}\r\n", bodyBytes, std::string(bodyBytes, 'x'));
    const auto start = SteadyClock::now();
    for (std::uint32_t sent = 0, answered = 0; answered < jobs; ++answered) {
        for (; sent < jobs && sent - answered < unanswered; ++sent) {
            connection_->output += put;
        }
        textAfter("INSERTED ", connection_->readLine());
    }
    return rateSince(start, jobs);
}

double Beanstalkd::claimAndFinish(std::uint32_t jobs, std::uint32_t unanswered)
{
    enum class Answer { Reserved, Deleted };
    std::deque<Answer> expected;  // answers come in the order of their commands
    std::uint32_t reserved = 0;
    std::uint32_t finished = 0;
    const auto start = SteadyClock::now();
    while (finished < jobs) {
        // A `reserve` without a job would wait, so there are as many as jobs.
        for (; reserved < jobs && expected.size() < unanswered; ++reserved) {
            connection_->output += "reserve\r\n";
            expected.push_back(Answer::Reserved);
        }
        const auto answer = expected.front();
        expected.pop_front();
        const std::string line = connection_->readLine();
        if (answer == Answer::Deleted) {
            textAfter("DELETED", line);
            ++finished;
            continue;
        }
        const std::string idAndSize(textAfter("RESERVED ", line));
        const auto space = idAndSize.find(' ');
        connection_->skip(std::strtoul(idAndSize.c_str() + space, nullptr, 10));
        connection_->output += fmt::format("delete {}\r\n", idAndSize.substr(0, space));
        expected.push_back(Answer::Deleted);
    }
    return rateSince(start, jobs);
}

std::vector<WatchedProcess> Beanstalkd::processes() const
{
    return processTree(process_.id(), kBeanstalkd);
}

}  // namespace restante::bench
