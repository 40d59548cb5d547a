#include "tests/bench/bare_http_server.h"
#include "tests/bench/bare_sip_server.h"
#include "tests/bench/program.h"
#include "tests/bench/rows.h"
#include "tests/bench/table/cpu_gate.h"
#include "tests/bench/table/last_table.h"
#include "tests/bench/table/report.h"
#include "tests/support/redis_server.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace restante::bench {

namespace {

/// The exit codes: see kExits.
enum Status { kExitMeasured = 0, kExitNotMeasured = 1, kExitDearer = 3 };

constexpr auto kAbout =
    R"(Measures Restante beside the bare libraries, and beside beanstalkd, BullMQ
and Kamailio's msilo where they are installed; prints one Markdown table: the median of the rounds
with the lowest and the highest, and the CPU time that each process needed for an operation.

Then it compares that CPU time with the last table (--table), because rates wander from run to run
and CPU time does not. What the bare sides cost more or less than then is the machine, and is taken
off first.)";

constexpr auto kExits = R"(Exits 0 when all was measured and no process needs more CPU than in the
last table; 1 when a row could not be measured, which then says why; 3 when a process needs more. A
target that is missed is told in the table and changes nothing here.)";

struct Options {
    Setting setting;
    std::string only;
    std::string table;
    std::string intervals;
    bool update = false;
    bool withoutPeers = false;
    std::uint32_t rounds = 5;
    Tolerance tolerance;
};

/// Options that make this program serve as a bare reference instead of measuring.
struct BareServerOptions {
    std::string sipOnRedis;
    bool http = false;
};

void addOptions(CLI::App& app, Options& options, BareServerOptions& bare)
{
    auto& setting = options.setting;
    app.add_option("--restanted", setting.restanted, "the daemon to measure: a path, or a name");
    app.add_option("--rounds", options.rounds, "how often each row is measured")
        ->capture_default_str()
        ->check(CLI::Range(1, 99));
    auto* only = app.add_option("--only", options.only,
                                "these rows: queue, sip, http, journal, recovery, peers; or cold, "
                                "pending, or threads, which stand in no table")
                     ->check(CLI::IsMember({"queue", "sip", "http", "journal", "recovery", "peers",
                                            "threads", "pending", "cold"}));
    app.add_option("--table", options.table,
                   "the file with the last table, e.g. docs/benchmarks.md; none: no comparison")
        ->check(CLI::ExistingFile);
    app.add_option("--tolerance", options.tolerance.share,
                   "how much more CPU than in the last table is none: 0.15 is 15 %")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 10.0));
    app.add_option("--intervals", options.intervals,
                   "writes into this file when each row was measured, as seconds of "
                   "CLOCK_MONOTONIC: for a profiler that samples meanwhile");
    auto* scale = app.add_option("--scale", setting.scale, "divides the amounts, for a quick look")
                      ->capture_default_str()
                      ->check(CLI::Range(1, 100));
    app.add_flag("--update", options.update,
                 "writes this table in place of the last one, whatever the comparison says")
        ->needs("--table")
        ->excludes(only)
        ->excludes(scale);
    app.add_flag("--no-peers", options.withoutPeers,
                 "leaves beanstalkd, BullMQ and msilo out, though they are installed");
    app.add_option(
           "--bullmq", setting.bullmq,
           "the folder in which 'npm install bullmq ioredis' was run; else npm's global one")
        ->check(CLI::ExistingDirectory);
    app.add_option("--fsync", setting.fsync, "of every Redis: always, everysec, no")
        ->capture_default_str()
        ->check(CLI::IsMember({"always", "everysec", "no"}));
    app.add_option("--journal", setting.journal,
                   "of the daemon, but for the journal rows: off, async, durable")
        ->capture_default_str()
        ->check(CLI::IsMember({"off", "async", "durable"}));
    app.add_option("--bare-sip-server", bare.sipOnRedis,
                   "only serves as the bare reference of the SIP rows, on that Redis socket");
    app.add_flag("--bare-http-server", bare.http,
                 "only serves as the bare reference of the HTTP rows");
}

