#include "tests/bench/bare_queue.h"
#include "tests/bench/queue_load.h"
#include "tests/bench/rows.h"

#include <fmt/format.h>

namespace restante::bench {

namespace {

double percentile(const std::vector<double>& sorted, double share)
{
    return sorted.empty()
               ? 0
               : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

/// Both sides of a round, and the processes whose CPU time is counted: on either side the client,
/// which does the work, and Redis.
struct QueueRound {
    explicit QueueRound(const Setting& setting)
        : bare(setting.redisSocket),
          queue(setting.redisSocket),
          processes{thisProcess(), setting.redis}
    {
    }

    /// `work` gives jobs a second.
    Sample rate(std::uint32_t jobs, const std::function<double()>& work) const
    {
        return measureWork(processes, jobs, [&] { return work() / 1'000; });
    }

    BareQueue bare;
    QueueLoad queue;
    std::vector<WatchedProcess> processes;
};

struct Rows {
    RowKind push;
    RowKind claim;
};

void addRates(Report& report,
              QueueRound& round,
              const Rows& rows,
              std::uint32_t jobs,
              std::uint32_t batch,
              std::uint32_t callers)
{
    auto& bare = round.bare;
    auto& queue = round.queue;
    bare.flushAll();
    const auto barePush = round.rate(jobs, [&] { return bare.push(jobs, batch, callers, kBody); });
    const auto bareClaim =
        round.rate(jobs, [&] { return bare.claimAndFinish(jobs, batch, callers); });
    bare.flushAll();
    report.add(rows.push, barePush,
               round.rate(jobs, [&] { return queue.push(jobs, batch, callers, kBody); }));
    report.add(rows.claim, bareClaim,
               round.rate(jobs, [&] { return queue.claimAndFinish(jobs, batch, callers); }));
}

void addLateness(Report& report, QueueRound& round, std::uint32_t perSecond)
{
    constexpr std::uint32_t kSeconds = 4;
    const double jobs = perSecond * kSeconds;
    const Sample bare = measureWork(round.processes, jobs, [&] {
        return percentile(round.bare.lateness(perSecond, kSeconds), 0.99);
    });
    round.bare.flushAll();
    bool early = false;
    const Sample restante = measureWork(round.processes, jobs, [&] {
        const auto late = round.queue.lateness(perSecond, kSeconds);
        early = !late.empty() && late.front() < 0;
        return percentile(late, 0.99);
    });
    report.add({fmt::format("lateness p99 at {}/s", perSecond), "ms",
                Target::atMost(2, "<= 2 ms, never early")},
               bare, restante, early ? "EARLY JOBS" : "");
}

void addMemory(Report& report, QueueRound& round, std::uint32_t jobs)
{
    auto& bare = round.bare;
    const double bareBytes = bare.bytesPerJob(jobs, kBody);
    bare.flushAll();
    const double before = bare.usedMemory();
    round.queue.push(jobs, kBatch, kCallsInFlight, kBody);
    // The stream of events is bounded and not a cost of a pending job; nor is the client's buffer.
    const double bytes = (bare.usedMemory() - before - bare.memoryOf("rst:{s0}:events")) / jobs;
    report.add({"memory of a pending job, 256 B body", "B", Target::atMost(420, "<= 420 B")},
               Sample{bareBytes, {}}, Sample{bytes, {}});
    bare.flushAll();
}

}  // namespace

void addQueueRows(Report& report, const Setting& setting)
{
    QueueRound round(setting);
    report.attempt("push and claim, arrays of 100", [&] {
        addRates(report, round,
                 {{"push, arrays of 100", "k/s", Target::shareOfBare(0.8)},
                  {"claim + finish, batches of 100", "k/s", Target::shareOfBare(0.8)}},
                 setting.scaled(200'000), kBatch, kCallsInFlight);
    });
    report.attempt("push and claim, 64 single callers", [&] {
        addRates(report, round,
                 {{"push, 64 single callers", "k/s", Target::atLeast(80, "80 k/s")},
                  {"claim + finish, 64 single callers", "k/s",
                   Target::atLeast(39, "39 k/s (beanstalkd)")}},
                 setting.scaled(100'000), 1, kSingleCallers);
    });
    for (const std::uint32_t perSecond : {500U, 10'000U}) {
        report.attempt(fmt::format("lateness p99 at {}/s", perSecond),
                       [&] { addLateness(report, round, perSecond); });
    }
    report.attempt("memory of a pending job, 256 B body",
                   [&] { addMemory(report, round, setting.scaled(100'000)); });
}

}  // namespace restante::bench
