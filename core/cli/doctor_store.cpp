// The checks of doctor about the store and its journal.

#include "core/assembly/redis_queue.h"
#include "core/base/duration.h"
#include "core/base/epoll_loop.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/finding.h"
#include "core/cli/store_snapshot.h"
#include "core/journal/recovery/journal_lookup.h"
#include "core/journal/sql/journal_url.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_schema.h"
#include "core/redis/server/connection_probe.h"
#include "core/redis/server/server_check.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"
#include "core/redis/store/store_sweep.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace restante::cli {

namespace {

using Info = std::map<std::string, std::string>;
using SteadyClock = std::chrono::steady_clock;

std::string textOf(const Info& info, const std::string& name)
{
    const auto found = info.find(name);
    return found == info.end() ? std::string{} : found->second;
}

std::uint64_t numberOf(const Info& info, const std::string& name)
{
    return leadingNumber<std::uint64_t>(textOf(info, name));
}

/// The severity of a probe's problem.
Finding::Severity severityOf(const redis::ProbeProblem& problem)
{
    using Kind = redis::ProbeProblem::Kind;
    switch (problem.kind) {
    case Kind::None:
    case Kind::Unused: return Finding::Severity::Ok;
    case Kind::Unverified: return Finding::Severity::Warning;
    default: return Finding::Severity::Error;
    }
}

Finding findingOf(const redis::ProbeFinding& step)
{
    const auto severity = severityOf(step.problem);
    const bool isFine = step.problem.isNone();
    const auto shownText = isFine ? step.fact : step.problem.toString();
    auto what = std::string(redis::name(step.step));
    if (!shownText.empty()) {
        what += ": " + shownText;
    }
    if (step.evictsNothing) {
        what += ", evicts nothing";
    }
    return {severity, "redis", std::move(what),
            severity == Finding::Severity::Ok ? std::string() : step.problem.advice()};
}

/// The result of probing Redis step by step, without changing anything.
struct ProbeResult {
    std::vector<Finding> steps;
    bool passed = false;  ///< up to the last step: Redis can be used
    /// Whether Redis can be used, and no step found what the daemon refuses.
    bool isFit() const
    {
        return passed && std::ranges::none_of(steps, [](const Finding& step) {
                   return step.severity == Finding::Severity::Error;
               });
    }
};

ProbeResult probe(const redis::RedisUrl& url, const Config& config)
{
    EpollLoop loop;
    ProbeResult probeResult;
    bool isOver = false;
    redis::ConnectionProbe::Callbacks callbacks;
    callbacks.stepStarted = [](redis::ProbeStep) {};
    callbacks.stepFinished = [&](const redis::ProbeFinding& step) {
        probeResult.steps.push_back(findingOf(step));
    };
    callbacks.passed = [&](const redis::ProbeFacts&) { probeResult.passed = isOver = true; };
    callbacks.failed = [&](const redis::ProbeProblem&) { isOver = true; };
    const redis::ConnectionProbe connectionProbe(loop, {.url = url, .prefix = config.redis.prefix},
                                                 std::move(callbacks));
    // Each step has a time-out of its own.
    constexpr Millis kLongest{60'000};
    if (!loop.runUntil([&] { return isOver; }, kLongest)) {
        probeResult.steps.push_back({Finding::Severity::Error, "redis", "no answer in time",
                                     "is it overloaded, or the network?"});
    }
    return probeResult;
}

constexpr auto kAppendOnlyAdvice = "CONFIG SET appendonly yes, and in its file";

/// The daemon's further requirements; false = it would not start with this Redis.
bool examineFitness(ConnectedStore& store, const Config& config, Findings& findings)
{
    const auto report = store.await<redis::ServerReport>([&](auto done) {
        redis::inspectServer(store.connection(), {config.redis.prefix, config.redis.shards},
                             std::move(done));
    });
    if (!report) {
        findings.error("redis", report.error().message, "until then restanted does not start");
        return false;
    }
    for (const auto& warning : report->warnings) {
        findings.warning("redis", warning, kAppendOnlyAdvice);
    }
    return true;
}

/// One parameter; empty when the server does not tell.
std::string parameterOf(ConnectedStore& store, std::string_view name)
{
    const auto reply = store.command({"CONFIG", "GET", name});
    const auto* pair = reply ? reply->array() : nullptr;
    const auto* value = pair != nullptr && pair->size() == 2 ? (*pair)[1].text() : nullptr;
    return value == nullptr ? std::string{} : *value;
}

/// `isFit`: examineFitness() has passed, and so told its warnings.
void examineDurability(ConnectedStore& store, const Info& info, bool isFit, Findings& findings)
{
    for (const char* status :
         {"aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"}) {
        if (const auto text = textOf(info, status); !text.empty() && text != "ok") {
            findings.error("redis", fmt::format("{} is {}", status, text),
                           "look at its disk and its log; it may refuse every write");
        }
    }
    if (textOf(info, "aof_enabled") != "1") {
        if (!isFit) {
            findings.warning("redis", std::string(redis::kNoAppendOnlyFile), kAppendOnlyAdvice);
        }
        return;
    }
    const auto fsync = parameterOf(store, "appendfsync");
    if (fsync == "no") {
        findings.warning("redis", "appendfsync is no: a power cut can lose half a minute",
                         "CONFIG SET appendfsync everysec, or always (redis.fsync of the embedded "
                         "one)");
    } else if (!fsync.empty()) {
        findings.ok("redis", fsync == "always"
                                 ? "appendfsync is always: what was acknowledged is on the disk"
                                 : "appendfsync is everysec: a power cut can lose the last second");
    }
}

void examineMemory(const Info& info, Findings& findings)
{
    // Above this share a busy hour may fill it, and new jobs are refused.
    constexpr double kFilling = 0.8;
    constexpr double kFull = 0.95;
    const auto used = static_cast<double>(numberOf(info, "used_memory"));
    const auto limit = numberOf(info, "maxmemory");
    const auto machineMemory = numberOf(info, "total_system_memory");
    const auto capacity = static_cast<double>(limit > 0 ? limit : machineMemory);
    const auto share = capacity > 0 ? used / capacity : 0;
    const auto what = fmt::format("{} used, {:.0f} % of {}", textOf(info, "used_memory_human"),
                                  share * 100, limit > 0 ? "maxmemory" : "its machine's memory");
    if (share > kFull) {
        findings.error("memory", what, "give Redis more: it is about to refuse new jobs");
    } else {
        findings.warnIf(share > kFilling, "memory", what,
                        "give Redis more, or find out what fills it: restantectl top");
    }
}

void examineLatency(ConnectedStore& store, Findings& findings)
{
    constexpr std::size_t kPings = 21;
    // The median of a healthy Redis is far below this; above it deliveries become late.
    constexpr std::chrono::milliseconds kSlow{20};
    std::array<SteadyClock::duration, kPings> roundTrips{};
    for (auto& one : roundTrips) {
        const auto begin = SteadyClock::now();
        const auto pong = store.command({"PING"});
        if (!pong) {
            findings.error("latency", pong.error().message, "look at Redis");
            return;
        }
        one = SteadyClock::now() - begin;
    }
    std::ranges::sort(roundTrips);
    const auto median = roundTrips[kPings / 2];
    const auto ms = [](SteadyClock::duration time) {
        return std::chrono::duration<double, std::milli>(time).count();
    };
    const auto what = fmt::format("{:.1f} ms to Redis and back, {:.1f} ms at most", ms(median),
                                  ms(roundTrips.back()));
    findings.warnIf(median > kSlow, "latency", what,
                    "is its machine or the network overloaded? redis-cli --latency, SLOWLOG "
                    "GET");
}

/// Jobs follow Redis' clock; times that people type and read follow this machine's.
void examineClock(ConnectedStore& store, Findings& findings)
{
    constexpr Millis kTolerable{1'000};
    const auto localNow =
        std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch());
    const auto drift = localNow - store.now().time_since_epoch();
    const auto driftSize = std::max(drift, -drift);
    const auto what =
        fmt::format("this machine's is {} {} that of Redis", formatDuration(driftSize),
                    drift < Millis{0} ? "behind" : "ahead of");
    findings.warnIf(driftSize > kTolerable, "clock", what,
                    "let NTP set both; jobs are due by that of Redis");
}

/// Lapsed leases are reaped within milliseconds; older ones show that no daemon works.
void examineLeases(ConnectedStore& store, Findings& findings)
{
    constexpr Millis kReapTolerance{10'000};
    std::int64_t stuck = 0;
    for (std::uint32_t shard = 0; shard < store.shards(); ++shard) {
        const auto key = redis::shardPrefix(store.config().redis.prefix, shard) + "lease";
        const auto until = std::to_string(toEpochMs(store.now() - kReapTolerance));
        const auto count = store.command({"ZCOUNT", key, "-inf", until});
        if (!count) {
            findings.error("leases", count.error().message, "look at Redis");
            return;
        }
        stuck += count->integer() != nullptr ? *count->integer() : 0;
    }
    if (stuck > 0) {
        findings.error("leases", fmt::format("{} have ended and nobody takes the jobs back", stuck),
                       "start a restanted on this Redis");
    } else {
        findings.ok("leases", "none is overdue");
    }
}

/// Makes every repair name the serving token of the store that was examined, so that a store
/// emptied or rolled back since is not changed. Unavailable while a shard is being restored from
/// the journal, when its jobs change.
Result<void> useServingTokens(ConnectedStore& store, const redis::ShardQueues& shards)
{
    for (std::uint32_t shard = 0; shard < store.shards(); ++shard) {
        auto& queue = *shards[shard];
        const auto reply = TRY(store.await<redis::Reply>(
            [&](auto done) { queue.add(redis::script("serving"), {}, {""}, std::move(done)); }));
        const auto prefix = redis::shardPrefix(store.config().redis.prefix, shard);
        if (const auto* token = reply.text(); token != nullptr && !token->empty()) {
            queue.setTokenKey(prefix + "serving:" + *token);
        } else if (const auto texts = redis::textsOf(reply);
                   texts.size() > 1 && !texts[1].empty()) {
            return failure(ErrorCode::Unavailable,
                           "shard {} is being compared with its journal: nothing was repaired",
                           shard);
        }
    }
    return {};
}

/// Where the sweep looks up lost jobs; none if the store has no journal. If it has one and the
/// configuration does not name it, every look-up fails, so that these jobs are left alone.
redis::StoreSweep::JournalLookup
journalLookupOf(ConnectedStore& store, const Options& options, bool hasJournal)
{
    const auto url = journalOf(store, options);
    if (url) {
        return journal::makeJournalLookup(store.loop(), *url);
    }
    if (!hasJournal || store.config().journal.mode == Config::JournalMode::Off) {
        return {};
    }
    return [error = url.error()](const auto& /*ids*/, const auto& done) {
        done(tl::unexpected(error));
    };
}

/// Whether every job is in its sets: after an interrupted script some are not. `hasJournal`: the
/// store knows of one.
void examinePlaces(ConnectedStore& store,
                   const Options& options,
                   bool hasJournal,
                   Findings& findings)
{
    constexpr std::uint64_t kMostChecked = 100'000;  // jobs: a second or two
    constexpr Millis kLongest{std::chrono::hours{12}};
    redis::StoreSweep::Settings settings;
    settings.prefix = store.config().redis.prefix;
    settings.mode =
        options.repair ? redis::StoreSweep::Mode::Repair : redis::StoreSweep::Mode::ReportOnly;
    settings.pauseFactor = 1;
    settings.maxJobs = options.repair ? 0 : kMostChecked;
    settings.actor = ConnectedStore::actor();
    settings.reason = options.reason;
    const auto shards = redis::shardQueues(store.loop(), store.connection(), store.clock(),
                                           settings.prefix, store.shards());
    if (const auto tokens = options.repair ? useServingTokens(store, shards) : Result<void>{};
        !tokens) {
        findings.error("places", tokens.error().message,
                       "wait until the daemon has brought it back, then repeat it");
        return;
    }
    const auto sweep = redis::StoreSweep::make(store.loop(), store.connection(), shards, settings,
                                               journalLookupOf(store, options, hasJournal));
    const auto report =
        store.await<redis::SweepReport>([&](auto done) { sweep->run(std::move(done)); }, kLongest);
    if (!report) {
        findings.error("places", report.error().message, "look at Redis");
        return;
    }
    if (report->unreadable > 0) {
        findings.error("places",
                       fmt::format("{} records have a format that this program does not know",
                                   report->unreadable),
                       "use the version of Restante that wrote them");
    }
    if (report->left > 0) {
        findings.error("places",
                       fmt::format("{} jobs in no set were left alone: {}", report->left,
                                   report->journalProblem),
                       "the journal knows where they were: name it, or start its database; if "
                       "there is none any more, --set journal.mode=off --set queue.hot_horizon=0s");
    }
    const auto what =
        fmt::format("{} jobs were in no set, {} in several, {} lacked an entry beside "
                    "their place, {} ids had no job",
                    report->lost, report->doubled, report->partial, report->stray);
    const auto withExamples = fmt::format("{} ({})", what, fmt::join(report->examples, ", "));
    if (report->faults() == 0 && report->left > 0) {
        return;
    }
    if (report->faults() == 0) {
        findings.ok("places", fmt::format("{} jobs looked at{}, each in its place", report->jobs,
                                          report->isComplete ? "" : " (the first ones)"));
    } else if (options.repair) {
        findings.ok("places", "put right: " + withExamples);
    } else {
        findings.error("places", withExamples,
                       "a script was executed in part, after a crash of Redis; a running restanted "
                       "puts it right by itself, restantectl doctor --repair does at once");
    }
}

std::string_view deliveryAdvice(Channel channel)
{
    switch (channel) {
    case Channel::Pull: return "does a consumer pop this topic?";
    case Channel::Sip: return "is a restanted with sip.listen running?";
    case Channel::Sms: return "is a restanted with sms.gateway running?";
    case Channel::Webhook: break;
    }
    return "is a restanted with webhook.concurrency over 0 running?";
}

void examineTopics(const StoreSnapshot& snapshot, Findings& findings)
{
    // Longer than a restart of a consumer or a daemon takes.
    constexpr Millis kLate{60'000};
    std::set<std::string> paused;  // a topic has a line for each channel
    for (const auto& line : snapshot.topics) {
        const auto about = fmt::format("topic {}", line.counts.topic);
        if (line.paused && !paused.insert(line.counts.topic).second) {
            continue;
        }
        if (line.paused) {
            findings.warning(about, line.note,
                             fmt::format("restantectl resume {}", shellWord(line.counts.topic)));
        } else if (line.late.value_or(Millis{0}) > kLate) {
            findings.warning(
                about,
                fmt::format("{} jobs on channel {} are ready, the oldest for {}", line.counts.ready,
                            name(line.counts.channel),
                            formatDuration(std::chrono::round<std::chrono::seconds>(*line.late))),
                std::string(deliveryAdvice(line.counts.channel)));
        }
    }
}

/// Whether the store is served at all.
void examineServing(const StoreSnapshot& snapshot, Findings& findings)
{
    using Why = redis::NotServed::Why;
    const auto& notServed = snapshot.activity.notServed;
    if (!notServed) {
        return;
    }
    if (notServed->why == Why::Foreign) {
        findings.error("store", "the journal belongs to another store than this Redis",
                       "give it a journal of its own (journal.url), or, if the other one is gone "
                       "for good: restantectl recover --adopt");
        return;
    }
    findings.error("store",
                   fmt::format("{}: {} of {} jobs of the journal were looked at, and nothing is "
                               "served until those that are missing are back",
                               notServed->why == Why::Lost ? "Redis has lost it"
                                                           : "Redis has lost its newest writes",
                               notServed->done, notServed->total),
                   "the daemon does it; wait, and look in its log if it does not get on");
}

/// How far the journal is behind, if the configuration asks for one.
void examineJournalLag(const StoreSnapshot& snapshot, const Config& config, Findings& findings)
{
    constexpr Millis kTolerableLag{60'000};
    const auto& journal = snapshot.activity.journal;
    const bool wantsJournal = config.journal.mode != Config::JournalMode::Off;
    if (!journal) {
        if (wantsJournal) {
            findings.warning("journal", "nobody has recorded this store yet",
                             "start restanted with journal.mode on");
        }
        return;
    }
    const auto what = journal->behind == Millis{0}
                          ? std::string("everything is recorded")
                          : fmt::format("it is {} behind", formatDuration(journal->behind));
    if (!journal->owned) {
        findings.error("journal", "nobody records what happens now; " + what,
                       "start restanted, or look in its log why the journal has stopped");
    } else {
        findings.warnIf(journal->behind > kTolerableLag, "journal", what,
                        "is its database slow or away? restanted's log and "
                        "restante_journal_lag_seconds tell");
    }
}

/// Whether the jobs can be read that are due in a long while.
void examineColdJobs(ConnectedStore& store, Findings& findings)
{
    const auto problem = store.takeColdProblem();
    if (!problem.empty()) {
        findings.error(
            "cold jobs",
            "they are in the journal alone and cannot be read, so they are not among the "
            "jobs that are counted here: " +
                problem,
            "they are delivered only if restanted can read that database");
    } else if (const auto horizon = store.hotHorizon()) {
        findings.ok("cold jobs",
                    *horizon > Millis{0}
                        ? fmt::format("what is due later than {} is in the journal alone, and can "
                                      "be read",
                                      formatDuration(*horizon))
                        : "queue.hot_horizon is off; those that are left in the journal come back");
    }
}

void examineRedis(ConnectedStore& store,
                  const Config& config,
                  bool isFitByProbe,
                  Findings& findings)
{
    const bool isFit = isFitByProbe && examineFitness(store, config, findings);
    const auto info = redisInfo(store);
    if (!info) {
        findings.error("redis", info.error().message, "look at Redis");
        return;
    }
    examineDurability(store, *info, isFit, findings);
    examineMemory(*info, findings);
    examineLatency(store, findings);
    if (isFit) {
        examineClock(store, findings);
    }
}

void examineJobs(ConnectedStore& store,
                 const Config& config,
                 const Options& options,
                 Findings& findings)
{
    const auto snapshot = SnapshotReader(store, options).read();
    if (!snapshot) {
        findings.error("jobs", snapshot.error().message, "look at Redis");
        return;
    }
    if (options.redis.empty()) {
        examineServing(*snapshot, findings);
        examineJournalLag(*snapshot, config, findings);
    }
    examineLeases(store, findings);
    examinePlaces(store, options, snapshot->activity.journal.has_value(), findings);
    examineTopics(*snapshot, findings);
    if (const auto dead = snapshot->counts.states.at(JobState::Dead); dead > 0) {
        findings.warning("jobs", fmt::format("{} are dead", dead),
                         "restantectl list --state dead says why; run ID tries again, purge "
                         "--state dead forgets them");
    }
}

/// Reports rows that the database refused; their jobs are in Redis.
void examineRefusedRows(const journal::JournalUrl& url, Findings& findings)
{
    constexpr std::size_t kMostExamples = 3;
    journal::SqlJournal journal(url, journal::SqlJournal::Schema::Require);
    const auto refused = journal.refused(kMostExamples);
    if (!refused || refused->count == 0) {
        return;
    }
    std::string examples;
    for (const auto& row : refused->newest) {
        examples += fmt::format("; job {} in {}: {}", row.id, row.table, row.reason);
    }
    findings.error("journal",
                   fmt::format("its database has refused {} rows{}", refused->count, examples),
                   "mend what it says, restantectl recover --id ID if Redis has lost the job, then "
                   "DELETE FROM refused");
}

}  // namespace

void examineStore(const Config& config, const Options& options, Findings& findings)
{
    const auto url = redis::redisUrlOf(config);
    if (!url) {
        findings.error("redis", url.error().message, "correct redis.url or --redis");
        return;
    }
    const auto probeResult = probe(*url, config);
    if (!probeResult.passed && config.redis.url.empty() && daemonProcess(config) == 0) {
        findings.warning("redis", "the embedded one runs only while restanted does",
                         "start restanted, then ask again");
        return;
    }
    for (const auto& step : probeResult.steps) {
        findings.add(step);
    }
    if (!probeResult.passed) {
        return;  // nothing works without it
    }
    const auto store = ConnectedStore::open(config);
    if (!store) {
        findings.error("redis", store.error().message, "nothing works without it");
        return;
    }
    (*store)->openColdJobs(options);
    examineRedis(**store, config, probeResult.isFit(), findings);
    examineColdJobs(**store, findings);
    examineDaemons(**store, findings);
    examineJobs(**store, config, options, findings);
}

void examineJournal(const Config& config, Findings& findings)
{
    if (config.journal.mode == Config::JournalMode::Off) {
        findings.warning("journal", "off: no history, and a Redis that is lost stays lost",
                         "journal.mode = async");
        return;
    }
    const auto url = journal::journalUrlOf(config);
    const auto version =
        url ? journal::schemaVersionAt(*url) : Result<int>(tl::unexpected(url.error()));
    if (!version) {
        findings.error(
            "journal",
            fmt::format("{}: {}", url ? url->shown : "journal.url", version.error().message),
            "start that database, or correct journal.url");
    } else if (*version == 0) {
        findings.ok("journal", fmt::format("{}: no tables yet; restanted makes them", url->shown));
    } else if (*version > journal::kSchemaVersion) {
        findings.error("journal",
                       fmt::format("{}: its tables have version {}, this program knows {}",
                                   url->shown, *version, journal::kSchemaVersion),
                       "use the version of Restante that wrote them");
    } else {
        findings.ok("journal", fmt::format("{}, tables of version {}{}", url->shown, *version,
                                           *version < journal::kSchemaVersion
                                               ? "; restanted brings them up to date"
                                               : ""));
        examineRefusedRows(*url, findings);
    }
}

}  // namespace restante::cli
