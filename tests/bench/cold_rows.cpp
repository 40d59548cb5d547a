#include "core/journal/sql/sql_journal.h"
#include "tests/bench/bare_queue.h"
#include "tests/bench/daemon.h"
#include "tests/bench/elapsed.h"
#include "tests/bench/http_load.h"
#include "tests/bench/journal_position.h"
#include "tests/bench/queue_load.h"
#include "tests/bench/rows.h"
#include "tests/support/eventually.h"
#include "tests/support/temp_dir.h"

#include <chrono>
#include <fmt/format.h>
#include <stdexcept>

namespace restante::bench {

namespace {

constexpr std::uint32_t kConnections = 4;
constexpr std::uint32_t kLatePerSecond = 500;
constexpr std::uint32_t kLateJobs = 2'000;

std::int64_t nowMs()
{
    return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// A store with its journal in SQLite, which outlives the daemons that serve it.
class ColdStore {
public:
    explicit ColdStore(const Setting& setting) : setting_(setting) {}

    /// A daemon on it. What is due later than `horizon` from now is cold.
    Daemon serve(const std::string& horizon) const
    {
        return {
            setting_,
            Daemon::Serves::Http,
            {{"journal.mode=async", "queue.hot_horizon=" + horizon}, state_.path(), kLongTimeout}};
    }
    std::string redisSocket() const { return state_ / "redis/redis.sock"; }
    /// What Redis takes without the events, which are trimmed.
    double memory() const
    {
        BareQueue redis(redisSocket());
        return redis.usedMemory() - redis.memoryOf("rst:{s0}:events");
    }
    void awaitJobsInRedis(std::uint32_t jobs) const
    {
        journal::SqlJournal sql(
            journal::parseJournalUrl("sqlite://" + (state_ / "journal.db").string()).value());
        if (!test::eventually([&] { return sql.countJobsInRedis().value_or(jobs + 1) == jobs; },
                              kLongTimeout)) {
            throw std::runtime_error(
                fmt::format("bench: the journal never has {} jobs in Redis", jobs));
        }
    }

private:
    Setting setting_;
    test::TempDir state_;
};

/// Pushes arrays of jobs of 256 bytes; the job of number n is due `firstMs` + n * `stepMs`. Jobs a
/// second.
double pushArrays(const Daemon& restanted,
                  const std::string& topic,
                  std::uint32_t jobs,
                  std::int64_t firstMs,
                  std::int64_t stepMs)
{
    std::int64_t number = 0;
    HttpLoad load;
    load.port = restanted.httpPort();
    load.connections = kConnections;
    load.requests = jobs / kBatch;
    load.next = [&, body = std::string(256, 'b')](std::string_view) {
        std::string items;
        for (std::uint32_t i = 0; i < kBatch; ++i, ++number) {
            items += fmt::format(R"({}{{"topic":"{}","at_ms":{},"body":"{}"}})",
                                 items.empty() ? "[" : ",", topic, firstMs + number * stepMs, body);
        }
        return httpRequest("/v1/jobs", items + "]");
    };
    return runHttpLoad(load) * kBatch;
}

struct Pushed {
    Sample rate;
    double bytes;  ///< of Redis, a job
};

Pushed
push(const ColdStore& store, const Daemon& restanted, std::uint32_t jobs, std::chrono::hours due)
{
    const double before = store.memory();
    const auto firstMs = nowMs() + Millis(due).count();
    auto rate = measureWork(restanted.processes(), jobs, [&] {
        return pushArrays(restanted, "bench", jobs, firstMs, 0) / 1'000;
    });
    awaitRecorded(store.redisSocket());
    return {std::move(rate), (store.memory() - before) / jobs};
}

}  // namespace

void addColdRows(Report& report, const Setting& setting)
{
    const auto jobs = setting.scaled(200'000);
    const ColdStore store(setting);
    {
        const ColdStore hotStore(setting);
        const auto hotDaemon = hotStore.serve("48h");
        const auto hot = push(hotStore, hotDaemon, jobs, std::chrono::hours(24));
        const auto restanted = store.serve("1h");
        const auto cold = push(store, restanted, jobs, std::chrono::hours(2'400));
        report.add({"push of jobs beyond the horizon, arrays of 100, beside hot ones", "k/s", {}},
                   hot.rate, cold.rate);
        report.add({"Redis' memory of a cold job, 256 B body, beside a hot one", "B",
                    Target::atMost(1, "<= 1 B")},
                   Sample{hot.bytes, {}}, Sample{cold.bytes, {}});
    }
    const auto measureMove = [&](const std::string& horizon, std::uint32_t left) {
        const auto restanted = store.serve(horizon);
        return measureWork(restanted.processes(), jobs, [&] {
            const auto begin = SteadyClock::now();
            store.awaitJobsInRedis(left);
            return rateSince(begin, jobs) / 1'000;
        });
    };
    report.add({"cold jobs that come into Redis", "k/s", {}}, {}, measureMove("4800h", jobs));
    report.add({"jobs that leave Redis for the journal alone", "k/s", {}}, {},
               measureMove("1h", 0));
    const auto restanted = store.serve("20s");
    QueueLoad consumer(store.redisSocket());
    report.add(
        {fmt::format("lateness p99 at {}/s of jobs that were cold", kLatePerSecond), "ms", {}}, {},
        measureWork(restanted.processes(), kLateJobs, [&] {
            const auto late = consumer.latenessOf(kLateJobs, [&] {
                pushArrays(restanted, "late", kLateJobs, nowMs() + 30'000, 1'000 / kLatePerSecond);
            });
            if (late.front() < 0) {
                throw std::runtime_error("a job was claimed before it was due");
            }
            return late[late.size() * 99 / 100];
        }));
}

}  // namespace restante::bench
