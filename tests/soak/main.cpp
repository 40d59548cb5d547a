// A long run: people write to each other over SIP and jobs come due, on one Redis, through two
// daemons. One of them is killed again and again, the other lives all the time: its memory and its
// descriptors, what Redis holds, and how late jobs come are to stay what they were.

#include "tests/fault/load.h"
#include "tests/soak/delayed_jobs.h"
#include "tests/soak/trend.h"
#include "tests/support/daemon.h"
#include "tests/support/redis_info.h"
#include "tests/support/redis_server.h"
#include "tests/support/sql_server.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kAbout =
    R"(Lets two daemons on one Redis work for a long time, SIP and jobs that come due, and kills one of
them again and again. Prints one Markdown table, and what has grown or was lost.)";
constexpr auto kExits =
    R"(Exits 0 when nothing was lost, early or out of order and everything stayed
flat, else 1.)";

constexpr Millis kBetweenLooks{5'000};
constexpr Millis kDown{1'000};
constexpr Millis kSettling{180'000};
/// On either side of a figure: what an allocator keeps back, and what is under way when looked at.
constexpr Allowance kMemory{0.10, 4'096};
constexpr Allowance kDescriptors{0, 8};
/// The machine has other work: a few milliseconds of it are no trend.
constexpr Allowance kLateness{0.5, 20};

struct Options {
    double minutes = 60;
    double killEvery = 60;
    double rowEvery = 300;
    std::uint32_t messages = 60;
    std::uint32_t jobs = 40;
};

/// A look at everything, at one moment.
struct Look {
    double daemonKilobytes = 0;
    double descriptors = 0;
    double redisKilobytes = 0;       ///< without the next
    double rememberedKilobytes = 0;  ///< ids by which a repetition is known: they grow for a day
};

/// Of the ids of messages (a day) and of finished jobs (half an hour).
double rememberedKilobytes(const RedisServer& redis)
{
    double bytes = 0;
    for (const auto* pattern : {"rst:{s0}:once:*", "rst:{s0}:finished:*"}) {
        const auto keys = redis.send({"KEYS", pattern});
        for (const auto& key : *keys.array()) {
            const auto size = redis.send({"MEMORY", "USAGE", *key.text()});
            bytes += size.integer() != nullptr ? static_cast<double>(*size.integer()) : 0;
        }
    }
    return bytes / 1024;
}

double descriptorsOf(pid_t process)
{
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(process) + "/fd");
    return static_cast<double>(std::distance(begin(all), end(all)));
}

Look lookAt(Daemon& daemon, const RedisServer& redis)
{
    const auto remembered = rememberedKilobytes(redis);
    return {static_cast<double>(daemon.residentKilobytes()), descriptorsOf(daemon.process().id()),
            std::stod(infoOf(redis, "used_memory")) / 1024 - remembered, remembered};
}

double highest(const std::vector<Look>& looks, double Look::*figure)
{
    double most = 0;
    for (const auto& look : looks) {
        most = std::max(most, look.*figure);
    }
    return most;
}

double percentile(std::vector<Millis>& values, std::size_t hundredths)
{
    if (values.empty()) {
        return 0;
    }
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(values.size() * hundredths / 10'001);
    std::nth_element(values.begin(), at, values.end());
    return static_cast<double>(at->count());
}

/// A conversation in a thread of its own.
class Talk {
public:
    Talk(const Daemon& daemon, std::uint32_t seed, Load::Settings settings)
        : load_(daemon, seed, std::move(settings)),
          thread_([this] { talk(); })
    {
    }
    Talk(const Talk&) = delete;
    Talk& operator=(const Talk&) = delete;
    ~Talk()
    {
        talking_ = false;
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    std::size_t acknowledged() const noexcept { return acknowledged_; }
    /// Whether everything has arrived; nothing may be asked before.
    void end()
    {
        talking_ = false;
        thread_.join();
    }
    bool settled() const noexcept { return settled_; }
    const Ledger& ledger() const noexcept { return load_.ledger(); }

private:
    void talk()
    {
        while (talking_) {
            load_.run(200ms);
            acknowledged_ = load_.ledger().acknowledgedInAll();
        }
        settled_ = load_.settle(kSettling);
        acknowledged_ = load_.ledger().acknowledgedInAll();
    }

    Load load_;
    std::atomic<bool> talking_{true};
    std::atomic<bool> settled_{false};
    std::atomic<std::size_t> acknowledged_{0};
    std::thread thread_;
};

class Soak {
public:
    explicit Soak(const Options& options)
        : options_(options),
          settings_(daemonSettings()),
          steady_(settings_),
          killed_(settings_)
    {
    }

    /// What was not as it has to be; empty is well.
    std::vector<std::string> run();

private:
    Daemon::Settings daemonSettings()
    {
        return {.set = {"redis.url=unix://" + redis_.socketPath(),
                        "journal.url=" + sql_.url("soak"),
                        "sip.retry=0s,500ms,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s",
                        "sip.limits.per_sender=0", "journal.retention=5m", "log.level=warning"},
                .host = "127.0.0.1"};
    }
    void kill(DelayedJobs& jobs);
    /// What the jobs have done since the last time; counts what must not be.
    DelayedJobs::Report takeFrom(DelayedJobs& jobs);
    void printRow(double minute, DelayedJobs& jobs, std::size_t messages);
    void work(DelayedJobs& jobs, const Talk& one, const Talk& two);
    /// What has grown, of the figures of each row.
    std::vector<std::string> growths() const;

    Options options_;
    RedisServer redis_{RedisServer::Settings{
        .appendOnly = RedisServer::AppendOnly::Yes,
        .tcp = false,
        .extra = {"--hash-max-listpack-value", "1024", "--auto-aof-rewrite-min-size", "256mb"},
        .password = {},
        .where = TempDir::Where::Disk}};
    SqlServer sql_{SqlKind::Sqlite};
    Daemon::Settings settings_;
    Daemon steady_;
    Daemon killed_;
    std::vector<Look> looks_;
    std::size_t kills_ = 0;

    std::vector<double> daemonKilobytes_;
    std::vector<double> descriptors_;
    std::vector<double> redisKilobytes_;
    std::vector<double> latenessP99_;
    std::uint64_t early_ = 0;
    std::uint64_t repeated_ = 0;
};

void Soak::kill(DelayedJobs& jobs)
{
    jobs.disturbed();
    killed_.kill9();
    std::this_thread::sleep_for(kDown);
    killed_.start();
    jobs.disturbed();
    ++kills_;
}

DelayedJobs::Report Soak::takeFrom(DelayedJobs& jobs)
{
    auto report = jobs.take();
    early_ += report.early;
    repeated_ += report.repeated;
    return report;
}

void Soak::printRow(double minute, DelayedJobs& jobs, std::size_t messages)
{
    auto report = takeFrom(jobs);
    const auto p99 = percentile(report.lateness, 9'900);
    daemonKilobytes_.push_back(highest(looks_, &Look::daemonKilobytes));
    descriptors_.push_back(highest(looks_, &Look::descriptors));
    redisKilobytes_.push_back(highest(looks_, &Look::redisKilobytes));
    latenessP99_.push_back(p99);
    fmt::print("| {:.3g} | {} | {} | {} | {:.0f} / {:.0f} / {:.0f} ms | {:.1f} MB | {:.0f} | "
               "{:.1f} MB | {:.1f} MB |\n",
               minute, kills_, messages, jobs.finished(), percentile(report.lateness, 5'000), p99,
               percentile(report.lateness, 10'000), daemonKilobytes_.back() / 1024,
               descriptors_.back(), redisKilobytes_.back() / 1024,
               highest(looks_, &Look::rememberedKilobytes) / 1024);
    looks_.clear();
    std::fflush(stdout);
}

void Soak::work(DelayedJobs& jobs, const Talk& one, const Talk& two)
{
    const auto begin = Clock::now();
    const auto seconds = [](double count) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
    };
    const auto end = begin + seconds(options_.minutes * 60);
    auto nextKill = begin + seconds(options_.killEvery);
    auto nextRow = begin + seconds(options_.rowEvery);
    while (Clock::now() < end) {
        std::this_thread::sleep_until(std::min({Clock::now() + kBetweenLooks, nextKill, nextRow}));
        looks_.push_back(lookAt(steady_, redis_));
        if (Clock::now() >= nextKill) {
            kill(jobs);
            nextKill += seconds(options_.killEvery);
        }
        if (Clock::now() >= nextRow) {
            const std::chrono::duration<double, std::ratio<60>> minute = Clock::now() - begin;
            printRow(minute.count(), jobs, one.acknowledged() + two.acknowledged());
            nextRow += seconds(options_.rowEvery);
        }
    }
}

std::vector<std::string> Soak::growths() const
{
    std::vector<std::string> all{growthOf("the daemon's memory (KiB)", daemonKilobytes_, kMemory),
                                 growthOf("its open files", descriptors_, kDescriptors),
                                 growthOf("Redis' memory (KiB)", redisKilobytes_, kMemory),
                                 growthOf("lateness p99 (ms)", latenessP99_, kLateness)};
    std::erase(all, std::string());
    return all;
}

std::vector<std::string> Soak::run()
{
    const auto seed = seedOfThisRun();
    // Half of the conversation each: 32 pairs, one message under way.
    const Millis pause{static_cast<std::int64_t>(64'000 / std::max(options_.messages, 1U))};
    Talk one(steady_, seed, {"steady-", pause});
    Talk two(killed_, seed + 1, {"killed-", pause});
    DelayedJobs jobs({{steady_.httpPort(), killed_.httpPort()},
                      Millis{1'000 / std::max(options_.jobs, 1U)},
                      seed});

    fmt::print(
        "| minute | kills | messages | jobs | late p50 / p99 / worst | daemon | descriptors | "
        "Redis | ids |\n|---|---|---|---|---|---|---|---|---|\n");
    work(jobs, one, two);

    std::vector<std::string> faults;
    if (const auto open = jobs.settle(kSettling); open > 0) {
        faults.push_back(fmt::format("{} jobs were acknowledged and never came", open));
    }
    // Each is content when the store is empty, so that both have to end at the same time.
    auto other = std::async(std::launch::async, [&] { two.end(); });
    one.end();
    other.get();
    if (!one.settled() || !two.settled()) {
        faults.emplace_back("not everything arrived in time");
    }
    for (const auto* talk : {&one, &two}) {
        fmt::print("\nacknowledged {}, lost {}, delivered again {}\n",
                   talk->ledger().acknowledgedInAll(), talk->ledger().lost(),
                   talk->ledger().duplicates());
        if (talk->ledger().lost() > 0) {
            faults.push_back(fmt::format("{} messages were lost", talk->ledger().lost()));
        }
        if (const auto said = talk->ledger().faults(); !said.empty()) {
            faults.push_back(said);
        }
    }
    if (jobs.finished() == 0 || one.acknowledged() == 0 || two.acknowledged() == 0) {
        faults.emplace_back("somebody has done nothing");
    }
    takeFrom(jobs);
    fmt::print("jobs {}, taken again {}\n", jobs.finished(), repeated_);
    if (early_ > 0) {
        faults.push_back(fmt::format("{} jobs came early", early_));
    }
    for (const auto& growth : growths()) {
        faults.push_back(growth);
    }
    return faults;
}

template <class Value>
void addOption(CLI::App& app,
               const char* name,
               Value& value,
               const char* about,
               std::pair<double, double> range)
{
    app.add_option(name, value, about)
        ->capture_default_str()
        ->check(CLI::Range(range.first, range.second));
}

int soak(int argc, char** argv)
{
    Options options;
    CLI::App app{kAbout};
    app.footer(kExits);
    addOption(app, "--minutes", options.minutes, "how long", {0.1, 10'000.0});
    addOption(app, "--kill-every", options.killEvery, "seconds between two kills",
              {3.0, 100'000.0});
    addOption(app, "--row-every", options.rowEvery, "seconds between two rows of the table",
              {1.0, 100'000.0});
    addOption(app, "--messages", options.messages, "SIP messages a second, about", {1.0, 5'000.0});
    addOption(app, "--jobs", options.jobs, "jobs a second, about", {1.0, 1'000.0});
    CLI11_PARSE(app, argc, argv);

    const auto faults = Soak(options).run();
    for (const auto& fault : faults) {
        fmt::print("{}\n", fault);
    }
    fmt::print("{}\n", faults.empty() ? "flat, and nothing was lost" : "see above");
    return faults.empty() ? 0 : 1;
}

}  // namespace
}  // namespace restante::test

int main(int argc, char** argv)
{
    try {
        return restante::test::soak(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
