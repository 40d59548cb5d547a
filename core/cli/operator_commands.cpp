#include "core/base/bounded_clock.h"
#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/bulk.h"
#include "core/cli/command.h"
#include "core/cli/session.h"
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
using Step = std::function<void(Session&, OperatorAction, Done<void>)>;

nlohmann::json resultOf(const std::string& id, const Result<void>& answer)
{
    if (answer) {
        return {{"id", id}, {"status", "ok"}};
    }
    return {{"id", id}, {"status", name(answer.error().code)}, {"error", answer.error().message}};
}

/// Does `step` to every id and tells how each went; "done" is what `past` says.
int applyTo(Session& session,
            const Options& options,
            const Ids& ids,
            const std::string& reason,
            std::string_view past,
            const Step& step)
{
    const auto answers = session.awaitAll(ids.size(), [&](std::size_t i, Done<void> done) {
        step(session, {ids[i], Session::actor(), reason}, std::move(done));
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
        fmt::print("{}\n", nlohmann::json{{"results", results}}.dump());
    }
    const bool allDone = std::all_of(answers.begin(), answers.end(),
                                     [](const auto& answer) { return answer.has_value(); });
    return allDone ? kDone : kFailed;
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

/// A line that names no job at all is a usage error.
void requireJobs(const char* command, const Ids& ids, const BulkLine& bulk)
{
    if (ids.empty() && !bulk.isBulk()) {
        throw CLI::RequiredError(std::string(command) + ": a job's id, or --filter or --biz-key");
    }
}

/// A command that does one thing to each of its jobs.
void addVerb(CLI::App& app, Command& chosen, Verb verb)
{
    auto ids = std::make_shared<Ids>();
    auto bulk = std::make_shared<BulkLine>();
    auto& command = addWithIds(app, verb.name, verb.help, *ids);
    bulk->reason = verb.reason;
    addBulkOptions(command, *bulk);
    command.callback([ids, bulk, verb, &chosen] {
        requireJobs(verb.name, *ids, *bulk);
        const auto filter = filterOf(*bulk);
        chosen = [ids, bulk, filter, verb](Session& session, const Options& options) {
            if (bulk->isBulk()) {
                BulkAction action;
                action.verb = verb.bulk;
                action.filter = filter;
                return runBulk(session, options, *bulk, std::move(action), verb.past);
            }
            return applyTo(session, options, *ids, bulk->reason, verb.past, verb.step);
        };
    });
}

void addReschedule(CLI::App& app, Command& chosen)
{
    struct Line {
        Ids ids;
        BulkLine bulk;
        std::optional<TimePoint> at;
        std::optional<Millis> in;
        std::optional<Millis> spread;
        bool resets = false;
    };
    auto line = std::make_shared<Line>();
    line->bulk.reason = kUsualReason;
    auto& command = addWithIds(app, "reschedule", "Let jobs be due at another time", line->ids);
    addBulkOptions(command, line->bulk);
    addDuration(command, "--spread", line->spread,
                "With --filter: spread them evenly over so long from then on")
        ->excludes(command.get_option("id"));
    command.add_flag("--reset-attempts", line->resets,
                     "Let their retry schedules begin anew; the numbers of attempts go on");
    auto* when = command.add_option_group("when");
    addTime(*when, "--at", line->at, "At this time, e.g. \"2026-12-31 09:00\"");
    addDuration(*when, "--in", line->in, "After this long, e.g. 15d");
    when->require_option(1);
    command.callback([line, &chosen] {
        requireJobs("reschedule", line->ids, line->bulk);
        const auto filter = filterOf(line->bulk);
        chosen = [line, filter](Session& session, const Options& options) {
            const auto due =
                line->at ? *line->at
                         : momentAfter(session.queue().clock(), line->in.value_or(Millis{0}));
            if (line->bulk.isBulk()) {
                BulkAction action;
                action.verb = BulkAction::Verb::Reschedule;
                action.filter = filter;
                action.due = due;
                action.spread = line->spread.value_or(Millis{0});
                action.attempts =
                    line->resets ? BulkAction::Attempts::Reset : BulkAction::Attempts::Keep;
                return runBulk(session, options, line->bulk, std::move(action),
                               "is due at " + printLocalTime(due));
            }
            NewTime time{due};
            if (line->resets) {
                time.forgotten = NewTime::kEveryAttempt;
            }
            return applyTo(session, options, line->ids, line->bulk.reason,
                           "is due at " + printLocalTime(due),
                           [time](Session& ours, OperatorAction action, Done<void> done) {
                               ours.store().reschedule(std::move(action), time, std::move(done));
                           });
        };
    });
}

using Move = void (JobStore::*)(OperatorAction, Done<void>);

/// What the store does with the id alone.
Step stepOf(Move move)
{
    return [move](Session& session, OperatorAction action, Done<void> done) {
        (session.store().*move)(std::move(action), std::move(done));
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
void hold(Session& session, OperatorAction action, Done<void> done)
{
    holdWaiting(session.inspector(), session.queue().store(), std::move(action), std::move(done));
}

void bury(Session& session, OperatorAction action, Done<void> done)
{
    session.inspector().show(
        action.id, [&session, action, done = std::move(done)](const Result<JobView>& view) {
            if (!view) {
                return done(tl::unexpected(view.error()));
            }
            session.queue().bury(leaseOf(*view, action),
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
}

int purgeBulk(Session& session, const Options& options, const PurgeLine& line, JobFilter filter)
{
    BulkAction action;
    action.verb = BulkAction::Verb::Purge;
    action.filter = std::move(filter);
    if (line.bulk.state) {
        action.states = {*line.bulk.state};
    }
    auto bulk = line.bulk;
    bulk.yes = bulk.yes || line.isByState();
    return runBulk(session, options, bulk, std::move(action), "is gone");
}

void addPurge(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<PurgeLine>();
    line->bulk.reason = kUsualReason;
    auto& command = addWithIds(app, "purge", "Remove jobs for good", line->ids);
    addBulkOptions(command, line->bulk);
    auto* state =
        addState(command, "--state", line->bulk.state, "All jobs that are dead, trashed or done");
    state->excludes(command.get_option("id"));
    addDuration(command, "--older-than", line->olderThan, "Only those that got there this long ago")
        ->needs(state);
    command.callback([line, &chosen] {
        checkPurge(*line);
        auto narrowed = line->bulk;
        if (line->olderThan) {
            narrowed.filter =
                fmt::format("{} due<=-{}",
                            narrowed.filter.empty() ? std::string() : "(" + narrowed.filter + ")",
                            printDuration(*line->olderThan));
        }
        chosen = [line, filter = filterOf(narrowed)](Session& session, const Options& options) {
            if (line->bulk.isBulk()) {
                return purgeBulk(session, options, *line, filter);
            }
            return applyTo(session, options, line->ids, line->bulk.reason, "is gone",
                           stepOf(&JobStore::purge));
        };
    });
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
