// What the recorder's own work costs for a job: batches of events are given to SqlJournal, and
// beside it the same bytes to SQLite alone. CPU time needs a quiet machine; instructions do not:
//
//   valgrind --tool=callgrind --toggle-collect='*recordPushes*' restante-journal-cost
//
// and recordClaims, recordFinishes, appendPushes, appendMoves likewise.

#include "core/job/job_id.h"
#include "core/journal/sql/sql_journal.h"
#include "core/redis/store/job_codec.h"
#include "tests/support/temp_dir.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace restante::bench {

namespace {

struct Amount {
    std::size_t jobs = 40'000;
    std::size_t perBatch = 2'000;
    std::size_t body = 256;
};

constexpr std::size_t kJobsPerEvent = 100;
constexpr std::size_t kRowsPerInsert = 16;
constexpr std::uint64_t kBegin = 1'700'000'000'000;
constexpr std::string_view kWorker = "some-host/12345";

struct StoredJob {
    std::string id;
    std::string record;
};

std::vector<StoredJob> newJobs(const Amount& amount)
{
    const SystemClock clock;
    JobIdGenerator ids(clock);
    Job job;
    job.topic = "order";
    job.body = std::string(amount.body, 'x');
    std::vector<StoredJob> jobs(amount.jobs);
    for (auto& [id, record] : jobs) {
        id = ids.generate(0);
        redis::encodeRecord(job, record);
    }
    return jobs;
}

/// Batches as a recorder makes them of a stream whose events have `kJobsPerEvent` jobs each.
class Batches {
public:
    explicit Batches(std::size_t perBatch) : perBatch_(perBatch) {}

