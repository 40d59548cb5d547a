#include "core/base/clock.h"
#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/bulk.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/queue/bulk_action.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

constexpr const char* kGivenUp = "given up";  // becomes the last error

using Ids = std::vector<std::string>;
using Step = std::function<void(ConnectedStore&, OperatorAction, Done<void>)>;

nlohmann::json resultOf(const std::string& id, const Result<void>& answer)
{
    if (answer) {
        return {{"id", id}, {"status", "ok"}};
    }
    return {{"id", id}, {"status", name(answer.error().code)}, {"error", answer.error().message}};
}

/// Does `step` to every id and tells how each went; "done" is what `past` says.
int applyTo(ConnectedStore& store,
            const Options& options,
            const Ids& ids,
            const std::string& reason,
            std::string_view past,
            const Step& step)
{
    const auto answers = store.awaitAll(ids.size(), [&](std::size_t i, Done<void> done) {
        step(store, {ids[i], ConnectedStore::actor(), reason}, std::move(done));
    });
    nlohmann::json results = nlohmann::json::array();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (options.json) {
            results.push_back(resultOf(ids[i], answers[i]));
        } else if (answers[i]) {
            fmt::print("{} {}\n", ids[i], past);
        } else {
            fmt::print(stderr, "restantectl: {}: {}\n", ids[i], answers[i].error().message);
        }
    }
    if (options.json) {
        printJson({{"results", results}});
    }
    const bool allDone =
        std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); });
    return allDone ? kExitOk : kExitFailed;
}

CLI::App& addWithIds(CLI::App& app, const char* name, const char* help, Ids& ids)
{
    auto& command = *app.add_subcommand(name, help);
    command.add_option("id", ids, "The jobs");
    return command;
}

struct Verb {
    const char* name;
    const char* help;
    const char* past;
    Step step;
    BulkAction::Verb bulk;
    std::string reason = kUsualReason;  ///< when the command line gives none
};

/// A line that names no job at all is a usage error, as is a filter that cannot be read.
void requireJobs(const char* command, const Ids& ids, const BulkLine& bulk)
{
    if (ids.empty() && !bulk.isBulk()) {
        throw CLI::RequiredError(std::string(command) + ": a job's id, or --filter or --biz-key");
    }
    (void)filterOf(bulk);
}

/// A command that does one thing to each of its jobs.
void addVerb(CLI::App& app, Command& chosen, Verb verb)
{
    auto ids = std::make_shared<Ids>();
    auto bulk = std::make_shared<BulkLine>();
    auto& command = addWithIds(app, verb.name, verb.help, *ids);
    bulk->reason = verb.reason;
    addBulkOptions(command, *bulk);
    choose(
        command, chosen,
        [ids, bulk, verb](ConnectedStore& store, const Options& options) {
            if (bulk->isBulk()) {
                BulkAction action;
                action.verb = verb.bulk;
                action.filter = filterOf(*bulk);
                return runBulk(store, options, *bulk, std::move(action), verb.past);
            }
            return applyTo(store, options, *ids, bulk->reason, verb.past, verb.step);
        },
        [ids, bulk, name = verb.name] { requireJobs(name, *ids, *bulk); });
}

struct RescheduleLine {
    Ids ids;
    BulkLine bulk;
    std::optional<TimePoint> at;
    std::optional<Millis> in;
    std::optional<Millis> spread;
    bool resets = false;
};

int reschedule(ConnectedStore& store, const Options& options, const RescheduleLine& line)
{
    const auto due =
        line.at ? *line.at : momentAfter(store.queue().clock(), line.in.value_or(Millis{0}));
    const auto past = "is due at " + printLocalTime(due);
    if (line.bulk.isBulk()) {
        BulkAction action;
        action.verb = BulkAction::Verb::Reschedule;
        action.filter = filterOf(line.bulk);
        action.due = due;
        action.spread = line.spread.value_or(Millis{0});
        action.attempts = line.resets ? BulkAction::Attempts::Reset : BulkAction::Attempts::Keep;
        return runBulk(store, options, line.bulk, std::move(action), past);
    }
    NewTime time{due};
    if (line.resets) {
        time.forgotten = NewTime::kEveryAttempt;
    }
    return applyTo(store, options, line.ids, line.bulk.reason, past,
                   [time](ConnectedStore& ours, OperatorAction action, Done<void> done) {
                       ours.jobStore().reschedule(std::move(action), time, std::move(done));
                   });
}

void addReschedule(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<RescheduleLine>();
    line->bulk.reason = kUsualReason;
    auto& command = addWithIds(app, "reschedule", "Let jobs be due at another time", line->ids);
    addBulkOptions(command, line->bulk);
    addParsed(command, "--spread", line->spread,
              "With --filter: spread them evenly over so long from then on")
        ->excludes(command.get_option("id"));
    command.add_flag("--reset-attempts", line->resets,
                     "Let their retry schedules begin anew; the numbers of attempts go on");
    auto* when = command.add_option_group("when");
    addParsed(*when, "--at", line->at, "At this time, e.g. \"2026-12-31 09:00\"");
    addParsed(*when, "--in", line->in, "After this long, e.g. 15d");
    when->require_option(1);
    choose(command, chosen, with(line, reschedule),
           [line] { requireJobs("reschedule", line->ids, line->bulk); });
}

