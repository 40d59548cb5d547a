#include "core/base/host_and_pid.h"
#include "core/base/log.h"
#include "core/base/try.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/journal/journal_service.h"
#include "core/journal/sql/sql_journal.h"
#include "core/redis/store/keys.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace restante::cli {

Result<journal::JournalUrl> journalOf(const ConnectedStore& store, const Options& options)
{
    const auto& config = store.config();
    if (!options.redis.empty() && config.journal.url.empty()) {
        // The journal in the state directory belongs to another store.
        return invalid("--redis does not say where the journal of that store is; name it with "
                       "--set journal.url=URL, or give the daemon's configuration with --config");
    }
    if (config.journal.mode == Config::JournalMode::Off) {
        return failure(ErrorCode::NotFound, "there is no journal: journal.mode is off");
    }
    auto url = journal::journalUrlOf(config);
    if (url && !url->path.empty() && !std::filesystem::exists(url->path)) {
        return failure(ErrorCode::NotFound,
                       "there is no journal at {}; name the daemon's configuration "
                       "with --config, or its journal with --set journal.url=URL",
                       url->path);
    }
    return url;
}

namespace {

/// A million jobs take a minute; this only limits a recovery that would never end.
constexpr Millis kLongestRecovery{std::chrono::hours{12}};
/// The intervals of progress on a terminal and in a log.
constexpr std::chrono::milliseconds kTerminalInterval{200};
constexpr std::chrono::seconds kLogInterval{5};

/// Prints progress on standard error. *One thread.*
class ProgressLine {
public:
    void show(const RecoverProgress& progress)
    {
        const auto now = std::chrono::steady_clock::now();
        if (now < nextUpdate_) {
            return;
        }
        nextUpdate_ = now + (isTerminal_ ? kTerminalInterval : kLogInterval);
        fmt::print(stderr, "{}{} of {} jobs looked at, {} of them were lost{}",
                   isTerminal_ ? "\r" : "", progress.soFar.total(), progress.jobsInRedis,
                   progress.soFar.recovered, isTerminal_ ? "" : "\n");
        shown_ = true;
    }
    void end()
    {
        if (isTerminal_ && shown_) {
            fmt::print(stderr, "\n");
        }
    }

private:
    bool isTerminal_ = ::isatty(STDERR_FILENO) != 0;
    bool shown_ = false;
    std::chrono::steady_clock::time_point nextUpdate_ =
        std::chrono::steady_clock::now() + kTerminalInterval;
};

void print(const RecoverOutcome& outcome, bool dryRun)
{
    fmt::print("{} {} jobs; {} were there", dryRun ? "would recover" : "recovered",
               outcome.recovered, outcome.alreadyThere);
    if (outcome.leftOut > 0) {
        fmt::print("; {} have expired and were left out", outcome.leftOut);
    }
    fmt::print("\n");
    if (outcome.unreadable > 0) {
        fmt::print(stderr, "restantectl: {} jobs of the journal cannot be read\n",
                   outcome.unreadable);
    }
}

nlohmann::json jsonOf(const RecoverOutcome& outcome, bool dryRun)
{
    return {{dryRun ? "would_recover" : "recovered", outcome.recovered},
            {"already_there", outcome.alreadyThere},
            {"left_out", outcome.leftOut},
            {"unreadable", outcome.unreadable}};
}

Result<RecoverOutcome>
recoverBy(journal::JournalService& service, ConnectedStore& store, const RecoverRequest& request)
{
    TRY(store.await<void>([&](auto done) { service.open(store.loop(), std::move(done)); },
                          kLongestRecovery));
    return store.await<RecoverOutcome>(
        [&](auto done) { service.recover(store.loop(), request, std::move(done)); },
        kLongestRecovery);
}

/// Makes this store accept the journal's identity: the next comparison adds the journal's jobs to
/// those that are here.
Result<void> forgetIdentity(ConnectedStore& store)
{
    for (std::uint32_t shard = 0; shard < store.shards(); ++shard) {
        const auto prefix = redis::shardPrefix(store.config().redis.prefix, shard);
        TRY(store.command({"DEL", prefix + "store"}));
    }
    return {};
}

struct RecoverArguments {
    std::string id;
    std::string expired = "true";
    bool dryRun = false;
    bool adopt = false;
    std::string reason = kDefaultReason;
};

/// Recovery needs a running recorder, so this runs one, too, in case there is no daemon.
Result<RecoverOutcome>
recoverFrom(journal::JournalUrl url, ConnectedStore& store, const RecoverArguments& arguments)
{
    RecoverRequest request;
    request.id = arguments.id;
    request.actor = ConnectedStore::actor();
    request.reason = arguments.reason;
    request.expired = arguments.expired == "true" ? RecoverRequest::Expired::Included
                                                  : RecoverRequest::Expired::LeftOut;
    request.change =
        arguments.dryRun ? RecoverRequest::Change::Nothing : RecoverRequest::Change::Store;
    journal::JournalService::Settings settings;
    settings.redis = store.redis();
    settings.config = store.config();
    settings.config.redis.shards = store.shards();
    settings.journal = std::move(url);
    settings.owner = hostAndPid();
    // A store that replaces another one gets its jobs, as at a daemon's start.
    settings.recoverLost = arguments.adopt;
    settings.actor = request.actor;
    settings.reason = request.reason;
    log::setLevel(log::Level::Error);  // names each job that cannot be read
    TRY(arguments.adopt ? forgetIdentity(store) : Result<void>{});
    ProgressLine progress;
    request.progress = [&progress](const RecoverProgress& current) { progress.show(current); };
    journal::JournalService service(std::move(settings));
    auto outcome = recoverBy(service, store, request);
    service.dropRequestsOf(store.loop());
    progress.end();
    return outcome;
}

int recover(ConnectedStore& store, const Options& options, const RecoverArguments& arguments)
{
    const auto outcome = journalOf(store, options).and_then([&](journal::JournalUrl url) {
        return recoverFrom(std::move(url), store, arguments);
    });
    const int exitCode = printResult(
        outcome, options, [&](const RecoverOutcome& one) { return jsonOf(one, arguments.dryRun); },
        [&](const RecoverOutcome& one) { print(one, arguments.dryRun); });
    return outcome && outcome->unreadable > 0 ? kExitFailed : exitCode;
}

void checkRecover(RecoverArguments& arguments)
{
    if (arguments.expired != "true" && arguments.expired != "false") {
        refuseUsage("--expired: is true or false");
    }
}

}  // namespace

void addRecover(CommandLine& commands)
{
    auto [command, arguments] = commands.add(
        "recover", "Bring back from the journal what Redis has lost; what it has is left alone",
        recover, checkRecover);
    command.option("--id", &arguments.id, "Only this job");
    command.option(
        "--expired", &arguments.expired,
        "true (default): also what has expired, which then dies with that reason; false: not");
    auto* dryRun = command.option("--dry-run", &arguments.dryRun, "Only say how many those are");
    command.option(
        "--adopt", &arguments.adopt,
        "Let this store take the place of the one that the journal belongs to, which is gone "
        "for good",
        {.excludes = dryRun});
    command.reason(&arguments.reason);
}

}  // namespace restante::cli
