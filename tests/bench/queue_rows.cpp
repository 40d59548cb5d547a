#include "tests/bench/bare_queue.h"
#include "tests/bench/queue_load.h"
#include "tests/bench/rows.h"

#include <fmt/format.h>

namespace restante::bench {

namespace {

constexpr std::uint32_t kCallsInFlight = 4;  // FACTS: what saturates one connection
constexpr std::uint32_t kSingleCallers = 64;
constexpr std::size_t kBody = 256;

double percentile(const std::vector<double>& sorted, double share)
{
    return sorted.empty()
               ? 0
               : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

Row ratioRow(std::string path, double bare, double restante, double least)
{
    return {std::move(path),
            bare / 1'000,
            restante / 1'000,
            "k/s",
            fmt::format("{:.2f} of bare", least),
            restante >= least * bare};
}

void addBatchRows(Report& report, BareQueue& bare, QueueLoad& queue, std::uint32_t jobs)
{
    bare.flushAll();
    const double barePush = bare.push(jobs, 100, kCallsInFlight, kBody);
    const double bareClaim = bare.claimAndFinish(jobs, 100, kCallsInFlight);
    bare.flushAll();
    report.add(ratioRow("push, arrays of 100", barePush,
                        queue.push(jobs, 100, kCallsInFlight, kBody), 0.75));
    report.add(ratioRow("claim + finish, batches of 100", bareClaim,
                        queue.claimAndFinish(jobs, 100, kCallsInFlight), 0.75));
}

void addSingleRows(Report& report, BareQueue& bare, QueueLoad& queue, std::uint32_t jobs)
{
    bare.flushAll();
    const double barePush = bare.push(jobs, 1, kSingleCallers, kBody);
    const double bareClaim = bare.claimAndFinish(jobs, 1, kSingleCallers);
    bare.flushAll();
    const double push = queue.push(jobs, 1, kSingleCallers, kBody);
    report.add({"push, 64 single callers", barePush / 1'000, push / 1'000, "k/s", "80 k/s",
                push >= 80'000});
    const double claim = queue.claimAndFinish(jobs, 1, kSingleCallers);
    report.add({"claim + finish, 64 single callers", bareClaim / 1'000, claim / 1'000, "k/s",
                "39 k/s (beanstalkd)", claim >= 39'000});
}

void addLatenessRows(
    Report& report, BareQueue& bare, QueueLoad& queue, std::uint32_t perSecond, double mostMs)
{
    constexpr std::uint32_t kSeconds = 4;
    const auto bareLate = bare.lateness(perSecond, kSeconds);
    bare.flushAll();
    const auto late = queue.lateness(perSecond, kSeconds);
    const double p99 = percentile(late, 0.99);
    const bool early = !late.empty() && late.front() < 0;
    report.add({fmt::format("lateness p99 at {}/s{}", perSecond, early ? ", EARLY JOBS" : ""),
                percentile(bareLate, 0.99), p99, "ms", fmt::format("<= {} ms, never early", mostMs),
                p99 <= mostMs && !early});
}

void addMemoryRow(Report& report, BareQueue& bare, QueueLoad& queue, std::uint32_t jobs)
{
    const double bareBytes = bare.bytesPerJob(jobs, kBody);
    bare.flushAll();
    const double before = bare.usedMemory();
    queue.push(jobs, 100, kCallsInFlight, kBody);
    // The stream of events is bounded and not a cost of a pending job; nor is the client's buffer.
    const double bytes = (bare.usedMemory() - before - bare.memoryOf("rst:{s0}:events")) / jobs;
    report.add(
        {"memory of a pending job, 256 B body", bareBytes, bytes, "B", "<= 460 B", bytes <= 460});
    bare.flushAll();
}

}  // namespace

void addQueueRows(Report& report, const std::string& redisSocket, std::uint32_t scale)
{
    BareQueue bare(redisSocket);
    QueueLoad queue(redisSocket);
    addBatchRows(report, bare, queue, 200'000 / scale);
    addSingleRows(report, bare, queue, 100'000 / scale);
    addLatenessRows(report, bare, queue, 500, 5);
    addLatenessRows(report, bare, queue, 10'000, 25);
    addMemoryRow(report, bare, queue, 100'000 / scale);
}

}  // namespace restante::bench