using Move = void (JobStore::*)(OperatorAction, Done<void>);

/// What the store does with the id alone.
Step stepOf(Move move)
{
    return [move](ConnectedStore& store, OperatorAction action, Done<void> done) {
        (store.jobStore().*move)(std::move(action), std::move(done));
    };
}

/// An operator's move that the store does by a lease.
Lease leaseOf(const JobView& view, const OperatorAction& action)
{
    const auto& job = view.job;
    Lease lease{job.id, 0, job.channel == Channel::Sip ? job.recipient : std::string{}};
    lease.actor = action.actor;
    lease.reason = action.reason;
    return lease;
}

/// What is leased stays its worker's: only what nobody has, and is still due then, is held.
void hold(ConnectedStore& store, OperatorAction action, Done<void> done)
{
    holdWaiting(store.inspector(), store.jobStore(), std::move(action), std::move(done));
}

void bury(ConnectedStore& store, OperatorAction action, Done<void> done)
{
    store.inspector().show(
        action.id, [&store, action, done = std::move(done)](const Result<JobView>& view) {
            if (!view) {
                return done(tl::unexpected(view.error()));
            }
            store.queue().bury(leaseOf(*view, action),
                               action.reason.empty() ? kGivenUp : action.reason, done);
        });
}

struct PurgeLine {
    Ids ids;
    BulkLine bulk;
    std::optional<Millis> olderThan;

    /// --state alone needs no --yes: what it names has ended already.
    bool isByState() const
    {
        return bulk.state && bulk.filter.empty() && bulk.bizKey.empty() && !bulk.dryRun;
    }
};

/// What is purged in bulk, by all that the line says.
BulkLine bulkOf(const PurgeLine& line)
{
    auto bulk = line.bulk;
    bulk.yes = bulk.yes || line.isByState();
    if (line.olderThan) {
        bulk.filter = fmt::format("{} due<=-{}",
                                  bulk.filter.empty() ? std::string() : "(" + bulk.filter + ")",
                                  printDuration(*line.olderThan));
    }
    return bulk;
}

void checkPurge(const PurgeLine& line)
{
    if (line.ids.empty() && !line.bulk.isBulk()) {
        throw CLI::RequiredError("purge: a job's id, --state dead|trashed|done, or --filter");
    }
    const auto& state = line.bulk.state;
    if (state && *state != JobState::Dead && *state != JobState::Trashed &&
        *state != JobState::Done) {
        throw CLI::ValidationError("--state", "purge takes dead, trashed or done; name living jobs "
                                              "by their ids or by a filter");
    }
    (void)filterOf(bulkOf(line));
}

int purge(ConnectedStore& store, const Options& options, const PurgeLine& line)
{
    if (!line.bulk.isBulk()) {
        return applyTo(store, options, line.ids, line.bulk.reason, "is gone",
                       stepOf(&JobStore::purge));
    }
    const auto bulk = bulkOf(line);
    BulkAction action;
    action.verb = BulkAction::Verb::Purge;
    action.filter = filterOf(bulk);
    if (bulk.state) {
        action.states = {*bulk.state};
    }
    return runBulk(store, options, bulk, std::move(action), "is gone");
}

void addPurge(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<PurgeLine>();
    line->bulk.reason = kUsualReason;
    auto& command = addWithIds(app, "purge", "Remove jobs for good", line->ids);
    addBulkOptions(command, line->bulk);
    auto* state =
        addParsed(command, "--state", line->bulk.state, "All jobs that are dead, trashed or done");
    state->excludes(command.get_option("id"));
    addParsed(command, "--older-than", line->olderThan, "Only those that got there this long ago")
        ->needs(state);
    choose(command, chosen, with(line, purge), [line] { checkPurge(*line); });
}

}  // namespace

void addOperatorCommands(CLI::App& app, Command& chosen)
{
    using Bulk = BulkAction::Verb;
    addVerb(app, chosen,
            {"run", "Let jobs be due now", "runs now", stepOf(&JobStore::runNow), Bulk::RunNow});
    addReschedule(app, chosen);
    addVerb(app, chosen,
            {"hold", "Give jobs that are scheduled or ready to nobody until they are released",
             "is held", hold, Bulk::Hold});
    addVerb(app, chosen,
            {"release", "Let held jobs go on; a held message lets its whole mailbox be tried",
             "is released", stepOf(&JobStore::release), Bulk::Release});
    addVerb(app, chosen,
            {"bury", "Give jobs up: they are dead, with --reason as their last error", "is dead",
             bury, Bulk::Bury, kGivenUp});
    addVerb(app, chosen,
            {"delete", "Put jobs into the trash, from where restore takes them back",
             "is in the trash", stepOf(&JobStore::trash), Bulk::Trash});
    addVerb(app, chosen,
            {"restore", "Put trashed, dead or done jobs back where they were", "is back",
             stepOf(&JobStore::restore), Bulk::Restore});
    addPurge(app, chosen);
}

}  // namespace restante::cli
