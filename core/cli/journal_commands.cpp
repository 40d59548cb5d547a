#include "core/base/log.h"
#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/journal.h"
#include "core/cli/table.h"
#include "core/journal/journal_service.h"
#include "core/journal/sql/sql_journal.h"
#include "core/redis/store/keys.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace restante::cli {

Result<journal::JournalUrl> journalOf(const ConnectedStore& store, const Options& options)
{
    const auto& config = store.config();
    if (!options.redis.empty() && config.journal.url.empty()) {
        // The one in the state directory is that of another store.
        return failure(ErrorCode::Invalid,
                       "--redis does not say where the journal of that store is; name it with "
                       "--set journal.url=URL, or give the daemon's configuration with --config");
    }
    if (config.journal.mode == Config::JournalMode::Off) {
        return failure(ErrorCode::NotFound, "there is no journal: journal.mode is off");
    }
    auto url = journal::journalUrlOf(config);
    if (url && !url->path.empty() && !std::filesystem::exists(url->path)) {
        return failure(ErrorCode::NotFound,
                       fmt::format("there is no journal at {}; name the daemon's configuration "
                                   "with --config, or its journal with --set journal.url=URL",
                                   url->path));
    }
    return url;
}

Result<std::vector<HistoryRow>>
historyOf(const ConnectedStore& store, const Options& options, const std::string& id)
{
    auto url = journalOf(store, options);
    if (!url) {
        return tl::unexpected(url.error());
    }
    // This program has nothing else to do meanwhile, so it needs no thread for the database.
    journal::SqlJournal sql(std::move(*url));
    return sql.history(id);
}

namespace {

/// What the attempts came to, a line for each that was asked: too long for a column.
void printLadder(const std::vector<HistoryRow>& history)
{
    bool first = true;
    for (const auto& row : history) {
        if (row.note.empty()) {
            continue;
        }
        fmt::print("{}", first ? "\nattempts\n" : "");
        first = false;
        std::string_view rest = row.note;
        while (!rest.empty()) {
            const auto end = std::min(rest.find('\n'), rest.size());
            fmt::print("  {}\n", oneLine(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
}

}  // namespace

void printHistory(const std::vector<HistoryRow>& history)
{
    if (history.empty()) {
        fmt::print("\nthe journal has no history of it\n");
        return;
    }
    Table table({"AT", "TRANSITION", "FROM", "TO", "WORKER", "BY", "REASON"});
    for (const auto& row : history) {
        table.add({printLocalTime(row.at), row.transition, row.from, row.to, row.worker, row.actor,
                   row.reason});
    }
    fmt::print("\n{}", table.text(terminalWidth()));
    printLadder(history);
}

namespace {

/// A minute for a million jobs; this is only not for ever.
constexpr Millis kLongestRecovery{std::chrono::hours{12}};
/// A terminal follows; a log gets a line now and then.
constexpr std::chrono::milliseconds kOnTerminal{200};
constexpr std::chrono::seconds kInLog{5};

/// Tells on standard error how far it is. *One thread.*
class ProgressLine {
public:
    void show(const RecoverProgress& progress)
    {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) {
            return;
        }
        next_ = now + (terminal_ ? kOnTerminal : kInLog);
        fmt::print(stderr, "{}{} of {} jobs looked at, {} of them were lost{}",
                   terminal_ ? "\r" : "", progress.soFar.seen(), progress.living,
                   progress.soFar.recovered, terminal_ ? "" : "\n");
        shown_ = true;
    }
    void end()
    {
        if (terminal_ && shown_) {
            fmt::print(stderr, "\n");
        }
    }

private:
    bool terminal_ = ::isatty(STDERR_FILENO) != 0;
    bool shown_ = false;
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kOnTerminal;
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
    const auto opened = store.await<void>(
        [&](auto done) { service.open(store.loop(), std::move(done)); }, kLongestRecovery);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    return store.await<RecoverOutcome>(
        [&](auto done) { service.recover(store.loop(), request, std::move(done)); },
        kLongestRecovery);
}

/// From now on this store is no other one than the journal's: whoever compares them next brings the
/// journal's jobs to those that are here.
Result<void> forgetIdentity(ConnectedStore& store)
{
    for (std::uint32_t shard = 0; shard < store.shards(); ++shard) {
        const auto prefix = redis::shardPrefix(store.config().redis.prefix, shard);
        const auto gone = store.command({"DEL", prefix + "store"});
        if (!gone) {
            return tl::unexpected(gone.error());
        }
    }
    return {};
}

struct RecoverLine {
    std::string id;
    bool expired = true;
    bool dryRun = false;
    bool adopt = false;
    std::string reason = kUsualReason;
};

/// Some recorder must be at work, so this is one, too, while it runs: where no daemon is, it
/// records itself.
Result<RecoverOutcome>
recoverFrom(journal::JournalUrl url, ConnectedStore& store, const RecoverLine& line)
{
    RecoverRequest request;
    request.id = line.id;
    request.actor = ConnectedStore::actor();
    request.reason = line.reason;
    request.expired =
        line.expired ? RecoverRequest::Expired::Included : RecoverRequest::Expired::LeftOut;
    request.change = line.dryRun ? RecoverRequest::Change::Nothing : RecoverRequest::Change::Store;
    journal::JournalService::Settings settings;
    settings.redis = store.redis();
    settings.config = store.config();
    settings.config.redis.shards = store.shards();
    settings.journal = std::move(url);
    settings.owner = journal::processName();
    // A store that takes another one's place is brought what that one had, as at a daemon's start.
    settings.recoverLost = line.adopt;
    settings.actor = request.actor;
    settings.reason = request.reason;
    log::setLevel(log::Level::Error);  // names each job that cannot be read
    if (const auto forgotten = line.adopt ? forgetIdentity(store) : Result<void>{}; !forgotten) {
        return tl::unexpected(forgotten.error());
    }
    ProgressLine progress;
    request.progress = [&progress](const RecoverProgress& now) { progress.show(now); };
    journal::JournalService service(std::move(settings));
    auto outcome = recoverBy(service, store, request);
    service.leave(store.loop());
    progress.end();
    return outcome;
}

int recover(ConnectedStore& store, const Options& options, const RecoverLine& line)
{
    const auto outcome = journalOf(store, options).and_then([&](journal::JournalUrl url) {
        return recoverFrom(std::move(url), store, line);
    });
    const int told = tell(
        outcome, options, [&](const RecoverOutcome& one) { return jsonOf(one, line.dryRun); },
        [&](const RecoverOutcome& one) { print(one, line.dryRun); });
    return outcome && outcome->unreadable > 0 ? kExitFailed : told;
}

}  // namespace

void addJournalCommands(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<RecoverLine>();
    auto& command = *app.add_subcommand(
        "recover", "Bring back from the journal what Redis has lost; what it has is left alone");
    command.add_option("--id", line->id, "Only this job");
    command.add_option_function<std::string>(
        "--expired",
        [line](const std::string& word) {
            if (word != "true" && word != "false") {
                throw CLI::ValidationError("--expired", "is true or false");
            }
            line->expired = word == "true";
        },
        "true (default): also what has expired, which then dies with that reason; false: not");
    auto* const dryRun = command.add_flag("--dry-run", line->dryRun, "Only say how many those are");
    command
        .add_flag("--adopt", line->adopt,
                  "Let this store take the place of the one that the journal belongs to, which is "
                  "gone for good")
        ->excludes(dryRun);
    addReason(command, line->reason);
    choose(command, chosen, with(line, recover));
}

}  // namespace restante::cli
