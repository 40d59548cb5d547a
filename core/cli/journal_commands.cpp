#include "core/base/log.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/journal.h"
#include "core/cli/session.h"
#include "core/journal/journal_service.h"
#include "core/redis/store/keys.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace restante::cli {

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

void print(const RecoverOutcome& outcome, const RecoverRequest& request)
{
    const bool dry = request.change == RecoverRequest::Change::Nothing;
    fmt::print("{} {} jobs; {} were there", dry ? "would recover" : "recovered", outcome.recovered,
               outcome.alreadyThere);
    if (outcome.leftOut > 0) {
        fmt::print("; {} have expired and were left out", outcome.leftOut);
    }
    fmt::print("\n");
    if (outcome.unreadable > 0) {
        fmt::print(stderr, "restantectl: {} jobs of the journal cannot be read\n",
                   outcome.unreadable);
    }
}

void printJson(const RecoverOutcome& outcome, const RecoverRequest& request)
{
    const nlohmann::json object{
        {request.change == RecoverRequest::Change::Nothing ? "would_recover" : "recovered",
         outcome.recovered},
        {"already_there", outcome.alreadyThere},
        {"left_out", outcome.leftOut},
        {"unreadable", outcome.unreadable}};
    fmt::print("{}\n", object.dump());
}

Result<RecoverOutcome>
recoverBy(journal::JournalService& service, Session& session, const RecoverRequest& request)
{
    const auto opened = session.await<void>(
        [&](auto done) { service.open(session.loop(), std::move(done)); }, kLongestRecovery);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    return session.await<RecoverOutcome>(
        [&](auto done) { service.recover(session.loop(), request, std::move(done)); },
        kLongestRecovery);
}

/// From now on this store is no other one than the journal's: whoever compares them next brings the
/// journal's jobs to those that are here.
Result<void> forgetIdentity(Session& session)
{
    for (std::uint32_t shard = 0; shard < session.shards(); ++shard) {
        const auto prefix = redis::shardPrefix(session.config().redis.prefix, shard);
        const auto gone = session.await<redis::Reply>([&](auto done) {
            session.connection().command({"DEL", prefix + "store"}, std::move(done));
        });
        if (!gone) {
            return tl::unexpected(gone.error());
        }
    }
    return {};
}

/// Some recorder must be at work, so this is one, too, while it runs: where no daemon is, it
/// records itself.
int recover(Session& session, const Options& options, RecoverRequest request, bool adopts)
{
    auto url = journalOf(session, options);
    if (!url) {
        return fail(url.error(), options);
    }
    journal::JournalService::Settings settings;
    settings.redis = session.redis();
    settings.config = session.config();
    settings.config.redis.shards = session.shards();
    settings.journal = std::move(*url);
    settings.owner = journal::processName();
    // A store that takes another one's place is brought what that one had, as at a daemon's start.
    settings.recoverLost = adopts;
    settings.actor = request.actor;
    settings.reason = request.reason;
    log::setLevel(log::Level::Error);  // names each job that cannot be read
    if (const auto forgotten = adopts ? forgetIdentity(session) : Result<void>{}; !forgotten) {
        return fail(forgotten.error(), options);
    }
    ProgressLine line;
    request.progress = [&line](const RecoverProgress& progress) { line.show(progress); };
    Result<RecoverOutcome> outcome;
    {
        journal::JournalService service(std::move(settings));
        outcome = recoverBy(service, session, request);
        service.leave(session.loop());
    }
    line.end();
    if (!outcome) {
        return fail(outcome.error(), options);
    }
    (options.json ? printJson : print)(*outcome, request);
    return outcome->unreadable == 0 ? kDone : kFailed;
}

}  // namespace

void addJournalCommands(CLI::App& app, Command& chosen)
{
    struct Line {
        std::string id;
        bool expired = true;
        bool dryRun = false;
        bool adopt = false;
        std::string reason = kUsualReason;
    };
    auto line = std::make_shared<Line>();
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
    command.callback([line, &chosen] {
        chosen = [line](Session& session, const Options& options) {
            RecoverRequest request;
            request.id = line->id;
            request.actor = Session::actor();
            request.reason = line->reason;
            request.expired = line->expired ? RecoverRequest::Expired::Included
                                            : RecoverRequest::Expired::LeftOut;
            request.change =
                line->dryRun ? RecoverRequest::Change::Nothing : RecoverRequest::Change::Store;
            return recover(session, options, std::move(request), line->adopt);
        };
    });
}

}  // namespace restante::cli
