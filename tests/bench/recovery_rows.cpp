#include "core/journal/sql/sql_journal.h"
#include "tests/bench/daemon.h"
#include "tests/bench/elapsed.h"
#include "tests/bench/queue_load.h"
#include "tests/bench/rows.h"
#include "tests/support/eventually.h"
#include "tests/support/temp_dir.h"

#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace restante::bench {

namespace {

void awaitJournal(const std::string& path, std::uint32_t jobs)
{
    journal::SqlJournal sql(journal::parseJournalUrl("sqlite://" + path).value());
    if (!test::eventually([&] { return sql.countJobsInRedis().value_or(0) == jobs; },
                          kLongTimeout)) {
        throw std::runtime_error("bench: the journal does not get everything");
    }
}

}  // namespace

void addRecoveryRows(Report& report, const Setting& setting)
{
    const auto jobs = setting.scaled(1'000'000);
    const test::TempDir state;
    const auto options = [&](Millis readyTimeout) {
        return DaemonOptions{{"journal.mode=async"}, state.path(), readyTimeout};
    };
    {
        const Daemon restanted(setting, Daemon::Serves::Redis, options(test::kProcessTimeout));
        // Without this process, which polls the journal all the time.
        const auto processes = restanted.processes();
        report.add({"push of jobs until the journal has them", "k/s", {}}, {},
                   measureWork(processes, jobs, [&] {
                       const auto begin = SteadyClock::now();
                       QueueLoad(restanted.redisSocket()).push(jobs, kBatch, kCallsInFlight, kBody);
                       awaitJournal(state / "journal.db", jobs);
                       return rateSince(begin, jobs) / 1'000;
                   }));
    }
    std::filesystem::remove_all(state / "redis");
    const auto begin = SteadyClock::now();
    const Daemon restanted(setting, Daemon::Serves::Redis, options(kLongTimeout));
    const double seconds = secondsSince(begin);
    // Since the start of the processes: all their CPU time was used for the recovery.
    report.add(
        {fmt::format("{} jobs back from the journal", jobs), "s", Target::atMost(60, "< 1 min")},
        {}, Sample{seconds, cpuSinceStart(restanted.processes(), jobs)});
}

}  // namespace restante::bench