/// Each round gets a Redis of its own, so that it is not affected by the one before.
void measureRound(Report& report, const Options& options)
{
    test::RedisServer::Settings settings;
    settings.appendOnly = test::RedisServer::AppendOnly::Yes;
    settings.where = test::TempDir::Where::Disk;
    settings.extra = options.setting.redisOptions();
    const test::RedisServer redis(settings);
    Setting setting = options.setting;
    setting.redisSocket = redis.socketPath();
    setting.redis = {"redis-server", redis.processId()};

    struct Group {
        const char* name;
        void (*addRows)(Report&, const Setting&);
        bool isOfTheTable = true;
    };
    const std::array<Group, 9> groups{{{"queue", addQueueRows},
                                       {"sip", addSipRows},
                                       {"http", addHttpRows},
                                       {"journal", addJournalRows},
                                       {"threads", addThreadRows, false},
                                       {"pending", addPendingRows, false},
                                       {"cold", addColdRows, false},
                                       {"peers", addPeerRows, !options.withoutPeers},
                                       {"recovery", addRecoveryRows}}};
    for (const auto& group : groups) {
        if (options.only.empty() ? group.isOfTheTable : options.only == group.name) {
            report.attempt(fmt::format("the rows of '{}'", group.name),
                           [&] { group.addRows(report, setting); });
        }
    }
}

std::string contentOf(const std::string& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void writeFile(const std::string& file, const std::string& content)
{
    std::ofstream stream(file, std::ios::trunc);
    stream << content;
    if (!stream.flush()) {
        throw std::runtime_error("cannot write " + file);
    }
}

int run(const Options& options)
{
    if (const auto why = whyNotStartable(options.setting.restanted);
        !why.empty() && options.only != "queue") {
        throw std::runtime_error("--restanted: " + why);
    }
    // First, so that a malformed table is reported before minutes are spent.
    const auto last =
        options.table.empty() ? std::vector<PrintedRow>() : printedRows(contentOf(options.table));
    Report report;
    for (std::uint32_t round = 1; round <= options.rounds; ++round) {
        fmt::print(stderr, "round {} of {}\n", round, options.rounds);
        measureRound(report, options);
    }
    fmt::print("{}\n", report.markdown());
    for (const std::string& note : report.notes()) {
        fmt::print("{}\n", note);
    }
    if (!options.intervals.empty()) {
        writeFile(options.intervals, report.intervals());
    }
    CpuComparison comparison;
    if (!options.table.empty()) {
        comparison = compareCpu(last, report.rows(), options.tolerance);
        fmt::print("{}", comparison.text());
    }
    if (report.failed()) {
        fmt::print("not every row could be measured{}\n",
                   options.update ? ": the last table stays" : "");
        return kExitNotMeasured;
    }
    if (options.update) {
        writeFile(options.table, withTable(contentOf(options.table), report.markdown()));
    }
    return comparison.passed() ? kExitMeasured : kExitDearer;
}

}  // namespace

}  // namespace restante::bench

/// Prints one table: every figure beside that of the bare library for the same work in this run.
int main(int argc, char** argv)
{
    using namespace restante;
    bench::Options options;
    options.setting.self = "/proc/self/exe";
    options.setting.restanted = "restanted";
    options.setting.fsync = "everysec";
    options.setting.journal = "off";
    bench::BareServerOptions bare;
    CLI::App app{bench::kAbout, "restante-bench"};
    app.footer(bench::kExits);
    bench::addOptions(app, options, bare);
    CLI11_PARSE(app, argc, argv);
    try {
        if (!bare.sipOnRedis.empty()) {
            return bench::runBareSipServer(bare.sipOnRedis);
        }
        if (bare.http) {
            return bench::runBareHttpServer();
        }
        return bench::run(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "restante-bench: %s\n", error.what());
        return bench::kExitNotMeasured;
    }
}
