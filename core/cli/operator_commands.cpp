#include "core/base/async_task.h"
#include "core/base/clock.h"
#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "core/cli/bulk.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/queue/bulk_action.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

constexpr const char* kBuryReason = "given up";  // becomes the last error

using JobStep = std::function<void(ConnectedStore&, OperatorAction, Done<void>)>;

nlohmann::json resultOf(const std::string& id, const Result<void>& answer)
{
    if (answer) {
        return {{"id", id}, {"status", "ok"}};
    }
    return {{"id", id}, {"status", name(answer.error().code)}, {"error", answer.error().message}};
}

/// Applies `action` to all jobs that the arguments select by a filter, or else `step` to every id,
/// and prints the results; `outcomeText` says what became of each job.
int apply(ConnectedStore& store,
          const Options& options,
          const BulkOptions& arguments,
          BulkAction action,
          std::string_view outcomeText,
          const JobStep& step)
{
    if (arguments.isBulk()) {
        action.filter = filterOf(arguments);
        return runBulk(store, options, arguments, std::move(action), outcomeText);
    }
    store.warnOfHiddenJobs();
    const auto& ids = arguments.ids;
    const auto answers = store.awaitAll(ids.size(), [&](std::size_t i, Done<void> done) {
        step(store, {ids[i], ConnectedStore::actor(), arguments.reason}, std::move(done));
    });
    nlohmann::json results = nlohmann::json::array();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (options.json) {
            results.push_back(resultOf(ids[i], answers[i]));
        } else if (answers[i]) {
            fmt::print("{} {}\n", ids[i], outcomeText);
        } else {
            fmt::print(stderr, "restantectl: {}: {}\n", ids[i], answers[i].error().message);
        }
    }
    if (options.json) {
        printJson({{"results", results}});
    }
    const bool allSucceeded =
        std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); });
    return allSucceeded ? kExitOk : kExitFailed;
}

/// The arguments of a command that applies one verb to its jobs.
struct VerbArguments {
    const char* name = nullptr;
    const char* outcomeText = nullptr;
    JobStep step;
    BulkAction::Verb verb{};
    BulkOptions jobs;
};

int runVerb(ConnectedStore& store, const Options& options, const VerbArguments& arguments)
{
    BulkAction action;
    action.verb = arguments.verb;
    return apply(store, options, arguments.jobs, std::move(action), arguments.outcomeText,
                 arguments.step);
}

/// A command line that names no job at all is a usage error, as is a filter that cannot be read.
void requireJobs(const char* command, const BulkOptions& jobs)
{
    if (jobs.ids.empty() && !jobs.isBulk()) {
        refuseUsage(fmt::format("{}: a job's id, or --filter or --biz-key is required", command));
    }
    (void)filterOf(jobs);
}

void checkVerb(VerbArguments& arguments)
{
    requireJobs(arguments.name, arguments.jobs);
}

struct RescheduleArguments {
    BulkOptions jobs;
    std::optional<TimePoint> at;
    std::optional<Millis> in;
    std::optional<Millis> spread;
    bool resetsAttempts = false;
};

/// The bounds are those of a push.
Result<void>
checkTime(const ConnectedStore& store, const RescheduleArguments& arguments, TimePoint due)
{
    constexpr JobLimits kLimits;
    const auto* option = arguments.at ? "--at" : "--in";
    const auto isTooFar = [&](TimePoint time) { return time - store.now() > kLimits.horizon; };
    if (due < TimePoint{} || isTooFar(due)) {
        return invalid("{}: is not before 1970 and at most {} ahead", option,
                       formatDuration(kLimits.horizon));
    }
    if (isTooFar(due + arguments.spread.value_or(Millis{0}))) {
        return invalid("--spread: ends at most {} ahead", formatDuration(kLimits.horizon));
    }
    return {};
}

int reschedule(ConnectedStore& store, const Options& options, const RescheduleArguments& arguments)
{
    NewTime time{arguments.at
                     ? *arguments.at
                     : momentAfter(store.queue().clock(), arguments.in.value_or(Millis{0}))};
    if (const auto allowed = checkTime(store, arguments, time.due); !allowed) {
        return fail(allowed.error(), options);
    }
    BulkAction action;
    action.verb = BulkAction::Verb::Reschedule;
    action.due = time.due;
    action.spread = arguments.spread.value_or(Millis{0});
    if (arguments.resetsAttempts) {
        action.attempts = BulkAction::Attempts::Reset;
        time.attemptOffset = NewTime::kEveryAttempt;
    }
    return apply(store, options, arguments.jobs, std::move(action),
                 "is due at " + formatLocalTime(time.due),
                 [time](ConnectedStore& connected, OperatorAction jobAction, Done<void> done) {
                     connected.jobStore().reschedule(std::move(jobAction), time, std::move(done));
                 });
}

void checkReschedule(RescheduleArguments& arguments)
{
    requireJobs("reschedule", arguments.jobs);
}

void addReschedule(CommandLine& commands)
{
    auto [command, arguments] =
        commands.add("reschedule", "Let jobs be due at another time", reschedule, checkReschedule);
    auto* ids = addBulkOptions(command, arguments.jobs);
    command.option("--spread", &arguments.spread,
                   "With --filter: spread them evenly over so long from then on",
                   {.excludes = ids});
    command.option("--reset-attempts", &arguments.resetsAttempts,
                   "Let their retry schedules begin anew; the numbers of attempts go on");
    const auto when = command.group("when", 1, 1);
    when.option("--at", &arguments.at, "At this time, e.g. \"2026-12-31 09:00\"");
    when.option("--in", &arguments.in, "After this long, e.g. 15d");
}

