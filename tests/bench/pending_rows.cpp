#include "tests/bench/daemon.h"
#include "tests/bench/elapsed.h"
#include "tests/bench/queue_load.h"
#include "tests/bench/rows.h"
#include "tests/support/temp_dir.h"

#include <fmt/format.h>
#include <memory>
#include <stdexcept>

namespace restante::bench {

namespace {

/// The results of one queue, whatever else is pending in it.
struct Samples {
    Sample push;
    Sample claimAndFinish;
    Sample lateness;
};

Samples measure(const std::string& redisSocket,
                std::vector<WatchedProcess> processes,
                const Setting& setting)
{
    const auto jobs = setting.scaled(200'000);
    processes.push_back(thisProcess());
    QueueLoad load(redisSocket);
    Samples samples;
    samples.push = measureWork(
        processes, jobs, [&] { return load.push(jobs, kBatch, kCallsInFlight, kBody) / 1'000; });
    samples.claimAndFinish = measureWork(
        processes, jobs, [&] { return load.claimAndFinish(jobs, kBatch, kCallsInFlight) / 1'000; });
    constexpr std::uint32_t kPerSecond = 500;
    constexpr std::uint32_t kSeconds = 4;
    samples.lateness = measureWork(processes, kPerSecond * kSeconds, [&] {
        const auto late = load.lateness(kPerSecond, kSeconds);
        if (late.front() < 0) {
            throw std::runtime_error("a job was claimed before it was due");
        }
        return late[late.size() * 99 / 100];
    });
    return samples;
}

}  // namespace

void addPendingRows(Report& report, const Setting& setting)
{
    const auto pending = setting.scaled(10'000'000);
    const test::TempDir state;
    {
        const Daemon restanted(setting, Daemon::Serves::Redis, {.stateDir = state.path()});
        const auto socket = restanted.redisSocket();
        const auto few = measure(socket, restanted.processes(), setting);
        QueueLoad(socket).addPending(pending, kBody);
        const auto many = measure(socket, restanted.processes(), setting);
        const auto add = [&](const char* what, const char* unit, const Target& target,
                             const Sample& beside, const Sample& sample) {
            report.add(
                {fmt::format("{}, {} jobs pending, beside none", what, pending), unit, target},
                beside, sample);
        };
        const auto rate = Target::shareOfBare(0.9, "0.90 of none");
        add("push, arrays of 100", "k/s", rate, few.push, many.push);
        add("claim + finish, batches of 100", "k/s", rate, few.claimAndFinish, many.claimAndFinish);
        add("lateness p99 at 500/s", "ms", Target::atMost(2, "<= 2 ms, never early"), few.lateness,
            many.lateness);
    }
    const auto begin = SteadyClock::now();
    const Daemon restanted(setting, Daemon::Serves::Redis,
                           {.stateDir = state.path(), .readyTimeout = kLongTimeout});
    const double seconds = secondsSince(begin);
    report.add({fmt::format("start with {} jobs pending", pending), "s", {}}, {},
               Sample{seconds, cpuSinceStart(restanted.processes(), pending)});
}

}  // namespace restante::bench