    std::vector<journal::ShardBatch> of(const std::vector<StoredJob>& jobs,
                                        const std::string& transition)
    {
        std::vector<journal::ShardBatch> batches;
        for (std::size_t i = 0; i < jobs.size(); i += kJobsPerEvent) {
            if (i % perBatch_ == 0) {
                batches.push_back({0, position_, position_, {}});
            }
            position_.cursor.ms += 1;
            auto& batch = batches.back();
            batch.to = position_;
            batch.events.push_back(eventOf(jobs, i, transition));
        }
        return batches;
    }
    const journal::Position& position() const { return position_; }

private:
    journal::JournalEvent eventOf(const std::vector<StoredJob>& jobs,
                                  std::size_t begin,
                                  const std::string& transition) const
    {
        journal::JournalEvent event;
        event.streamId = position_.cursor;
        event.transition = transition;
        event.atMs = static_cast<std::int64_t>(position_.cursor.ms);
        event.worker = kWorker;
        for (auto i = begin; i < std::min(jobs.size(), begin + kJobsPerEvent); ++i) {
            journal::JobInEvent job{jobs[i].id, std::nullopt, {}};
            if (transition == "push") {
                job.status.emplace();
                job.status->state = "scheduled";
                job.status->dueMs = event.atMs;
                job.status->dueOrder = static_cast<std::uint32_t>(i % 4'096);
                job.record = jobs[i].record;
            }
            event.jobs.push_back(std::move(job));
        }
        return event;
    }

    std::size_t perBatch_;
    journal::Position position_{"store", "since", {kBegin, 0}};
};

void commitAll(journal::SqlJournal& sql, const std::vector<journal::ShardBatch>& batches)
{
    for (const auto& batch : batches) {
        if (const auto written = sql.commit(batch); !written) {
            throw std::runtime_error(written.error().message);
        }
    }
}

// Functions that the compiler does not merge, so that callgrind can count each alone.
[[gnu::noipa]] void recordPushes(journal::SqlJournal& sql,
                                 const std::vector<journal::ShardBatch>& batches)
{
    commitAll(sql, batches);
}
[[gnu::noipa]] void recordClaims(journal::SqlJournal& sql,
                                 const std::vector<journal::ShardBatch>& batches)
{
    commitAll(sql, batches);
}
[[gnu::noipa]] void recordFinishes(journal::SqlJournal& sql,
                                   const std::vector<journal::ShardBatch>& batches)
{
    commitAll(sql, batches);
}

/// us of this process, kernel included.
double used()
{
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void measure(const char* name, std::size_t jobs, const std::function<void()>& work)
{
    const auto before = used();
    work();
    std::cout << fmt::format("{:24} {:6.2f} us of CPU a job\n", name,
                             (used() - before) / static_cast<double>(jobs));
}

void measureJournal(const Amount& amount, const std::string& directory)
{
    const auto jobs = newJobs(amount);
    journal::SqlJournal sql(journal::parseJournalUrl("sqlite://" + directory + "/j.db").value());
    Batches batches(amount.perBatch);
    if (!sql.setPosition(0, {}, batches.position())) {
        throw std::runtime_error("the journal takes no position");
    }
    const auto pushes = batches.of(jobs, "push");
    measure("journal: push", jobs.size(), [&] { recordPushes(sql, pushes); });
    const auto claims = batches.of(jobs, "claim");
    measure("journal: claim", jobs.size(), [&] { recordClaims(sql, claims); });
    const auto finishes = batches.of(jobs, "finish");
    measure("journal: finish", jobs.size(), [&] { recordFinishes(sql, finishes); });
}

/// SQLite with the journal's settings and one table, whose only key is the order of its rows: no
/// less work keeps these bytes in an SQLite file.
class BareTable {
public:
    explicit BareTable(const std::string& directory)
    {
        check(sqlite3_open_v2((directory + "/bare.db").c_str(), &file_,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                              nullptr));
        for (const auto* words :
             {"PRAGMA page_size = 8192", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
              "PRAGMA cache_size = -16384", "PRAGMA wal_autocheckpoint = 16384",
              "CREATE TABLE row (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)"}) {
            execute(words);
        }
        std::string words = "INSERT INTO row (bytes) VALUES (?)";
        for (std::size_t i = 1; i < kRowsPerInsert; ++i) {
            words += ",(?)";
        }
        check(sqlite3_prepare_v2(file_, words.c_str(), -1, &insert_, nullptr));
    }
    BareTable(const BareTable&) = delete;
    BareTable& operator=(const BareTable&) = delete;
    ~BareTable()
    {
        sqlite3_finalize(insert_);
        sqlite3_close_v2(file_);
    }

    /// `count` equal rows, `perBatch` of them in a transaction.
    void append(const std::string& bytes, std::size_t count, std::size_t perBatch)
    {
        for (std::size_t i = 0; i < count; i += kRowsPerInsert) {
            if (i % perBatch == 0) {
                execute("BEGIN IMMEDIATE");
            }
            for (std::size_t n = 1; n <= kRowsPerInsert; ++n) {
                check(sqlite3_bind_blob64(insert_, static_cast<int>(n), bytes.data(), bytes.size(),
                                          SQLITE_STATIC));
            }
            check(sqlite3_step(insert_));
            sqlite3_reset(insert_);
            if ((i + kRowsPerInsert) % perBatch == 0) {
                execute("COMMIT");
            }
        }
    }

private:
    void execute(const char* words) const
    {
        check(sqlite3_exec(file_, words, nullptr, nullptr, nullptr));
    }
    void check(int code) const
    {
        if (code != SQLITE_OK && code != SQLITE_DONE) {
            throw std::runtime_error(sqlite3_errmsg(file_));
        }
    }

    sqlite3* file_ = nullptr;
    sqlite3_stmt* insert_ = nullptr;
};

[[gnu::noipa]] void appendPushes(BareTable& table, const std::string& bytes, const Amount& amount)
{
    table.append(bytes, amount.jobs, amount.perBatch);
}
[[gnu::noipa]] void appendMoves(BareTable& table, const std::string& bytes, const Amount& amount)
{
    table.append(bytes, amount.jobs, amount.perBatch);
}

void measureBare(const Amount& amount, const std::string& directory)
{
    // A row of history: id, event, position, names of transition and states, time, worker.
    const std::string move = newJobs({1, 1, 0}).front().id + std::string(24, 'n') +
                             "claimreadyleased" + std::string(kWorker);
    // A job's row as well: its record, and what is in columns of its own.
    const auto push = move + newJobs({1, 1, amount.body}).front().record + std::string(60, 'c');
    BareTable table(directory);
    measure("bare: push", amount.jobs, [&] { appendPushes(table, push, amount); });
    measure("bare: claim or finish", amount.jobs, [&] { appendMoves(table, move, amount); });
}

}  // namespace

}  // namespace restante::bench

int main(int argc, char** argv)
{
    using namespace restante::bench;
    CLI::App app{"CPU time that the journal's rows of a job cost, beside SQLite alone"};
    Amount amount;
    app.add_option("--jobs", amount.jobs, "a multiple of --batch");
    app.add_option("--batch", amount.perBatch, "jobs of a transaction, a multiple of 400");
    app.add_option("--body", amount.body, "bytes");
    CLI11_PARSE(app, argc, argv);
    try {
        const restante::test::TempDir directory;
        measureJournal(amount, directory.path().string());
        measureBare(amount, directory.path().string());
    } catch (const std::exception& problem) {
        std::cerr << "restante-journal-cost: " << problem.what() << '\n';
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