using StoreMethod = void (JobStore::*)(OperatorAction, Done<void>);

/// A step that calls a method of the store with the id.
JobStep stepFor(StoreMethod method)
{
    return [method](ConnectedStore& store, OperatorAction action, Done<void> done) {
        (store.jobStore().*method)(std::move(action), std::move(done));
    };
}

/// The lease argument for a transition by an operator.
Lease leaseOf(const JobView& view, const OperatorAction& action)
{
    const auto& job = view.job;
    Lease lease{job.id, 0, job.channel == Channel::Sip ? job.recipient : std::string{}};
    lease.actor = action.actor;
    lease.reason = action.reason;
    return lease;
}

/// Leased jobs are left to their workers; only waiting jobs are held.
void hold(ConnectedStore& store, OperatorAction action, Done<void> done)
{
    holdWaiting(store.inspector(), store.jobStore(), std::move(action), std::move(done));
}

void bury(ConnectedStore& store, OperatorAction action, Done<void> done)
{
    store.inspector().show(action.id, onSuccess(done, [&store, action, done](const JobView& view) {
                               store.queue().bury(
                                   leaseOf(view, action),
                                   action.reason.empty() ? kBuryReason : action.reason, done);
                           }));
}

struct PurgeArguments {
    BulkOptions jobs;
    std::optional<Millis> olderThan;

    /// --state alone needs no --yes: what it names has ended already.
    bool needsNoYes() const
    {
        return jobs.state && jobs.filter.empty() && jobs.bizKey.empty() && !jobs.dryRun;
    }
};

/// The jobs to purge, by all options of the command.
BulkOptions selectedJobs(const PurgeArguments& arguments)
{
    auto jobs = arguments.jobs;
    jobs.yes = jobs.yes || arguments.needsNoYes();
    if (arguments.olderThan) {
        jobs.filter = fmt::format("{} due<=-{}",
                                  jobs.filter.empty() ? std::string() : "(" + jobs.filter + ")",
                                  formatDuration(*arguments.olderThan));
    }
    return jobs;
}

void checkPurge(PurgeArguments& arguments)
{
    const auto& jobs = arguments.jobs;
    if (jobs.ids.empty() && !jobs.isBulk()) {
        refuseUsage("purge: a job's id, --state dead|trashed|done, or --filter is required");
    }
    if (jobs.state && *jobs.state != JobState::Dead && *jobs.state != JobState::Trashed &&
        *jobs.state != JobState::Done) {
        refuseUsage("--state: purge takes dead, trashed or done; name living jobs by their ids or "
                    "by a filter");
    }
    (void)filterOf(jobs);  // by itself, so that an error's column is that of the user's text
    (void)filterOf(selectedJobs(arguments));
}

int purge(ConnectedStore& store, const Options& options, const PurgeArguments& arguments)
{
    const auto jobs = selectedJobs(arguments);
    BulkAction action;
    action.verb = BulkAction::Verb::Purge;
    if (jobs.state) {
        action.states = {*jobs.state};
    }
    return apply(store, options, jobs, std::move(action), "is gone", stepFor(&JobStore::purge));
}

void addPurge(CommandLine& commands)
{
    auto [command, arguments] = commands.add("purge", "Remove jobs for good", purge, checkPurge);
    auto* ids = addBulkOptions(command, arguments.jobs);
    auto* state = command.option("--state", &arguments.jobs.state,
                                 "All jobs that are dead, trashed or done", {.excludes = ids});
    command.option("--older-than", &arguments.olderThan, "Only those that got there this long ago",
                   {.needs = state});
}

}  // namespace

void addOperatorCommands(CommandLine& commands)
{
    using Verb = BulkAction::Verb;
    const auto add = [&commands](const char* name, const char* help, const char* outcomeText,
                                 JobStep step, Verb verb, const char* reason = kDefaultReason) {
        auto [command, arguments] = commands.add(name, help, runVerb, checkVerb);
        arguments = {name, outcomeText, std::move(step), verb, {}};
        arguments.jobs.reason = reason;
        addBulkOptions(command, arguments.jobs);
    };
    add("run", "Let jobs be due now", "runs now", stepFor(&JobStore::runNow), Verb::RunNow);
    addReschedule(commands);
    add("hold", "Give jobs that are scheduled or ready to nobody until they are released",
        "is held", hold, Verb::Hold);
    add("release", "Let held jobs go on; a held message lets its whole mailbox be tried",
        "is released", stepFor(&JobStore::release), Verb::Release);
    add("bury", "Give jobs up: they are dead, with --reason as their last error", "is dead", bury,
        Verb::Bury, kBuryReason);
    add("delete", "Put jobs into the trash, from where restore takes them back", "is in the trash",
        stepFor(&JobStore::trash), Verb::Trash);
    add("restore", "Put trashed, dead or done jobs back where they were", "is back",
        stepFor(&JobStore::restore), Verb::Restore);
    addPurge(commands);
}

}  // namespace restante::cli
