#include "tests/bench/bullmq.h"

#include "tests/bench/program.h"

#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace restante::bench {

namespace {

constexpr auto kScript = "tests/bench/bullmq_load.js";
/// The time-out of one command: some thousand jobs a second on a busy machine.
constexpr Millis kCommandTimeout{120'000};

using Environment = std::vector<std::pair<std::string, std::string>>;

Environment environmentFor(const std::string& folder)
{
    if (!folder.empty()) {
        return {{"NODE_PATH", folder + "/node_modules"}};
    }
    if (!whyNotStartable("npm").empty()) {
        return {};
    }
    auto path = test::run({{"npm", "root", "-g"}, {}, {}}).output;
    while (path.ends_with('\n')) {
        path.pop_back();
    }
    return {{"NODE_PATH", path}};
}

}  // namespace

std::string BullMq::missing(const std::string& folder)
{
    if (const auto why = whyNotStartable("node"); !why.empty()) {
        return why + ": install nodejs";
    }
    const auto found =
        test::run({{"node", "-e", "require.resolve('bullmq')"}, environmentFor(folder), {}});
    return found.status == 0
               ? std::string()
               : std::string("node does not find it: 'npm install -g bullmq ioredis', or in a "
                             "folder that --bullmq then names");
}

BullMq::BullMq(const std::string& folder, const std::string& redisSocket)
    : process_(
          {{"node", test::sourceDirectory() / kScript, redisSocket}, environmentFor(folder), {}})
{
    if (!process_.waitForLine("ready")) {
        throw std::runtime_error("BullMQ does not become ready: " + process_.allOutput());
    }
}

double BullMq::run(std::uint32_t jobs, const std::string& word, const std::string& arguments)
{
    const auto number = ++commands_;
    process_.write(fmt::format("{} {} {} {}\n", word, number, jobs, arguments));
    const auto answer = fmt::format("done {} ", number);
    const auto line = process_.waitForLine(answer, kCommandTimeout);
    if (!line) {
        throw std::runtime_error("BullMQ has not done its jobs: " + process_.allOutput());
    }
    const double seconds = std::strtod(line->c_str() + answer.size(), nullptr);
    return seconds > 0 ? jobs / seconds : 0;
}

double
BullMq::push(std::uint32_t jobs, std::uint32_t batch, std::uint32_t callers, std::size_t bodyBytes)
{
    return run(jobs, "push", fmt::format("{} {} {}", batch, callers, bodyBytes));
}

double BullMq::claimAndFinish(std::uint32_t jobs, std::uint32_t concurrency)
{
    return run(jobs, "finish", std::to_string(concurrency));
}

std::vector<WatchedProcess> BullMq::processes() const
{
    return {{"node", process_.id()}};
}

}  // namespace restante::bench
